//! The four files and the summary of `unmask protect --method anti-unification`.

use super::protect::summary::parameters;
use serde::Serialize;
use std::path::{Path, PathBuf};
use unmask::dataset::{Dataset, Role};
use unmask::error::{Error, Result};
use unmask::files;
use unmask::protection::generalization::{AntiUnification, Generalization, Spread, Summary};

/// Where the files go.
pub struct Generalize {
    released: PathBuf,
    patterns: PathBuf,
    discarded: PathBuf,
    summary: PathBuf,
    force: bool,
    drop_identifiers: bool,
}

/// What `--format json` prints and the summary file holds; the text is made from it.
#[derive(Serialize)]
pub struct Report {
    method: &'static str,
    parameters: serde_json::Value,
    attributes: Vec<String>,
    confidential: Vec<String>,
    left_out: Vec<String>,
    #[serde(flatten)]
    summary: Summary,
    outputs: Outputs,
}

#[derive(Serialize)]
struct Outputs {
    released: Written,
    patterns: Written,
    discarded: Written,
    summary: String,
}

#[derive(Serialize)]
struct Written {
    file: String,
    sha256: String,
}

/// The quasi-identifiers, or, where no role says so, every attribute that is neither
/// identifier nor confidential.
pub fn default_positions(original: &Dataset) -> Result<Vec<usize>> {
    let all = original.attributes();
    let with = |role| (0..all.len()).filter(|&i| all[i].role == role).collect::<Vec<_>>();
    match (with(Role::QuasiIdentifier), with(Role::Other)) {
        (quasi, _) if !quasi.is_empty() => Ok(quasi),
        (_, other) if !other.is_empty() => Ok(other),
        _ => Err(Error::input(original.name(), "no quasi-identifier; name them with --attributes")),
    }
}

impl Generalize {
    /// Names the files after `released`; fails when one of them may not be written.
    pub fn new(released: &Path, force: bool, drop_identifiers: bool) -> Result<Self> {
        let extension = released.extension().and_then(|e| e.to_str()).unwrap_or("csv");
        let files = Self {
            released: released.to_owned(),
            patterns: beside(released, &format!("patterns.{extension}")),
            discarded: beside(released, "discarded.csv"),
            summary: beside(released, "summary.json"),
            force,
            drop_identifiers,
        };
        for path in [&files.released, &files.patterns, &files.discarded, &files.summary] {
            files::check_writable(path, force)?;
        }
        Ok(files)
    }

    /// Writes the files, the released one last: where it is, all are.
    pub fn write(
        &self,
        method: &AntiUnification,
        original: &Dataset,
        quasi: &[usize],
        found: &Generalization,
    ) -> Result<Report> {
        let mut released = found.released(original)?;
        if self.drop_identifiers {
            released = released.without_role(Role::Identifier)?;
        }
        let released = released.to_bytes(&self.released)?;
        let patterns = found.pattern_file(original)?.to_bytes(&self.patterns)?;
        let discarded = row_numbers(&found.discarded());
        let outputs = Outputs {
            released: written(&self.released, &released),
            patterns: written(&self.patterns, &patterns),
            discarded: written(&self.discarded, discarded.as_bytes()),
            summary: self.summary.display().to_string(),
        };
        let report = Report::new(method, original, quasi, found, outputs);
        let json = serde_json::to_string_pretty(&report)
            .map_err(|e| Error::Internal(e.to_string()))?
            + "\n";
        self.put(&self.patterns, &patterns)?;
        self.put(&self.discarded, discarded.as_bytes())?;
        self.put(&self.summary, json.as_bytes())?;
        self.put(&self.released, &released)?;
        Ok(report)
    }

    fn put(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        files::write_file(path, self.force, |out| {
            out.write_all(bytes).map_err(|e| Error::io(path, e))
        })
    }
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

fn written(path: &Path, bytes: &[u8]) -> Written {
    Written { file: path.display().to_string(), sha256: files::sha256(bytes) }
}

impl Report {
    fn new(
        method: &AntiUnification,
        original: &Dataset,
        quasi: &[usize],
        found: &Generalization,
        outputs: Outputs,
    ) -> Self {
        let all = original.attributes();
        let names = |keep: &dyn Fn(usize) -> bool| -> Vec<String> {
            (0..all.len()).filter(|&i| keep(i)).map(|i| all[i].name.clone()).collect()
        };
        Self {
            method: "anti-unification",
            parameters: serde_json::to_value(method).unwrap_or_default(),
            attributes: quasi.iter().map(|&i| all[i].name.clone()).collect(),
            confidential: names(&|i| all[i].role == Role::Confidential),
            left_out: names(&|i| all[i].role == Role::Other && !quasi.contains(&i)),
            summary: found.summary.clone(),
            outputs,
        }
    }

    /// For reading.
    pub fn text(&self) -> String {
        let list = |names: &[String]| match names {
            [] => "none".to_owned(),
            names => format!("{}: {}", names.len(), names.join(", ")),
        };
        let s = &self.summary;
        let rows = [
            ("method", format!("{} {}", self.method, parameters(&self.parameters))),
            ("attributes", list(&self.attributes)),
            ("confidential", list(&self.confidential)),
            ("left out", list(&self.left_out)),
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
        rows.map(|(name, value)| format!("{name:<18}{value}")).join("\n")
    }
}

/// `5 to 99 (median 12, mean 15.3)`.
fn spread(spread: &Spread) -> String {
    let Spread { smallest, median, mean, largest } = spread;
    format!("{smallest} to {largest} (median {median}, mean {mean:.1})")
}
