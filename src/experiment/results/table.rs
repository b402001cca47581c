//! The comparison as Markdown, CSV and LaTeX.

use super::comparison::{Comparison, POINTS};
use crate::experiment::{Heading, Measure, StudyRuns};
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

/// `table.md`.
pub(super) fn markdown(study: &StudyRuns<'_>, compared: &[Comparison]) -> String {
    let specification = study.specification;
    let mut text = format!("{} {}\n", opening(&specification.heading), design(study));
    if let Some(published) = &specification.published {
        text += &format!("\nPublished: {}\n", published.citation);
    }
    let summary = summary(study, compared);
    if !summary.is_empty() {
        text += &format!("\n{summary}\n");
    }
    for section in sections(compared) {
        text += &format!("\n## {} ({})\n\n", kind(&section[0].measure), unit(&section[0].measure));
        text += &grid(study, section).markdown();
    }
    text
}

fn unit(measure: &Measure) -> &'static str {
    if measure.is_percent() { "% re-identified" } else { "share" }
}

/// The column names of a section; measures of single attributes name them.
fn header(measure: &Measure) -> Vec<&'static str> {
    let attribute = measure.attribute().map(|_| "attribute");
    HEADER[..1].iter().copied().chain(attribute).chain(HEADER[1..].iter().copied()).collect()
}

/// Title, reading and command of `table.md`. The specification is named without
/// the way to it: the same bytes from any folder.
pub(super) fn opening(heading: &Heading) -> String {
    let mut text = format!("# {}\n\n", heading.title);
    if !heading.reading.is_empty() {
        text += &format!("{}\n\n", heading.reading.trim());
    }
    let file = format!("experiments/{}/{}.toml", heading.study, heading.table);
    text + &format!("Made by `unmask experiment run {file}`.")
}

/// How the runs were made, in a sentence.
fn design(study: &StudyRuns<'_>) -> String {
    let specification = study.specification;
    let runs = study.records.iter().map(|r| r.run).max().unwrap_or(0);
    format!(
        "Runs of each cell: {runs}; in each the whole file is protected (noise and swaps are drawn anew), \
         {} of its {} records are drawn and standardized by themselves, and linked by {}. A tie \
         does not identify.",
        specification.sample.records,
        specification.data.records(),
        specification.known.join(", ")
    )
}

/// How many worst cases are proven and how many numbers agree, one line each.
pub fn summary(study: &StudyRuns<'_>, compared: &[Comparison]) -> String {
    let mut text = Vec::new();
    let worst: Vec<bool> =
        study.records.iter().filter_map(|r| r.worst_case.as_ref()).map(|w| w.proven).collect();
    let proven = worst.iter().filter(|p| **p).count();
    if !worst.is_empty() {
        text.push(format!("- worst cases proven optimal: {proven} of {}", worst.len()));
    }
    let mut kinds: Vec<&str> = compared.iter().map(|row| kind(&row.measure)).collect();
    kinds.dedup();
    for name in kinds {
        let of_kind = compared.iter().filter(|row| kind(&row.measure) == name);
        let judged = || of_kind.clone().filter(|row| row.published.is_some());
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
        text.push(format!("- {name}: {within} of {all} within two standard errors{or_points}"));
    }
    text.join("\n")
}

/// Measures that are counted together.
fn kind(measure: &Measure) -> &'static str {
    match measure {
        Measure::Dbrl1 => "dbrl1",
        Measure::WorstCase => "worst case",
        Measure::HeldOutDbrl1 => "held-out dbrl1",
        Measure::HeldOutWorstCase => "held-out worst case",
        Measure::Single(_) => "single attributes",
        Measure::Weight(_) => "weights",
    }
}

/// The rows of each kind of measure.
fn sections(compared: &[Comparison]) -> impl Iterator<Item = &[Comparison]> {
    compared.chunk_by(|a, b| kind(&a.measure) == kind(&b.measure))
}

/// The rows of one kind of measure.
fn grid(study: &StudyRuns<'_>, section: &[Comparison]) -> Table {
    let rows = section.iter().map(|row| fields(study, row));
    Table::new(header(&section[0].measure)).with_rows(rows)
}

/// The cells of a row, in the order of [`header`]; empty where nothing is published.
fn fields(study: &StudyRuns<'_>, row: &Comparison) -> Vec<String> {
    let digits = if row.measure.is_percent() { 3 } else { 5 };
    let number = |value: f64| format!("{value:.digits$}");
    let published = row.published.as_ref();
    let judged = published.map(|_| number(row.standard_error));
    let within = row.within().map(|within| if within { "yes" } else { "no" }.to_owned());
    let runs = study.records.iter().filter(|r| r.cell == row.cell).count();
    let name = std::iter::once(row.cell.clone()).chain(row.measure.attribute().cloned());
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

/// `table.csv`: one line per cell and measure.
pub(super) fn csv(study: &StudyRuns<'_>, compared: &[Comparison]) -> String {
    let mut header: Vec<String> = HEADER.iter().map(|name| name.replace(' ', "_")).collect();
    header.insert(1, "measure".into());
    header.insert(2, "attribute".into());
    let row = |row: &Comparison| {
        let mut fields = fields(study, row);
        fields.insert(1, kind(&row.measure).into());
        if row.measure.attribute().is_none() {
            fields.insert(2, String::new());
        }
        fields
    };
    Table::new(header).with_rows(compared.iter().map(row)).csv()
}

/// `table.tex`: one tabular per kind of measure.
pub(super) fn tex(study: &StudyRuns<'_>, compared: &[Comparison]) -> String {
    let mut text = format!("% {}\n", study.specification.heading.title);
    for section in sections(compared) {
        text += &format!("% {} ({})\n", kind(&section[0].measure), unit(&section[0].measure));
        text += &grid(study, section).tex();
    }
    text
}
