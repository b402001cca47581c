//! `unmask utility`.

use super::correspondence::Correspondence;
use super::reading::Reading;
use super::{Format, print, print_json};
use clap::Args;
use unmask::error::Result;
use unmask::utility::Utility;

/// Tells what a release still says: information loss, and how far statistics moved.
///
/// Row i of RELEASED belongs to row i of ORIGINAL unless --key or --discarded says otherwise; what is
/// left out of the release is said, and is no part of the numbers.
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
#[derive(serde::Serialize)]
struct Measured {
    #[serde(flatten)]
    utility: Utility,
    /// Records of the original that the release leaves out.
    #[serde(skip_serializing_if = "is_zero")]
    absent: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl UtilityCommand {
    /// Measures and prints.
    pub fn run(&self) -> Result<()> {
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
        match self.format {
            Format::Text => {
                print(utility)?;
                match absent {
                    0 => Ok(()),
                    _ => print(format!(
                        "{absent} of {all} records are not in the release; these numbers are about \
                         the others."
                    )),
                }
            }
            Format::Json => print_json(&Measured { utility, absent }),
        }
    }
}
