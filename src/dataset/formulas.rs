//! Cells that a spreadsheet would calculate.
//!
//! A text that starts with `=`, `+`, `-`, `@`, a tab or a carriage return (after spaces too) is a
//! formula to a spreadsheet that opens a CSV file, and a formula can fetch and send. An apostrophe
//! in front makes it a text. Numbers such as -5 are what they are.

use super::{Categorical, Dataset, Values};
use std::borrow::Cow;

const APOSTROPHE: char = '\'';

fn is_formula(text: &str) -> bool {
    let starts = |text: &str| text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    (starts(text) || starts(text.trim_start())) && text.trim().parse::<f64>().is_err()
}

/// `text`, after an apostrophe where it is a formula.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    match is_formula(text) {
        true => format!("{APOSTROPHE}{text}").into(),
        false => text.into(),
    }
}

/// The formula that `text` is the escape of.
fn unescaped(text: &str) -> Option<&str> {
    text.strip_prefix(APOSTROPHE).filter(|text| is_formula(text))
}

impl Dataset {
    /// The same data set, in whose CSV files texts and names of columns that a spreadsheet would
    /// calculate start with an apostrophe: those that start with `=`, `+`, `-`, `@`, a tab or a
    /// carriage return and are no numbers.
    pub fn escaping_formulas(mut self, escapes: bool) -> Self {
        self.format.escapes_formulas = escapes;
        self
    }

    /// The same data set with the labels for which apostrophes stand that
    /// [`Dataset::escaping_formulas`] put there: those that `knows` (column, label) of, where it
    /// does not know the label with the apostrophe.
    pub fn without_escapes(mut self, knows: impl Fn(&str, &str) -> bool) -> Self {
        for attribute in &mut self.attributes {
            let Values::Categorical(column) = &attribute.values else { continue };
            let original = |label: &str| -> Option<String> {
                let known = unescaped(label).filter(|text| knows(&attribute.name, text))?;
                (!knows(&attribute.name, label)).then(|| known.to_owned())
            };
            if column.is_ordinal() || column.labels().iter().all(|l| original(l).is_none()) {
                continue;
            }
            let labels: Vec<String> =
                column.labels().iter().map(|l| original(l).unwrap_or_else(|| l.clone())).collect();
            let record = |i: usize| match column.code(i) {
                Some(code) => Some(labels[code as usize].as_str()),
                None => column.is_generalized(i).then_some(super::GENERALIZED),
            };
            attribute.values =
                Values::Categorical(Categorical::nominal((0..column.len()).map(record)));
        }
        self
    }
}
