//! `unmask keys`.

use super::Format;
use super::learning::Learning;
use super::recipe::RecipeFile;
use super::release::ReleaseFiles;
use super::report_files::{Readers, ReportFiles};
use super::terminal::{Terminal, command_line};
use clap::Args;
use std::path::PathBuf;
use unmask::audit::Keys;
use unmask::error::Result;
use unmask::files::Batch;

/// Tells which attributes carry the risk: their weights in the worst case, and each alone.
///
/// An attribute with a high weight tells records apart, so it has a greater
/// disclosure risk. Tables are laid out as Tables 5, 6 and 8 of Abril,
/// Navarro-Arribas and Torra (2012): weights and single attributes for the first
/// released file, weights side by side for all of them. How much each attribute
/// was changed is measured; --recipe adds the parameter the first file was made with.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask protect noise census --p 1,2,3,4,5,6,7,8,9,10,11,12,13 -o release.csv\n  \
    unmask keys --original census --released release.csv --sample 400 \
    --attributes AFNLWGT,AGI,EMCONTRB,FEDTAX,PTOTVAL,STATETAX,TAXINC --report keys.html\n  \
    unmask keys --original census --released a.csv --released b.csv --sample 200 --format json")]
pub struct KeysCommand {
    #[command(flatten)]
    release: ReleaseFiles,

    #[command(flatten)]
    learning: Learning,

    #[command(flatten)]
    reports: ReportFiles,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    recipe: RecipeFile,
}

impl KeysCommand {
    /// The files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        self.release.inputs().into_iter().chain(self.recipe.path()).collect()
    }

    /// Solves each release, writes the reports and prints the record.
    pub fn run(&self, threads: usize) -> Result<()> {
        self.reports.check(&[], &self.inputs())?;
        let recipe = self.recipe.load()?;
        let digests = self.release.digests()?;
        let (first, others) = self.release.load_all()?;
        let mut keys = Keys::of(&first)
            .attributes(self.release.attributes.iter().cloned())
            .key(self.release.key())
            .sample(self.release.sample)
            .haystack(self.release.haystack)
            .seed(self.release.seed)
            .learner(self.learning.learner(threads))
            .scales(self.learning.standardize)
            .time_limit(self.learning.time(None))
            .recipe(recipe)
            .typed_as(command_line(), digests);
        for (name, release) in &others {
            keys = keys.compared_with(*name, release);
        }
        let record = keys.run(&Terminal::new())?;
        let outputs = Batch::new();
        self.reports.write_and_print(outputs, &record.document()?, self.format, Readers::Everyone)
    }
}
