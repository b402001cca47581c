//! Blocks of different gains: the solvers against enumeration in whole numbers, and the laws that
//! gains obey.

use crate::common::{GainInstance, gaining, instances, noisy_instance};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::time::Duration;
use unmask_solvers::{
    BlockProblem, BlockProblemBuilder, Exact, Heuristic, Limits, Relaxations, SolveOutcome, Solver,
    SolverError, StopReason, check, reduce_block,
};

/// A search that does not end fails here instead of hanging.
fn exact(problem: &BlockProblem) -> SolveOutcome {
    let limits = Limits { nodes: Some(50_000), ..Limits::default() };
    Exact::default().solve(problem, &limits, &()).unwrap()
}

fn agrees(instance: &GainInstance) -> Result<(), TestCaseError> {
    let (problem, optimum) = (instance.problem(), instance.optimum());
    let outcome = exact(&problem);
    prop_assert_eq!(outcome.stop_reason(), StopReason::Optimal);
    prop_assert!(outcome.proven_optimal(), "{:?}", outcome);
    prop_assert_eq!((outcome.satisfied_gain(), outcome.gain_upper_bound()), (optimum, optimum));
    let quick = Heuristic::default().solve(&problem, &Limits::default(), &()).unwrap();
    prop_assert!(quick.satisfied_gain() <= optimum && optimum <= quick.gain_upper_bound());
    Ok(())
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn with_two_weights_the_optimum_is_that_of_enumeration(
        instance in gaining(instances(2, 12, 4, 6)),
    ) {
        agrees(&instance)?;
    }

    #[test]
    fn with_three_weights_the_optimum_is_that_of_enumeration(
        instance in gaining(instances(3, 8, 2, 4)),
    ) {
        agrees(&instance)?;
    }

    #[test]
    fn among_many_ties_the_optimum_is_that_of_enumeration(
        instance in gaining(instances(3, 10, 2, 1)),
    ) {
        agrees(&instance)?;
    }

    /// Unlike gains of any size, so that no packing is even.
    #[test]
    fn with_gains_of_any_size_the_optimum_is_that_of_enumeration(
        instance in instances(3, 9, 2, 3),
        gains in prop::collection::vec(prop_oneof![1u64..20, 1u64..1 << 40], 10),
    ) {
        let gains = gains[..instance.blocks.len()].to_vec();
        agrees(&GainInstance { instance, gains })?;
    }

    /// The bound speaks of all weights, also where the search was cut short.
    #[test]
    fn no_weights_gain_more_than_the_bound(
        instance in gaining(instances(5, 14, 2, 3)),
        nodes in 0u64..6,
        weights in prop::collection::vec(prop::collection::vec(1i64..200, 5), 100),
    ) {
        let problem = instance.problem();
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let outcome = Exact::default().solve(&problem, &limits, &()).unwrap();
        for p in &weights {
            let as_numbers: Vec<f64> = p.iter().map(|x| *x as f64).collect();
            prop_assert_eq!(check::satisfied_gain(&problem, &as_numbers).unwrap(), instance.gain(p));
            prop_assert!(instance.gain(p) <= outcome.gain_upper_bound(), "{:?}", p);
        }
    }

    #[test]
    fn a_block_of_gain_g_is_g_blocks_of_gain_1(instance in gaining(instances(3, 8, 2, 3))) {
        let once = exact(&instance.problem());
        let repeated = exact(&instance.build(|gain| (1, gain)));
        prop_assert!(repeated.proven_optimal());
        prop_assert_eq!(once.satisfied_gain(), repeated.satisfied_blocks() as u64);
        prop_assert_eq!(once.gain_upper_bound(), repeated.gain_upper_bound());
    }

    /// The same search, only counted in other units: weights and nodes too.
    #[test]
    fn gains_times_a_constant_multiply_optimum_and_bound(
        instance in gaining(instances(4, 14, 2, 3)),
        factor in prop::sample::select(vec![2u64, 3, 7, 1_000_003, 1 << 40]),
        nodes in 0u64..20,
    ) {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let solve = |problem| Exact::default().solve(&problem, &limits, &()).unwrap();
        let (once, many) = (solve(instance.problem()), solve(instance.build(|g| (g * factor, 1))));
        prop_assert_eq!(many.satisfied_gain(), factor * once.satisfied_gain());
        prop_assert_eq!(many.gain_upper_bound(), factor * once.gain_upper_bound());
        prop_assert_eq!((many.weights(), many.nodes()), (once.weights(), once.nodes()));
    }
}

