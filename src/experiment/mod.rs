//! Experiments: tables and figures declared in TOML, run in parallel, resumed after a stop.
//!
//! - An [`Experiment`] is one table or figure, `experiments/<folder>/<table>.toml`, typed and
//!   checked before anything runs. What it does is its *kind* (`kind = "..."`): attacks on
//!   samples of protected files (`linkage`, the default), or one of the others in `kinds/`.
//! - A *cell* is a row of its results, such as one protection with one value of its parameter;
//!   a *job* is one run of a cell, the unit of work.
//! - [`Experiment::run`], or [`run_all`] for several that may share jobs, works off what is not
//!   finished and keeps a [`journal`], so that a run that was killed goes on where it stopped.
//!   When no cell is left the results are written, the same bytes however often it stopped.
//!
//! A job depends on its specification, cell and run only, never on threads or on which other
//! cells there are, so the same records come out of any run, in any order.
//!
//! ```no_run
//! use unmask::experiment::{Experiment, RunOptions};
//!
//! let experiment = Experiment::load("experiments/demo/noise.toml")?;
//! let outcome = experiment.run(&RunOptions::default(), &())?;
//! println!("{outcome}");
//! # Ok::<(), unmask::error::Error>(())
//! ```

pub mod journal;
mod kinds;
mod options;
mod outcome;
mod record;
mod results;
mod runner;
mod specification;

pub use kinds::{ExperimentCell, job_seed};
pub use options::RunOptions;
pub use outcome::ExperimentOutcome;
pub use runner::run_all;
pub use specification::Heading;

use crate::error::{Error, Result};
use crate::listener::Listener;
use kinds::ExperimentKind;
use std::path::Path;

/// One table or figure as its specification declares it.
#[derive(Debug)]
pub struct Experiment {
    heading: Heading,
    kind: Box<dyn ExperimentKind>,
}

impl Experiment {
    /// Reads the specification `file` and everything it names; all problems are told at once.
    pub fn load(file: impl AsRef<Path>) -> Result<Self> {
        let file = file.as_ref().display().to_string();
        Self::parse(&file, &specification::text(&file)?)
    }

    /// As [`Experiment::load`], the specification being `text` and called `file`.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let table = specification::parsed(file, text)?;
        let read = kinds::reader(file, &table)?;
        specification::checked(file, table, |whole, problems| {
            let heading = Heading::take(file, text, whole);
            let kind = read(whole, problems)?;
            kinds::check_names(&kind.cells(false), problems);
            Some(Self { heading: heading?, kind })
        })
    }

    /// Reads several specifications; the problems of all files are told at once.
    pub fn load_all(files: &[impl AsRef<Path>]) -> Result<Vec<Self>> {
        let (mut loaded, mut problems) = (Vec::new(), Vec::new());
        for file in files {
            match Self::load(file) {
                Ok(experiment) => loaded.push(experiment),
                Err(Error::Specification(found)) => problems.extend(found),
                Err(error @ Error::Internal(_)) => return Err(error),
                Err(other) => problems.push(other.to_string()),
            }
        }
        if problems.is_empty() { Ok(loaded) } else { Err(Error::Specification(problems)) }
    }

    /// Reads every specification (`*.toml`) under `folder`, in the order of their names.
    pub fn load_folder(folder: impl AsRef<Path>) -> Result<Vec<Self>> {
        Self::load_all(&specifications_under(folder.as_ref())?)
    }

    /// File, folder and table, title and reading.
    pub fn heading(&self) -> &Heading {
        &self.heading
    }

    /// The cells in the order of the results.
    pub fn cells(&self) -> Vec<ExperimentCell> {
        self.kind.cells(false)
    }

    /// As [`run_all`], for this experiment alone.
    pub fn run(&self, options: &RunOptions, listener: &dyn Listener) -> Result<ExperimentOutcome> {
        let outcome = run_all(std::slice::from_ref(self), options, listener)?.pop();
        outcome.ok_or_else(|| Error::Internal("an experiment without outcome".into()))
    }
}

/// Every specification under `folder`, in the order of their names.
pub fn specifications_under(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|e| Error::io(&folder, e))?;
        for entry in entries {
            let path = entry.map_err(|e| Error::io(&folder, e))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "toml") {
                found.push(path.display().to_string());
            }
        }
    }
    found.sort();
    if found.is_empty() {
        let problem = "no specification (*.toml) under this folder; name another";
        return Err(Error::input(folder.display().to_string(), problem));
    }
    Ok(found)
}
