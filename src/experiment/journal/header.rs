//! What the records of a journal belong to.

use super::sealed::Seal;
use crate::experiment::Experiment;
use crate::files::sha256;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// What the records of a journal belong to: with another of these they might be others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub specification: String,
    pub data: String,
    pub runs: usize,
    pub unmask: String,
    /// SHA-256 of the program's file: every change of the code, its dependencies or how they are
    /// compiled makes another.
    pub program: String,
    /// The version of HiGHS, which some systems bring as a library of its own.
    pub highs: Option<String>,
}

impl Header {
    /// Of an experiment as this program runs it.
    pub fn of(experiment: &Experiment, quick: bool) -> Self {
        let data = experiment.kind.data().into_iter().map(|data| data.sha256);
        Self {
            specification: experiment.heading.sha256.clone(),
            data: data.collect::<Vec<_>>().join(" "),
            runs: experiment.kind.cells(quick).iter().map(|cell| cell.runs).sum(),
            unmask: env!("CARGO_PKG_VERSION").into(),
            program: running_program().into(),
            highs: unmask_solvers::highs_version(),
        }
    }

    /// What closes the records of this journal.
    pub fn seal(&self) -> Seal {
        Seal::below(&serde_json::to_string(self).unwrap_or_default())
    }

    /// In which things `self`, found in a journal, is another than `now`, of the specification `file`.
    pub fn differences(&self, now: &Self, file: &str) -> Vec<String> {
        let version = |version: &Option<String>| version.clone().unwrap_or_else(|| "none".into());
        let mut all = Vec::new();
        let mut note = |differs: bool, what: String| all.extend(differs.then_some(what));
        note(self.specification != now.specification, file.to_owned());
        note(self.data != now.data, "data file".into());
        note(self.runs != now.runs, format!("number of runs ({}, now {})", self.runs, now.runs));
        let (old, new) = (&self.unmask, &now.unmask);
        note(old != new, format!("version of unmask ({old}, now {new})"));
        note(old == new && self.program != now.program, "build of unmask".into());
        let (old, new) = (version(&self.highs), version(&now.highs));
        note(old != new, format!("version of HiGHS ({old}, now {new})"));
        all
    }
}

/// SHA-256 of the running program, read once; "unknown" where the system does not let it be read.
fn running_program() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    // On Linux the first is the file that runs, even when another has taken its place since.
    let bytes = || {
        let named = || std::fs::read(std::env::current_exe()?);
        std::fs::read("/proc/self/exe").or_else(|_| named())
    };
    PROGRAM.get_or_init(|| bytes().map_or_else(|_| "unknown".into(), |bytes| sha256(&bytes)))
}
