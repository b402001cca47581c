//! The comparison as Markdown, CSV and LaTeX.

use super::comparison::{Comparison, POINTS};
use super::{LinkageExperiment, LinkageRun};
use crate::experiment::results::NamedTable;
use crate::experiment::specification::Quantity;
use crate::table::Table;

const HEADER: [&str; 9] = [
    "cell",
    "ours",
    "sd",
    "published",
    "published sd",
    "difference",
    "standard error",
    "within two standard errors",
    "runs",
];

/// A table for each section.
pub(super) fn tables(runs: &[LinkageRun], compared: &[Comparison]) -> Vec<NamedTable> {
    let table = |section: &[Comparison]| {
        let quantity = &section[0].quantity;
        let title = format!("{} ({})", quantity.section(), unit(quantity));
        NamedTable { csv: None, title, grid: grid(runs, section) }
    };
    compared.chunk_by(|a, b| a.quantity.section() == b.quantity.section()).map(table).collect()
}

fn unit(quantity: &Quantity) -> &'static str {
    if quantity.is_percent() { "% re-identified" } else { "share" }
}

/// The column names of a section; quantities of single attributes name them.
fn header(quantity: &Quantity) -> Vec<&'static str> {
    let attribute = quantity.attribute().map(|_| "attribute");
    HEADER[..1].iter().copied().chain(attribute).chain(HEADER[1..].iter().copied()).collect()
}

/// How the runs were made, in a sentence.
pub(super) fn design(experiment: &LinkageExperiment, runs: &[LinkageRun]) -> String {
    let runs = runs.iter().map(|r| r.run).max().unwrap_or(0);
    format!(
        "Runs of each cell: {runs}; in each the whole file is protected (noise and swaps are drawn anew), \
         {} of its {} records are drawn and standardized by themselves, and linked by {}. A tie \
         does not identify.",
        experiment.sample.records,
        experiment.data.records(),
        experiment.known.join(", ")
    )
}

/// How many worst cases are proven and how many numbers agree, one line each.
pub(super) fn summary(runs: &[LinkageRun], compared: &[Comparison]) -> Vec<String> {
    let mut text = Vec::new();
    let worst: Vec<bool> =
        runs.iter().filter_map(|r| r.found.worst_case.as_ref()).map(|w| w.proven).collect();
    let proven = worst.iter().filter(|p| **p).count();
    if !worst.is_empty() {
        text.push(format!("worst cases proven optimal: {proven} of {}", worst.len()));
    }
    for section in compared.chunk_by(|a, b| a.quantity.section() == b.quantity.section()) {
        let name = section[0].quantity.section();
        let judged = || section.iter().filter(|row| row.published.is_some());
        let all = judged().count();
        if all == 0 {
            continue;
        }
        let within = judged().filter(|r| r.within() == Some(true)).count();
        let near = judged().filter(|r| r.near() == Some(true)).count();
        let or_points = match name {
            "weights" => String::new(),
            _ => format!("; {near} of {all} within two standard errors or {POINTS} points"),
        };
        text.push(format!("{name}: {within} of {all} within two standard errors{or_points}"));
    }
    text
}

/// The rows of one section.
fn grid(runs: &[LinkageRun], section: &[Comparison]) -> Table {
    let rows = section.iter().map(|row| fields(runs, row));
    Table::new(header(&section[0].quantity)).with_rows(rows)
}

/// The cells of a row, in the order of [`header`]; empty where nothing is published.
fn fields(runs: &[LinkageRun], row: &Comparison) -> Vec<String> {
    let digits = if row.quantity.is_percent() { 3 } else { 5 };
    let number = |value: f64| format!("{value:.digits$}");
    let published = row.published.as_ref();
    let judged = published.map(|_| number(row.standard_error));
    let within = row.within().map(|within| if within { "yes" } else { "no" }.to_owned());
    let runs = runs.iter().filter(|r| r.cell == row.cell).count();
    let name = std::iter::once(row.cell.clone()).chain(row.quantity.attribute().cloned());
    let numbers = [
        number(row.ours),
        number(row.deviation),
        published.map(|p| number(p.mean)).unwrap_or_default(),
        published.and_then(|p| p.deviation).map(number).unwrap_or_default(),
        row.difference().map(|d| format!("{d:+.digits$}")).unwrap_or_default(),
        judged.unwrap_or_default(),
        within.unwrap_or_default(),
        runs.to_string(),
    ];
    name.chain(numbers).collect()
}

/// `table.csv`: one line per cell and quantity.
pub(super) fn csv(runs: &[LinkageRun], compared: &[Comparison]) -> String {
    let mut header: Vec<String> = HEADER.iter().map(|name| name.replace(' ', "_")).collect();
    header.insert(1, "measure".into());
    header.insert(2, "attribute".into());
    let row = |row: &Comparison| {
        let mut fields = fields(runs, row);
        fields.insert(1, row.quantity.section().into());
        if row.quantity.attribute().is_none() {
            fields.insert(2, String::new());
        }
        fields
    };
    Table::new(header).with_rows(compared.iter().map(row)).csv()
}
