//! How a command reads its files: the flags every command shares.

use super::correspondence::Renaming;
use super::flags::in_flags;
use super::tell;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use unmask::dataset::{
    Bounds, Dataset, DateFormat, Decimal, Discretization, ReadOptions, Role, TextEncoding, Values,
};
use unmask::error::{Error, Result};
use unmask::lattice::Hierarchy;
use unmask::project::{FieldCharacter, Limits, Project};
use unmask::words::listed;

/// Reading files, by a project and by flags.
#[derive(Args)]
#[command(next_help_heading = "Reading files")]
pub struct Reading {
    /// What is said once about the file (`unmask init` writes it): how it is read, kinds and roles
    /// of its attributes, limits. Flags win [default: FILE.unmask.toml beside the first file that the
    /// command names, for FILE.csv, if there is one]
    #[arg(long, value_name = "FILE", alias = "schema")]
    project: Option<PathBuf>,

    /// Look for no project
    #[arg(long, conflicts_with = "project")]
    no_project: bool,

    #[command(flatten)]
    flags: ReadingFlags,

    /// The project, once it is read.
    #[arg(skip)]
    read: OnceLock<Option<ReadProject>>,
}

/// A project, and where it is.
struct ReadProject {
    path: PathBuf,
    project: Project,
}

/// Reading files by flags alone.
#[derive(Args)]
#[command(next_help_heading = "Reading files")]
pub struct ReadingFlags {
    /// Field delimiter of CSV files, `tab` for a tab [default: found in the first line]
    #[arg(long, value_name = "CHAR")]
    delimiter: Option<FieldCharacter>,

    /// Quote character of CSV files [default: "]
    #[arg(long, value_name = "CHAR")]
    quote: Option<FieldCharacter>,

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

    /// Values that stand for a missing one, beside the empty field [default: NA,?]
    #[arg(long, value_name = "TOKEN,...", value_delimiter = ',', allow_negative_numbers = true)]
    missing_tokens: Option<Vec<String>>,

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
    /// Reads `file`, with the roles that the flags and the project give.
    ///
    /// A file that is not the one beside its project may be a release of that one.
    pub fn load(&self, file: &str) -> Result<Dataset> {
        self.load_renamed(file, &Renaming::new())
    }

    /// As [`Reading::load`] a file in which columns have other names.
    pub fn load_renamed(&self, file: &str, renaming: &Renaming) -> Result<Dataset> {
        let mut options = self.options(file)?;
        let release_of = self.project(file)?.filter(|read| read.path != Project::beside(file));
        options.schema.of_release = release_of.is_some();
        let schema = options.schema.clone();
        let dataset = self.flags.load_with(file, options, renaming, |_, _| true)?;
        schema.check_bounds(&dataset)?;
        if let Some(read) = release_of {
            read.tell_absent(&dataset)?;
        }
        Ok(dataset)
    }

    /// As [`Reading::load`] a release of `original`: what is said about columns of that file
    /// that the release lacks, such as identifiers that were dropped, is passed over.
    pub fn load_release(
        &self,
        file: &str,
        original: &Dataset,
        renaming: &Renaming,
    ) -> Result<Dataset> {
        let mut options = self.options(original.name())?;
        options.schema.of_release = true;
        let lacks = |released: &Dataset, name: &str| {
            released.position(name).is_err() && original.position(name).is_ok()
        };
        let told = |released: &Dataset, name: &str| !lacks(released, name);
        let schema = options.schema.clone();
        let released = self.flags.load_with(file, options, renaming, told)?;
        if let Err(outside) = schema.check_bounds(&released) {
            tell(&format!("warning: {}", in_flags(&outside.to_string())));
        }
        let has = |name: &str, label: &str| match original.values(name) {
            Ok(Values::Categorical(column)) => column.labels().iter().any(|known| known == label),
            _ => false,
        };
        Ok(released.without_escapes(has))
    }

    /// As [`Reading::load`], with those of the columns `names` that the file has read as labels.
    pub fn load_labels(
        &self,
        file: &str,
        names: &[String],
        renaming: &Renaming,
    ) -> Result<Dataset> {
        let mut options = self.options(file)?;
        options.schema.of_release = true;
        names.iter().for_each(|name| options.schema.set_nominal(name));
        let has = |file: &Dataset, name: &str| file.position(name).is_ok();
        self.flags.load_with(file, options, renaming, has)
    }

    /// The quasi-identifiers as --quasi names them, else those of the project in file order.
    pub fn quasi_identifiers(&self, dataset: &Dataset) -> Vec<String> {
        match self.flags.quasi.as_slice() {
            [] => dataset.names_with(Role::QuasiIdentifier),
            names => names.to_vec(),
        }
    }

    /// Every file that is read when `files` are: they, the project of the first, and hierarchies
    /// that it names.
    pub fn inputs<S: AsRef<str>>(&self, files: impl IntoIterator<Item = S>) -> Vec<PathBuf> {
        let mut inputs: Vec<PathBuf> =
            files.into_iter().map(|file| PathBuf::from(file.as_ref())).collect();
        let first = inputs.first().map(|file| file.to_string_lossy().into_owned());
        if let Some(first) = first {
            inputs.extend(self.project_path(&first));
            inputs.extend(self.hierarchy_files(&first));
        }
        inputs
    }

