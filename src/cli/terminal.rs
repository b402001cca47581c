//! The terminal as listener: bars for work, a line for searches, and Ctrl-C.
//!
//! By default Ctrl-C and termination remove unfinished files and end the program with the
//! shell's exit code 130. A search that asks whether to stop is told instead, and gives what it
//! has so far; a second Ctrl-C then ends the program.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use unmask::error::{Error, Result};
use unmask::files;
use unmask::listener::{Listener, SearchState};
use unmask::words::shell_line;

/// True while a search asks: it will hear of Ctrl-C.
static ASKING: AtomicBool = AtomicBool::new(false);
static ASKED_TO_STOP: AtomicBool = AtomicBool::new(false);

/// Work shorter than this shows nothing.
const QUIET: Duration = Duration::from_secs(1);

/// Installs the handler of Ctrl-C, once.
pub fn handle_interrupts() -> Result<()> {
    ctrlc::set_handler(|| {
        let told = ASKING.load(Ordering::SeqCst) && !ASKED_TO_STOP.swap(true, Ordering::SeqCst);
        if !told {
            files::remove_unfinished();
            std::process::exit(130);
        }
    })
    .map_err(|e| Error::Internal(e.to_string()))
}

/// The day in UTC as 2026-11-18; that of `SOURCE_DATE_EPOCH` where it is set.
pub fn today() -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let days = given.unwrap_or_else(now) / 86_400;
    let (year, month, day) = civil_day(days);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day, so many days after 1970-01-01.
///
/// Counted from March in eras of 400 years, so that a leap day ends its year.
fn civil_day(days: u64) -> (u64, u64, u64) {
    let from_era = days + 719_468;
    let (era, day) = (from_era / 146_097, from_era % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let march_month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, of_month)
}

/// The command as it was typed, for a shell.
pub fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    shell_line(std::iter::once("unmask".to_owned()).chain(words))
}

/// Shows on a terminal how far work is, once it has taken a second.
pub struct Terminal {
    is_terminal: bool,
    done: AtomicU64,
    shown: Mutex<Shown>,
}

struct Shown {
    started: Instant,
    bar: Option<ProgressBar>,
    line: Option<ProgressBar>,
}

impl Terminal {
    /// Starts the clock; draws nothing yet.
    pub fn new() -> Self {
        let shown = Shown { started: Instant::now(), bar: None, line: None };
        Self {
            is_terminal: std::io::stderr().is_terminal(),
            done: AtomicU64::new(0),
            shown: Mutex::new(shown),
        }
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shown {
    /// Takes everything off the terminal; the next work starts anew.
    fn clear(&mut self) {
        let drawn = self.bar.take().into_iter().chain(self.line.take());
        drawn.for_each(|drawn| drawn.finish_and_clear());
        self.started = Instant::now();
    }
}

fn bar(total: u64) -> ProgressBar {
    ProgressBar::new(total).with_style(style("{wide_bar} {percent}%  {eta} left"))
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is fixed and well-formed")
}

impl Listener for Terminal {
    fn advance(&self, steps: u64, total: u64) {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        if done >= total {
            self.done.store(0, Ordering::Relaxed);
        }
        if !self.is_terminal {
            return;
        }
        let mut shown = self.shown();
        if done >= total {
            shown.clear();
        } else if shown.started.elapsed() > QUIET {
            shown.bar.get_or_insert_with(|| bar(total)).set_position(done);
        }
    }

    fn search(&self, state: &SearchState) {
        if !self.is_terminal || state.elapsed < QUIET {
            return;
        }
        let mut shown = self.shown();
        let line = shown
            .line
            .get_or_insert_with(|| ProgressBar::new_spinner().with_style(style("{spinner} {msg}")));
        line.set_message(format!(
            "worst case between {} and {} of {} records, {} nodes, {:.0} s; Ctrl-C stops here",
            state.total_gain.saturating_sub(state.best),
            state.total_gain.saturating_sub(state.bound),
            state.blocks,
            state.nodes,
            state.elapsed.as_secs_f64()
        ));
        line.tick();
    }

    fn interrupted(&self) -> bool {
        ASKING.store(true, Ordering::SeqCst);
        ASKED_TO_STOP.load(Ordering::SeqCst)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        ASKING.store(false, Ordering::SeqCst);
        self.shown().clear();
    }
}
