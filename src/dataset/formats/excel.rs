//! Excel workbooks: the first sheet that holds something, read as if it were CSV.
//!
//! Numbers, dates and texts of cells become the texts that a CSV file has of them, so that
//! a workbook is read as the CSV file that was made of it: codes with leading zeros, missing values
//! and mistakes among numbers included, and errors name its rows.

use super::{DAMAGED, broken};
use crate::dataset::allowance::{allowed, too_large};
use crate::dataset::csv::{self, OfSheet};
use crate::dataset::file::ReadOptions;
use crate::dataset::notation::is_grouped_by_points;
use crate::dataset::{Dataset, TextEncoding};
use crate::error::{Error, Result};
use crate::panics::caught;
use crate::words::quoted;
use calamine::{DataRef, ExcelDateTime, Reader, Xlsx, open_workbook_from_rs};
use std::fmt::Display;
use std::io::{Cursor, Read};

/// Memory that is reserved for a text.
const TEXT: u64 = 32;
/// The columns a sheet may have.
const WIDEST: usize = 1 << 14;

/// The data set in `bytes`, called `file` in errors.
pub(crate) fn read(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset> {
    let sheet = caught(|| sheet(file, bytes)).unwrap_or_else(|| Err(failed(file, &DAMAGED)))?;
    let options = ReadOptions {
        delimiter: Some(b','),
        quote: b'"',
        encoding: Some(TextEncoding::UTF_8),
        ..options.clone()
    };
    let of_sheet = OfSheet { typed_numbers: !sheet.grouped_texts };
    let mut dataset = csv::read_text(file, &sheet.text, &options, Some(of_sheet))?;
    if !sheet.others.is_empty() {
        let others = sheet.others.join(", ");
        dataset.notes.warn(format!("sheet {} was read, and not {others}", sheet.name));
    }
    Ok(dataset)
}

fn failed(file: &str, problem: &dyn Display) -> Error {
    broken(file, "Excel", problem)
}

/// A sheet as CSV, and the names of others that hold something.
struct Sheet {
    name: String,
    text: Vec<u8>,
    /// True where a text is a number with points that may divide thousands.
    grouped_texts: bool,
    others: Vec<String>,
}

fn sheet(file: &str, bytes: Vec<u8>) -> Result<Sheet> {
    let limit = allowed(bytes.len());
    check_strings(&bytes, limit).map_err(|e| failed(file, &e))?;
    let book = open_workbook_from_rs::<Xlsx<_>, _>(Cursor::new(bytes));
    let mut book = book.map_err(|e| failed(file, &e))?;
    let mut found: Option<Sheet> = None;
    for name in book.sheet_names() {
        let (text, grouped_texts) =
            sheet_text(&mut book, &name, limit).map_err(|e| failed(file, &e))?;
        let name = quoted(&name);
        match &mut found {
            _ if text.is_empty() => {}
            Some(found) => found.others.push(name),
            None => found = Some(Sheet { name, text, grouped_texts, others: Vec::new() }),
        }
    }
    found.ok_or_else(|| Error::input(file, "no records; all sheets are empty"))
}

/// The cells of the sheet `name`, one after the other: they are never all in memory. And whether a
/// text is a number with points that may divide thousands.
fn sheet_text(
    book: &mut Xlsx<Cursor<Vec<u8>>>,
    name: &str,
    limit: u64,
) -> std::result::Result<(Vec<u8>, bool), String> {
    let (mut text, mut grouped) = (SheetText::new(limit), false);
    let mut cells = book.worksheet_cells_reader(name).map_err(|e| e.to_string())?;
    while let Some(cell) = cells.next_cell().map_err(|e| e.to_string())? {
        let value = cell.get_value();
        let own = text_of(value);
        grouped |= matches!(value, DataRef::String(_) | DataRef::SharedString(_))
            && is_grouped_by_points(own.trim());
        text.add(cell.get_position(), &own)?;
    }
    Ok((text.finish(), grouped))
}

/// Fails where the list of texts says that it has more of them than memory is allowed for: the
/// library that reads workbooks reserves it by that number alone.
fn check_strings(bytes: &[u8], limit: u64) -> std::result::Result<(), String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| e.to_string())?;
    for i in 0..archive.len() {
        let part = archive.by_index(i).map_err(|e| e.to_string())?;
        let is_list = part.name_raw().to_ascii_lowercase().ends_with(b"sharedstrings.xml");
        if is_list {
            let mut text = Vec::new();
            part.take(limit + 1).read_to_end(&mut text).map_err(|e| e.to_string())?;
            let claimed = claimed_strings(&text).ok_or(DAMAGED)?;
            if text.len() as u64 > limit || claimed.saturating_mul(TEXT) > limit {
                return Err(too_large(&format!("{claimed} texts in {} bytes", bytes.len())));
            }
        }
    }
    Ok(())
}