/// The blocks of a noisy instance with gains 12, 6, 4 and 3 in turn, or all with one gain.
fn noisy_gains(seed: u64, size: usize, dimension: usize, gain: Option<u64>) -> BlockProblem {
    let plain = noisy_instance(seed, size, dimension, 0.8);
    let mut builder = BlockProblemBuilder::new(dimension).unwrap();
    for b in 0..plain.blocks() {
        let kept = plain.block_rows(b).flat_map(|i| plain.row(i).iter().copied());
        let rows = if plain.is_dead(b) { vec![-1.0; dimension] } else { kept.collect() };
        let gain = gain.unwrap_or([12, 6, 4, 3][b % 4]);
        builder.push_gaining(reduce_block(&rows, dimension).unwrap(), gain).unwrap();
    }
    builder.finish()
}

#[test]
fn equal_gains_are_searched_as_gains_of_1() {
    for seed in 1..4 {
        let plain = exact(&noisy_gains(seed, 60, 5, Some(1)));
        assert_eq!(
            plain.satisfied_gain(),
            exact(&noisy_instance(seed, 60, 5, 0.8)).satisfied_gain()
        );
        for gain in [5, 720] {
            let outcome = exact(&noisy_gains(seed, 60, 5, Some(gain)));
            assert_eq!(outcome.satisfied_gain(), gain * plain.satisfied_gain());
            assert_eq!(outcome.bound(), gain * plain.bound());
            assert_eq!((outcome.weights(), outcome.nodes()), (plain.weights(), plain.nodes()));
        }
    }
}

#[test]
fn the_search_with_gains_does_not_depend_on_the_number_of_threads() {
    let problem = noisy_gains(3, 80, 5, None);
    let solve = |threads| {
        let limits = Limits { threads: Some(threads), ..Limits::default() };
        Exact::default().solve(&problem, &limits, &()).unwrap()
    };
    let (one, three) = (solve(1), solve(3));
    assert!(one.proven_optimal() && one.nodes() > 0);
    assert_eq!((one.weights(), one.nodes()), (three.weights(), three.nodes()));
}

#[test]
fn gains_of_nothing_and_sums_beyond_exact_numbers_are_refused() {
    let block = || reduce_block(&[1.0, -1.0], 2).unwrap();
    let mut builder = BlockProblemBuilder::new(2).unwrap();
    assert!(matches!(builder.push_gaining(block(), 0), Err(SolverError::Gain { gain: 0, .. })));
    builder.push_gaining(block(), (1 << 53) - 1).unwrap();
    for gain in [2, u64::MAX] {
        assert!(matches!(builder.push_gaining(block(), gain), Err(SolverError::Gain { .. })));
    }
    builder.push_gaining(block(), 1).unwrap();
    let problem = builder.finish();
    assert_eq!((problem.blocks(), problem.total_gain(), problem.gain(1)), (2, 1 << 53, 1));
    assert_eq!(exact(&problem).satisfied_gain(), 1 << 53);
}

