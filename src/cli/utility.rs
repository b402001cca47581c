//! `unmask utility`.

use super::reading::Reading;
use super::{Format, print, print_json};
use clap::Args;
use unmask::error::Result;
use unmask::utility::Utility;

/// Tells what a release still says: information loss, and how far statistics moved.
///
/// Row i of RELEASED must belong to row i of ORIGINAL.
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

impl UtilityCommand {
    /// Measures and prints.
    pub fn run(&self) -> Result<()> {
        let original = self.files.load(&self.original)?;
        let released = self.files.load_release(&self.released, &original)?;
        let utility = match self.attributes.as_slice() {
            [] => Utility::measure_all(&original, &released)?,
            names => Utility::measure(&original, &released, names)?,
        };
        match self.format {
            Format::Text => print(utility),
            Format::Json => print_json(&utility),
        }
    }
}
