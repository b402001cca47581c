//! The four files and the summary of a method that gives patterns.

use super::PrivateRecipe;
use super::summary::{line, parameters, recipe_line};
use serde::Serialize;
use std::path::{Path, PathBuf};
use unmask::dataset::{Dataset, Role};
use unmask::error::{Error, Result};
use unmask::files::{self, OutputFile};
use unmask::protection::ProtectedFile;
use unmask::protection::generalization::{Generalization, GeneralizationSummary, Spread};
use unmask::words::listed;

/// Where the files go.
pub struct PatternFiles {
    released: PathBuf,
    patterns: PathBuf,
    discarded: PathBuf,
    summary: PathBuf,
    force: bool,
}

/// What `--format json` prints and the summary file holds; the text is made from it.
#[derive(Serialize)]
pub struct PatternsWritten {
    method: &'static str,
    parameters: serde_json::Value,
    attributes: Vec<String>,
    confidential: Vec<String>,
    left_out: Vec<String>,
    dropped: Vec<String>,
    warnings: Vec<String>,
    #[serde(flatten)]
    summary: GeneralizationSummary,
    outputs: Outputs,
}

#[derive(Serialize)]
struct Outputs {
    released: WrittenFile,
    patterns: WrittenFile,
    discarded: WrittenFile,
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    recipe: Option<String>,
}

#[derive(Serialize)]
struct WrittenFile {
    file: String,
    sha256: String,
}

impl PatternFiles {
    /// Names the files after `released`.
    pub fn new(released: &Path, force: bool) -> Self {
        let extension = released.extension().and_then(|e| e.to_str()).unwrap_or("csv");
        Self {
            released: released.to_owned(),
            patterns: beside(released, &format!("patterns.{extension}")),
            discarded: beside(released, "discarded.csv"),
            summary: beside(released, "summary.json"),
            force,
        }
    }

    /// All of them.
    pub fn all(&self) -> Vec<&Path> {
        vec![&self.released, &self.patterns, &self.discarded, &self.summary]
    }

    /// Writes the files together with the recipe of the release, the released one last: where it
    /// is, all are.
    pub fn write(
        &self,
        made: &ProtectedFile,
        original: &Dataset,
        recipe: impl FnOnce(&[u8]) -> Result<PrivateRecipe>,
    ) -> Result<PatternsWritten> {
        let lost = || Error::Internal("a generalization without patterns".into());
        let found = made.protected.generalization.as_ref().ok_or_else(lost)?;
        let released = made.protected.released.to_bytes(&self.released)?;
        let recipe = recipe(&released)?;
        let patterns = found.pattern_file(original)?.to_bytes(&self.patterns)?;
        let discarded = row_numbers(&found.discarded());
        let outputs = Outputs {
            released: written(&self.released, &released),
            patterns: written(&self.patterns, &patterns),
            discarded: written(&self.discarded, discarded.as_bytes()),
            summary: self.summary.display().to_string(),
            recipe: recipe.shown(),
        };
        let report = PatternsWritten::new(made, original, found, outputs)?;
        let json = serde_json::to_string_pretty(&report)
            .map_err(|e| Error::Internal(e.to_string()))?
            + "\n";
        let outputs = [
            public(&self.patterns, &patterns),
            public(&self.discarded, discarded.as_bytes()),
            public(&self.summary, json.as_bytes()),
            public(&self.released, &released),
        ];
        files::write_files(&recipe.with(&outputs), self.force)?;
        Ok(report)
    }
}

fn public<'a>(path: &'a Path, bytes: &'a [u8]) -> OutputFile<'a> {
    OutputFile { path, bytes, private: false }
}

/// `folder/out.csv` and `patterns.csv` as `folder/out-patterns.csv`.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("-");
    name.push(ending);
    path.with_file_name(name)
}

/// One column, `record`; the first record of the original file is 1.
fn row_numbers(records: &[usize]) -> String {
    let lines = records.iter().map(|r| format!("{}\n", r + 1));
    std::iter::once("record\n".to_owned()).chain(lines).collect()
}

fn written(path: &Path, bytes: &[u8]) -> WrittenFile {
    WrittenFile { file: path.display().to_string(), sha256: files::sha256(bytes) }
}

impl PatternsWritten {
    fn new(
        made: &ProtectedFile,
        original: &Dataset,
        found: &Generalization,
        outputs: Outputs,
    ) -> Result<Self> {
        let (all, quasi) = (original.attributes(), &made.recipe.attributes);
        let names = |keep: &dyn Fn(usize) -> bool| -> Vec<String> {
            (0..all.len()).filter(|&i| keep(i)).map(|i| all[i].name.clone()).collect()
        };
        Ok(Self {
            method: made.recipe.method.name(),
            parameters: made.recipe.method.parameters(),
            attributes: quasi.clone(),
            confidential: names(&|i| all[i].role == Role::Confidential),
            left_out: names(&|i| {
                matches!(all[i].role, Role::Other | Role::QuasiIdentifier)
                    && !quasi.contains(&all[i].name)
            }),
            dropped: made.dropped.clone(),
            warnings: made.warnings()?,
            summary: found.summary.clone(),
            outputs,
        })
    }

    /// For reading.
    pub fn text(&self) -> String {
        let list = |names: &[String]| match names {
            [] => "none".to_owned(),
            names => format!("{}: {}", names.len(), listed(names)),
        };
        let s = &self.summary;
        let rows = [
            ("method", format!("{} {}", self.method, parameters(&self.parameters))),
            ("attributes", list(&self.attributes)),
            ("confidential", list(&self.confidential)),
            ("left out", list(&self.left_out)),
            ("dropped", list(&self.dropped)),
            ("classes", format!("{}, {} of less than k records", s.classes, s.small_classes)),
            (
                "patterns",
                format!(
                    "{} distinct, {} with repetitions",
                    s.patterns, s.patterns_with_repetitions
                ),
            ),
            ("records", format!("{} of {} released, rest {}", s.released, s.records, s.rest)),
            ("per pattern", format!("{} records covered", spread(&s.records_per_pattern))),
            ("anonymity sets", format!("{} records", spread(&s.anonymity_sets))),
            (
                "several patterns",
                format!("{} records; choice: {}", s.covered_by_several, s.choice_rule),
            ),
            (
                "candidate rows",
                format!(
                    "{} released rows cover a record; less than k for {} records",
                    spread(&s.candidate_rows),
                    s.records_below_k_rows
                ),
            ),
            ("written", self.outputs.released.file.clone()),
            ("", self.outputs.patterns.file.clone()),
            ("", self.outputs.discarded.file.clone()),
            ("", self.outputs.summary.clone()),
            ("sha256", self.outputs.released.sha256.clone()),
        ];
        let rows = rows.map(|(name, value)| line(name, value));
        let recipe = self.outputs.recipe.as_deref().map(recipe_line);
        let warnings = self.warnings.iter().map(|warning| line("warning", warning));
        rows.into_iter().chain(recipe).chain(warnings).collect::<Vec<_>>().join("\n")
    }
}

/// `5 to 99 (median 12, mean 15.3)`.
fn spread(spread: &Spread) -> String {
    let Spread { smallest, median, mean, largest } = spread;
    format!("{smallest} to {largest} (median {median}, mean {mean:.1})")
}
