//! Stata files in.

use super::super::bytes::{Bytes, until_zero};
use super::super::instants::instants;
use super::super::{DAMAGED, broken, coded};
use super::layout::{Described, Layout, Refused, layout};
use super::{DAY, EPOCH, Kind, NUMBERS_AS_TEXT, StataColumn, missing_text};
use crate::dataset::allowance::check_cells;
use crate::dataset::file::ReadOptions;
use crate::dataset::labels::Labels;
use crate::dataset::spellings::Spellings;
use crate::dataset::stored::Stored;
use crate::dataset::typed::TypedColumn;
use crate::dataset::{
    Attribute, Dataset, DateFormat, Notation, ReadingNotes, TextEncoding, Values, check_columns,
};
use crate::error::{Error, Result};
use crate::panics::caught;
use std::borrow::Cow;
use std::fmt::Display;

/// The data set in `bytes`, called `file` in errors.
pub(crate) fn read(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset> {
    let read = || read_columns(file, &bytes, options);
    caught(read).unwrap_or_else(|| Err(failed(file, &DAMAGED)))
}

fn failed(file: &str, problem: &dyn Display) -> Error {
    broken(file, "Stata", problem)
}

/// What is known while the columns of a file are read.
struct Reader<'a> {
    file: &'a str,
    options: &'a ReadOptions,
    layout: Layout<'a>,
    encoding: TextEncoding,
}

fn read_columns(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Dataset> {
    let layout = layout(bytes).map_err(|refused| match refused {
        Refused::Damaged => failed(file, &DAMAGED),
        Refused::Release(release) => {
            let problem = format!("its release is {release}; open it in Stata, and save it again");
            failed(file, &problem)
        }
    })?;
    check_columns(file, layout.columns.len())?;
    let columns = layout.columns.len() as u64;
    check_cells(layout.records, columns, bytes.len()).map_err(|e| failed(file, &e))?;
    let usual = if layout.release < 118 { TextEncoding::WINDOWS_1252 } else { TextEncoding::UTF_8 };
    let encoding = options.encoding.unwrap_or(usual);
    Reader { file, options, layout, encoding }.dataset()
}

impl Reader<'_> {
    fn dataset(&self) -> Result<Dataset> {
        let mut notes = ReadingNotes::default();
        let mut start = 0;
        let mut attributes = Vec::new();
        let mut stored = Vec::new();
        for column in &self.layout.columns {
            let name = self.text(column.name)?;
            let typed = TypedColumn::new(self.file, &name, self.options);
            let known = self.known(column)?;
            attributes.push(self.attribute(column, &known, start, &typed, &mut notes)?);
            stored.push((name.clone().into_owned(), known));
            start += column.kind.width();
        }
        let mut dataset = Dataset::new(self.file, attributes)?;
        stored
            .into_iter()
            .for_each(|(name, known)| dataset.stored.insert(&name, Stored::Stata(known)));
        dataset.notes = notes;
        dataset.format.spells_missing = false;
        Ok(dataset)
    }

    fn text<'t>(&self, bytes: &'t [u8]) -> Result<Cow<'t, str>> {
        self.encoding.text(bytes).ok_or_else(|| {
            let problem = format!(
                "a text in it is not {}; say with `encoding` what it is",
                self.encoding.name()
            );
            failed(self.file, &problem)
        })
    }

    /// What is kept of a column, its values left out.
    fn known(&self, column: &Described<'_>) -> Result<StataColumn> {
        let list = self.layout.labels.get(column.labels).map(Vec::as_slice).unwrap_or_default();
        let label =
            |(value, text): &(i32, &[u8])| Ok((f64::from(*value), self.text(text)?.into_owned()));
        Ok(StataColumn {
            kind: column.kind,
            format: self.text(column.format)?.into_owned(),
            labels: list.iter().map(label).collect::<Result<_>>()?,
        })
    }

    fn attribute(
        &self,
        column: &Described<'_>,
        known: &StataColumn,
        start: usize,
        typed: &TypedColumn<'_>,
        notes: &mut ReadingNotes,
    ) -> Result<Attribute> {
        if matches!(column.kind, Kind::Text(_) | Kind::LongText) {
            return self.texts(column, start, typed);
        }
        let mut values = Vec::new();
        let mut spellings = Spellings::default();
        for cell in self.cells(column, start) {
            let value = number(column.kind, cell, self.layout.big_endian);
            if let Err(reason @ 1..) = value {
                spellings.push(values.len(), &missing_text(reason));
            }
            values.push(value.ok());
        }
        let shown = known.format.trim_start_matches("%-").trim_start_matches('%');
        let mut attribute = if shown.starts_with("td") || shown.starts_with('d') {
            let day = |value: Option<f64>| value.map(|value| value.floor() - EPOCH);
            let days = values.into_iter().map(day).collect();
            typed.numbers(days, Notation::Date(DateFormat::iso()))?
        } else if shown.starts_with("tc") || shown.starts_with("tC") {
            let second = |value: Option<f64>| value.map(|v| (v - EPOCH * DAY) / 1_000.0);
            instants(typed, &values.into_iter().map(second).collect::<Vec<_>>())?
        } else {
            coded::numbers(typed, values, &known.labels, notes)?
        };
        match &mut attribute.values {
            Values::Numeric(column) => *column = column.clone().spelled(spellings),
            Values::Categorical(column) => *column = column.clone().spelled(spellings),
        }
        Ok(attribute)
    }

    /// The cells of a column that starts so many bytes into each record.
    fn cells(&self, column: &Described<'_>, start: usize) -> impl Iterator<Item = &[u8]> {
        let (width, end) = (self.layout.width(), start + column.kind.width());
        self.layout.cells.chunks_exact(width.max(1)).map(move |record| &record[start..end])
    }

    fn texts(
        &self,
        column: &Described<'_>,
        start: usize,
        typed: &TypedColumn<'_>,
    ) -> Result<Attribute> {
        let mut labels = Labels::default();
        for cell in self.cells(column, start) {
            let bytes = match column.kind {
                Kind::LongText => self.long_text(cell)?,
                _ => until_zero(cell),
            };
            labels.push(typed.present(&self.text(bytes)?));
        }
        let said = self
            .layout
            .characteristics
            .iter()
            .find(|(of, name, _)| *of == column.name && *name == NUMBERS_AS_TEXT.as_bytes());
        match said.map(|(_, _, kind)| *kind) {
            Some(b"numeric") => typed.clone().said(crate::dataset::Kind::Numeric).texts(labels),
            Some(b"date") => typed.clone().said(crate::dataset::Kind::Date).texts(labels),
            _ => typed.texts(labels),
        }
    }

    /// The text that `cell` refers to.
    fn long_text(&self, cell: &[u8]) -> Result<&[u8]> {
        let mut number = [0; 8];
        number.copy_from_slice(cell);
        let number = match self.layout.big_endian {
            true => u64::from_be_bytes(number),
            false => u64::from_le_bytes(number),
        };
        // So many bits are the column, the others the record; the column comes first in the file.
        let bits = match self.layout.release {
            117 => 32,
            118 => 16,
            _ => 24,
        };
        let low = |n: u64, bits: u32| n & ((1 << bits) - 1);
        let place = match self.layout.big_endian {
            true => (number >> (64 - bits), low(number, 64 - bits)),
            false => (low(number, bits), number >> bits),
        };
        match (place, self.layout.long_texts.get(&place)) {
            ((0, 0), _) => Ok(&[]),
            (_, Some(text)) => Ok(text),
            _ => Err(failed(self.file, &DAMAGED)),
        }
    }
}

