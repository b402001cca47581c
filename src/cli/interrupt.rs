//! Ctrl-C and termination.
//!
//! By default they remove unfinished files and end the program with the shell's
//! exit code 130. A search that can give what it has so far asks to be told
//! instead ([`Search`]); a second Ctrl-C then ends the program.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use unmask::dataset::output;
use unmask::error::{Error, Result};
use unmask_solvers::{Control, Progress};

static LISTENING: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

/// Installs the handler, once.
pub fn install() -> Result<()> {
    ctrlc::set_handler(|| {
        let told = LISTENING.load(Ordering::SeqCst) && !ASKED.swap(true, Ordering::SeqCst);
        if !told {
            output::remove_unfinished();
            std::process::exit(130);
        }
    })
    .map_err(|e| Error::Internal(e.to_string()))
}

/// A search under way: hears Ctrl-C, and shows on a terminal how far it is.
pub struct Search {
    records: usize,
    spinner: OnceLock<ProgressBar>,
}

impl Search {
    /// Starts listening.
    pub fn new(records: usize) -> Self {
        LISTENING.store(true, Ordering::SeqCst);
        Self { records, spinner: OnceLock::new() }
    }

    fn drawn() -> ProgressBar {
        let style = ProgressStyle::with_template("{spinner} {msg}")
            .expect("the template is fixed and well-formed");
        ProgressBar::new_spinner().with_style(style)
    }
}

impl Control for Search {
    fn interrupted(&self) -> bool {
        ASKED.load(Ordering::SeqCst)
    }

    fn report(&self, progress: &Progress) {
        let late = progress.elapsed > Duration::from_secs(1);
        if late && std::io::stderr().is_terminal() {
            let spinner = self.spinner.get_or_init(Self::drawn);
            spinner.set_message(format!(
                "worst case between {} and {} of {} records, {} nodes, {:.0} s; Ctrl-C stops here",
                self.records.saturating_sub(progress.best),
                self.records.saturating_sub(progress.bound),
                self.records,
                progress.nodes,
                progress.elapsed.as_secs_f64()
            ));
            spinner.tick();
        }
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        LISTENING.store(false, Ordering::SeqCst);
        if let Some(spinner) = self.spinner.get() {
            spinner.finish_and_clear();
        }
    }
}