/// The highest count that stands in `xml`; `None` where it is in no encoding that shows it.
fn claimed_strings(xml: &[u8]) -> Option<u64> {
    const COUNT: &[u8] = b"uniqueCount";
    if xml.iter().take(4).any(|byte| matches!(byte, 0 | 0xfe | 0xff)) {
        return None;
    }
    let places = xml.windows(COUNT.len()).enumerate().filter(|(_, part)| *part == COUNT);
    let counts = places.map(|(at, _)| {
        let digits = xml[at + COUNT.len()..].iter().skip_while(|byte| !byte.is_ascii_digit());
        let digits = digits.take_while(|byte| byte.is_ascii_digit());
        digits
            .fold(0u64, |sum, digit| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
    });
    Some(counts.max().unwrap_or(0))
}

/// What a CSV file would have of `cell`.
fn text_of(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.clone()
        }
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(truth) => u8::from(*truth).to_string(),
        DataRef::DateTime(time) => time_text(time),
        DataRef::Error(error) => error.to_string(),
        DataRef::Empty => String::new(),
    }
}

/// A date, a date with time, a time without date; a duration is a number of days.
fn time_text(time: &ExcelDateTime) -> String {
    let days = time.as_f64();
    if !time.is_datetime() {
        return days.to_string();
    }
    let (year, month, day, hours, minutes, seconds, milliseconds) = time.to_ymd_hms_milli();
    let fraction = if milliseconds > 0 { format!(".{milliseconds:03}") } else { String::new() };
    let clock = format!("{hours:02}:{minutes:02}:{seconds:02}{fraction}");
    match (days < 1.0, clock == "00:00:00") {
        (true, _) => clock,
        (false, true) => format!("{year:04}-{month:02}-{day:02}"),
        (false, false) => format!("{year:04}-{month:02}-{day:02}T{clock}"),
    }
}

/// The text of a sheet while its cells are added, row by row.
struct SheetText {
    text: Vec<u8>,
    row: u32,
    cells: Vec<String>,
    width: usize,
    limit: u64,
}

impl SheetText {
    fn new(limit: u64) -> Self {
        Self { text: Vec::new(), row: 0, cells: Vec::new(), width: 0, limit }
    }

    /// Adds the cell at (row, column); fails where the sheet is far larger than its file.
    fn add(&mut self, (row, column): (u32, u32), text: &str) -> std::result::Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        if row < self.row {
            return Err(DAMAGED.to_owned());
        }
        while self.row < row {
            self.end_row()?;
        }
        let column = column as usize;
        if column >= WIDEST {
            return Err(DAMAGED.to_owned());
        }
        self.cells.resize((column + 1).max(self.cells.len()), String::new());
        text.clone_into(&mut self.cells[column]);
        Ok(())
    }

    /// A row is as wide as the first at least, and blank where it has no cell.
    fn end_row(&mut self) -> std::result::Result<(), String> {
        self.row += 1;
        if self.cells.is_empty() {
            self.text.push(b'\n');
        } else {
            self.width = if self.width == 0 { self.cells.len() } else { self.width };
            self.cells.resize(self.width.max(self.cells.len()), String::new());
            let mut writer =
                ::csv::WriterBuilder::new().buffer_capacity(1 << 10).from_writer(&mut self.text);
            writer.write_record(&self.cells).map_err(|e| e.to_string())?;
            writer.flush().map_err(|e| e.to_string())?;
            drop(writer);
            self.cells.clear();
        }
        match self.text.len() as u64 > self.limit {
            true => Err(too_large("cells far apart")),
            false => Ok(()),
        }
    }

    /// The text, empty when there is no cell.
    fn finish(mut self) -> Vec<u8> {
        if !self.cells.is_empty() {
            // The limit is of no use any more.
            let _ = self.end_row();
        }
        self.text
    }
}
