//! The results of a study: one folder per table, one file per format.
//!
//! `runs.csv`, `table.*`, `plot.svg` and `plot.png` follow from the specification alone, to
//! the byte. Times and machines are in `timing.csv`, `timing.svg` and
//! `environment.toml` only.

mod comparison;
mod environment;
mod findings;
mod plot;
mod runs;
mod table;

pub use comparison::{Comparison, POINTS, compare};
pub use environment::RunBy;
pub use findings::{Findings, NamedTable, write_findings};
pub use table::summary;

use crate::error::{Error, Result};
use crate::experiment::{Plot, StudyRuns};
use crate::files;
use crate::report::plots::png;
use environment::{Ran, environment};
use std::path::Path;

/// Writes all files of a finished study into its folder, each in one step.
pub fn write(study: &StudyRuns<'_>, by: &RunBy) -> Result<()> {
    let compared = compare(study);
    let ran = Ran {
        heading: &study.specification.heading,
        data: study.specification.data.name(),
        data_sha256: &study.specification.data_sha256,
        seconds: study.records.iter().map(|record| record.seconds).collect(),
    };
    let mut files = vec![
        ("runs.csv".into(), runs::runs_csv(study)),
        ("table.md".into(), table::markdown(study, &compared)),
        ("table.csv".into(), table::csv(study, &compared)),
        ("table.tex".into(), table::tex(study, &compared)),
        ("plot.svg".into(), plot::plot(study)?),
        ("timing.csv".into(), runs::timing_csv(study)),
        ("environment.toml".into(), environment(&ran, by)?),
    ];
    if matches!(study.specification.plot, Plot::Improvement { .. }) {
        files.push(("timing.svg".into(), plot::times(study)));
    }
    write_files(&study.folder, &files)
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
