//! Three ways to the same number, on instances the MILP can finish.
#![cfg(feature = "milp")]

use crate::common::{instances, noisy_instance};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use unmask_solvers::{
    BlockProblem, BlockProblemBuilder, Exact, Heuristic, Limits, MilpGoodLp, MilpHighs,
    SolveOutcome, Solver,
};

fn optimum(solver: &dyn Solver, problem: &BlockProblem) -> SolveOutcome {
    let outcome = solver.solve(problem, &Limits::default(), &()).unwrap();
    assert!(outcome.proven_optimal(), "{outcome:?}");
    outcome
}

fn solvers() -> [Box<dyn Solver>; 3] {
    [Box::new(Exact::default()), Box::new(MilpHighs::default()), Box::new(MilpGoodLp::default())]
}

#[test]
fn exact_and_both_milps_find_the_same_optimum() {
    for (seed, size, dimension, noise) in
        [(1, 25, 2, 0.6), (2, 25, 3, 0.5), (3, 30, 3, 0.8), (4, 20, 4, 0.7)]
    {
        let problem = noisy_instance(seed, size, dimension, noise);
        let counts = solvers().map(|s| optimum(s.as_ref(), &problem).satisfied_blocks());
        assert_eq!(counts, [counts[0]; 3], "seed {seed}");
        let quick = Heuristic::default().solve(&problem, &Limits::default(), &()).unwrap();
        assert!(quick.satisfied_blocks() <= counts[0]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn exact_and_milp_agree_where_ties_abound(instance in instances(3, 8, 2, 2)) {
        let problem = instance.problem();
        let counts = solvers().map(|s| optimum(s.as_ref(), &problem).satisfied_blocks());
        prop_assert_eq!(counts, [instance.optimum(); 3]);
    }
}

/// A row of zeros ties for all weights. With a margin below the tolerance
/// MILP solvers have counted such blocks as satisfied.
#[test]
fn identical_twins_are_never_counted_as_linked() {
    let mut builder = BlockProblemBuilder::new(3).unwrap();
    for _ in 0..4 {
        builder.push_block(&[0.0, 0.0, 0.0, 1.0, -0.5, 0.2]).unwrap();
    }
    for _ in 0..2 {
        builder.push_block(&[1.0, -0.5, 0.2, -0.1, 0.3, 0.1]).unwrap();
    }
    let problem = builder.finish();
    for solver in solvers() {
        let outcome = optimum(solver.as_ref(), &problem);
        assert_eq!(outcome.violated_blocks(), 4, "{}", solver.name());
        assert_eq!(outcome.reductions().blocks_dead, 4);
    }
}

#[test]
fn a_milp_under_a_limit_returns_an_interval() {
    let problem = noisy_instance(5, 60, 5, 0.8);
    let truth = optimum(&Exact::default(), &problem).violated_gain();
    let limits = Limits { nodes: Some(1), ..Limits::default() };
    for solver in solvers() {
        let outcome = solver.solve(&problem, &limits, &()).unwrap();
        assert!(outcome.bound() <= truth && truth <= outcome.violated_gain(), "{outcome:?}");
    }
}