    /// Where the project of `file` is: as it is said, else beside the file.
    pub fn project_path(&self, file: &str) -> Option<PathBuf> {
        let beside = || Some(Project::beside(file)).filter(|path| path.symlink_metadata().is_ok());
        match (&self.project, self.no_project) {
            (Some(path), _) => Some(path.clone()),
            (None, true) => None,
            (None, false) => beside(),
        }
    }

    /// The limits that the project of `file` sets, and where that is.
    pub fn limits(&self, file: &str) -> Result<(Limits, String)> {
        let read = self.project(file)?;
        Ok(read.map_or_else(Default::default, |read| {
            (read.project.limits.clone(), read.path.display().to_string())
        }))
    }

    /// The files with hierarchies that the project of `file` names; none where it cannot be read.
    pub fn hierarchy_files(&self, file: &str) -> Vec<PathBuf> {
        let read = self.project(file).ok().flatten();
        read.map_or_else(Vec::new, |read| read.project.hierarchy_files())
    }

    /// The hierarchies that the project of `file` names, which `dataset` was read from.
    pub fn hierarchies(&self, file: &str, dataset: &Dataset) -> Result<Vec<Hierarchy>> {
        let read = self.project(file)?;
        read.map_or_else(|| Ok(Vec::new()), |read| read.project.hierarchies(dataset))
    }

    /// The same for each of the attributes `quasi`.
    pub fn hierarchies_of(
        &self,
        file: &str,
        dataset: &Dataset,
        quasi: &[String],
    ) -> Result<Vec<Hierarchy>> {
        let none = Project::default();
        self.project(file)?.map_or(&none, |read| &read.project).hierarchies_of(dataset, quasi)
    }

    /// The project of the command, which is that of the first file it asks for.
    fn project(&self, file: &str) -> Result<Option<&ReadProject>> {
        if let Some(read) = self.read.get() {
            return Ok(read.as_ref());
        }
        let load = |path: PathBuf| {
            let project = Project::load(&path)?;
            if self.project.is_none() {
                tell(&format!("reads {}", path.display()));
            }
            Ok::<_, Error>(ReadProject { path, project })
        };
        let read = self.project_path(file).map(load).transpose()?;
        Ok(self.read.get_or_init(|| read).as_ref())
    }

    fn options(&self, file: &str) -> Result<ReadOptions> {
        let said = self.project(file)?.map(|read| read.project.read_options());
        Ok(self.flags.over(said.unwrap_or_default()))
    }
}

impl ReadProject {
    /// Tells which of its columns `dataset` lacks; fails where one may be misspelled.
    fn tell_absent(&self, dataset: &Dataset) -> Result<()> {
        let absent = self.project.absent(dataset)?;
        if !absent.is_empty() {
            let (name, path) = (dataset.name(), self.path.display());
            tell(&format!("{name} lacks columns of {path}: {}", listed(&absent)));
        }
        Ok(())
    }
}

impl ReadingFlags {
    /// Reads `file` as the flags say.
    pub fn load(&self, file: &str) -> Result<(Dataset, ReadOptions)> {
        let options = self.over(ReadOptions::default());
        let read = self.load_with(file, options.clone(), &Renaming::new(), |_, _| true)?;
        Ok((read, options))
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
        let is_told = |dataset: &Dataset, name: &&String| told(dataset, name.as_str());
        let columns = self.categorical.iter().chain(self.bounds.iter().map(|(name, _)| name));
        let columns: Vec<&String> = columns.filter(|name| is_told(&dataset, name)).collect();
        columns.iter().try_for_each(|name| dataset.position(name).map(drop))?;
        for (_, names, role) in self.roles() {
            if names.is_empty() {
                continue;
            }
            let names: Vec<&String> =
                names.into_iter().filter(|name| is_told(&dataset, name)).collect();
            if is_said_as_a_whole(role) {
                dataset.set_role(&dataset.names_with(role), Role::Other)?;
            }
            dataset.set_role(&names, role)?;
        }
        self.check_roles()?;
        note(&dataset);
        Ok(dataset)
    }

    /// `options` with what the flags say in its place.
    fn over(&self, options: ReadOptions) -> ReadOptions {
        let mut schema = options.schema;
        self.categorical.iter().for_each(|name| schema.set_nominal(name));
        self.bounds.iter().for_each(|(name, bounds)| schema.set_bounds(name, *bounds));
        let tokens = |tokens: &Vec<String>| [tokens.as_slice(), &[String::new()]].concat();
        ReadOptions {
            delimiter: self.delimiter.map(FieldCharacter::byte).or(options.delimiter),
            quote: self.quote.map_or(options.quote, FieldCharacter::byte),
            header: options.header && !self.no_header,
            missing_tokens: self.missing_tokens.as_ref().map_or(options.missing_tokens, tokens),
            encoding: self.encoding.or(options.encoding),
            decimal: self.decimal.or(options.decimal),
            date_format: self.date_format.clone().or(options.date_format),
            schema,
        }
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

/// True for roles of which a flag names every attribute: what the project gives the role is then
/// no longer of it. Identifiers and confidential attributes are added to those of the project, so
/// that naming one does not release another.
fn is_said_as_a_whole(role: Role) -> bool {
    matches!(role, Role::QuasiIdentifier | Role::Weight | Role::Household)
}

/// What reading files found, to be told when all is done: an error stays one line.
static FOUND: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Warns of what reading a file could not decide, and keeps what it found.
fn note(dataset: &Dataset) {
    let (name, notes) = (dataset.name(), dataset.notes());
    let warn = |warning: &str| tell(&format!("warning: {name}: {}", in_flags(warning)));
    notes.warnings().for_each(warn);
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
