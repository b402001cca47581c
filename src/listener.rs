//! How long work tells how far it is, and is told to stop: one trait for both.
//!
//! The program draws bars and hears Ctrl-C; a library caller passes `&()` and need not care.

pub use unmask_solvers::{Interrupt, Listener, SearchState};

use std::time::{Duration, Instant};

/// A listener who also says stop when the time is up.
pub(crate) struct Until<'a> {
    listener: &'a dyn Listener,
    end: Option<Instant>,
}

impl<'a> Until<'a> {
    /// Listens until `end`.
    pub fn new(listener: &'a dyn Listener, end: Option<Instant>) -> Self {
        Self { listener, end }
    }

    /// Listens for `time` from now on.
    pub fn after(listener: &'a dyn Listener, time: Option<Duration>) -> Self {
        Self::new(listener, time.map(|time| Instant::now() + time))
    }
}

impl Listener for Until<'_> {
    fn advance(&self, steps: u64, total: u64) {
        self.listener.advance(steps, total);
    }

    fn search(&self, state: &SearchState) {
        self.listener.search(state);
    }

    fn interrupted(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end) || self.listener.interrupted()
    }
}
