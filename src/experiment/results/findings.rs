//! What an experiment found, and the texts that are made of it.

use crate::experiment::Heading;
use crate::experiment::record::CellRecord;
use crate::report::escape;
use crate::table::Table;
use crate::words::one_line;
use serde::{Deserialize, Serialize};

/// What an experiment found; follows from its specification alone, to the byte, but for times.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Findings {
    /// How the runs were made, in a sentence; empty where the reading says it.
    pub design: String,
    /// Whose numbers ours stand beside, if anybody's.
    pub citation: Option<String>,
    /// What holds and what does not, a line each; also part of the outcome.
    pub summary: Vec<String>,
    /// The sections of `table.md` and `table.tex`.
    pub tables: Vec<NamedTable>,
    /// Other files: plots (`*.svg`) and what else there is.
    pub files: Vec<(String, String)>,
    /// `timing.csv`, where it is more than the seconds of each job.
    pub timing: Option<Table>,
}

/// One table of an experiment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct NamedTable {
    /// Name of its CSV file, without extension; none where another file has its rows.
    pub csv: Option<String>,
    /// Its heading.
    pub title: String,
    /// Its rows.
    pub grid: Table,
}

impl NamedTable {
    /// A table with a CSV file of its own.
    pub fn new(csv: &str, title: &str, grid: Table) -> Self {
        Self { csv: Some(csv.into()), title: title.into(), grid }
    }
}

/// `table.md`. The specification is named without the way to it: the same bytes from any folder.
pub(super) fn markdown(heading: &Heading, findings: &Findings) -> String {
    let mut text = format!("# {}\n\n", escape(&heading.title));
    if !heading.reading.is_empty() {
        text += &format!("{}\n\n", heading.reading.trim());
    }
    text += &format!("Made by `unmask experiment run experiments/{}.toml`.", heading.name());
    if !findings.design.is_empty() {
        text += &format!(" {}", findings.design);
    }
    text += "\n";
    if let Some(citation) = &findings.citation {
        text += &format!("\nPublished: {}\n", escape(citation));
    }
    if !findings.summary.is_empty() {
        text += &format!("\n- {}\n", findings.summary.join("\n- "));
    }
    for table in &findings.tables {
        text += &format!("\n## {}\n\n{}", escape(&table.title), table.grid.markdown());
    }
    text
}

/// `table.tex`.
pub(super) fn tex(heading: &Heading, findings: &Findings) -> String {
    let table = |table: &NamedTable| format!("% {}\n{}", one_line(&table.title), table.grid.tex());
    let tables: String = findings.tables.iter().map(table).collect();
    format!("% {}\n{tables}", one_line(&heading.title))
}

/// `timing.csv`.
pub(super) fn timing(findings: &Findings, records: &[CellRecord]) -> String {
    let seconds = || seconds_table(records.iter().map(|r| (r.cell.clone(), r.seconds)));
    findings.timing.clone().unwrap_or_else(seconds).csv()
}

/// A row for each cell and its seconds.
pub(crate) fn seconds_table(cells: impl Iterator<Item = (String, f64)>) -> Table {
    let row = |(cell, seconds)| vec![cell, format!("{seconds:.4}")];
    Table::new(["cell", "seconds"]).with_rows(cells.map(row))
}
