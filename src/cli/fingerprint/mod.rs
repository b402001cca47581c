//! `unmask fingerprint`.

mod identify;
mod plan;
mod release;

use super::tell;
use clap::{Args, Subcommand};
use std::path::Path;
use unmask::error::Result;
use unmask::files;

/// Gives every recipient another k-anonymous file, and tells from a leak who it was.
///
/// `plan` finds all k-anonymous generalizations within bounds of the information loss;
/// `release` hands out a different one to each recipient; `identify` takes a leaked
/// file, even a single record, back to the recipients who can have made it.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask fingerprint plan patients.csv --hierarchies hierarchies --k 2 --metric samarati \
    --min-loss 1 --max-loss 2 -o plan.toml\n  \
    unmask fingerprint release plan.toml patients.csv --recipients graz,tokyo -o files\n  \
    unmask fingerprint identify plan.toml leaked.csv")]
pub struct Fingerprint {
    #[command(subcommand)]
    action: FingerprintAction,
}

#[derive(Subcommand)]
enum FingerprintAction {
    Plan(Box<plan::PlanCommand>),
    Release(Box<release::ReleaseCommand>),
    Identify(Box<identify::IdentifyCommand>),
}

impl Fingerprint {
    /// Does what the action says.
    pub fn run(&self) -> Result<()> {
        match &self.action {
            FingerprintAction::Plan(command) => command.run(),
            FingerprintAction::Release(command) => command.run(),
            FingerprintAction::Identify(command) => command.run(),
        }
    }
}

/// Warns, and gives the warning, when others can read a plan or a list.
fn warn_if_open(path: &Path) -> Option<String> {
    let warning = format!(
        "{}: others can read it (mode {:o}), and it says who received what; `chmod 600` it",
        path.display(),
        files::open_to_others(path)?
    );
    tell(&format!("warning: {warning}"));
    Some(warning)
}

/// Levels as the paper writes them without its letters: (1, 0).
fn shown(levels: &[usize]) -> String {
    let levels: Vec<String> = levels.iter().map(usize::to_string).collect();
    format!("({})", levels.join(", "))
}

/// A loss without needless digits.
fn shown_loss(loss: f64) -> String {
    let text = format!("{loss:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
