//! The result files of a study that gives tables and plots of its own kind.

use super::environment::{Ran, RunBy, environment};
use super::table::opening;
use super::write_files;
use crate::error::Result;
use crate::experiment::Heading;
use crate::table::Table;
use std::path::Path;

/// What a study found; follows from its specification alone, to the byte, but for `timing`.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Whose numbers ours stand beside, if anybody's.
    pub citation: Option<String>,
    /// What holds and what does not, a line each; also shown on the terminal.
    pub summary: Vec<String>,
    /// The sections of `table.md` and `table.tex`, and a CSV file each.
    pub tables: Vec<NamedTable>,
    /// Other files: plots (`*.svg`) and what else there is.
    pub files: Vec<(String, String)>,
    /// Data files: name and SHA-256.
    pub data: Vec<(String, String)>,
    /// Seconds of each cell; goes to `timing.csv` only.
    pub timing: Vec<(String, f64)>,
}

/// One table of a study.
#[derive(Debug, Clone)]
pub struct NamedTable {
    /// Name of its CSV file, without extension.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// Its cells.
    pub grid: Table,
}

/// Writes `table.md`, `table.tex`, a CSV file for each table, the other files,
/// `timing.csv` and `environment.toml` into `folder`, each in one step.
pub fn write_findings(
    heading: &Heading,
    findings: &Findings,
    folder: &Path,
    by: &RunBy,
) -> Result<()> {
    let join = |part: fn(&(String, String)) -> &str| {
        findings.data.iter().map(part).collect::<Vec<_>>().join(" ")
    };
    let ran = Ran {
        heading,
        data: &join(|(name, _)| name),
        data_sha256: &join(|(_, sha256)| sha256),
        seconds: findings.timing.iter().map(|(_, seconds)| *seconds).collect(),
    };
    let mut files = vec![
        ("table.md".into(), markdown(heading, findings)),
        ("table.tex".into(), tex(heading, findings)),
        ("timing.csv".into(), timing(findings).csv()),
        ("environment.toml".into(), environment(&ran, by)?),
    ];
    let csv = |table: &NamedTable| (format!("{}.csv", table.name), table.grid.csv());
    files.extend(findings.tables.iter().map(csv));
    files.extend(findings.files.iter().cloned());
    write_files(folder, &files)
}

fn markdown(heading: &Heading, findings: &Findings) -> String {
    let mut text = opening(heading) + "\n";
    if let Some(citation) = &findings.citation {
        text += &format!("\nPublished: {citation}\n");
    }
    if !findings.summary.is_empty() {
        text += &format!("\n- {}\n", findings.summary.join("\n- "));
    }
    for table in &findings.tables {
        text += &format!("\n## {}\n\n{}", table.title, table.grid.markdown());
    }
    text
}

fn tex(heading: &Heading, findings: &Findings) -> String {
    let table = |table: &NamedTable| format!("% {}\n{}", table.title, table.grid.tex());
    let tables: String = findings.tables.iter().map(table).collect();
    format!("% {}\n{tables}", heading.title)
}

fn timing(findings: &Findings) -> Table {
    let row = |(cell, seconds): &(String, f64)| vec![cell.clone(), format!("{seconds:.4}")];
    Table::new(["cell", "seconds"]).with_rows(findings.timing.iter().map(row))
}
