//! The progress bar on standard error.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use unmask::progress::Progress;

/// Shows a bar once the work has taken a second, and only on a terminal.
pub struct Bar {
    started: Instant,
    terminal: bool,
    done: AtomicU64,
    bar: OnceLock<ProgressBar>,
}

impl Bar {
    /// Starts the clock; draws nothing yet.
    pub fn new() -> Self {
        Self {
            started: Instant::now(),
            terminal: std::io::stderr().is_terminal(),
            done: AtomicU64::new(0),
            bar: OnceLock::new(),
        }
    }

    fn drawn(total: u64) -> ProgressBar {
        let style = ProgressStyle::with_template("{wide_bar} {percent}%  {eta} left")
            .expect("the template is fixed and well-formed");
        ProgressBar::new(total).with_style(style)
    }
}

impl Progress for Bar {
    fn advance(&self, steps: u64, total: u64) {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        if self.terminal && self.started.elapsed() > Duration::from_secs(1) {
            self.bar.get_or_init(|| Self::drawn(total)).set_position(done);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
