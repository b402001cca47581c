//! Determinism, limits and degenerate problems of the exact search.

use crate::common::{at_center, noisy_instance};
use std::sync::Mutex;
use std::time::Duration;
use unmask_solvers::{
    BlockProblem, BlockProblemBuilder, Exact, Heuristic, Interrupt, Limits, Listener, SearchState,
    SolveOutcome, Solver, StopReason, check,
};

fn solve(problem: &BlockProblem, limits: &Limits) -> SolveOutcome {
    Exact::default().solve(problem, limits, &()).unwrap()
}

fn threads(count: usize, nodes: Option<u64>) -> Limits {
    Limits { threads: Some(count), nodes, time: None }
}

#[test]
fn weights_and_nodes_do_not_depend_on_the_number_of_threads() {
    for seed in 1..6 {
        let problem = noisy_instance(seed, 80, 5, 0.7);
        let one = solve(&problem, &threads(1, None));
        for count in [2, 3] {
            let many = solve(&problem, &threads(count, None));
            assert_eq!(
                (one.weights(), one.nodes(), one.bound()),
                (many.weights(), many.nodes(), many.bound())
            );
        }
        assert!(one.proven_optimal());
    }
}

#[test]
fn a_node_limit_cuts_at_the_same_place_on_any_number_of_threads() {
    let problem = noisy_instance(7, 120, 6, 0.9);
    let one = solve(&problem, &threads(1, Some(300)));
    let two = solve(&problem, &threads(2, Some(300)));
    assert_eq!(one.stop_reason(), StopReason::NodeLimit);
    assert!(one.nodes() <= 300);
    assert_eq!(
        (one.weights(), one.nodes(), one.bound()),
        (two.weights(), two.nodes(), two.bound())
    );
}

#[test]
fn limits_return_an_interval_that_contains_the_truth() {
    let problem = noisy_instance(8, 100, 5, 0.8);
    let truth = solve(&problem, &Limits::default()).violated_gain();
    for milliseconds in [0, 1, 5, 20, 50] {
        let limits =
            Limits { time: Some(Duration::from_millis(milliseconds)), ..Limits::default() };
        let outcome = solve(&problem, &limits);
        assert!(outcome.bound() <= truth && truth <= outcome.violated_gain(), "{outcome:?}");
        assert_eq!(outcome.proven_optimal(), outcome.stop_reason() == StopReason::Optimal);
    }
}

#[test]
fn an_interrupt_returns_the_best_weights() {
    let problem = noisy_instance(9, 100, 6, 0.8);
    let interrupt = Interrupt::default();
    interrupt.trip();
    let outcome = Exact::default().solve(&problem, &Limits::default(), &interrupt).unwrap();
    assert_eq!(outcome.stop_reason(), StopReason::Interrupted);
    assert!(outcome.satisfied_blocks() >= at_center(&problem));
}

#[test]
fn progress_is_an_interval_that_only_shrinks() {
    struct Record(Mutex<Vec<SearchState>>);
    impl Listener for Record {
        fn search(&self, state: &SearchState) {
            self.0.lock().unwrap().push(*state);
        }
    }
    let record = Record(Mutex::new(Vec::new()));
    let problem = noisy_instance(10, 100, 6, 0.9);
    let outcome = Exact::default().solve(&problem, &Limits::default(), &record).unwrap();
    let steps = record.0.into_inner().unwrap();
    assert!(steps.windows(2).all(|w| w[0].best >= w[1].best && w[0].bound <= w[1].bound));
    assert!(
        steps
            .iter()
            .all(|s| s.bound <= outcome.violated_gain() && outcome.violated_gain() <= s.best)
    );
}

#[test]
fn the_heuristic_is_seeded_and_never_below_equal_weights() {
    let problem = noisy_instance(11, 100, 6, 0.9);
    let run = |threads| {
        let limits = Limits { threads: Some(threads), ..Limits::default() };
        Heuristic::default().solve(&problem, &limits, &()).unwrap()
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(one.weights(), two.weights());
    assert!(one.satisfied_blocks() >= at_center(&problem));
    assert_eq!(one.stop_reason(), StopReason::Heuristic);
}

#[test]
fn degenerate_problems_have_defined_results() {
    let cases: [(usize, Vec<Vec<f64>>, usize); 8] = [
        (3, vec![], 0),
        (3, vec![vec![]], 1),
        (1, vec![vec![2.0, 3.0], vec![-1.0], vec![0.0]], 1),
        (2, vec![vec![0.0, 0.0], vec![-1.0, -2.0]], 0),
        (2, vec![vec![1.0, -1.0]], 1),
        (2, vec![vec![1.0, 2.0]], 1),
        (2, vec![vec![0.0, 2.0], vec![1.0, 0.0]], 2),
        (2, vec![vec![1.0, -1.0], vec![-1.0, 1.0]], 1),
    ];
    for (dimension, blocks, satisfied) in cases {
        let mut builder = BlockProblemBuilder::new(dimension).unwrap();
        blocks.iter().for_each(|b| builder.push_block(b).unwrap());
        let outcome = solve(&builder.finish(), &Limits::default());
        assert_eq!(outcome.satisfied_blocks(), satisfied, "{blocks:?}");
        assert!(outcome.proven_optimal());
        assert!((outcome.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

/// Rows of opposite sign within and between blocks: no split ever decides them.
#[test]
fn the_search_ends_where_all_rows_tie() {
    let (plus, minus) = ([1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]);
    let mut builder = BlockProblemBuilder::new(3).unwrap();
    for block in [[minus, plus].concat(), minus.to_vec(), plus.to_vec(), [plus, minus].concat()] {
        builder.push_block(&block).unwrap();
    }
    let outcome = solve(&builder.finish(), &threads(2, Some(1000)));
    assert_eq!((outcome.bound(), outcome.violated_blocks()), (3, 3));
}

/// Four sectors around one ray: at most one holds, but only pairs conflict.
#[test]
fn the_search_ends_where_blocks_exclude_each_other_in_pairs() {
    let mut builder = BlockProblemBuilder::new(3).unwrap();
    for (a, b) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        // Sides of p0 = p2 and of p1 = p2.
        builder.push_block(&[a, 0.0, -a, 0.0, b, -b]).unwrap();
    }
    let outcome = solve(&builder.finish(), &threads(2, Some(1000)));
    assert_eq!((outcome.bound(), outcome.violated_blocks()), (3, 3));
}

#[test]
fn the_reported_weights_have_the_largest_smallest_margin() {
    let mut builder = BlockProblemBuilder::new(2).unwrap();
    builder.push_block(&[0.75, -0.5]).unwrap();
    builder.push_block(&[-0.5, 0.75]).unwrap();
    let problem = builder.finish();
    let outcome = solve(&problem, &Limits::default());
    assert!((outcome.weights()[0] - 0.5).abs() < 1e-6, "{:?}", outcome.weights());
    assert!((check::margin(&problem, outcome.weights()).unwrap().unwrap() - 0.125).abs() < 1e-6);
}

#[test]
fn outcomes_serialize() {
    let problem = noisy_instance(12, 20, 3, 0.5);
    let json = serde_json::to_value(solve(&problem, &Limits::default())).unwrap();
    assert_eq!(json["solver"], "exact");
    assert_eq!(json["stop_reason"], "optimal");
    assert!(json["seconds"].is_number() && json["scope"]["weight_floor"].is_number());
}
