//! One entry for every solver: problem and limits in, checked outcome out.

use crate::{BlockProblem, Listener, Reductions, SearchState, SolverError, check};
use serde::Serialize;
use std::time::{Duration, Instant};

/// A way to find weights that satisfy many blocks.
pub trait Solver: Sync {
    /// Name used on the command line and in results.
    fn name(&self) -> &'static str;

    /// Best weights found within the limits, re-counted, with the proven interval.
    fn solve(
        &self,
        problem: &BlockProblem,
        limits: &Limits,
        listener: &dyn Listener,
    ) -> Result<SolveOutcome, SolverError>;
}

/// When to stop short of a proof. The default is never.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Limits {
    /// Wall-clock time for the whole call.
    pub time: Option<Duration>,
    /// Nodes of the search tree.
    pub nodes: Option<u64>,
    /// Worker threads; all cores when not given.
    pub threads: Option<usize>,
}

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
    /// A heuristic ended; it proves nothing.
    Heuristic,
}

/// Weights, their checked count, and what is proven about all other weights.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SolveOutcome {
    /// Name of the solver.
    pub solver: &'static str,
    /// Best weights found; they sum to 1.
    pub weights: Vec<f64>,
    /// Blocks that the weights satisfy, as counted by the checker.
    pub satisfied_blocks: usize,
    /// Blocks that the weights violate.
    pub violated_blocks: usize,
    /// Proven lower bound on the violated blocks of any weights in scope.
    pub bound: usize,
    /// Why the solver stopped.
    pub stop_reason: StopReason,
    /// Nodes searched.
    pub nodes: u64,
    /// Wall-clock time of the call.
    #[serde(serialize_with = "as_seconds", rename = "seconds")]
    pub elapsed: Duration,
    /// Smallest `r . p` over the scaled rows of the satisfied blocks, if any.
    pub margin: Option<f64>,
    /// What the proof covers.
    pub scope: ProofScope,
    /// What reduction removed before the solver saw the problem.
    pub reductions: Reductions,
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
    /// True when the weights attain the proven bound.
    pub fn proven_optimal(&self) -> bool {
        self.bound == self.violated_blocks
    }

    /// Proven upper bound on the satisfied blocks of any weights in scope.
    pub fn satisfied_upper_bound(&self) -> usize {
        self.satisfied_blocks + self.violated_blocks - self.bound
    }
}

fn as_seconds<S: serde::Serializer>(elapsed: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(elapsed.as_secs_f64())
}

/// A solver's raw answer, before the checker has seen it.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub solver: &'static str,
    pub direction: Vec<f64>,
    pub satisfied: usize,
    pub bound: usize,
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
            satisfied: known.satisfied_blocks,
            bound: known.bound,
            stop_reason,
            nodes: 0,
            scope,
        }
    }

    /// Turns the claim into an outcome if the independent re-count confirms it.
    pub fn confirm(
        self,
        problem: &BlockProblem,
        clock: &Clock<'_>,
    ) -> Result<SolveOutcome, SolverError> {
        let weights = problem.domain().normalize(&self.direction)?;
        let satisfied = check::confirm(problem, self.solver, &weights, self.satisfied)?;
        let violated = problem.blocks() - satisfied;
        if self.bound > violated {
            return Err(SolverError::FalseBound {
                solver: self.solver,
                bound: self.bound,
                violated,
            });
        }
        Ok(SolveOutcome {
            solver: self.solver,
            margin: check::margin(problem, &weights)?,
            weights,
            satisfied_blocks: satisfied,
            violated_blocks: violated,
            bound: self.bound,
            stop_reason: self.stop_reason,
            nodes: self.nodes,
            elapsed: clock.elapsed(),
            scope: self.scope,
            reductions: *problem.reductions(),
        })
    }
}

/// Measures a call and knows when it must end.
pub(crate) struct Clock<'a> {
    blocks: usize,
    start: Instant,
    limit: Option<Duration>,
    listener: &'a dyn Listener,
}

impl<'a> Clock<'a> {
    pub fn start(problem: &BlockProblem, limits: &Limits, listener: &'a dyn Listener) -> Self {
        Self { blocks: problem.blocks(), start: Instant::now(), limit: limits.time, listener }
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Time left, if there is a limit.
    #[cfg(feature = "milp")]
    pub fn remaining(&self) -> Option<Duration> {
        self.limit.map(|l| l.saturating_sub(self.elapsed()))
    }

    /// The reason to stop now, if there is one.
    pub fn stop(&self) -> Option<StopReason> {
        if self.listener.interrupted() {
            return Some(StopReason::Interrupted);
        }
        let late = self.limit.is_some_and(|l| self.elapsed() >= l);
        late.then_some(StopReason::TimeLimit)
    }

    pub fn report(&self, best: usize, bound: usize, nodes: u64) {
        self.listener.search(&SearchState {
            blocks: self.blocks,
            best,
            bound,
            nodes,
            elapsed: self.elapsed(),
        });
    }

    #[cfg(feature = "milp")]
    pub fn listener(&self) -> &'a dyn Listener {
        self.listener
    }
}

/// A pool of the asked number of threads; all cores when not given.
pub(crate) fn thread_pool(limits: &Limits) -> Result<rayon::ThreadPool, SolverError> {
    let threads = limits.threads.unwrap_or(0);
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| SolverError::Threads { threads, reason: e.to_string() })
}
