//! SPSS files (.sav and .zsav), in.
//!
//! The layout is that of PSPP's manual of developers ("System File Format"). What a file claims is
//! compared with the bytes there are before anything is kept.

mod cases;
mod dictionary;

use super::instants::instants;
use super::{DAMAGED, broken, coded};
use crate::dataset::allowance::{allowed, check_cells};
use crate::dataset::file::ReadOptions;
use crate::dataset::typed::TypedColumn;
use crate::dataset::{Attribute, Dataset, ReadingNotes, TextEncoding, check_columns};
use crate::error::{Error, Result};
use crate::panics::caught;
use cases::{Cells, cases};
use dictionary::{Dictionary, Missing, Variable, dictionary};
use std::borrow::Cow;
use std::fmt::Display;

/// Seconds from 1582-10-14, where SPSS begins to count, to 1970-01-01.
const EPOCH: f64 = 12_219_379_200.0;

/// The data set in `bytes`, called `file` in errors.
pub(crate) fn read(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset> {
    let read = || read_columns(file, &bytes, options);
    caught(read).unwrap_or_else(|| Err(failed(file, &DAMAGED)))
}

fn failed(file: &str, problem: &dyn Display) -> Error {
    broken(file, "SPSS", problem)
}

fn read_columns(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Dataset> {
    let (dictionary, rest) = dictionary(bytes).ok_or_else(|| failed(file, &DAMAGED))?;
    check_columns(file, dictionary.variables.len())?;
    let columns = dictionary.slots() as u64;
    if let Some(records) = dictionary.records {
        check_cells(records, columns, bytes.len()).map_err(|e| failed(file, &e))?;
    }
    let cells = cases(&dictionary, rest, allowed(bytes.len()));
    let cells = cells.map_err(|problem| failed(file, &problem))?;
    Reader { file, options, encoding: encoding(&dictionary, options), dictionary }.dataset(&cells)
}

/// As somebody says, else as the file does.
fn encoding(dictionary: &Dictionary<'_>, options: &ReadOptions) -> TextEncoding {
    let named = dictionary.encoding.and_then(|name| name.trim().parse().ok());
    let coded = match dictionary.code_page {
        Some(65_001) => Some(TextEncoding::UTF_8),
        Some(page @ 1250..=1258) => format!("windows-{page}").parse().ok(),
        Some(page @ 28_591..=28_606) => format!("iso-8859-{}", page - 28_590).parse().ok(),
        _ => None,
    };
    options.encoding.or(named).or(coded).unwrap_or(TextEncoding::WINDOWS_1252)
}

struct Reader<'a> {
    file: &'a str,
    options: &'a ReadOptions,
    encoding: TextEncoding,
    dictionary: Dictionary<'a>,
}

impl Reader<'_> {
    fn dataset(&self, cells: &Cells) -> Result<Dataset> {
        let mut notes = ReadingNotes::default();
        let mut attributes = Vec::new();
        for variable in &self.dictionary.variables {
            let name = self.text(variable.name)?;
            let typed = TypedColumn::new(self.file, &name, self.options);
            attributes.push(match variable.width {
                0 => self.numbers(variable, cells, &typed, &mut notes)?,
                _ => self.texts(variable, cells, &typed, &mut notes)?,
            });
        }
        let mut dataset = Dataset::new(self.file, attributes)?;
        dataset.notes = notes;
        Ok(dataset)
    }

    /// Text without the spaces that fill it up.
    fn text<'t>(&self, bytes: &'t [u8]) -> Result<Cow<'t, str>> {
        let bytes = bytes.trim_ascii_end();
        self.encoding.text(bytes).ok_or_else(|| {
            let name = self.encoding.name();
            let problem = format!("a text in it is not {name}; say with `encoding` what it is");
            failed(self.file, &problem)
        })
    }

    fn numbers(
        &self,
        variable: &Variable<'_>,
        cells: &Cells,
        typed: &TypedColumn<'_>,
        notes: &mut ReadingNotes,
    ) -> Result<Attribute> {
        let values = cells.numbers(variable.slot, self.dictionary.big_endian);
        let is_present = |value: &f64| {
            *value != self.dictionary.system_missing
                && value.is_finite()
                && !variable.missing.iter().any(|missing| missing.is_number(*value))
        };
        let values: Vec<Option<f64>> = values.map(|value| Some(value).filter(is_present)).collect();
        let is_day = matches!(variable.format, 20 | 23 | 24 | 28..=30 | 38 | 39);
        if is_day || matches!(variable.format, 22 | 41) {
            let since = |value: Option<f64>| value.map(|value| value - EPOCH);
            return instants(typed, &values.into_iter().map(since).collect::<Vec<_>>());
        }
        let mut labels = Vec::new();
        for (code, label) in &variable.labels {
            let code = <[u8; 8]>::try_from(*code).map_err(|_| failed(self.file, &DAMAGED))?;
            let code = match self.dictionary.big_endian {
                true => f64::from_be_bytes(code),
                false => f64::from_le_bytes(code),
            };
            labels.push((code, self.text(label)?.into_owned()));
        }
        coded::numbers(typed, values, &labels, notes)
    }

    fn texts(
        &self,
        variable: &Variable<'_>,
        cells: &Cells,
        typed: &TypedColumn<'_>,
        notes: &mut ReadingNotes,
    ) -> Result<Attribute> {
        let missing = |bytes: &[u8]| {
            variable.missing.iter().any(|missing| missing.is_text(bytes.trim_ascii_end()))
        };
        let mut texts = Vec::new();
        for record in 0..cells.records {
            let bytes = cells.text(record, variable);
            let is_missing = missing(&bytes);
            texts.push(if is_missing { None } else { Some(self.text(&bytes)?.into_owned()) });
        }
        let mut labels = Vec::new();
        for (code, label) in &variable.labels {
            labels.push((self.text(code)?.into_owned(), self.text(label)?.into_owned()));
        }
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        coded::texts(typed, &texts, &labels, notes)
    }
}

impl Missing<'_> {
    fn is_number(&self, value: f64) -> bool {
        match self {
            Self::Range(low, high) => (*low..=*high).contains(&value),
            Self::Number(number) => *number == value,
            Self::Text(_) => false,
        }
    }

    fn is_text(&self, text: &[u8]) -> bool {
        matches!(self, Self::Text(missing) if missing.trim_ascii_end() == text)
    }
}
