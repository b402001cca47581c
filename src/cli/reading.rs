//! How a command reads its files: the flags every command shares.

use super::correspondence::Renaming;
use super::tell;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use unmask::dataset::{
    Bounds, Dataset, DateFormat, Decimal, Discretization, ReadOptions, Role, Schema, TextEncoding,
    Values,
};
use unmask::error::{Error, Result};

/// Reading files.
#[derive(Args)]
#[command(next_help_heading = "Reading files")]
pub struct Reading {
    /// TOML file with kinds and roles of attributes
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,

    /// Field delimiter of CSV files, `tab` for a tab [default: found in the first line]
    #[arg(long, value_name = "CHAR", value_parser = single_byte)]
    delimiter: Option<u8>,

    /// Quote character of CSV files
    #[arg(long, value_name = "CHAR", default_value = "\"", value_parser = single_byte)]
    quote: u8,

    /// CSV files have no header: columns are called c1, c2, ...
    #[arg(long)]
    no_header: bool,

    /// Encoding of CSV files, such as windows-1252 or utf-16le [default: found in the file]
    #[arg(long, value_name = "NAME")]
    encoding: Option<TextEncoding>,

    /// The character before decimals, where columns may be read in two ways [default: found in
    /// each column]
    #[arg(long, value_enum, value_name = "CHAR")]
    decimal: Option<Decimal>,

    /// How dates are written: %d, %m and %Y, as in %d.%m.%Y [default: ISO and common national
    /// forms are found in each column]
    #[arg(long, value_name = "FORMAT")]
    date_format: Option<DateFormat>,

    /// Between which numbers the values of a column lie, and those of its release will:
    /// income=0.., age=0..120
    #[arg(long, value_name = "NAME=LOW..HIGH,...", value_delimiter = ',', value_parser = bounds)]
    bounds: Vec<(String, Bounds)>,

    /// Values that stand for a missing one, beside the empty field
    #[arg(
        long,
        value_name = "TOKEN,...",
        value_delimiter = ',',
        default_value = "NA,?",
        allow_negative_numbers = true
    )]
    missing_tokens: Vec<String>,

    /// Columns to read as labels even where they look like numbers
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    categorical: Vec<String>,

    /// Read a numeric column as intervals: age:5:20:90 gives low-19, [20-25), ... [85-90),
    /// high-90. Once for each column; one that holds such labels already stays as it is
    #[arg(long, value_name = "NAME:WIDTH:LOW:HIGH")]
    discretize: Vec<Discretization>,

    /// Attributes that identify a person: never protected
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    identifiers: Vec<String>,

    /// Attributes an attacker may know: what a command works on when --attributes is not given
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    quasi: Vec<String>,

    /// Attributes an attacker wants to learn: released as they are
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    confidential: Vec<String>,

    /// Attribute that says how many people a record stands for: released as it is
    #[arg(long, value_name = "NAME")]
    weight: Option<String>,

    /// Attribute that says which records live together
    #[arg(long, value_name = "NAME")]
    household: Option<String>,
}

impl Reading {
    /// Reads `file`, with the roles the flags and the schema give.
    pub fn load(&self, file: &str) -> Result<Dataset> {
        self.load_renamed(file, &Renaming::new())
    }

    /// As [`Reading::load`] a file in which columns have other names.
    pub fn load_renamed(&self, file: &str, renaming: &Renaming) -> Result<Dataset> {
        self.load_with(file, self.options()?, renaming, |_, _| true)
    }

    /// As [`Reading::load`] a release of `original`: what is said about columns of that file
    /// that the release lacks, such as identifiers that were dropped, is passed over.
    pub fn load_release(
        &self,
        file: &str,
        original: &Dataset,
        renaming: &Renaming,
    ) -> Result<Dataset> {
        let mut options = self.options()?;
        options.schema.passes_over_absent = true;
        let lacks = |released: &Dataset, name: &str| {
            released.position(name).is_err() && original.position(name).is_ok()
        };
        let told = |released: &Dataset, name: &str| !lacks(released, name);
        let released = self.load_with(file, options, renaming, told)?;
        let has = |name: &str, label: &str| match original.values(name) {
            Ok(Values::Categorical(column)) => column.labels().iter().any(|known| known == label),
            _ => false,
        };
        Ok(released.without_escapes(has))
    }

