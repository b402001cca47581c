//! `unmask utility`.

use super::correspondence::Correspondence;
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
/// Row i of RELEASED belongs to row i of ORIGINAL unless --key or --discarded says otherwise; what is
/// left out of the release is said, and is no part of the numbers. Where the project sets
/// max_information_loss, exit code 3 says that more is lost.
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
    correspondence: Correspondence,

    #[command(flatten)]
    files: Reading,
}

/// What `--format json` prints.
#[derive(Serialize)]
struct Measured {
    #[serde(flatten)]
    utility: Utility,
    /// Records of the original that the release leaves out.
    #[serde(skip_serializing_if = "is_zero")]
    absent: usize,
    #[serde(flatten)]
    judged: Judged,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl UtilityCommand {
    /// Measures and prints; exit code 3 where the limit of the project is not kept.
    pub fn run(&self) -> Result<ExitCode> {
        let original = self.files.load(&self.original)?;
        let released =
            self.files.load_release(&self.released, &original, &self.correspondence.renaming()?)?;
        let all = original.records();
        let release = self.correspondence.release(original, released)?;
        let (original, released) = (release.original(), release.released_in_order()?);
        let utility = match self.attributes.as_slice() {
            [] => Utility::measure_all(original, &released)?,
            names => Utility::measure(original, &released, names)?,
        };
        let absent = all - original.records();
        let (limits, project) = self.files.limits(&self.original)?;
        let judged = Judged { limits: limits.of_utility(&utility), project };
        let code = judged.exit_code();
        match self.format {
            Format::Text => {
                print(format!("{utility}{judged}"))?;
                if absent > 0 {
                    print(format!(
                        "{absent} of {all} records are not in the release; these numbers are about \
                         the others."
                    ))?;
                }
            }
            Format::Json => print_json(&Measured { utility, absent, judged })?,
        }
        Ok(code)
    }
}
