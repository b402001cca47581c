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
use unmask::dataset::{Dataset, FileFormat};
use unmask::error::{Error, Result};
use unmask::files::{self, FileDigest, OutputFile};
use unmask::protection::{Making, Method, ProtectedFile, Protection, Recipe};
use unmask::table::Table;

/// Protects a file: noise, rank swapping, microaggregation or generalization.
///
/// Identifiers are dropped, confidential attributes left alone. The same input,
/// parameters and seed give the same bytes on any number of threads; without --seed one is
/// drawn. How the release was made, its seed included, is written beside it for your eyes
/// alone (OUT.recipe.toml): do not publish that file. Each method has options
/// of its own: `unmask protect METHOD --help`.
#[derive(Args)]
#[command(
    subcommand_value_name = "METHOD",
    subcommand_help_heading = "Methods",
    arg_required_else_help = true,
    after_help = "Examples:\n  \
    unmask protect --list\n  \
    unmask protect mdav census --k 5 -o census-k5.csv\n  \
    unmask protect noise census --p 16 -o noisy.parquet\n  \
    unmask protect rank-swapping survey --p 5 --identifiers person_id,hh_id --confidential income \
    -o swapped.csv"
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
    /// The file to protect (CSV, Excel, Parquet, Stata, SPSS and others by its extension), or the
    /// name of a built-in data set
    input: String,

    /// The file to write, by its extension: .csv, .tsv, .parquet, .arrow or .dta
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the output files when they exist
    #[arg(long)]
    force: bool,

    /// Attributes to protect [default: the quasi-identifiers; without any, all attributes that
    /// are neither identifier nor confidential; of these, those of the kind the method takes]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    attributes: Vec<String>,

    /// Seed of the random numbers; who knows it can undo noise and swapping [default: drawn
    /// from the system, and kept in the recipe]
    #[arg(long)]
    seed: Option<u64>,

    /// Put an apostrophe before texts (and names of columns) in CSV files that a spreadsheet would
    /// calculate: those that start with =, +, -, @, a tab or a carriage return and are no numbers
    #[arg(long)]
    escape_formulas: bool,

    /// Leave the identifiers in the release
    #[arg(long)]
    keep_identifiers: bool,

    /// Where the private recipe of the release goes (.toml), for `unmask audit --recipe`
    /// [default: OUT.recipe.toml beside the output]
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,

    /// Write no recipe: a seed that was drawn is then lost
    #[arg(long, conflicts_with = "recipe")]
    no_recipe: bool,

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
                print(table)
            }
        }
    }
}

impl ProtectJob {
    /// Reads, protects, writes, and prints the summary.
    fn run(&self) -> Result<()> {
        let file = &self.file;
        let patterns = match self.method.implementation().keeps_every_record() {
            true => None,
            false => Some(PatternFiles::new(&file.output, file.force)),
        };
        file.check_outputs(patterns.as_ref())?;
        let recipe = Recipe {
            method: self.method.clone(),
            attributes: file.attributes.clone(),
            seed: file.seed,
        };
        if file.recipe_path().is_some() {
            recipe.to_toml()?;
        }
        let protection = Protection::from(recipe).keep_identifiers(file.keep_identifiers);
        match patterns {
            None => file.protect(&protection),
            Some(outputs) => file.generalize(&protection, &outputs),
        }
    }
}

impl FileToProtect {
    /// The file, in the way its release is to be written.
    fn load(&self) -> Result<Dataset> {
        Ok(self.reading.load(&self.input)?.escaping_formulas(self.escape_formulas))
    }

    fn protect(&self, protection: &Protection) -> Result<()> {
        let original = self.load()?;
        let made = protection.apply(&original, &Terminal::new())?;
        let bytes = made.protected.released.to_bytes(&self.output)?;
        let summary = made.summary(&original)?;
        let released = OutputFile { path: &self.output, bytes: &bytes, private: false };
        let recipe = self.private_recipe(&made, &bytes)?;
        // Last, so that a run that is refused writes nothing.
        files::write_files(&recipe.with(&[released]), self.force)?;
        let output = self.output.display().to_string();
        let sha256 = files::sha256(&bytes);
        let written = Written { summary, output, sha256, recipe: recipe.shown() };
        match self.format {
            Format::Text => print(written.text()),
            Format::Json => print_json(&written),
        }
    }

    /// Writes the release, its patterns, what was discarded, and the summary.
    fn generalize(&self, protection: &Protection, outputs: &PatternFiles) -> Result<()> {
        let original = self.load()?;
        let made = protection.apply(&original, &Terminal::new())?;
        let recipe = |released: &[u8]| self.private_recipe(&made, released);
        let summary = outputs.write(&made, &original, recipe)?;
        match self.format {
            Format::Text => print(summary.text()),
            Format::Json => print_json(&summary),
        }
    }

    /// Where the recipe goes; none when none is wanted.
    fn recipe_path(&self) -> Option<PathBuf> {
        let beside = || {
            let mut path = self.output.clone().into_os_string();
            path.push(".recipe.toml");
            path.into()
        };
        (!self.no_recipe).then(|| self.recipe.clone().unwrap_or_else(beside))
    }

    /// Fails when a file may not be written, or is one that is read, or is to be two.
    fn check_outputs(&self, patterns: Option<&PatternFiles>) -> Result<()> {
        FileFormat::to_write(&self.output)?;
        let recipe = self.recipe_path();
        if let Some(path) = &recipe {
            let is_toml = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
            if !is_toml || *path == self.output {
                let problem = "but a recipe is a .toml file of its own; name another";
                return Err(Error::parameter("recipe", path.display(), problem));
            }
        }
        let mut outputs = patterns.map_or_else(|| vec![&*self.output], PatternFiles::all);
        outputs.extend(recipe.as_deref());
        files::check_outputs(&outputs, self.force, &self.reading.inputs([&self.input]))
    }

    /// The recipe of `made` as its private file; `released` are the bytes of the release.
    fn private_recipe(&self, made: &ProtectedFile, released: &[u8]) -> Result<PrivateRecipe> {
        let making = Making {
            version: env!("CARGO_PKG_VERSION"),
            input: self.input.clone(),
            input_sha256: FileDigest::of("original", &self.input)?.sha256,
            output: self.output.display().to_string(),
            output_sha256: files::sha256(released),
        };
        let text = made.recipe.private_file(&making)?;
        Ok(PrivateRecipe { file: self.recipe_path().map(|path| (path, text)) })
    }
}

/// The private file beside a release, where one is wanted.
struct PrivateRecipe {
    file: Option<(PathBuf, String)>,
}

impl PrivateRecipe {
    /// `others` and, before them, the recipe: where the release is, its recipe is.
    fn with<'a>(&'a self, others: &[OutputFile<'a>]) -> Vec<OutputFile<'a>> {
        let own = self.file.iter().map(|(path, text)| OutputFile {
            path,
            bytes: text.as_bytes(),
            private: true,
        });
        own.chain(others.iter().copied()).collect()
    }

    /// Its name, to be told.
    fn shown(&self) -> Option<String> {
        self.file.as_ref().map(|(path, _)| path.display().to_string())
    }
}