/// The number in `cell`, or the reason why it is missing: 0 for `.`, 1 for `.a`.
fn number(kind: Kind, cell: &[u8], big_endian: bool) -> std::result::Result<f64, u8> {
    let mut at = Bytes::new(cell, big_endian);
    let value = match kind {
        Kind::Byte => f64::from(at.u8().unwrap_or_default() as i8),
        Kind::Int => f64::from(at.u16().unwrap_or_default() as i16),
        Kind::Long => f64::from(at.u32().unwrap_or_default() as i32),
        Kind::Float => return float(at.u32().unwrap_or_default()),
        _ => return double(at.u64().unwrap_or_default()),
    };
    match kind.range() {
        Some((_, highest)) if value > highest => Err((value - highest - 1.0).min(26.0) as u8),
        _ => Ok(value),
    }
}

fn float(bits: u32) -> std::result::Result<f64, u8> {
    const MISSING: u32 = 0x7f00_0000;
    let value = f64::from(f32::from_bits(bits));
    match bits.checked_sub(MISSING).filter(|_| bits >> 31 == 0) {
        Some(above) => Err((above >> 11).min(26) as u8),
        None if value.is_finite() => Ok(value),
        None => Err(0),
    }
}

fn double(bits: u64) -> std::result::Result<f64, u8> {
    const MISSING: u64 = 0x7fe0_0000_0000_0000;
    let value = f64::from_bits(bits);
    match bits.checked_sub(MISSING).filter(|_| bits >> 63 == 0) {
        Some(above) => Err((above >> 40).min(26) as u8),
        None if value.is_finite() => Ok(value),
        None => Err(0),
    }
}
