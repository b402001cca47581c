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
use crate::error::{Error, Result};
use crate::files;
use crate::report::plots::png;
use std::path::Path;

/// Writes `table.md`, `table.tex`, a CSV file for each table that has one, the other files,
/// `timing.csv` and `environment.toml` into `folder`, each in one step.
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
    write_files(folder, &files)
}

/// Writes each file in one step; a plot also as PNG.
fn write_files(folder: &Path, files: &[(String, String)]) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
    for (name, content) in files {
        let path = folder.join(name);
        write_file(&path, content.as_bytes())?;
        if name.ends_with(".svg") {
            write_file(&path.with_extension("png"), &png(content)?)?;
        }
    }
    Ok(())
}

fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    let whole =
        |out: &mut dyn std::io::Write| out.write_all(content).map_err(|e| Error::io(path, e));
    files::write_file(path, true, whole)
}