    /// Reads `file` and gives its columns those roles whose names are `told` of it.
    fn load_with(
        &self,
        file: &str,
        mut options: ReadOptions,
        renaming: &Renaming,
        told: impl Fn(&Dataset, &str) -> bool,
    ) -> Result<Dataset> {
        options.schema = options.schema.for_names(renaming);
        let read = Dataset::load(file, &options)?;
        let rename = |file: Dataset, (from, to): &(String, String)| file.renamed(from, to);
        let named = renaming.iter().try_fold(read, rename)?;
        let mut dataset = named.discretize(&self.discretize)?;
        for (_, names, role) in self.roles() {
            let names: Vec<&String> =
                names.into_iter().filter(|name| told(&dataset, name)).collect();
            dataset.set_role(&names, role)?;
        }
        self.check_roles()?;
        note(&dataset);
        Ok(dataset)
    }

    /// As [`Reading::load`], with those of the columns `names` that the file has read as labels.
    pub fn load_labels(
        &self,
        file: &str,
        names: &[String],
        renaming: &Renaming,
    ) -> Result<Dataset> {
        let mut options = self.options()?;
        options.schema.passes_over_absent = true;
        names.iter().for_each(|name| options.schema.set_nominal(name));
        self.load_with(file, options, renaming, |file, name| file.position(name).is_ok())
    }

    /// The quasi-identifiers as --quasi names them, else those of the schema in file order.
    pub fn quasi_identifiers(&self, dataset: &Dataset) -> Vec<String> {
        match self.quasi.as_slice() {
            [] => {
                let attributes = dataset.attributes().iter();
                let quasi = attributes.filter(|a| a.role == Role::QuasiIdentifier);
                quasi.map(|a| a.name.clone()).collect()
            }
            names => names.to_vec(),
        }
    }

    /// Every file that is read when `files` are: they and the schema.
    pub fn inputs<S: AsRef<str>>(&self, files: impl IntoIterator<Item = S>) -> Vec<PathBuf> {
        let files = files.into_iter().map(|file| PathBuf::from(file.as_ref()));
        files.chain(self.schema.clone()).collect()
    }

    /// The schema file, where one is given.
    pub fn schema(&self) -> Option<&Path> {
        self.schema.as_deref()
    }

    fn options(&self) -> Result<ReadOptions> {
        let mut schema = match &self.schema {
            Some(path) => Schema::load(path)?,
            None => Schema::default(),
        };
        self.categorical.iter().for_each(|name| schema.set_nominal(name));
        self.bounds.iter().for_each(|(name, bounds)| schema.set_bounds(name, *bounds));
        let mut missing_tokens = self.missing_tokens.clone();
        missing_tokens.push(String::new());
        Ok(ReadOptions {
            delimiter: self.delimiter,
            quote: self.quote,
            header: !self.no_header,
            missing_tokens,
            encoding: self.encoding,
            decimal: self.decimal,
            date_format: self.date_format.clone(),
            schema,
        })
    }

    /// The flags that give roles, with the names given to each.
    fn roles(&self) -> [(&'static str, Vec<&String>, Role); 5] {
        [
            ("identifiers", self.identifiers.iter().collect(), Role::Identifier),
            ("quasi", self.quasi.iter().collect(), Role::QuasiIdentifier),
            ("confidential", self.confidential.iter().collect(), Role::Confidential),
            ("weight", self.weight.iter().collect(), Role::Weight),
            ("household", self.household.iter().collect(), Role::Household),
        ]
    }

    fn check_roles(&self) -> Result<()> {
        let flags = self.roles();
        for (i, (flag, names, _)) in flags.iter().enumerate() {
            for (other, others, _) in &flags[i + 1..] {
                if let Some(name) = names.iter().find(|name| others.contains(name)) {
                    let problem = format!("is also given to --{other}; an attribute has one role");
                    return Err(Error::parameter(*flag, name, problem));
                }
            }
        }
        Ok(())
    }
}

/// What reading files found, to be told when all is done: an error stays one line.
static FOUND: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Warns of what reading a file could not decide, and keeps what it found.
fn note(dataset: &Dataset) {
    let (name, notes) = (dataset.name(), dataset.notes());
    notes.warnings().for_each(|warning| tell(&format!("warning: {name}: {warning}")));
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    found.extend(notes.told().map(|note| format!("{name}: {note}")));
}

/// Tells what reading the files of this run found.
pub fn tell_found() {
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    found.drain(..).for_each(|line| tell(&line));
}

fn bounds(text: &str) -> std::result::Result<(String, Bounds), String> {
    let (name, bounds) =
        text.split_once('=').ok_or("NAME=LOW..HIGH is needed, as in age=0..120")?;
    Ok((name.to_owned(), bounds.parse()?))
}

/// The files that may be hierarchies in `folder`; none when it cannot be read.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "csv" || e == "toml"));
    files.sort_unstable();
    files
}

fn single_byte(text: &str) -> std::result::Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        _ if text.len() == 1 => Ok(text.as_bytes()[0]),
        _ => Err("one ASCII character is needed".into()),
    }
}
