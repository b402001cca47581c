//! What came out of running an experiment.

use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// What came out of running an experiment; shown in a line and its summary below.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExperimentOutcome {
    /// `abril2012/table3`.
    pub name: String,
    /// Where its results are, or will be once it is complete.
    pub folder: PathBuf,
    /// Whether no cell was left to run, so that the results were written.
    pub complete: bool,
    /// Finished runs of all cells.
    pub runs: usize,
    /// Cells of the experiment.
    pub cells: usize,
    /// What holds and what does not, a line each; of the finished runs, where they are not all.
    pub summary: Vec<String>,
    /// What the journal of an earlier run held that could not be used, a line each.
    pub warnings: Vec<String>,
}

impl fmt::Display for ExperimentOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, folder, runs, cells, .. } = self;
        match self.complete {
            true => write!(f, "{name}: written to {}", folder.display())?,
            false => write!(
                f,
                "{name}: {runs} runs of {cells} cells so far; nothing written before all are done"
            )?,
        }
        self.summary.iter().try_for_each(|line| write!(f, "\n- {line}"))?;
        self.warnings.iter().try_for_each(|line| write!(f, "\nwarning: {line}"))
    }
}
