//! CSV in and out.
//!
//! Two passes over the bytes in memory: the first profiles every column and
//! finds ragged rows, the second builds the columns. A file without quotes is
//! cut at line ends and both passes run in parallel. Text in other encodings is UTF-8 before
//! (`encoding`).
//!
//! A column is numeric when all its present values are finite numbers. Codes
//! that only look like numbers (leading zeros, or more digits than a 64-bit
//! float holds) make it nominal, so that they are written back as they were
//! read. Intervals, sets and masked codes ([`CellMeaning`](crate::dataset::CellMeaning)) make it nominal too; any
//! other text among mostly numbers is taken for a mistake and refused. `*` is a
//! suppressed value in either kind of column. Dates, and numbers with decimal commas or marks between
//! thousands, are numbers where all texts of a column are such and only one reading fits
//! (`recognition`); what was found is told, and so is what two readings fit.
//!
//! Space round a value does not count. What is written of a cell that nobody changed is what was
//! read of it ([`Spellings`](super::spellings::Spellings)), but for its quotes. Blank lines are passed over, in a file of one
//! column they are records without a value.

mod cell;
mod form;
mod lines;
mod part;
mod profile;
mod write;

pub(super) use lines::line_ends;
pub(super) use write::write;

use super::encoding::decoded;
use super::file::ReadOptions;
use super::notes::ReadingNotes;
use super::{
    Attribute, Dataset, DateFormat, GENERALIZED, Notation, TextEncoding, check_columns,
    duplicate_column,
};
use crate::error::{Error, Result};
use crate::words::quoted;
use cell::{Cell, is_code};
use form::ColumnForm;
use lines::{Chunk, Skipped, chunks, detect_delimiter, ends_inside_quotes, first_line};
use part::Part;
use profile::{ColumnProfile, is_number};
use rayon::prelude::*;
use std::collections::HashSet;

/// How a CSV file was written, so that its release looks the same.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CsvFormat {
    pub delimiter: u8,
    pub quote: u8,
    pub header: bool,
    pub missing: String,
    /// What the file was found to be in, where that is another encoding than UTF-8.
    pub encoding: Option<TextEncoding>,
    /// Texts that a spreadsheet would calculate get an apostrophe in front.
    pub escapes_formulas: bool,
    /// A missing cell is written as it was read; not where it was read from another format.
    pub spells_missing: bool,
}

impl Default for CsvFormat {
    fn default() -> Self {
        Self {
            delimiter: b',',
            quote: b'"',
            header: true,
            missing: String::new(),
            encoding: None,
            escapes_formulas: false,
            spells_missing: true,
        }
    }
}

/// What is known of text that was made of a sheet of cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfSheet {
    /// Every number was one before it was text: its point stands before decimals.
    pub typed_numbers: bool,
}

/// Everything the two passes share.
struct Reader<'a> {
    file: &'a str,
    options: &'a ReadOptions,
    delimiter: u8,
    names: Vec<String>,
    /// What stands for a missing value in one column, beside what does in all.
    missing: Vec<Option<&'a [String]>>,
    /// How the dates of each column are written, where that is said.
    dates: Vec<Option<&'a DateFormat>>,
    /// The sheet that the text was made of.
    sheet: Option<OfSheet>,
    chunks: Vec<Chunk<'a>>,
}

