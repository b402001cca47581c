//! The results of an experiment: one folder per table, one file per format.
//!
//! All files follow from the specification alone, to the byte, but for times and machines,
//! which are in files called `timing*` and in `environment.toml` only.

mod environment;
mod findings;

pub(super) use environment::Circumstances;
pub(super) use findings::{Findings, NamedTable, seconds_table};

use super::Experiment;
use super::record::CellRecord;
use crate::error::Result;
use crate::files;
use crate::report::plots::png;
use std::path::{Path, PathBuf};

/// Writes `table.md`, `table.tex`, a CSV file for each table that has one, the other files,
/// `timing.csv` and `environment.toml` into `folder`, together.
pub(super) fn write(
    experiment: &Experiment,
    findings: &Findings,
    records: &[CellRecord],
    folder: &Path,
    by: &Circumstances<'_>,
) -> Result<()> {
    let heading = &experiment.heading;
    let mut files = vec![
        ("table.md".into(), findings::markdown(heading, findings)),
        ("table.tex".into(), findings::tex(heading, findings)),
        ("timing.csv".into(), findings::timing(findings, records)),
        ("environment.toml".into(), environment::environment(experiment, records, by)?),
    ];
    let csv = |t: &NamedTable| Some((format!("{}.csv", t.csv.as_ref()?), t.grid.csv()));
    files.extend(findings.tables.iter().filter_map(csv));
    files.extend(findings.files.iter().cloned());
    let files = with_pictures(files)?;
    check_inputs(experiment, folder, &files)?;
    files::write_into(folder, files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())))
}

/// The bytes of all files; a plot also as PNG.
fn with_pictures(files: Vec<(String, String)>) -> Result<Vec<(String, Vec<u8>)>> {
    let mut all = Vec::new();
    for (name, content) in files {
        if let Some(stem) = name.strip_suffix(".svg") {
            all.push((format!("{stem}.png"), png(&content)?));
        }
        all.push((name, content.into_bytes()));
    }
    Ok(all)
}

/// Fails when a file of the results is one that the experiment reads.
fn check_inputs(experiment: &Experiment, folder: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    let data = experiment.kind.data().into_iter().map(|data| PathBuf::from(data.name));
    let inputs: Vec<PathBuf> = data.chain([PathBuf::from(&experiment.heading.file)]).collect();
    let outputs: Vec<PathBuf> = files.iter().map(|(name, _)| folder.join(name)).collect();
    files::check_apart(&outputs.iter().map(PathBuf::as_path).collect::<Vec<_>>(), &inputs)
}
