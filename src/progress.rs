//! How long work tells how far it is; the program draws a bar, a library caller need not care.

/// Receives the progress of one piece of work; called from several threads.
pub trait Progress: Sync {
    /// `steps` more of the work are done; the whole is `total`, in the same unit.
    fn advance(&self, steps: u64, total: u64);
}

/// Ignores all progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn advance(&self, _steps: u64, _total: u64) {}
}
