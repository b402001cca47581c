//! `unmask utility`.

use super::limits::Judged;
use super::reading::Reading;
use super::{Format, print, print_json};
use clap::Args;
use serde::Serialize;
use std::process::ExitCode;
use unmask::error::Result;
use unmask::utility::Utility;

/// Tells what a release still says: information loss, and how far statistics moved.
///
/// Row i of RELEASED must belong to row i of ORIGINAL. Where the project sets max_information_loss,
/// exit code 3 says that more is lost.
#[derive(Args)]
#[command(after_help = "Example:\n  unmask protect mdav census --k 5 -o census-k5.csv\n  \
                        unmask utility census census-k5.csv")]
pub struct UtilityCommand {
    /// The original file, or the name of a built-in data set
    original: String,

    /// The released file
    released: String,

    /// Attributes to compare, which hold numbers [default: those of the quasi-identifiers;
    /// without any, of all attributes that are neither identifier nor confidential]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    attributes: Vec<String>,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    files: Reading,
}

/// What `--format json` prints.
#[derive(Serialize)]
struct Measured {
    #[serde(flatten)]
    utility: Utility,
    #[serde(flatten)]
    judged: Judged,
}

impl UtilityCommand {
    /// Measures and prints; exit code 3 where the limit of the project is not kept.
    pub fn run(&self) -> Result<ExitCode> {
        let original = self.files.load(&self.original)?;
        let released = self.files.load_release(&self.released, &original)?;
        let utility = match self.attributes.as_slice() {
            [] => Utility::measure_all(&original, &released)?,
            names => Utility::measure(&original, &released, names)?,
        };
        let (limits, project) = self.files.limits(&self.original)?;
        let judged = Judged { limits: limits.of_utility(&utility), project };
        let code = judged.exit_code();
        match self.format {
            Format::Text => print(format!("{utility}{judged}"))?,
            Format::Json => print_json(&Measured { utility, judged })?,
        }
        Ok(code)
    }
}
