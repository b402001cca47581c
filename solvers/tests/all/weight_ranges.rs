//! How far weights can move inside their cell, against scanning the cell.

use crate::common::noisy_instance;
use proptest::prelude::*;
use unmask_solvers::{
    BlockProblemBuilder, Exact, Limits, ProofScope, Solver, check, weight_ranges,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn with_two_weights_the_range_ends_at_the_nearest_breakpoints(
        rows in prop::collection::vec((-9i32..10, -9i32..10), 1..12),
        start in 1u32..100,
    ) {
        let first = f64::from(start) / 100.0;
        let weights = [first, 1.0 - first];
        let mut builder = BlockProblemBuilder::new(2).unwrap();
        let (mut low, mut high) = (0.0f64, 1.0f64);
        let mut kept = Vec::new();
        for (i, (a, b)) in rows.iter().map(|(a, b)| (f64::from(*a), f64::from(*b))).enumerate() {
            builder.push_block(&[a, b]).unwrap();
            if a * weights[0] + b * weights[1] > 1e-9 {
                kept.push(i);
                let zero = b / (b - a);
                if a > b && zero > low { low = zero; }
                if a < b && zero < high { high = zero; }
            }
        }
        let scope = ProofScope::default();
        let found = weight_ranges(&builder.finish(), &kept, &weights, scope).unwrap();
        prop_assert!((found[0][0] - low).abs() < 1e-6, "{} is not {low}", found[0][0]);
        prop_assert!((found[0][1] - high).abs() < 1e-6, "{} is not {high}", found[0][1]);
    }
}

#[test]
fn no_weights_of_the_cell_lie_outside_the_ranges_and_the_ranges_are_reached() {
    let problem = noisy_instance(3, 40, 4, 0.8);
    let outcome = Exact::default().solve(&problem, &Limits::default(), &()).unwrap();
    let kept = check::satisfied_blocks(&problem, outcome.weights()).unwrap();
    let ranges = weight_ranges(&problem, &kept, outcome.weights(), outcome.scope()).unwrap();
    let mut inside = 0;
    let mut seen = vec![[1.0f64, 0.0f64]; 4];
    // Ever shorter steps from the known weights towards points of a grid over the simplex.
    for point in grid(4, 10) {
        for halvings in 0..24 {
            let share = 0.5f64.powi(halvings);
            let mix = |(w, p): (&f64, &f64)| (1.0 - share) * w + share * p;
            let moved: Vec<f64> = outcome.weights().iter().zip(&point).map(mix).collect();
            if check::satisfied_blocks(&problem, &moved).unwrap() != kept {
                continue;
            }
            inside += 1;
            for (k, weight) in moved.iter().enumerate() {
                let [low, high] = ranges[k];
                assert!((low - 1e-7..=high + 1e-7).contains(weight), "{k}: {weight}");
                seen[k] = [seen[k][0].min(*weight), seen[k][1].max(*weight)];
            }
        }
    }
    assert!(inside > 20, "{inside} points of the cell were tried");
    for (range, seen) in ranges.iter().zip(&seen) {
        let (width, walked) = (range[1] - range[0], seen[1] - seen[0]);
        assert!(walked > 0.1 * width, "range {range:?}, but only {seen:?} was reached");
    }
}

#[test]
fn weights_are_within_their_own_range_whatever_the_scope() {
    let problem = noisy_instance(5, 30, 3, 0.9);
    let outcome = Exact::default().solve(&problem, &Limits::default(), &()).unwrap();
    let kept = check::satisfied_blocks(&problem, outcome.weights()).unwrap();
    // Nothing satisfies this margin: the closed cell stands in.
    let strict = ProofScope { absolute_margin: 0.9, ..ProofScope::default() };
    for scope in [strict, outcome.scope()] {
        let ranges = weight_ranges(&problem, &kept, outcome.weights(), scope).unwrap();
        for (range, weight) in ranges.iter().zip(outcome.weights()) {
            assert!(range[0] <= *weight && *weight <= range[1]);
            assert!(range[0] < range[1], "the cell has an inside");
        }
    }
}

/// All points of the simplex with coordinates that are multiples of 1 / `steps`.
fn grid(dimension: usize, steps: usize) -> Vec<Vec<f64>> {
    if dimension == 1 {
        return vec![vec![steps as f64]];
    }
    let mut points = Vec::new();
    for first in 0..=steps {
        for rest in grid(dimension - 1, steps - first) {
            points.push([vec![first as f64], rest].concat());
        }
    }
    let total = steps.max(1) as f64;
    match dimension {
        4 => points.into_iter().map(|p| p.into_iter().map(|x| x / total).collect()).collect(),
        _ => points,
    }
}

/// The same ranges by HiGHS, with all rows at once.
#[cfg(feature = "milp")]
mod by_highs {
    use super::*;
    use good_lp::solvers::highs::highs;
    use good_lp::{
        Expression, ProblemVariables, Solution, SolverModel, Variable, constraint, variable,
    };
    use unmask_solvers::{BlockProblem, Heuristic};

    fn extreme(
        problem: &BlockProblem,
        kept: &[usize],
        scope: ProofScope,
        (k, sign): (usize, f64),
    ) -> f64 {
        let mut variables = ProblemVariables::new();
        let weights = variables.add_vector(variable().min(0.0), problem.dimension());
        let largest = variables.add(variable().min(0.0));
        let mut program = variables.minimise(sign * weights[k]).using(highs);
        program.add_constraint(constraint!(weights.iter().sum::<Expression>() == 1.0));
        for weight in &weights {
            program.add_constraint(constraint!(*weight <= largest));
            program.add_constraint(constraint!(*weight >= scope.weight_floor * largest));
        }
        for i in kept.iter().flat_map(|b| problem.block_rows(*b)) {
            let tighten = |(r, p): (&f64, &Variable)| (r - scope.relative_margin * r.abs()) * *p;
            let value: Expression = problem.row(i).iter().zip(&weights).map(tighten).sum();
            program.add_constraint(constraint!(value >= scope.absolute_margin));
        }
        let solution = program.set_option("primal_feasibility_tolerance", 1e-10).solve().unwrap();
        solution.value(weights[k])
    }

    #[test]
    fn another_solver_finds_the_same_ranges() {
        for (seed, size, dimension, noise) in
            [(1, 40, 2, 0.6), (2, 40, 3, 0.4), (3, 60, 5, 0.7), (4, 80, 8, 0.5), (5, 50, 13, 0.3)]
        {
            let problem = noisy_instance(seed, size, dimension, noise);
            let outcome = Heuristic::default().solve(&problem, &Limits::default(), &()).unwrap();
            let kept = check::satisfied_blocks(&problem, outcome.weights()).unwrap();
            let exact =
                ProofScope { weight_floor: 1e-6, relative_margin: 1e-9, absolute_margin: 0.0 };
            for scope in [ProofScope::default(), exact] {
                let ranges = weight_ranges(&problem, &kept, outcome.weights(), scope).unwrap();
                for (k, range) in ranges.iter().enumerate() {
                    let ends = [1.0, -1.0].map(|s| extreme(&problem, &kept, scope, (k, s)));
                    let close = range.iter().zip(&ends).all(|(a, b)| (a - b).abs() < 1e-6);
                    assert!(close, "seed {seed}, weight {k}: {range:?} is not {ends:?}");
                }
            }
        }
    }
}
