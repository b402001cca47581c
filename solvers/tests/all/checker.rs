//! The independent checker and the reduction it rests on.

use crate::common::instances;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use unmask_solvers::{BlockProblemBuilder, SolverError, check, reduce_block};

#[test]
fn a_false_claim_is_an_error() {
    let mut builder = BlockProblemBuilder::new(2).unwrap();
    builder.push_block(&[1.0, -1.0]).unwrap();
    builder.push_block(&[-1.0, 1.0]).unwrap();
    let problem = builder.finish();
    assert_eq!(check::confirm(&problem, "honest", &[0.7, 0.3], 1).unwrap(), 1);
    let lie = check::confirm(&problem, "liar", &[0.7, 0.3], 2);
    assert!(matches!(lie, Err(SolverError::FalseClaim { claimed: 2, counted: 1, .. })));
}

#[test]
fn a_tie_is_never_satisfied_even_when_rounding_says_so() {
    // The exact sum is 0; added from the left in double precision it is 2^-52.
    let half_ulp = f64::EPSILON / 2.0;
    let row = [-1.0, -half_ulp, -half_ulp, 1.0 + f64::EPSILON];
    assert!(row.iter().sum::<f64>() > 0.0);
    let mut builder = BlockProblemBuilder::new(4).unwrap();
    builder.push_block(&row).unwrap();
    let problem = builder.finish();
    assert_eq!(check::count_satisfied(&problem, &[0.25; 4]).unwrap(), 0);
    assert_eq!(check::count_satisfied(&problem, &[0.25, 0.25, 0.25, 0.26]).unwrap(), 1);
}

#[test]
fn weights_outside_the_domain_are_refused() {
    let problem = BlockProblemBuilder::new(2).unwrap().finish();
    for weights in
        [vec![1.0], vec![-1.0, 2.0], vec![0.0, 0.0], vec![f64::NAN, 1.0], vec![f64::INFINITY, 1.0]]
    {
        assert!(check::count_satisfied(&problem, &weights).is_err(), "{weights:?}");
    }
}

#[test]
fn coefficients_that_are_no_numbers_are_refused() {
    assert!(reduce_block(&[f64::NAN, 1.0], 2).is_err());
    assert!(reduce_block(&[1.0, f64::INFINITY], 2).is_err());
    assert!(reduce_block(&[1.0, 2.0, 3.0], 2).is_err());
    assert!(reduce_block(&[], 0).is_err());
    assert!(BlockProblemBuilder::new(65).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// Zeros among the weights included: there free rows can tie.
    #[test]
    fn reduction_changes_no_count(
        instance in instances(4, 6, 6, 3),
        weights in prop::collection::vec(0i64..5, 4).prop_filter("not all zero", |p| p.iter().any(|x| *x > 0)),
    ) {
        let as_numbers: Vec<f64> = weights.iter().map(|x| *x as f64).collect();
        let counted = check::count_satisfied(&instance.problem(), &as_numbers).unwrap();
        prop_assert_eq!(counted, instance.satisfied(&weights));
    }

    #[test]
    fn every_row_is_accounted_for(instance in instances(3, 6, 8, 3)) {
        let r = *instance.problem().reductions();
        prop_assert_eq!(r.rows_full, r.rows_reduced + r.rows_free + r.rows_dominated + r.rows_in_dead_blocks);
        prop_assert_eq!(r.blocks, instance.blocks.len());
    }
}
