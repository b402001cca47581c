//! `unmask init`.

use super::reading::ReadingFlags;
use super::{Format, print, print_json};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use unmask::error::{Error, Result};
use unmask::files;
use unmask::project::{Draft, Project};
use unmask::table::Table;
use unmask::words::percent;

/// Writes the project of a file, for you to edit: how it is read, kinds, roles, limits.
///
/// The file is looked at, and what it shows is written as FILE.unmask.toml beside it: how it is
/// read, what each column is and what it is to an attacker, each with the reason why, and the limits
/// that a release must keep. All of it is guessed, and for you to correct. Every command reads the
/// project when it lies beside the data, so that nothing has to be said twice.
#[derive(Args)]
#[command(after_help = "Examples:\n  unmask init survey\n  unmask protect mdav survey --k 5 -o \
                        survey-k5.csv\n  unmask init people.csv --identifiers name --missing-tokens NA,-9")]
pub struct Init {
    /// The file to look at, or the name of a built-in data set
    input: String,

    /// Where the project goes [default: FILE.unmask.toml beside FILE.csv]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the project when it exists: what was edited in it is lost
    #[arg(long)]
    force: bool,

    /// How to print what was guessed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    flags: ReadingFlags,
}

/// What the command prints.
#[derive(Serialize)]
struct Written {
    project: String,
    #[serde(flatten)]
    draft: Draft,
}

impl Init {
    /// Looks at the file, writes its project and prints what was guessed.
    pub fn run(&self) -> Result<()> {
        let output = self.output.clone().unwrap_or_else(|| Project::beside(&self.input));
        files::check_outputs(&[&output], self.force, &[PathBuf::from(&self.input)])?;
        let (file, options) = self.flags.load(&self.input)?;
        let draft = Draft::of(&self.input, &file, &options)?;
        files::write_file(&output, self.force, |out| {
            out.write_all(draft.text().as_bytes()).map_err(|e| Error::io(&output, e))
        })?;
        let written = Written { project: output.display().to_string(), draft };
        match self.format {
            Format::Text => print(written.text()),
            Format::Json => print_json(&written),
        }
    }
}

impl Written {
    fn text(&self) -> String {
        let mut table = Table::new(["column", "kind", "role", "unique", "why this role"]);
        for attribute in &self.draft.attributes {
            table.row([
                attribute.name.clone(),
                attribute.kind.name().to_owned(),
                attribute.role.name().to_owned(),
                percent(attribute.unique_share),
                attribute.role_reason.clone(),
            ]);
        }
        let open = match self.draft.text().matches("# Not decided").count() {
            0 => String::new(),
            count => format!("\nopen     {count} questions there, after the words \"Not decided\""),
        };
        format!(
            "{table}\n\nwritten  {}: guesses; look at each, and at the limits{open}",
            self.project
        )
    }
}
