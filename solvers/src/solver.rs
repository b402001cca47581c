//! One entry for every solver: problem and limits in, checked outcome out.

use crate::{BlockProblem, Listener, SearchState, SolveOutcome, SolverError, StopReason};
use serde::Serialize;
use std::time::{Duration, Instant};

/// A way to find weights that satisfy blocks of a large gain.
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

/// Measures a call and knows when it must end.
pub(crate) struct Clock<'a> {
    blocks: usize,
    total_gain: u64,
    start: Instant,
    limit: Option<Duration>,
    listener: &'a dyn Listener,
}

impl<'a> Clock<'a> {
    pub fn start(problem: &BlockProblem, limits: &Limits, listener: &'a dyn Listener) -> Self {
        Self {
            blocks: problem.blocks(),
            total_gain: problem.total_gain(),
            start: Instant::now(),
            limit: limits.time,
            listener,
        }
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

    /// Tells the listener the gain that the best weights miss, and its proven lower bound.
    pub fn report(&self, best: u64, bound: u64, nodes: u64) {
        self.listener.search(&SearchState {
            blocks: self.blocks,
            total_gain: self.total_gain,
            best,
            bound,
            nodes,
            elapsed: self.elapsed(),
        });
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
