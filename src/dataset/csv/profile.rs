//! What the first pass counts in a column.

use super::cell::Cell;
use crate::dataset::recognition::{CellCounts, Recognized, TextForms};
use crate::dataset::{CellMeaning, DateFormat, Decimal, date_ranges};

/// The most texts among numbers that an error names.
const MOST_MISTAKES: usize = 8;

/// Counts over one column.
#[derive(Default, Clone)]
pub(super) struct ColumnProfile {
    pub(super) numbers: u64,
    pub(super) codes: u64,
    pub(super) texts: u64,
    pub(super) first_text: Option<(u64, String)>,
    /// The first text that is in no notation of generalized values.
    pub(super) first_mistake: Option<(u64, String)>,
    /// Such texts, each once, at most [`MOST_MISTAKES`] of them.
    pub(super) mistakes: Vec<String>,
    /// The first token that stands for a missing value; one that is no number before others.
    pub(super) first_missing: Option<String>,
    pub(super) forms: TextForms,
    /// Cells that are dates in the format that is said.
    pub(super) said_dates: u64,
    /// The first that is none.
    pub(super) first_unsaid: Option<(u64, String)>,
}

impl ColumnProfile {
    /// True where the first text that is no value of its own is a generalized one, or a part of a
    /// date.
    pub(super) fn is_generalized(&self) -> bool {
        let iso = DateFormat::iso();
        let is_period = |text: &str| date_ranges::read(text, &iso).is_some();
        match (&self.first_mistake, &self.first_text) {
            (None, Some(_)) => true,
            (Some((_, text)), _) => iso.read(text).is_none() && is_period(text),
            (None, None) => false,
        }
    }

    /// Cells that hold a value.
    pub(super) fn present(&self) -> u64 {
        self.numbers + self.codes + self.texts
    }

    pub(super) fn add(&mut self, line: u64, cell: Cell<'_>, said: Option<&DateFormat>) {
        if let (Some(format), Some(text)) = (said, cell.text()) {
            match format.read(text) {
                Some(_) => self.said_dates += 1,
                None => drop(self.first_unsaid.get_or_insert_with(|| (line, text.to_owned()))),
            }
        }
        match cell {
            Cell::Number(number, text) => {
                self.numbers += 1;
                self.forms.see_number(number, text);
            }
            Cell::Code(_) => self.codes += 1,
            Cell::Generalized => {}
            Cell::Missing(token) => {
                if self
                    .first_missing
                    .as_ref()
                    .is_none_or(|first| is_number(first) && !is_number(token))
                {
                    self.first_missing = Some(token.to_owned());
                }
            }
            Cell::Text(text) => {
                self.texts += 1;
                self.forms.see_text(text);
                self.first_text.get_or_insert_with(|| (line, text.to_owned()));
                self.see_mistake(line, text);
            }
        }
    }

    fn see_mistake(&mut self, line: u64, text: &str) {
        let is_new =
            self.mistakes.len() < MOST_MISTAKES && !self.mistakes.iter().any(|m| m == text);
        if is_new && !CellMeaning::read(text).is_generalized() {
            self.first_mistake.get_or_insert_with(|| (line, text.to_owned()));
            self.mistakes.push(text.to_owned());
        }
    }

    pub(super) fn merge(&mut self, later: Self) {
        self.numbers += later.numbers;
        self.codes += later.codes;
        self.texts += later.texts;
        self.forms.merge(&later.forms);
        self.said_dates += later.said_dates;
        self.first_unsaid = self.first_unsaid.take().or(later.first_unsaid);
        self.first_text = self.first_text.take().or(later.first_text);
        self.first_mistake = self.first_mistake.take().or(later.first_mistake);
        let tokens = [self.first_missing.take(), later.first_missing];
        self.first_missing = first_text_or_number(tokens);
        let new: Vec<String> =
            later.mistakes.into_iter().filter(|text| !self.mistakes.contains(text)).collect();
        self.mistakes.extend(new);
        self.mistakes.truncate(MOST_MISTAKES);
    }

    /// True where every cell is a date in the format that is said.
    pub(super) fn holds_said_dates(&self) -> bool {
        self.said_dates > 0 && self.said_dates == self.present()
    }

    pub(super) fn recognized(&self, said: Option<Decimal>) -> Recognized {
        self.forms.recognized(self.counts(), said)
    }

    /// As [`TextForms::shows`].
    pub(super) fn shows(&self) -> Option<Decimal> {
        self.forms.shows(self.counts())
    }

    fn counts(&self) -> CellCounts {
        CellCounts { numbers: self.numbers, codes: self.codes, texts: self.texts }
    }
}

/// The first of the `tokens` that is no number, else the first.
fn first_text_or_number(tokens: [Option<String>; 2]) -> Option<String> {
    let [first, second] = tokens;
    match (&first, &second) {
        (Some(one), Some(other)) if is_number(one) && !is_number(other) => second,
        (None, _) => second,
        _ => first,
    }
}

/// True for a token that would be a number if it did not stand for a missing value.
pub(super) fn is_number(token: &str) -> bool {
    token.parse::<f64>().is_ok_and(f64::is_finite)
}
