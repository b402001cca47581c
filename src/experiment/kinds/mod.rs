//! Studies by their kind: what `kind = "..."` in `experiments/<study>/<table>.toml` names.
//!
//! A specification without a kind (or of kind `linkage`) is an
//! [`experiment::Specification`](crate::experiment::Specification): samples,
//! runs and a journal. Every other kind is one file here that reads its keys
//! (`KINDS`) and gives its [`Findings`] as a whole; it is short enough to be
//! run anew after a stop. All of them share heading, checks, result files,
//! `unmask experiment` and `unmask reproduce`.
//!
//! To add a kind: a type that is a [`Study`], a function that reads it from a
//! `Section`, a row in `KINDS`, its keys in `docs/experiment-schema.json`.

mod fingerprint;
mod fingerprint_example;
mod generalization;
mod information_loss;
mod microaggregation;

use crate::error::{Error, Result};
use crate::experiment::check::{Problems, Section};
use crate::experiment::results::Findings;
use crate::experiment::specification::{checked, parsed};
use crate::experiment::{Heading, Specification};
use crate::listener::Listener;
use std::fmt::Debug;

/// A study that runs as a whole.
pub trait Study: Debug + Send + Sync {
    /// What it will run, cell by cell, for `unmask experiment list`.
    fn cells(&self) -> Vec<ListedCell>;

    /// Runs all cells; `quick` asks for fewer or smaller ones where the study is
    /// long. Gives the same findings on any number of threads.
    fn run(&self, quick: bool, listener: &dyn Listener) -> Result<Findings>;
}

/// One cell as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedCell {
    /// Unique in its study.
    pub name: String,
    /// What protects.
    pub method: String,
    /// With which parameters.
    pub parameters: String,
    /// Records in each run.
    pub records: usize,
    /// Runs of the cell.
    pub runs: usize,
}

/// A specification of any kind.
#[derive(Debug)]
pub enum Declared {
    /// Attacks on samples of protected files.
    Linkage(Box<Specification>),
    /// Any other kind.
    Other(Heading, Box<dyn Study>),
}

/// Reads the keys of a kind; what is wrong with them goes to the problems.
type Read = fn(&mut Section<'_>, &Problems) -> Option<Box<dyn Study>>;

/// Every kind but `linkage`.
const KINDS: [(&str, Read); 5] = [
    ("fingerprint", fingerprint::read),
    ("fingerprint-example", fingerprint_example::read),
    ("generalization", generalization::read),
    ("information-loss", information_loss::read),
    ("microaggregation", microaggregation::read),
];

impl Declared {
    /// Reads `file` and everything it names; all problems are told at once.
    pub fn load(file: &str) -> Result<Self> {
        let (text, table) = parsed(file)?;
        let kind = match table.get("kind") {
            None => "linkage".to_owned(),
            Some(toml::Value::String(kind)) => kind.clone(),
            Some(other) => return Err(unknown_kind(file, &other.to_string())),
        };
        if kind == "linkage" {
            return Specification::load(file).map(|s| Self::Linkage(Box::new(s)));
        }
        let known = KINDS.iter().find(|(name, _)| *name == kind);
        let Some((_, read)) = known else {
            return Err(unknown_kind(file, &format!("{kind:?}")));
        };
        checked(file, table, |whole, problems| {
            let heading = Heading::take(file, &text, whole);
            let study = read(whole, problems);
            Some(Self::Other(heading?, study?))
        })
    }

    /// File, study and table, title and reading.
    pub fn heading(&self) -> &Heading {
        match self {
            Self::Linkage(specification) => &specification.heading,
            Self::Other(heading, _) => heading,
        }
    }

    /// The cells in the order of the specification.
    pub fn cells(&self) -> Vec<ListedCell> {
        match self {
            Self::Linkage(specification) => linkage_cells(specification),
            Self::Other(_, study) => study.cells(),
        }
    }
}

fn linkage_cells(specification: &Specification) -> Vec<ListedCell> {
    let listed = |cell: &crate::experiment::Cell| ListedCell {
        name: cell.name.clone(),
        method: cell.method.name().into(),
        parameters: cell.method.parameters().to_string(),
        records: specification.sample.records,
        runs: specification.sample.runs,
    };
    specification.cells.iter().map(listed).collect()
}

fn unknown_kind(file: &str, value: &str) -> Error {
    let kinds: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
    let kinds = kinds.join(", ");
    let problem =
        format!("{file}: kind = {value}, which is no kind; the kinds are linkage, {kinds}");
    Error::Specification(vec![problem])
}
