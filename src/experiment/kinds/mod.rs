//! What an experiment does: `kind = "..."` in `experiments/<folder>/<table>.toml`.
//!
//! A kind reads its keys, declares its cells, runs each by itself, and makes tables and plots
//! of what they found. The runner does the rest for all kinds alike: resuming, `--only`,
//! `--quick`, result files.
//!
//! To add a kind: a type that is an [`ExperimentKind`], a function that reads its
//! `KeyTable`, a row in `KINDS`, its keys in `docs/experiment-schema.json`.

mod fingerprint;
mod fingerprint_example;
mod generalization;
mod information_loss;
mod linkage;
mod microaggregation;

pub use linkage::job_seed;

use super::record::CellRecord;
use super::results::Findings;
use super::specification::{DataDigest, KeyTable, Problems};
use crate::error::{Error, Result};
use serde::Serialize;
use std::fmt::Debug;

/// What an experiment does, cell by cell.
pub(super) trait ExperimentKind: Debug + Send + Sync {
    /// The data files.
    fn data(&self) -> Vec<DataDigest>;

    /// The cells in the order of the results; `quick` may leave some out.
    fn cells(&self, quick: bool) -> Vec<ExperimentCell>;

    /// Whether run `run` of every cell is run with nothing beside it, for its time.
    fn is_timed(&self, _run: usize) -> bool {
        false
    }

    /// All that the record of a job depends on: jobs of the same key are run once. None where
    /// jobs are never shared.
    fn job_key(&self, _job: Job) -> Option<String> {
        None
    }

    /// What a job finds; follows from the specification, but for times.
    fn run(&self, job: Job) -> Result<serde_json::Value>;

    /// What a part of the records says already, a line each.
    fn summary(&self, _records: &[CellRecord]) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Tables and plots of all records, which are in the order of cells and runs.
    fn findings(&self, records: &[CellRecord], quick: bool) -> Result<Findings>;
}

/// One run of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Job {
    /// The cell's place among [`ExperimentKind::cells`].
    pub cell: usize,
    /// The run, counted from 1.
    pub run: usize,
    /// Whether it is to be quick.
    pub quick: bool,
}

/// One cell as listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExperimentCell {
    /// Unique in its experiment.
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

/// Reads the keys of a kind; what is wrong with them goes to the problems.
type ReadKind = fn(&mut KeyTable<'_>, &Problems) -> Option<Box<dyn ExperimentKind>>;

/// Every kind; the first is the default.
const KINDS: [(&str, ReadKind); 6] = [
    ("linkage", linkage::read),
    ("fingerprint", fingerprint::read),
    ("fingerprint-example", fingerprint_example::read),
    ("generalization", generalization::read),
    ("information-loss", information_loss::read),
    ("microaggregation", microaggregation::read),
];

/// What reads the kind that `table`, the keys of `file`, asks for.
pub(super) fn reader(file: &str, table: &toml::Table) -> Result<ReadKind> {
    let Some(kind) = table.get("kind") else { return Ok(KINDS[0].1) };
    let known = KINDS.iter().find(|(name, _)| kind.as_str() == Some(name));
    known.map(|(_, read)| *read).ok_or_else(|| {
        let kinds = KINDS.map(|(name, _)| name).join(", ");
        let problem = format!("{file}: kind = {kind}, which is no kind; the kinds are {kinds}");
        Error::Specification(vec![problem])
    })
}

/// Notes the cells that have the name of another: journal and results tell them apart by it.
pub(super) fn check_names(cells: &[ExperimentCell], to: &Problems) {
    for (i, ExperimentCell { name, .. }) in cells.iter().enumerate() {
        if cells[..i].iter().any(|other| other.name == *name) {
            let problem = "is declared twice; cells need different names or parameters";
            to.say(format!("the cell {name} {problem}"));
        }
    }
}
