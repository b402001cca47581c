//! Attackers who ignore attributes and guess among what is left equal: an audit must cover them.

use crate::support::unmask_in;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::RngExt;
use std::fs::write;
use tempfile::TempDir;
use unmask::audit::{Audit, Scales};
use unmask::dataset::{Attribute, Dataset};
use unmask::learning::Learner;
use unmask::linkage::Release;
use unmask::random::generator;
use unmask_solvers::Limits;

type Columns = Vec<Vec<i32>>;

fn release(original: &Columns, released: &Columns) -> Release {
    let file = |columns: &Columns| {
        let attribute = |(k, c): (usize, &Vec<i32>)| {
            Attribute::numeric(format!("x{k}"), c.iter().map(|v| f64::from(*v)).collect::<Vec<_>>())
        };
        let attributes = columns.iter().enumerate().map(|a| attribute(a).unwrap()).collect();
        Dataset::new("made.csv", attributes).unwrap()
    };
    Release::by_row(file(original), file(released)).unwrap()
}

/// Right guesses on average of who weighs squared differences by `weights`, from the values alone.
fn guessed(original: &Columns, released: &Columns, weights: &[f64]) -> f64 {
    let records = original[0].len();
    let distance = |i: usize, j: usize| -> f64 {
        let square = |k: usize| f64::from((original[k][i] - released[k][j]).pow(2));
        weights.iter().enumerate().map(|(k, w)| w * square(k)).sum()
    };
    let share = |i: usize| {
        let own = distance(i, i);
        let near = (0..records).filter(|&j| distance(i, j) < own - 1e-9).count();
        let tied = (0..records).filter(|&j| (distance(i, j) - own).abs() <= 1e-9).count();
        if near == 0 { 1.0 / tied as f64 } else { 0.0 }
    };
    (0..records).map(share).sum()
}

/// Columns of small numbers, and the same with some moved by one, so that much is equal.
fn small_files() -> impl Strategy<Value = (Columns, Columns)> {
    (2..=4_usize, 6..=14_usize).prop_flat_map(|(attributes, records)| {
        let columns = || prop::collection::vec(prop::collection::vec(0..4, records), attributes);
        let moves = prop::collection::vec(prop::collection::vec(-1..=1, records), attributes);
        (columns(), moves).prop_map(|(columns, moves): (Columns, Columns)| {
            let moved = columns.iter().zip(&moves);
            let released = moved.map(|(c, m)| c.iter().zip(m).map(|(c, m)| c + m).collect());
            let released = released.collect();
            (columns, released)
        })
    })
}

fn varies(column: &[i32]) -> bool {
    column.iter().any(|v| *v != column[0])
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::with_cases(96) })]

    #[test]
    fn no_weights_on_any_attributes_guess_more_than_the_upper_bound(
        (original, released) in small_files(), seed: u64
    ) {
        prop_assume!(released.iter().all(|c| varies(c)) && original.iter().all(|c| varies(c)));
        let audit = release(&original, &released);
        // Where many inequalities meet, a search could take minutes: an interval will do.
        let limits = Limits { nodes: Some(10_000), ..Limits::default() };
        let searched = Audit::of(&audit).learner(Learner { limits, ..Learner::default() });
        let record = searched.scales(Scales::None).rows_correspond(true).run(&()).unwrap();
        prop_assert!(record.verdict.bounded);
        let records = original[0].len() as f64;
        let mut random = generator(seed, 0);
        let mut most = 0.0_f64;
        for subset in 1..1_u32 << original.len() {
            for _ in 0..40 {
                let weight = |k: usize| match subset >> k & 1 {
                    0 => 0.0,
                    _ => random.random_range(0.01..1.0_f64),
                };
                let weights: Vec<f64> = (0..original.len()).map(weight).collect();
                most = most.max(guessed(&original, &released, &weights) / records);
            }
        }
        prop_assert!(most <= record.verdict.upper_bound + 1e-9, "{most} {:?}", record.verdict);
    }
}

/// Two columns of a grid whose cells hold two people each, and a third that misleads: all weights
/// on it find few, and none on it half of the people.
fn misleading() -> (Columns, Columns) {
    let (a, b): (Vec<i32>, Vec<i32>) = (0..128).map(|i| (i / 2 % 8, i / 16)).unzip();
    let z: Vec<i32> = (0..128).collect();
    let swapped: Vec<i32> = (0..128).map(|i| i ^ 1).collect();
    (vec![a.clone(), b.clone(), z], vec![a, b, swapped])
}

#[test]
fn who_ignores_a_misleading_column_and_guesses_is_found() {
    let (original, released) = misleading();
    let record = Audit::of(&release(&original, &released)).run(&()).unwrap();
    assert_eq!(record.worst_case.reidentified, 0.0, "no weights on all three find anybody");
    assert_eq!((record.verdict.expected, record.verdict.certain), (64.0, 0));
    assert!(record.verdict.proven, "{:?}", record.verdict);
    let shown = record.ladder();
    let row = shown.iter().find(|row| row.attack == "fewer attributes").unwrap();
    assert!(row.note.as_deref().unwrap().contains("x0, x1 alone"), "{row:?}");
    assert_eq!(row.expected, 64.0);
    let blind = record.verdict.without_answers.unwrap();
    assert_ne!(blind.attack, "fewer attributes", "he has the answers");
}

#[test]
fn guesses_count_for_nothing_where_certainty_is_asked_for() {
    let (original, released) = misleading();
    let audit = release(&original, &released);
    let record = Audit::of(&audit).count(unmask::learning::Count::Certain).run(&()).unwrap();
    assert_eq!((record.verdict.rate, record.verdict.upper_bound), (0.0, 0.0));
    assert!(record.attacks.iter().all(|row| row.rate == 0.0), "random guesses neither");
}

#[test]
fn a_limit_is_not_kept_where_nothing_is_proven() {
    let folder = TempDir::new().unwrap();
    let (original, released) = misleading();
    let text = |columns: &Columns| {
        let row = |i: usize| format!("{},{},{}\n", columns[0][i], columns[1][i], columns[2][i]);
        "a,b,z\n".to_owned() + &(0..128).map(row).collect::<String>()
    };
    write(folder.path().join("o.csv"), text(&original)).unwrap();
    write(folder.path().join("r.csv"), text(&released)).unwrap();
    let files = ["audit", "--original", "o.csv", "--released", "r.csv", "--max-risk", "0.99"];
    let run = |more: &[&str]| {
        let output = unmask_in(folder.path(), &[&files[..], more].concat());
        (String::from_utf8(output.stdout).unwrap(), output.status.code())
    };
    assert_eq!(run(&[]).1, Some(0));
    let (text, code) = run(&["--solver", "heuristic"]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("The limit of 99.0% is not shown to be kept"), "{text}");
    assert!(!text.contains("at most"), "{text}");
    assert_eq!(run(&["--solver", "heuristic", "--gate", "found"]).1, Some(0));
}
