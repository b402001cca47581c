//! The built-in survey with cells changed, released and audited.

use std::time::Duration;
use unmask::audit::{Audit, AuditRecord};
use unmask::dataset::{Dataset, ReadOptions, catalog};
use unmask::linkage::Release;

/// What attackers know.
pub const FIVE: [&str; 5] = ["age", "sex", "region", "education", "occupation"];

/// Cells by row.
pub type Rows = Vec<Vec<String>>;

/// The header and the rows of the built-in survey.
pub fn survey() -> (Vec<String>, Rows) {
    let text = std::str::from_utf8(catalog::find("survey").expect("built in").content).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect());
    (lines.next().expect("a header"), lines.collect())
}

/// The file as text.
pub fn csv((header, rows): &(Vec<String>, Rows)) -> String {
    let lines = std::iter::once(header).chain(rows).map(|row| row.join(","));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// The file, read.
pub fn dataset(file: &(Vec<String>, Rows)) -> Dataset {
    Dataset::from_csv("survey.csv", csv(file).as_bytes(), &ReadOptions::default()).expect("reads")
}

/// The survey with the cells of `columns` changed by `change`.
pub fn changed(columns: &[&str], change: impl Fn(&str, &str) -> String) -> (Vec<String>, Rows) {
    let (header, mut rows) = survey();
    for (k, name) in header.iter().enumerate().filter(|(_, n)| columns.contains(&n.as_str())) {
        rows.iter_mut().for_each(|row| row[k] = change(name, &row[k]));
    }
    (header, rows)
}

/// The survey and `file`, row by row.
pub fn released_as(file: &(Vec<String>, Rows)) -> Release {
    Release::by_row(dataset(&survey()), dataset(file)).expect("as many rows")
}

/// What an audit of the attributes `names` says.
pub fn audit(release: &Release, names: &[&str]) -> AuditRecord {
    unhurried(release).attributes(names.iter().copied()).run(&()).expect("audits")
}

/// With time for every attack, so that what is found does not depend on the machine.
pub fn unhurried(release: &Release) -> Audit<'_> {
    Audit::of(release).time_limit(Duration::from_secs(3_600))
}
