//! The exact search against brute-force enumeration of the arrangement.

use crate::common::{Instance, instances};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use unmask_solvers::{BlockProblem, Exact, Limits, SolveOutcome, Solver, StopReason};

/// A search that does not end fails here instead of hanging.
fn solve(problem: &BlockProblem) -> SolveOutcome {
    let limits = Limits { nodes: Some(50_000), ..Limits::default() };
    Exact::default().solve(problem, &limits, &()).unwrap()
}

fn agrees(instance: &Instance) -> Result<(), TestCaseError> {
    let problem = instance.problem();
    let outcome = solve(&problem);
    prop_assert_eq!(outcome.stop_reason(), StopReason::Optimal);
    prop_assert!(outcome.proven_optimal(), "{:?}", outcome);
    prop_assert_eq!(outcome.satisfied_blocks(), instance.optimum());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn two_weights(instance in instances(2, 12, 4, 6)) {
        agrees(&instance)?;
    }

    #[test]
    fn three_weights(instance in instances(3, 8, 2, 4)) {
        agrees(&instance)?;
    }

    /// More weights than enumeration can handle: at least no weights refute the proof.
    #[test]
    fn no_weights_beat_a_proven_optimum(
        instance in instances(5, 10, 3, 3),
        weights in prop::collection::vec(prop::collection::vec(1i64..200, 5), 200),
    ) {
        let problem = instance.problem();
        let outcome = solve(&problem);
        prop_assert!(outcome.proven_optimal(), "{:?}", outcome);
        for p in &weights {
            prop_assert!(instance.satisfied(p) <= outcome.satisfied_blocks(), "{:?}", p);
        }
    }

    /// Entries of -1, 0, 1 only: rows tie along whole faces.
    #[test]
    fn no_weights_beat_a_proven_optimum_among_ties(
        instance in instances(4, 14, 2, 1),
        weights in prop::collection::vec(prop::collection::vec(1i64..200, 4), 100),
    ) {
        let outcome = solve(&instance.problem());
        prop_assert!(outcome.proven_optimal(), "{:?}", outcome);
        for p in &weights {
            prop_assert!(instance.satisfied(p) <= outcome.satisfied_blocks(), "{:?}", p);
        }
    }

    #[test]
    fn three_weights_many_ties(instance in instances(3, 10, 2, 1)) {
        agrees(&instance)?;
    }
}
