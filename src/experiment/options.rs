//! How experiments are run.

use super::specification::Heading;
use std::path::PathBuf;

/// How experiments are run; the default runs all cells in full and writes to `results/`.
///
/// ```
/// use unmask::experiment::RunOptions;
///
/// let options = RunOptions::default().quick(true).only(["Noise-16"]).results("my-results");
/// ```
#[derive(Debug, Clone)]
pub struct RunOptions {
    pub(super) results: PathBuf,
    pub(super) quick: bool,
    pub(super) fresh: bool,
    pub(super) only: Vec<String>,
    pub(super) threads: usize,
    pub(super) command: Option<String>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            results: "results".into(),
            quick: false,
            fresh: false,
            only: Vec::new(),
            threads: 0,
            command: None,
        }
    }
}

impl RunOptions {
    /// Where results go: `<results>/<folder>/<table>/`, after the specification's place.
    pub fn results(self, folder: impl Into<PathBuf>) -> Self {
        Self { results: folder.into(), ..self }
    }

    /// Fewer runs or cells, and results under `<results>/quick/`.
    pub fn quick(self, quick: bool) -> Self {
        Self { quick, ..self }
    }

    /// Forget what an earlier run had finished.
    pub fn fresh(self, fresh: bool) -> Self {
        Self { fresh, ..self }
    }

    /// Only the cells of these names; all when there are none. Results are written when no
    /// cell is left.
    pub fn only<S: Into<String>>(self, cells: impl IntoIterator<Item = S>) -> Self {
        Self { only: cells.into_iter().map(Into::into).collect(), ..self }
    }

    /// Jobs at once; 0 takes all cores. Results do not depend on it.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// The command that `environment.toml` names; none by default.
    pub fn command(self, command: impl Into<String>) -> Self {
        Self { command: Some(command.into()), ..self }
    }

    /// Where the results of the experiment with this heading belong.
    pub(super) fn folder(&self, heading: &Heading) -> PathBuf {
        let results = match self.quick {
            true => self.results.join("quick"),
            false => self.results.clone(),
        };
        results.join(&heading.folder).join(&heading.table)
    }

    /// Whether the cell `name` is to be run.
    pub(super) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }

    /// Jobs at once.
    pub(super) fn workers(&self) -> usize {
        if self.threads == 0 { rayon::current_num_threads() } else { self.threads }
    }
}
