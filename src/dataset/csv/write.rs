//! CSV out.

use super::CsvFormat;
use crate::dataset::formulas::escaped;
use crate::dataset::{Attribute, Dataset, GENERALIZED, Notation, Values};
use rayon::prelude::*;
use std::io::Write;

/// Writes `dataset` as CSV in `format`.
pub(in crate::dataset) fn write(
    dataset: &Dataset,
    format: &CsvFormat,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    const ROWS: usize = 8192;
    if format.header {
        let mut header = writer(format, Vec::new());
        let name = |a: &'_ Attribute| match format.escapes_formulas {
            true => escaped(&a.name).into_owned(),
            false => a.name.clone(),
        };
        header.write_record(dataset.attributes.iter().map(name))?;
        out.write_all(&finish(header)?)?;
    }
    let starts: Vec<usize> = (0..dataset.records).step_by(ROWS).collect();
    // A few chunks at a time: parallel formatting, bounded memory, fixed order.
    for batch in starts.chunks(64) {
        let texts: Vec<Vec<u8>> = batch
            .par_iter()
            .map(|&start| rows(dataset, format, start..dataset.records.min(start + ROWS)))
            .collect::<std::io::Result<_>>()?;
        texts.iter().try_for_each(|text| out.write_all(text))?;
    }
    Ok(())
}

pub(super) fn rows(
    dataset: &Dataset,
    format: &CsvFormat,
    range: std::ops::Range<usize>,
) -> std::io::Result<Vec<u8>> {
    let mut text = writer(format, Vec::new());
    let mut cell = String::new();
    for i in range {
        for attribute in &dataset.attributes {
            cell.clear();
            put(&mut cell, format, attribute, i);
            text.write_field(&cell)?;
        }
        text.write_record(None::<&[u8]>)?;
    }
    finish(text)
}

/// Writes the text of record `i` of `attribute` to `cell`.
pub(super) fn put(cell: &mut String, format: &CsvFormat, attribute: &Attribute, i: usize) {
    let missing = &format.missing;
    let text = match (attribute.spelling(i), &attribute.values) {
        (Some(_), _) if !format.spells_missing && attribute.is_missing(i) => missing,
        (Some(spelling), _) => spelling,
        _ if attribute.is_generalized(i) => GENERALIZED,
        (None, Values::Numeric(column)) => match (column.get(i), &column.form().notation) {
            (Some(value), Notation::Plain) => {
                // Zero has no sign.
                use std::fmt::Write as _;
                return write!(cell, "{}", value + 0.0).expect("a String takes any text");
            }
            (Some(value), notation) => return cell.push_str(&notation.text(value)),
            (None, _) => missing,
        },
        (None, Values::Categorical(column)) => column.get(i).unwrap_or(missing),
    };
    match format.escapes_formulas {
        true => cell.push_str(&escaped(text)),
        false => cell.push_str(text),
    }
}

pub(super) fn writer(format: &CsvFormat, out: Vec<u8>) -> csv::Writer<Vec<u8>> {
    csv::WriterBuilder::new().delimiter(format.delimiter).quote(format.quote).from_writer(out)
}

pub(super) fn finish(writer: csv::Writer<Vec<u8>>) -> std::io::Result<Vec<u8>> {
    writer.into_inner().map_err(|e| e.into_error())
}
