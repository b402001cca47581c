//! What a solver says, and how the checker makes an outcome of it.

use super::{ProofScope, SolveOutcome, StopReason};
use crate::solver::Clock;
use crate::{BlockProblem, SolverError, check};

/// A solver's raw answer, before the checker has seen it.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub solver: &'static str,
    pub direction: Vec<f64>,
    /// Gain of the blocks that the direction satisfies.
    pub satisfied: u64,
    /// Lower bound on the gain of the violated blocks of any weights.
    pub bound: u64,
    pub stop_reason: StopReason,
    pub nodes: u64,
    pub scope: ProofScope,
}

impl Claim {
    /// The claim of a solver that stopped before its own search began.
    #[cfg(feature = "milp")]
    pub fn without_search(
        solver: &'static str,
        known: &SolveOutcome,
        stop_reason: StopReason,
        scope: ProofScope,
    ) -> Self {
        Self {
            solver,
            direction: known.weights.clone(),
            satisfied: known.satisfied_gain,
            bound: known.bound,
            stop_reason,
            nodes: 0,
            scope,
        }
    }

    /// The weights, to sum 1, with the gain that the re-count confirms: as they are where
    /// normalizing again would round them into another cell.
    fn counted(&self, problem: &BlockProblem) -> Result<(Vec<f64>, u64), SolverError> {
        let counted = |weights: Vec<f64>| {
            let gain = check::confirm(problem, self.solver, &weights, self.satisfied)?;
            Ok((weights, gain))
        };
        let sum: f64 = self.direction.iter().sum();
        let normalized = problem.domain().normalize(&self.direction)?;
        match counted(normalized) {
            Err(_) if (sum - 1.0).abs() < 1e-12 => counted(self.direction.clone()),
            found => found,
        }
    }

    /// Turns the claim into an outcome if the independent re-count confirms it.
    pub fn confirm(
        self,
        problem: &BlockProblem,
        clock: &Clock<'_>,
    ) -> Result<SolveOutcome, SolverError> {
        let (weights, satisfied_gain) = self.counted(problem)?;
        let violated = problem.total_gain() - satisfied_gain;
        if self.bound > violated {
            return Err(SolverError::FalseBound {
                solver: self.solver,
                bound: self.bound,
                violated,
            });
        }
        let satisfied_blocks = check::count_satisfied(problem, &weights)?;
        Ok(SolveOutcome {
            solver: self.solver,
            margin: check::margin(problem, &weights)?,
            weights,
            satisfied_blocks,
            violated_blocks: problem.blocks() - satisfied_blocks,
            satisfied_gain,
            total_gain: problem.total_gain(),
            bound: self.bound,
            stop_reason: self.stop_reason,
            nodes: self.nodes,
            elapsed: clock.elapsed(),
            scope: self.scope,
            reductions: *problem.reductions(),
        })
    }
}
