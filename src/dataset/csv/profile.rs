//! What the first pass counts in a column.

use super::cell::Cell;
use crate::dataset::recognition::{CellCounts, Recognized, TextForms};
use crate::dataset::{CellMeaning, DateFormat, Decimal, date_ranges};

/// Counts over one column.
#[derive(Default, Clone)]
pub(super) struct ColumnProfile {
    pub(super) numbers: u64,
    pub(super) codes: u64,
    pub(super) texts: u64,
    pub(super) first_text: Option<(u64, String)>,
    /// The first text that is in no notation of generalized values.
    pub(super) first_mistake: Option<(u64, String)>,
    pub(super) first_missing: Option<String>,
    pub(super) forms: TextForms,
    /// Cells that are dates in the format that is said.
    pub(super) said_dates: u64,
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
        if let Some(format) = said {
            let text = cell.text();
            self.said_dates += u64::from(text.is_some_and(|text| format.read(text).is_some()));
        }
        match cell {
            Cell::Number(number, text) => {
                self.numbers += 1;
                self.forms.see_number(number, text);
            }
            Cell::Code(_) => self.codes += 1,
            Cell::Generalized => {}
            Cell::Missing(token) => {
                self.first_missing.get_or_insert_with(|| token.to_owned());
            }
            Cell::Text(text) => {
                self.texts += 1;
                self.forms.see_text(text);
                self.first_text.get_or_insert_with(|| (line, text.to_owned()));
                if self.first_mistake.is_none() && !CellMeaning::read(text).is_generalized() {
                    self.first_mistake = Some((line, text.to_owned()));
                }
            }
        }
    }

    pub(super) fn merge(&mut self, later: Self) {
        self.numbers += later.numbers;
        self.codes += later.codes;
        self.texts += later.texts;
        self.forms.merge(&later.forms);
        self.said_dates += later.said_dates;
        self.first_text = self.first_text.take().or(later.first_text);
        self.first_mistake = self.first_mistake.take().or(later.first_mistake);
        self.first_missing = self.first_missing.take().or(later.first_missing);
    }

    /// True where every cell is a date in the format that is said.
    pub(super) fn holds_said_dates(&self) -> bool {
        self.said_dates > 0 && self.said_dates == self.present()
    }

    pub(super) fn recognized(&self, said: Option<Decimal>) -> Recognized {
        let count = CellCounts { numbers: self.numbers, codes: self.codes, texts: self.texts };
        self.forms.recognized(count, said)
    }
}
