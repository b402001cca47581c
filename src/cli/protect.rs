//! `unmask protect`.

mod patterns;
mod summary;

use super::reading::Reading;
use super::terminal::Terminal;
use super::{Format, print, print_json};
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use patterns::PatternFiles;
use std::path::PathBuf;
use summary::Written;
use unmask::dataset::{Dataset, Role};
use unmask::error::{Error, Result};
use unmask::files;
use unmask::protection::{Method, Protection, Recipe};
use unmask::table::Table;

/// Protects a file: noise, rank swapping, microaggregation or generalization.
///
/// Identifiers and confidential attributes are left alone. The same input,
/// parameters and seed give the same bytes on any number of threads. Each method has options
/// of its own: `unmask protect METHOD --help`.
#[derive(Args)]
#[command(
    subcommand_value_name = "METHOD",
    subcommand_help_heading = "Methods",
    arg_required_else_help = true,
    after_help = "Examples:\n  \
    unmask protect --list\n  \
    unmask protect mdav census --k 5 -o census-k5.csv\n  \
    unmask protect noise census --p 16 --seed 7 -o noisy.parquet\n  \
    unmask protect rank-swapping survey.csv --p 5 --confidential income -o swapped.csv"
)]
pub struct ProtectCommand {
    /// List the methods and what they do
    #[arg(long, exclusive = true)]
    list: bool,

    #[command(subcommand)]
    job: Option<ProtectJob>,
}

/// A method with its parameters, and the file it protects.
struct ProtectJob {
    method: Method,
    file: FileToProtect,
}

/// The options of every method.
#[derive(Args)]
struct FileToProtect {
    /// The file to protect (.csv or .parquet), or the name of a built-in data set
    input: String,

    /// The file to write, CSV or Parquet by its extension
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the output file when it exists
    #[arg(long)]
    force: bool,

    /// Attributes to protect [default: the quasi-identifiers; without any, the numeric attributes
    /// that are neither identifier nor confidential; without these, the labels]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    attributes: Vec<String>,

    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Leave the identifiers out of the release
    #[arg(long)]
    drop_identifiers: bool,

    /// Write the recipe of the release (.toml), for `unmask audit --recipe`
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,

    /// How to print the summary
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    reading: Reading,
}

impl FromArgMatches for ProtectJob {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let method = Method::from_arg_matches(matches)?;
        let own = matches.subcommand().map(|(_, own)| own);
        let file = FileToProtect::from_arg_matches(own.unwrap_or(matches))?;
        Ok(Self { method, file })
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for ProtectJob {
    fn augment_subcommands(command: Command) -> Command {
        Method::augment_subcommands(command).mut_subcommands(with_file)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Method::has_subcommand(name)
    }
}

/// A method's options under a heading of their own, then those of every method.
fn with_file(method: Command) -> Command {
    let example = example(method.get_name());
    let about = method.get_about().cloned().unwrap_or_default();
    let known = Method::LIST.iter().find(|(name, _)| *name == method.get_name());
    let described = known.and_then(|(name, _)| Method::command(name));
    let long_about = described.and_then(|d| d.get_long_about().cloned());
    let long_about = long_about.unwrap_or_else(|| about.clone());
    let method = method.mut_args(|argument| argument.help_heading("Parameters of the method"));
    // The flattened options bring descriptions of their own along.
    FileToProtect::augment_args(method).about(about).long_about(long_about).after_help(example)
}

/// What to type, for the help of one method.
fn example(method: &str) -> String {
    let rest = match method {
        "noise" => "census --p 16 -o noisy.csv",
        "l-diverse-v-mdav" => "census --l 3 --sensitive FEDTAX --levels 5 -o diverse.csv",
        "anti-unification" => {
            "adult-train --k 5 --confidential salary --attributes age,workclass,education,sex \
             --discretize age:5:20:90 -o out.csv\n\n\
             Beside out.csv it writes out-patterns.csv (the patterns with the number of records \
             they cover), out-discarded.csv (row numbers, the first record being 1) and \
             out-summary.json."
        }
        _ => match Method::main_parameter(method) {
            Some("p") => "census --p 5 -o release.csv",
            _ => "census --k 5 -o release.csv",
        },
    };
    format!("Example:\n  unmask protect {method} {rest}")
}

impl ProtectCommand {
    /// Lists the methods, or protects.
    pub fn run(&self) -> Result<()> {
        match &self.job {
            Some(job) => job.run(),
            None => {
                let rows = Method::LIST.iter().map(|(name, about)| vec![*name, about.trim()]);
                let mut table = Table::new(["method", "what it does"]);
                rows.for_each(|row| table.row(row));
                print(table);
                Ok(())
            }
        }
    }
}

impl ProtectJob {
    /// Reads, protects, writes, and prints the summary.
    fn run(&self) -> Result<()> {
        let file = &self.file;
        files::check_writable(&file.output, file.force)?;
        file.check_recipe()?;
        let recipe = Recipe {
            method: self.method.clone(),
            attributes: file.attributes.clone(),
            seed: file.seed,
        };
        let protection = Protection::from(recipe);
        match self.method.implementation().keeps_every_record() {
            true => file.protect(&protection),
            false => file.generalize(&protection),
        }
    }
}

impl FileToProtect {
    fn protect(&self, protection: &Protection) -> Result<()> {
        let original = self.reading.load(&self.input)?;
        let made = protection.apply(&original, &Terminal::new())?;
        let bytes = self.bytes(&made.protected.released)?;
        let summary = made.summary(&original)?;
        // Last, so that a run that is refused writes nothing.
        files::write_file(&self.output, self.force, |out| {
            out.write_all(&bytes).map_err(|e| Error::io(&self.output, e))
        })?;
        self.write_recipe(&made.recipe)?;
        let output = self.output.display().to_string();
        let written = Written { summary, output, sha256: files::sha256(&bytes) };
        match self.format {
            Format::Text => print(written.text()),
            Format::Json => print_json(&written)?,
        }
        Ok(())
    }

    /// Writes the release, its patterns, what was discarded, and the summary.
    fn generalize(&self, protection: &Protection) -> Result<()> {
        let outputs = PatternFiles::new(&self.output, self.force, self.drop_identifiers)?;
        let original = self.reading.load(&self.input)?;
        let made = protection.apply(&original, &Terminal::new())?;
        let summary = outputs.write(&made, &original)?;
        self.write_recipe(&made.recipe)?;
        match self.format {
            Format::Text => print(summary.text()),
            Format::Json => print_json(&summary)?,
        }
        Ok(())
    }

    /// Fails when the recipe may not be written, or would lie where the release does.
    fn check_recipe(&self) -> Result<()> {
        let Some(recipe) = &self.recipe else { return Ok(()) };
        let is_toml = recipe.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
        if !is_toml || *recipe == self.output {
            let problem = "but a recipe is a .toml file of its own; name another";
            return Err(Error::parameter("recipe", recipe.display(), problem));
        }
        files::check_writable(recipe, self.force)
    }

    fn write_recipe(&self, recipe: &Recipe) -> Result<()> {
        let Some(path) = &self.recipe else { return Ok(()) };
        let text = recipe.to_toml()?;
        files::write_file(path, self.force, |out| {
            out.write_all(text.as_bytes()).map_err(|e| Error::io(path, e))
        })
    }

    /// The release as it is written.
    fn bytes(&self, released: &Dataset) -> Result<Vec<u8>> {
        let written = match self.drop_identifiers {
            true => &released.without_role(Role::Identifier)?,
            false => released,
        };
        written.to_bytes(&self.output)
    }
}
