//! Weights that are given: counted, and not searched for.

use crate::outcome::Claim;
use crate::solver::Clock;
use crate::{
    BlockProblem, Limits, Listener, ProofScope, SolveOutcome, Solver, SolverError, StopReason,
    check,
};

/// The gain of known weights, for where there is no time to look for better ones. Nothing is proven
/// but that blocks which no weights satisfy stay violated.
///
/// ```
/// use unmask_solvers::{BlockProblemBuilder, Given, Limits, Solver};
/// let mut builder = BlockProblemBuilder::new(2)?;
/// builder.push_block(&[1.0, -2.0])?;
/// builder.push_block(&[-1.0, 2.0])?;
/// let outcome = Given(vec![1.0, 1.0]).solve(&builder.finish(), &Limits::default(), &())?;
/// assert_eq!((outcome.satisfied_gain(), outcome.gain_upper_bound()), (1, 2));
/// # Ok::<(), unmask_solvers::SolverError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Given(pub Vec<f64>);

/// The name of [`Given`].
pub const GIVEN: &str = "given";

impl Solver for Given {
    fn name(&self) -> &'static str {
        GIVEN
    }

    fn solve(
        &self,
        problem: &BlockProblem,
        limits: &Limits,
        listener: &dyn Listener,
    ) -> Result<SolveOutcome, SolverError> {
        let clock = Clock::start(problem, limits, listener);
        let satisfied = check::satisfied_blocks(problem, &self.0)?;
        let claim = Claim {
            solver: self.name(),
            direction: self.0.clone(),
            satisfied: satisfied.into_iter().map(|block| problem.gain(block)).sum(),
            bound: problem.dead_gain(),
            stop_reason: clock.stop().unwrap_or(StopReason::Heuristic),
            nodes: 0,
            scope: ProofScope::default(),
        };
        claim.confirm(problem, &clock)
    }
}
