//! What a file was read as, where that was found rather than said.

use super::{Decimal, Notation};
use crate::words::{isolated, quoted};

/// What reading a file found, and what it could not decide.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadingNotes {
    told: Vec<String>,
    warnings: Vec<String>,
    /// Columns by what was found in them, told together.
    columns: Vec<(String, Vec<String>)>,
}

impl ReadingNotes {
    /// Adds what was found.
    pub(super) fn tell(&mut self, note: String) {
        self.told.push(note);
    }

    /// Adds what somebody should look at.
    pub(super) fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Adds the notation that was found in a column; dates that can be read in one way only need no
    /// word.
    pub(super) fn tell_notation(&mut self, column: &str, notation: &Notation) {
        if matches!(notation, Notation::Date(format) if !format.has_a_rival()) {
            return;
        }
        let what = notation.in_words();
        let column = isolated(column);
        match self.columns.iter_mut().find(|(other, _)| *other == what) {
            Some((_, columns)) => columns.push(column),
            None => self.columns.push((what, vec![column])),
        }
    }

    /// Warns of a column of labels, `count` of which would be numbers.
    pub(super) fn warn_mostly(
        &mut self,
        column: &str,
        decimal: Decimal,
        count: u64,
        other: Option<&(u64, String)>,
    ) {
        let what = Notation::Decimal(decimal).in_words();
        let other = match other {
            Some((line, text)) => format!(", but not {} in line {line}", quoted(text)),
            None => String::new(),
        };
        self.warnings.push(format!(
            "{count} values of {} would be {what}{other}; mend it or add it to `missing_tokens`; read as \
             labels",
            isolated(column)
        ));
    }

    /// What was found, a sentence each.
    pub fn told(&self) -> impl Iterator<Item = String> + '_ {
        let columns = self.columns.iter().map(|(what, names)| match names.as_slice() {
            [one] => format!("{one} is {what}"),
            [first, second] => format!("{first} and {second} are {what}"),
            [first, others @ ..] => format!("{first} and {} others are {what}", others.len()),
            [] => String::new(),
        });
        self.told.iter().cloned().chain(columns)
    }

    /// What somebody should look at, a sentence each.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.warnings.iter().map(String::as_str)
    }
}
