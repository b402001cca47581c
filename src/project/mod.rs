//! What is said once about a file, for every command: how it is read, what its columns are, and what
//! a release of it must keep.
//!
//! ```toml
//! [reading]
//! delimiter = ";"
//!
//! [attributes.income]
//! kind = "number"
//! role = "confidential"
//!
//! [attributes.education]
//! kind = "ordinal"
//! role = "quasi-identifier"
//! order = ["primary", "secondary", "tertiary"]
//!
//! [limits]
//! max_risk = 0.2
//! ```
//!
//! `docs/project.md` describes the file. [`Draft`] writes one for a file that nobody has described
//! yet. The library reads the project it is given; that one lies beside the data and is taken
//! without being named is up to the command line.

mod doubts;
mod draft;
mod guess;
mod limits;
mod names;
mod reading;
mod scales;
mod toml_text;

pub use draft::{AttributeDraft, Draft};
pub use limits::{LimitCheck, Limits};
pub use reading::{FieldCharacter, HowToRead};

use crate::dataset::{AttributeSchema, Dataset, ReadOptions, Schema, bare_path};
use crate::error::{Error, Result};
use crate::lattice::Hierarchy;
use crate::words::{first_three, listed, quoted};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is said about a file. What is not said is found in the file, or is no limit.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// How its cells are read.
    #[serde(default)]
    pub reading: HowToRead,
    /// What its columns are, by name.
    #[serde(default)]
    pub attributes: BTreeMap<String, AttributeSchema>,
    /// What a release of it must keep.
    #[serde(default)]
    pub limits: Limits,
    /// What it is called in errors.
    #[serde(skip)]
    place: String,
}

impl Project {
    /// Where the project of `file` lies: `survey.unmask.toml` beside `survey.csv`, `survey.csv.gz` and
    /// `survey.parquet`; of built-in data, in the working folder.
    ///
    /// ```
    /// use unmask::project::Project;
    /// let beside = Project::beside("data/survey.csv.gz");
    /// assert_eq!(beside.to_str(), Some("data/survey.unmask.toml"));
    /// ```
    pub fn beside(file: &str) -> PathBuf {
        let mut path = bare_path(Path::new(file)).with_extension("").into_os_string();
        path.push(".unmask.toml");
        path.into()
    }

    /// Reads the file `path`; hierarchies are where it names them from its own folder.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
        let mut project = Self::from_toml(&text, &path.display().to_string())?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let hierarchies = project.attributes.values_mut().filter_map(|a| a.hierarchy.as_mut());
        hierarchies.for_each(|file| *file = folder.join(&*file));
        Ok(project)
    }

    /// The project in `text`, called `place` in errors.
    pub fn from_toml(text: &str, place: &str) -> Result<Self> {
        let mut project: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| 1 + text[..span.start].matches('\n').count());
            let place = line.map_or(place.to_owned(), |line| format!("{place}: line {line}"));
            // What stands in backquotes would be told as a flag.
            Error::input(place, error.message().replace('\n', " ").replace('`', "\""))
        })?;
        project.schema().check(place)?;
        project.reading.check(place)?;
        project.limits.check(place)?;
        place.clone_into(&mut project.place);
        Ok(project)
    }

    /// How the file is read.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions { schema: self.schema(), ..self.reading.options() }
    }

    fn schema(&self) -> Schema {
        Schema { attributes: self.attributes.clone(), ..Schema::default() }
    }

    /// The columns of which the project speaks and that `file` lacks, as a release does from which
    /// they were dropped.
    ///
    /// Fails where `file` has a column that is not in the project: then the name of one that is may
    /// be misspelled.
    pub fn absent(&self, file: &Dataset) -> Result<Vec<String>> {
        let names = file.names();
        let absent: Vec<String> =
            self.attributes.keys().filter(|name| !names.contains(name)).cloned().collect();
        let unsaid: Vec<String> =
            names.into_iter().filter(|name| !self.attributes.contains_key(name)).collect();
        match absent.first() {
            Some(name) if !unsaid.is_empty() => Err(Error::input(
                file.name(),
                format!(
                    "no column {}, of which the project speaks; it says nothing of {}: mend its \
                     name there, or, where the column was dropped, say something of every other",
                    quoted(name),
                    first_three(&unsaid)
                ),
            )),
            _ => Ok(absent),
        }
    }

    /// The files with hierarchies that the project names.
    pub fn hierarchy_files(&self) -> Vec<PathBuf> {
        self.attributes.values().filter_map(|a| a.hierarchy.clone()).collect()
    }

    /// The hierarchies of those attributes of `file` for which the project names one.
    pub fn hierarchies(&self, file: &Dataset) -> Result<Vec<Hierarchy>> {
        let path = |name: &String| self.attributes.get(name)?.hierarchy.as_deref();
        let named = file.names();
        let named = named.iter().filter_map(|name| Some((name, path(name)?)));
        named.map(|(name, path)| self.hierarchy(path, file, name)).collect()
    }

    fn hierarchy(&self, path: &Path, file: &Dataset, name: &str) -> Result<Hierarchy> {
        if !path.exists() {
            let place = format!("{}: attributes.{name}.hierarchy", self.place);
            let problem = format!("names {}, but there is no such file", path.display());
            return Err(Error::input(place, problem));
        }
        Hierarchy::load_file(path, file, name)
    }

    /// The hierarchies of the attributes `quasi` of `file`, in that order; fails where one has none.
    pub fn hierarchies_of(&self, file: &Dataset, quasi: &[String]) -> Result<Vec<Hierarchy>> {
        let path = |name: &String| self.attributes.get(name)?.hierarchy.as_deref();
        let missing: Vec<&String> = quasi.iter().filter(|name| path(name).is_none()).collect();
        if quasi.is_empty() || !missing.is_empty() {
            let problem = format!(
                "no hierarchy of {}; name a folder with `hierarchies`, or a file as `hierarchy` of \
                 each quasi-identifier in the project",
                if quasi.is_empty() { "any quasi-identifier".into() } else { listed(&missing) }
            );
            return Err(Error::input(file.name(), problem));
        }
        file.positions(quasi)?;
        let named = quasi.iter().filter_map(|name| Some((name, path(name)?)));
        named.map(|(name, path)| self.hierarchy(path, file, name)).collect()
    }
}
