//! The results of a study: one folder per table, one file per format.
//!
//! `runs.csv`, `table.*` and `plot.svg` follow from the specification alone, to
//! the byte. Times and machines are in `timing.csv`, `timing.svg` and
//! `environment.toml` only.

mod comparison;
mod environment;
mod plot;
mod runs;
mod table;

pub use comparison::{Comparison, POINTS, compare};
pub use environment::RunBy;
pub use table::summary;

use crate::dataset::output;
use crate::error::{Error, Result};
use crate::experiment::{Plot, StudyRuns};

/// Writes all files of a finished study into its folder, each in one step.
pub fn write(study: &StudyRuns<'_>, by: &RunBy) -> Result<()> {
    let compared = compare(study);
    let mut files = vec![
        ("runs.csv", runs::runs_csv(study)),
        ("table.md", table::markdown(study, &compared)),
        ("table.csv", table::csv(study, &compared)),
        ("table.tex", table::tex(study, &compared)),
        ("plot.svg", plot::plot(study)?),
        ("timing.csv", runs::timing_csv(study)),
        ("environment.toml", environment::environment(study, by)?),
    ];
    if matches!(study.specification.plot, Plot::Improvement { .. }) {
        files.push(("timing.svg", plot::times(study)?));
    }
    for (name, content) in files {
        let path = study.folder.join(name);
        let whole = |out: &mut dyn std::io::Write| {
            out.write_all(content.as_bytes()).map_err(|e| Error::io(&path, e))
        };
        output::write_file(&path, true, whole)?;
    }
    Ok(())
}
