//! How long work tells how far it is, and is told to stop.

use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Hears how far a piece of work is, and says when it should stop; called from several threads.
///
/// `&()` hears nothing and never interrupts.
pub trait Listener: Sync {
    /// `steps` more of the work are done; the whole is `total`, in the same unit.
    fn advance(&self, _steps: u64, _total: u64) {}

    /// How a search stands, every now and then.
    fn search(&self, _state: &SearchState) {}

    /// True when a search should stop and give what it has.
    fn interrupted(&self) -> bool {
        false
    }
}

impl Listener for () {}

/// State of a running search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SearchState {
    /// Blocks of the problem.
    pub blocks: usize,
    /// Sum of the gains of all blocks.
    pub total_gain: u64,
    /// Gain of the blocks that the best weights so far violate.
    pub best: u64,
    /// Proven lower bound on the gain of the violated blocks of any weights.
    pub bound: u64,
    /// Nodes searched.
    pub nodes: u64,
    /// Time since the call.
    pub elapsed: Duration,
}

/// A [`Listener`] that another thread or a signal handler can trip.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks the work to stop.
    pub fn trip(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Listener for Interrupt {
    fn interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