#[test]
fn relaxations_count_the_gains_of_what_is_satisfied() {
    let mut builder = BlockProblemBuilder::new(2).unwrap();
    builder.push_gaining(reduce_block(&[1.0, -0.5], 2).unwrap(), 5).unwrap();
    builder.push_gaining(reduce_block(&[-0.5, 1.0], 2).unwrap(), 2).unwrap();
    let problem = builder.finish();
    let mut relaxations = Relaxations::new(2);
    relaxations.add(exact(&problem), 5).unwrap();
    let other = BlockProblemBuilder::new(2).and_then(|mut builder| {
        builder.push_block(&[1.0, -0.5])?;
        builder.push_block(&[-0.5, 1.0])?;
        Ok(builder.finish())
    });
    assert!(relaxations.add(exact(&other.unwrap()), 2).is_err(), "other gains");
    let conclude = |satisfied: &[bool]| {
        relaxations.clone().conclude(&problem, satisfied, None, Duration::ZERO).unwrap()
    };
    let outcome = conclude(&[true, false]);
    assert_eq!((outcome.satisfied_gain(), outcome.gain_upper_bound()), (5, 7));
    assert_eq!((outcome.satisfied_blocks(), outcome.violated_gain()), (1, 2));
    assert!(!outcome.proven_optimal());
    assert!(conclude(&[true, true]).proven_optimal());
}

#[cfg(feature = "milp")]
mod by_milp {
    use super::*;
    use unmask_solvers::{MilpGoodLp, MilpHighs, optimum_of_file, write_lp, write_mps};

    fn milps() -> [Box<dyn Solver>; 2] {
        [Box::new(MilpHighs::default()), Box::new(MilpGoodLp::default())]
    }

    proptest! {
        #![proptest_config(cases(30))]

        /// Small whole numbers leave every cell wider than the margin of the model.
        #[test]
        fn both_milps_find_the_optimum_of_enumeration(instance in gaining(instances(3, 8, 2, 2))) {
            let (problem, optimum) = (instance.problem(), instance.optimum());
            for solver in milps() {
                let outcome = solver.solve(&problem, &Limits::default(), &()).unwrap();
                prop_assert!(outcome.proven_optimal(), "{:?}", outcome);
                prop_assert_eq!(outcome.satisfied_gain(), optimum, "{}", solver.name());
            }
        }
    }

    #[test]
    fn exact_and_both_milps_find_the_same_gain() {
        for (seed, size, dimension) in [(1, 25, 2), (2, 25, 3), (4, 20, 4)] {
            let problem = noisy_gains(seed, size, dimension, None);
            let gain = exact(&problem).satisfied_gain();
            for solver in milps() {
                let outcome = solver.solve(&problem, &Limits::default(), &()).unwrap();
                assert!(outcome.proven_optimal(), "{outcome:?}");
                assert_eq!(outcome.satisfied_gain(), gain, "{} on seed {seed}", solver.name());
            }
        }
    }

    #[test]
    fn a_milp_under_a_limit_bounds_the_gain() {
        let problem = noisy_gains(5, 60, 5, None);
        let truth = exact(&problem).satisfied_gain();
        let limits = Limits { nodes: Some(1), ..Limits::default() };
        for solver in milps() {
            let outcome = solver.solve(&problem, &limits, &()).unwrap();
            let interval = outcome.satisfied_gain()..=outcome.gain_upper_bound();
            assert!(interval.contains(&truth), "{outcome:?}");
        }
    }

    #[test]
    fn exported_models_hold_the_gains() {
        let problem = noisy_gains(3, 20, 3, None);
        let violated = exact(&problem).violated_gain();
        for extension in ["mps", "lp"] {
            let name = format!("unmask-gains-{}.{extension}", std::process::id());
            let path = std::env::temp_dir().join(name);
            let mut file = std::fs::File::create(&path).unwrap();
            let write = if extension == "mps" { write_mps } else { write_lp };
            write(&problem, &Default::default(), &mut file).unwrap();
            let optimum = optimum_of_file(&path);
            std::fs::remove_file(&path).unwrap();
            assert_eq!(optimum.unwrap().round() as u64, violated, "{extension}");
        }
    }
}