/// The data set in `bytes`, called `file` in errors.
pub(super) fn read(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Dataset> {
    read_text(file, bytes, options, None)
}

/// The same of text that may be made of a `sheet`.
pub(super) fn read_text(
    file: &str,
    bytes: &[u8],
    options: &ReadOptions,
    sheet: Option<OfSheet>,
) -> Result<Dataset> {
    let decoded = decoded(file, bytes, options.encoding)?;
    let reader = Reader { sheet, ..Reader::open(file, &decoded.text, options)? };
    let profiles = reader.profile()?;
    let mut notes = ReadingNotes::default();
    if options.delimiter.is_some_and(|said| said != reader.delimiter) {
        let found = quoted(&char::from(reader.delimiter).to_string());
        notes.tell(format!("fields are divided by {found}, not as is said of the original"));
    }
    if let Some(encoding) = decoded.found {
        notes.tell(format!("read as {}; releases are written in UTF-8", encoding.name()));
    }
    let forms = reader.forms(&profiles, &mut notes)?;
    let missing = missing_everywhere(&profiles, &options.missing_tokens);
    let attributes = reader.build(&forms, &profiles, &missing)?;
    if options.schema.of_release {
        reader.check_ends(&attributes, reader.decimal_elsewhere(&profiles))?;
    }
    let mut dataset = Dataset::new(file, attributes)?;
    dataset.notes = notes;
    dataset.format = CsvFormat {
        delimiter: reader.delimiter,
        quote: options.quote,
        header: options.header,
        missing,
        encoding: decoded.found,
        ..CsvFormat::default()
    };
    Ok(dataset)
}

/// What is written for a missing value: the first token of the file that stands for one in every
/// column, and that nobody takes for a number; else the empty one.
fn missing_everywhere(profiles: &[ColumnProfile], tokens: &[String]) -> String {
    let found = profiles.iter().filter_map(|p| p.first_missing.as_ref());
    let found: Vec<&String> = found.filter(|token| tokens.contains(token)).collect();
    let text = found.iter().copied().find(|token| !is_number(token));
    let only = || found.first().copied().filter(|_| !tokens.contains(&String::new()));
    text.or_else(only).cloned().unwrap_or_default()
}

/// What divides the fields of `bytes`: what is said, unless a release has another character.
fn delimiter(bytes: &[u8], options: &ReadOptions) -> u8 {
    let found = detect_delimiter(bytes);
    match options.delimiter {
        Some(said) if options.schema.of_release && !first_line(bytes).contains(&said) => found,
        Some(said) => said,
        None => found,
    }
}

impl<'a> Reader<'a> {
    fn open(file: &'a str, bytes: &'a [u8], options: &'a ReadOptions) -> Result<Self> {
        let delimiter = delimiter(bytes, options);
        let (names, missing, dates) = (Vec::new(), Vec::new(), Vec::new());
        let chunks_of = Vec::new();
        let mut reader = Self {
            file,
            options,
            delimiter,
            names,
            missing,
            dates,
            sheet: None,
            chunks: chunks_of,
        };
        let mut first = csv::ByteRecord::new();
        let mut header = reader.parser(bytes);
        let found = header.read_byte_record(&mut first).map_err(|e| reader.broken(e, 0))?;
        if !found {
            return Err(Error::input(file, "no records; the file is empty"));
        }
        check_columns(file, first.len())?;
        if options.header {
            reader.names = reader.header(&first)?;
            let start = header.position().byte() as usize;
            let is_open = ends_inside_quotes(&bytes[..start], delimiter, options.quote);
            if is_open {
                return Err(reader.open_quote(1));
            }
            // The parser stops between the two characters of a line end.
            let tail = bytes[..start].ends_with(b"\r") && bytes[start..].starts_with(b"\n");
            let start = start + usize::from(tail);
            reader.chunks = chunks(&bytes[start..], 1 + line_ends(&bytes[..start]), options.quote);
        } else {
            reader.names = (1..=first.len()).map(|i| format!("c{i}")).collect();
            reader.chunks = chunks(bytes, 1, options.quote);
        }
        reader.missing = reader.names.iter().map(|name| options.schema.missing(name)).collect();
        let date_format =
            |name: &String| options.schema.date_format(name).or(options.date_format.as_ref());
        reader.dates = reader.names.iter().map(date_format).collect();
        Ok(reader)
    }

    fn header(&self, first: &csv::ByteRecord) -> Result<Vec<String>> {
        let mut seen = HashSet::new();
        let name = |(i, name): (usize, &[u8])| {
            let name = self.text(name, 1, &format!("{}", i + 1))?.trim().to_owned();
            match seen.insert(name.clone()) {
                true => Ok(name),
                false => Err(duplicate_column(self.file, &name)),
            }
        };
        first.iter().enumerate().map(name).collect()
    }

    fn parser(&self, bytes: &'a [u8]) -> csv::Reader<&'a [u8]> {
        csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.delimiter)
            .quote(self.options.quote)
            .from_reader(bytes)
    }

    /// Calls `visit(line, record)` for every record of `chunk`.
    fn visit(
        &self,
        chunk: &Chunk<'a>,
        mut visit: impl FnMut(u64, &csv::ByteRecord) -> Result<()>,
    ) -> Result<()> {
        let mut parser = self.parser(chunk.bytes);
        let mut record = csv::ByteRecord::new();
        let before = chunk.first_line - 1;
        let (mut last, mut last_line) = (0, chunk.first_line);
        let (mut counted, mut line) = (0, chunk.first_line);
        loop {
            let found = parser.read_byte_record(&mut record).map_err(|e| self.broken(e, before))?;
            let start = record.position().map_or(0, csv::Position::byte);
            let skipped = Skipped::at(chunk.bytes, start as usize);
            line += line_ends(&chunk.bytes[counted..skipped.end.max(counted)]);
            counted = counted.max(skipped.end);
            if self.names.len() == 1 {
                let blank = csv::ByteRecord::from(vec![""]);
                (0..skipped.blank_lines)
                    .try_for_each(|i| visit(line - skipped.blank_lines + i, &blank))?;
            }
            if !found {
                return self.check_closed(&chunk.bytes[last..], last_line);
            }
            if record.len() != self.names.len() {
                let end = parser.position().byte() as usize;
                self.check_closed(&chunk.bytes[start as usize..end], line)?;
                return Err(self.ragged(line, record.len()));
            }
            visit(line, &record)?;
            (last, last_line) = (start as usize, line);
        }
    }

    /// Fails when `record`, as it stands in the file, has an open quote.
    fn check_closed(&self, record: &[u8], line: u64) -> Result<()> {
        match ends_inside_quotes(record, self.delimiter, self.options.quote) {
            true => Err(self.open_quote(line)),
            false => Ok(()),
        }
    }

    fn profile(&self) -> Result<Vec<ColumnProfile>> {
        let parts: Vec<Vec<ColumnProfile>> = self
            .chunks
            .par_iter()
            .map(|chunk| {
                let mut profiles = vec![ColumnProfile::default(); self.names.len()];
                self.visit(chunk, |line, record| {
                    for (j, bytes) in record.iter().enumerate() {
                        let cell = self.cell(self.field(bytes, line, j)?, j);
                        profiles[j].add(line, cell, self.dates[j]);
                    }
                    Ok(())
                })?;
                Ok(profiles)
            })
            .collect::<Result<_>>()?;
        let mut total = vec![ColumnProfile::default(); self.names.len()];
        for part in parts {
            total.iter_mut().zip(part).for_each(|(all, one)| all.merge(one));
        }
        Ok(total)
    }

    /// The columns; `missing` is written for a missing value.
    fn build(
        &self,
        forms: &[ColumnForm],
        profiles: &[ColumnProfile],
        missing: &str,
    ) -> Result<Vec<Attribute>> {
        let parts: Vec<Vec<Part>> = self
            .chunks
            .par_iter()
            .map(|chunk| {
                let mut columns: Vec<Part> = forms.iter().map(Part::of).collect();
                self.visit(chunk, |line, record| {
                    for (j, bytes) in record.iter().enumerate() {
                        let text = self.field(bytes, line, j)?;
                        let pushed = columns[j].push(self.cell(text, j), text, missing);
                        pushed.map_err(|notation| self.misread(line, j, text, &notation))?;
                    }
                    Ok(())
                })?;
                Ok(columns)
            })
            .collect::<Result<_>>()?;
        let mut whole: Vec<Part> = forms.iter().map(Part::of).collect();
        for part in parts {
            whole.iter_mut().zip(part).for_each(|(all, one)| all.append(one));
        }
        let named = self.names.iter().zip(whole).zip(profiles);
        Ok(named.map(|((name, part), profile)| part.finish(name, profile)).collect())
    }

    fn misread(&self, line: u64, column: usize, text: &str, notation: &Notation) -> Error {
        Error::Cell {
            file: self.file.to_owned(),
            line,
            column: self.names[column].clone(),
            value: text.to_owned(),
            problem: format!(
                "is not {}; mend it, add it to `missing_tokens`, or read the column as labels with \
                 `categorical`",
                notation.in_words()
            ),
        }
    }

    /// The text of a cell as it stands in the file.
    fn field<'b>(&self, bytes: &'b [u8], line: u64, column: usize) -> Result<&'b str> {
        self.text(bytes, line, &self.names[column])
    }

    fn cell<'b>(&self, text: &'b str, column: usize) -> Cell<'b> {
        let text = text.trim();
        let is_missing = |token: &String| token == text;
        if self.options.missing_tokens.iter().any(is_missing)
            || self.missing[column].is_some_and(|tokens| tokens.iter().any(is_missing))
        {
            return Cell::Missing(text);
        }
        if text == GENERALIZED {
            return Cell::Generalized;
        }
        match text.parse::<f64>() {
            Ok(number) if !number.is_finite() => Cell::Text(text),
            Ok(_) if is_code(text) => Cell::Code(text),
            Ok(number) => Cell::Number(number, text),
            Err(_) => Cell::Text(text),
        }
    }

    fn text<'b>(&self, bytes: &'b [u8], line: u64, column: &str) -> Result<&'b str> {
        std::str::from_utf8(bytes).map_err(|_| Error::Cell {
            file: self.file.to_owned(),
            line,
            column: column.to_owned(),
            value: String::from_utf8_lossy(bytes).into_owned(),
            problem: "is not UTF-8 text; save the file as UTF-8".into(),
        })
    }

    /// The error of a column with a first `text` where numbers should be, and the `remedy`.
    fn text_among_numbers(
        &self,
        name: &str,
        text: &(u64, String),
        why: &str,
        remedy: &str,
    ) -> Error {
        let (line, value) = text.clone();
        let not_finite = value.parse::<f64>().is_ok();
        let what = if not_finite { "is not a finite number" } else { "is not a number" };
        Error::Cell {
            file: self.file.to_owned(),
            line,
            column: name.to_owned(),
            problem: format!("{what}, but {why}; {remedy}"),
            value,
        }
    }

    fn ragged(&self, line: u64, fields: usize) -> Error {
        let columns = self.names.len();
        let problem = match self.sheet {
            None => format!(
                "{fields} fields, but there are {columns} columns; check delimiter and quotes of that \
                 row"
            ),
            Some(_) => format!(
                "{fields} cells, but row 1 names {columns} columns; the names of the columns must be \
                 in the first row: remove titles above them, and notes beside the table"
            ),
        };
        let row = if self.sheet.is_some() { "row" } else { "line" };
        Error::input(format!("{}: {row} {line}", self.file), problem)
    }

    fn open_quote(&self, line: u64) -> Error {
        let problem = "a quote is opened in this record and never closed; close it, or say with \
                       `quote` that another character quotes";
        Error::input(format!("{}: line {line}", self.file), problem)
    }

    fn broken(&self, error: csv::Error, lines_before: u64) -> Error {
        let line = lines_before + error.position().map_or(0, csv::Position::line);
        Error::input(format!("{}: line {line}", self.file), error.to_string())
    }
}
