//! Every solver ends soon after it is asked to, with the best interval.

use crate::common::noisy_instance;
use std::time::{Duration, Instant};
use unmask_solvers::{BlockProblem, Exact, Heuristic, Limits, Listener, Solver, StopReason};

fn solvers() -> Vec<Box<dyn Solver>> {
    vec![
        Box::new(Exact::default()),
        Box::new(Heuristic::default()),
        #[cfg(feature = "milp")]
        Box::new(unmask_solvers::MilpHighs::default()),
        #[cfg(feature = "milp")]
        Box::new(unmask_solvers::MilpGoodLp::default()),
    ]
}

/// Interrupts from a moment on.
struct After(Instant);

impl Listener for After {
    fn interrupted(&self) -> bool {
        Instant::now() >= self.0
    }
}

fn ends_in_time(problem: &BlockProblem, wait: Duration) {
    for solver in solvers() {
        let moment = Instant::now() + wait;
        let outcome = solver.solve(problem, &Limits::default(), &After(moment)).unwrap();
        let late = Instant::now().saturating_duration_since(moment);
        assert!(late < Duration::from_secs(2), "{} ended {late:?} late", solver.name());
        assert!(outcome.satisfied_gain() <= outcome.gain_upper_bound());
        if solver.name() != "heuristic" {
            assert_eq!(outcome.stop_reason(), StopReason::Interrupted, "{}", solver.name());
        }
    }
}

#[test]
fn an_interrupt_ends_every_solver_within_two_seconds() {
    let problem = noisy_instance(1, 250, 13, 0.9);
    for milliseconds in [0, 300, 2500] {
        ends_in_time(&problem, Duration::from_millis(milliseconds));
    }
}
