//! Weights that matter in proportion to each other alone, beside rows that meet exactly in others.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use unmask_solvers::{BlockProblem, BlockProblemBuilder, Exact, Limits, Solver, StopReason};

/// Blocks of one row each.
fn problem(rows: &[[f64; 5]]) -> BlockProblem {
    let mut builder = BlockProblemBuilder::new(5).unwrap();
    rows.iter().for_each(|row| builder.push_block(row).unwrap());
    builder.finish()
}

/// Rows of the last two weights alone.
fn small_rows(random: &mut ChaCha8Rng) -> Vec<[f64; 5]> {
    let mut entry = || f64::from(random.random_range(1..=40i8));
    let mut row = |i: usize| {
        let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        [0.0, 0.0, 0.0, sign * entry(), -sign * entry()]
    };
    (0..60).map(&mut row).collect()
}

/// The most of these rows that hold at proportions of the last two weights: every quotient of two
/// entries, what lies between neighboring ones, and beyond.
fn most(rows: &[[f64; 5]]) -> usize {
    let mut quotients: Vec<f64> = rows.iter().map(|row| -row[4] / row[3]).collect();
    quotients.sort_by(f64::total_cmp);
    let between = quotients.windows(2).map(|two| (two[0] + two[1]) / 2.0);
    let places = between.chain([quotients[0] / 2.0, quotients[quotients.len() - 1] * 2.0]);
    let hold = |x: f64| rows.iter().filter(|row| row[3] * x + row[4] > 0.0).count();
    places.map(hold).max().unwrap()
}

/// Some rows change sign inside boxes of the first three weights, all others live in the last two, at
/// any scale: next to where the former are 0 no box however small decides any of them.
#[test]
fn rows_of_small_weights_are_decided_beside_rows_that_meet_in_large_ones() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for seed in 0..12 {
        let small = small_rows(&mut random);
        // All of them hold at 3, 2, 1 and around.
        let meeting = [
            [1.0, -1.0, 0.0, 3.0, -2.0],
            [2.0, 1.0, -3.0, -1.0, 1.0],
            [-1.0, 3.0, -1.5, 2.0, -1.0],
        ];
        let all = [&meeting[..], &small[..]].concat();
        let limits = Limits { nodes: Some(200_000), ..Limits::default() };
        let outcome = Exact::default().solve(&problem(&all), &limits, &()).unwrap();
        let violated = (all.len() - 3 - most(&small)) as u64;
        assert_eq!(outcome.stop_reason(), StopReason::Optimal, "{seed}");
        assert_eq!(outcome.bound(), violated, "{seed}");
    }
}
