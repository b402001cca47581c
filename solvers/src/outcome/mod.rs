//! What a solver found and proved, after the checker has seen it.

mod claim;
mod relaxations;

pub(crate) use claim::Claim;
pub use relaxations::Relaxations;

use crate::Reductions;
use serde::Serialize;
use std::time::Duration;

/// Why a solver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// No weights of the domain do better.
    Optimal,
    /// The time limit was reached.
    TimeLimit,
    /// The node limit was reached.
    NodeLimit,
    /// The listener asked to stop.
    Interrupted,
    /// Weights that meet in a tie could not be told apart: the interval stays open.
    Unresolved,
    /// A heuristic ended; it proves nothing.
    Heuristic,
}

/// Weights, their checked gain, and what is proven about all other weights.
///
/// Proofs speak of gains; the number of blocks is known of the weights alone. Where all gains
/// are 1, the two are the same.
///
/// Its fields are read only: a solver's outcome comes from the checker alone, and that of
/// problems solved in part from [`Relaxations`], which checks what it is given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SolveOutcome {
    solver: &'static str,
    weights: Vec<f64>,
    satisfied_blocks: usize,
    violated_blocks: usize,
    satisfied_gain: u64,
    total_gain: u64,
    bound: u64,
    stop_reason: StopReason,
    nodes: u64,
    #[serde(serialize_with = "as_seconds", rename = "seconds")]
    elapsed: Duration,
    margin: Option<f64>,
    scope: ProofScope,
    reductions: Reductions,
}

/// The weights that a proven bound speaks of.
///
/// The bound holds for all weights of at least `weight_floor` times the
/// largest weight, where a row counts as held when
/// `r . p > relative_margin * (|r| . p) + absolute_margin`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ProofScope {
    /// Smallest weight considered, relative to the largest.
    pub weight_floor: f64,
    /// Margin relative to `|r| . p`.
    pub relative_margin: f64,
    /// Margin on rows of largest entry in `[1/2, 1)` and weights of sum 1.
    pub absolute_margin: f64,
}

impl SolveOutcome {
    /// Name of the solver.
    pub fn solver(&self) -> &'static str {
        self.solver
    }

    /// Best weights found; they sum to 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Blocks that the weights satisfy, as counted by the checker.
    pub fn satisfied_blocks(&self) -> usize {
        self.satisfied_blocks
    }

    /// Blocks that the weights violate.
    pub fn violated_blocks(&self) -> usize {
        self.violated_blocks
    }

    /// Sum of the gains of the satisfied blocks, as counted by the checker.
    pub fn satisfied_gain(&self) -> u64 {
        self.satisfied_gain
    }

    /// Sum of the gains of the violated blocks.
    pub fn violated_gain(&self) -> u64 {
        self.total_gain - self.satisfied_gain
    }

    /// Sum of the gains of all blocks.
    pub fn total_gain(&self) -> u64 {
        self.total_gain
    }

    /// Proven lower bound on the gain of the violated blocks of any weights in scope.
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// Why the solver stopped.
    pub fn stop_reason(&self) -> StopReason {
        self.stop_reason
    }

    /// The same where the listener that interrupted was a clock.
    pub fn stopped_by_time(mut self) -> Self {
        if self.stop_reason == StopReason::Interrupted {
            self.stop_reason = StopReason::TimeLimit;
        }
        self
    }

    /// Nodes searched.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Wall-clock time of the call.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Smallest `r . p` over the scaled rows of the satisfied blocks, if any.
    pub fn margin(&self) -> Option<f64> {
        self.margin
    }

    /// What the proof covers.
    pub fn scope(&self) -> ProofScope {
        self.scope
    }

    /// What reduction removed before the solver saw the problem.
    pub fn reductions(&self) -> &Reductions {
        &self.reductions
    }

    /// True when the weights attain the proven bound.
    pub fn proven_optimal(&self) -> bool {
        self.satisfied_gain == self.gain_upper_bound()
    }

    /// Proven upper bound on the gain of the satisfied blocks of any weights in scope.
    pub fn gain_upper_bound(&self) -> u64 {
        self.total_gain - self.bound
    }
}

fn as_seconds<S: serde::Serializer>(elapsed: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(elapsed.as_secs_f64())
}
