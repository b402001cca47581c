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
//! read. Intervals, sets and masked codes ([`CellMeaning`]) make it nominal too; any
//! other text among mostly numbers is taken for a mistake and refused. `*` is a
//! suppressed value in either kind of column. Dates, and numbers with decimal commas or marks between
//! thousands, are numbers where all texts of a column are such and only one reading fits
//! (`recognition`); what was found is told, and so is what two readings fit.
//!
//! Space round a value does not count. What is written of a cell that nobody changed is what was
//! read of it ([`Spellings`]), but for its quotes. Blank lines are passed over, in a file of one
//! column they are records without a value.

use super::encoding::decoded;
use super::file::ReadOptions;
use super::formulas::escaped;
use super::labels::Labels;
use super::notes::ReadingNotes;
use super::recognition::{CellCounts, Recognized, TextForms};
use super::spellings::{Spellings, is_canonical};
use super::{
    Attribute, CellMeaning, Dataset, DateFormat, Decimal, GENERALIZED, Kind, Notation, NumberForm,
    Numeric, Role, TextEncoding, Values, check_columns, duplicate_column,
};
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::collections::HashSet;
use std::io::Write;

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

/// What one cell holds.
enum Cell<'a> {
    Missing(&'a str),
    Generalized,
    Number(f64, &'a str),
    Code(&'a str),
    Text(&'a str),
}

/// Counts over one column.
#[derive(Default, Clone)]
struct ColumnProfile {
    numbers: u64,
    codes: u64,
    texts: u64,
    first_text: Option<(u64, String)>,
    /// The first text that is in no notation of generalized values.
    first_mistake: Option<(u64, String)>,
    first_missing: Option<String>,
    forms: TextForms,
    /// Cells that are dates in the format that is said.
    said_dates: u64,
}

impl ColumnProfile {
    /// True where the first text that is no value of its own is a generalized one, or a part of a
    /// date.
    fn is_generalized(&self) -> bool {
        let iso = DateFormat::iso();
        let is_period = |text: &str| super::date_ranges::read(text, &iso).is_some();
        match (&self.first_mistake, &self.first_text) {
            (None, Some(_)) => true,
            (Some((_, text)), _) => iso.read(text).is_none() && is_period(text),
            (None, None) => false,
        }
    }

    /// Cells that hold a value.
    fn present(&self) -> u64 {
        self.numbers + self.codes + self.texts
    }

    fn add(&mut self, line: u64, cell: Cell<'_>, said: Option<&DateFormat>) {
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

    fn merge(&mut self, later: Self) {
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
    fn holds_said_dates(&self) -> bool {
        self.said_dates > 0 && self.said_dates == self.present()
    }

    fn recognized(&self, said: Option<Decimal>) -> Recognized {
        let count = CellCounts { numbers: self.numbers, codes: self.codes, texts: self.texts };
        self.forms.recognized(count, said)
    }
}

/// What the cells of a column become.
#[derive(Debug, Clone, PartialEq)]
enum ColumnForm {
    Numbers(NumberForm),
    Labels,
}

impl ColumnForm {
    fn of_numbers(notation: Notation) -> Self {
        Self::Numbers(NumberForm { notation, ..NumberForm::default() })
    }
}

/// A run of whole lines and where it starts in the file.
struct Chunk<'a> {
    bytes: &'a [u8],
    first_line: u64,
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
    chunks: Vec<Chunk<'a>>,
}

/// The data set in `bytes`, called `file` in errors.
pub(super) fn read(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Dataset> {
    let decoded = decoded(file, bytes, options.encoding)?;
    let reader = Reader::open(file, &decoded.text, options)?;
    let profiles = reader.profile()?;
    let mut notes = ReadingNotes::default();
    if let Some(encoding) = decoded.found {
        notes.tell(format!("read as {}; releases are written in UTF-8", encoding.name()));
    }
    let forms = reader.forms(&profiles, &mut notes)?;
    let missing = missing_everywhere(&profiles, &options.missing_tokens);
    let attributes = reader.build(&forms, &profiles, &missing)?;
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
/// column.
fn missing_everywhere(profiles: &[ColumnProfile], tokens: &[String]) -> String {
    let mut found = profiles.iter().filter_map(|p| p.first_missing.as_ref());
    found.find(|token| tokens.contains(token)).cloned().unwrap_or_default()
}

impl<'a> Reader<'a> {
    fn open(file: &'a str, bytes: &'a [u8], options: &'a ReadOptions) -> Result<Self> {
        let delimiter = options.delimiter.unwrap_or_else(|| detect_delimiter(bytes));
        let (names, missing, dates) = (Vec::new(), Vec::new(), Vec::new());
        let chunks_of = Vec::new();
        let mut reader =
            Self { file, options, delimiter, names, missing, dates, chunks: chunks_of };
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

    /// The form of each column: as is said, else as its values show.
    fn forms(
        &self,
        profiles: &[ColumnProfile],
        notes: &mut ReadingNotes,
    ) -> Result<Vec<ColumnForm>> {
        let profiled = self.names.iter().zip(profiles);
        let found: Vec<Recognized> =
            profiled.map(|(name, profile)| profile.recognized(self.decimal(name))).collect();
        let decimals =
            |decimal: Decimal| found.contains(&Recognized::As(Notation::Decimal(decimal)));
        let elsewhere = match [Decimal::Comma, Decimal::Point].map(decimals) {
            [true, false] => Some(Decimal::Comma),
            [false, true] => Some(Decimal::Point),
            _ => None,
        };
        let columns = self.names.iter().zip(profiles).zip(&self.dates).zip(found);
        columns
            .map(|(((name, profile), date), found)| {
                let found = match found {
                    Recognized::AmbiguousNumbers => profile.recognized(elsewhere),
                    found => found,
                };
                match self.options.schema.kind(name) {
                    Some(kind) if kind.is_label() => Ok(ColumnForm::Labels),
                    // A release may hold intervals and months in their place.
                    Some(_) if self.options.schema.of_release && profile.is_generalized() => {
                        Ok(ColumnForm::Labels)
                    }
                    // A number of the original may be an interval in its release.
                    _ if self.options.schema.of_release => {
                        self.inferred(name, profile, *date, found, notes)
                    }
                    // Years.
                    Some(Kind::Date)
                        if self.options.schema.of_release
                            && profile.numbers == profile.present() =>
                    {
                        Ok(ColumnForm::of_numbers(Notation::Plain))
                    }
                    Some(Kind::Date) => self.dates(name, profile, *date, &found),
                    Some(_) => self.numbers(name, profile, found),
                    None => self.inferred(name, profile, *date, found, notes),
                }
            })
            .collect()
    }

    /// The form of a column that is said to hold numbers.
    fn numbers(
        &self,
        name: &str,
        profile: &ColumnProfile,
        found: Recognized,
    ) -> Result<ColumnForm> {
        let said = self.decimal(name);
        let notation = match (found, said) {
            (Recognized::As(notation @ Notation::Decimal(_)), None) => notation,
            (_, Some(decimal)) => Notation::Decimal(decimal),
            _ => Notation::Plain,
        };
        match &profile.first_text {
            Some(text) if notation == Notation::Plain => {
                Err(self.text_among_numbers(name, text, "the project says numbers"))
            }
            _ => Ok(ColumnForm::of_numbers(notation)),
        }
    }

    /// The form of a column that is said to hold dates.
    fn dates(
        &self,
        name: &str,
        profile: &ColumnProfile,
        said: Option<&DateFormat>,
        found: &Recognized,
    ) -> Result<ColumnForm> {
        let format = match (said, found) {
            (Some(format), _) => format.clone(),
            (None, Recognized::As(Notation::Date(format))) => format.clone(),
            (None, Recognized::AmbiguousDates(formats)) => {
                let problem = format!("dates {}", either(formats));
                return Err(Error::input(format!("{}: column {name}", self.file), problem));
            }
            _ if profile.present() == 0 => DateFormat::iso(),
            _ => {
                let problem = "is said to hold dates, but is in no common format; say how they are \
                               written with `date_format`, as in %d.%m.%Y";
                return Err(Error::input(format!("{}: column {name}", self.file), problem));
            }
        };
        Ok(ColumnForm::of_numbers(Notation::Date(format)))
    }

    /// The form of a column whose kind is not said.
    fn inferred(
        &self,
        name: &str,
        profile: &ColumnProfile,
        date: Option<&DateFormat>,
        found: Recognized,
        notes: &mut ReadingNotes,
    ) -> Result<ColumnForm> {
        if let Some(format) = date.filter(|_| profile.holds_said_dates()) {
            let format = format.clone();
            return Ok(ColumnForm::of_numbers(Notation::Date(format)));
        }
        match found {
            Recognized::As(notation) => {
                notes.tell_notation(name, &notation);
                return Ok(ColumnForm::of_numbers(notation));
            }
            Recognized::AmbiguousDates(formats) => {
                notes.warn(format!("{name} holds dates {}; read as labels", either(&formats)));
            }
            Recognized::AmbiguousNumbers => notes.warn(format!(
                "{name} may hold numbers with decimal commas or with commas between thousands: say \
                 which with `decimal`; read as labels"
            )),
            Recognized::Mostly(decimal, count) if profile.numbers <= profile.texts => {
                notes.warn_mostly(name, decimal, count, profile.first_mistake.as_ref());
            }
            Recognized::Mostly(..) | Recognized::Nothing => {}
        }
        match &profile.first_mistake {
            Some(text) if profile.numbers > profile.texts => {
                let others = format!("{} other values are numbers", profile.numbers);
                Err(self.text_among_numbers(name, text, &others))
            }
            _ if profile.texts + profile.codes > 0 => Ok(ColumnForm::Labels),
            _ => Ok(ColumnForm::of_numbers(Notation::Plain)),
        }
    }

    /// How decimals of the column are written, where that is said.
    fn decimal(&self, name: &str) -> Option<Decimal> {
        self.options.schema.decimal(name).or(self.options.decimal)
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

    fn text_among_numbers(&self, name: &str, text: &(u64, String), why: &str) -> Error {
        let (line, value) = text.clone();
        let not_finite = value.parse::<f64>().is_ok();
        let what = if not_finite { "is not a finite number" } else { "is not a number" };
        Error::Cell {
            file: self.file.to_owned(),
            line,
            column: name.to_owned(),
            problem: format!(
                "{what}, but {why}; mend it, add it to `missing_tokens`, or read the column as labels \
                 with `categorical` {name}"
            ),
            value,
        }
    }

    fn ragged(&self, line: u64, fields: usize) -> Error {
        let problem = format!(
            "{fields} fields, but there are {} columns; check delimiter and quotes of that row",
            self.names.len()
        );
        Error::input(format!("{}: line {line}", self.file), problem)
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

/// Lines without a record, which the parser passes over before one.
struct Skipped {
    /// Where the record begins.
    end: usize,
    blank_lines: u64,
}

/// Line ends as an editor counts them: `\n`, `\r\n`, and `\r` alone.
pub(super) fn line_ends(bytes: &[u8]) -> u64 {
    let count = |byte: u8| bytes.iter().filter(|b| **b == byte).count();
    let (feeds, returns) = (count(b'\n'), count(b'\r'));
    let both = if returns == 0 { 0 } else { bytes.windows(2).filter(|w| w == b"\r\n").count() };
    (feeds + returns - both) as u64
}

impl Skipped {
    /// What is skipped from `start` on, where a record was looked for.
    fn at(bytes: &[u8], start: usize) -> Self {
        let is_line_end = |byte: &&u8| matches!(byte, b'\n' | b'\r');
        let length = bytes[start..].iter().take_while(is_line_end).count();
        let ends = &bytes[start..start + length];
        let is_lone = |i: &usize| ends[*i] == b'\n' || ends.get(i + 1) != Some(&b'\n');
        // The first of them may belong to the record before.
        let tail = u64::from(bytes[..start].ends_with(b"\r") && ends.starts_with(b"\n"));
        Self { end: start + length, blank_lines: (0..length).filter(is_lone).count() as u64 - tail }
    }
}

/// A part of a column while it is being read.
struct Part {
    cells: Cells,
    spellings: Spellings,
    form: NumberForm,
}

enum Cells {
    /// Values and the records that are generalized.
    Numbers(Vec<Option<f64>>, Vec<usize>),
    Labels(Labels),
}

impl Part {
    fn of(form: &ColumnForm) -> Self {
        let (cells, form) = match form {
            ColumnForm::Numbers(form) => (Cells::Numbers(Vec::new(), Vec::new()), form.clone()),
            ColumnForm::Labels => (Cells::Labels(Labels::default()), NumberForm::default()),
        };
        Self { cells, spellings: Spellings::default(), form }
    }

    /// Adds `cell`, which was read from `text`; `missing` is written for a missing value. The error
    /// is the notation in which the text is no number.
    fn push(
        &mut self,
        cell: Cell<'_>,
        text: &str,
        missing: &str,
    ) -> std::result::Result<(), Notation> {
        let notation = &self.form.notation;
        match (&mut self.cells, cell.text()) {
            (Cells::Numbers(values, _), Some(own)) if *notation != Notation::Plain => {
                let number = notation.read(own).ok_or_else(|| notation.clone())?;
                if notation.text(number) != text {
                    self.spellings.push(values.len(), text);
                }
                values.push(Some(number));
            }
            (cells, _) => {
                let is_numeric = matches!(cells, Cells::Numbers(..));
                if !cell.is_written_as(text, missing, is_numeric) {
                    self.spellings.push(cells.len(), text);
                }
                cells.push(cell);
            }
        }
        Ok(())
    }

    fn append(&mut self, later: Self) {
        self.spellings.append(self.cells.len(), &later.spellings);
        self.cells.append(later.cells);
    }

    fn finish(self, name: &str, profile: &ColumnProfile) -> Attribute {
        let values = match self.cells {
            Cells::Numbers(values, generalized) => {
                let column = Numeric::new(values).expect("cells that are not finite are texts");
                let column = column.generalize(&generalized).spelled(self.spellings);
                Values::Numeric(column.of_form(self.form))
            }
            Cells::Labels(values) => {
                let mut column = values.finish().spelled(self.spellings);
                column.first_text = profile.first_text.clone();
                Values::Categorical(column)
            }
        };
        Attribute { name: name.to_owned(), role: Role::Other, values }
    }
}

impl Cell<'_> {
    /// The text of a cell that holds a value.
    fn text(&self) -> Option<&str> {
        match self {
            Self::Missing(_) | Self::Generalized => None,
            Self::Number(_, text) | Self::Code(text) | Self::Text(text) => Some(text),
        }
    }

    /// True when a cell that was read from `text` is written as that text.
    fn is_written_as(&self, text: &str, missing: &str, in_numeric_column: bool) -> bool {
        match self {
            Self::Missing(_) => text == missing,
            Self::Generalized => text == GENERALIZED,
            Self::Number(number, _) if in_numeric_column => is_canonical(text, *number),
            // A code in a column that is said to hold numbers is the number it spells.
            Self::Code(code) if in_numeric_column => {
                code.parse().is_ok_and(|number| is_canonical(text, number))
            }
            Self::Number(_, label) | Self::Code(label) | Self::Text(label) => text == *label,
        }
    }
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(values, _) => values.len(),
            Self::Labels(labels) => labels.len(),
        }
    }

    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Numbers(values, _), Cell::Number(number, _)) => values.push(Some(number)),
            (Self::Numbers(values, _), Cell::Code(text)) => values.push(text.parse().ok()),
            (Self::Numbers(values, generalized), Cell::Generalized) => {
                generalized.push(values.len());
                values.push(None);
            }
            (Self::Numbers(values, _), _) => values.push(None),
            (Self::Labels(values), Cell::Missing(_)) => values.push(None),
            (Self::Labels(values), Cell::Generalized) => values.push(Some(GENERALIZED)),
            (Self::Labels(values), Cell::Number(_, text) | Cell::Code(text) | Cell::Text(text)) => {
                values.push(Some(text));
            }
        }
    }

    fn append(&mut self, later: Self) {
        match (self, later) {
            (Self::Numbers(all, generalized), Self::Numbers(one, later)) => {
                generalized.extend(later.into_iter().map(|i| i + all.len()));
                all.extend(one);
            }
            (Self::Labels(all), Self::Labels(one)) => all.append(one),
            _ => unreachable!("the parts of a column are of one kind"),
        }
    }
}

/// True when `record` ends before a quote that it opens is closed. Cost: O(length).
fn ends_inside_quotes(record: &[u8], delimiter: u8, quote: u8) -> bool {
    let (mut inside, mut at_start) = (false, true);
    let mut bytes = record.iter().peekable();
    while let Some(byte) = bytes.next() {
        if inside {
            // Two quotes are one that is part of the text.
            let closes = *byte == quote && bytes.next_if(|next| **next == quote).is_none();
            inside = !closes;
        } else {
            inside = at_start && *byte == quote;
            at_start = *byte == delimiter || matches!(byte, b'\n' | b'\r');
        }
    }
    inside
}

/// True for digits that stand for a name: leading zeros, or an integer a float cannot hold.
fn is_code(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text).as_bytes();
    let integer = digits.iter().all(u8::is_ascii_digit);
    let padded = digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit();
    padded || (integer && digits.len() > 15 && text.parse::<f64>().is_ok_and(|v| v.abs() > 9e15))
}

/// What is to be said of dates that several `formats` fit.
fn either(formats: &[&str]) -> String {
    format!("as {}: say which with `date_format`", formats.join(" or "))
}

/// The most frequent of comma, semicolon, tab and bar in the first line that is not blank.
fn detect_delimiter(bytes: &[u8]) -> u8 {
    let mut lines = bytes.split(|b| matches!(b, b'\n' | b'\r'));
    let line = lines.find(|line| !line.is_empty()).unwrap_or_default();
    let count = |d: u8| line.iter().filter(|b| **b == d).count();
    let candidates = [b'|', b'\t', b';', b','];
    candidates.into_iter().max_by_key(|d| count(*d)).unwrap_or(b',')
}

/// Cuts `bytes` at line ends for parallel reading; one chunk when quotes may hide line ends.
fn chunks(bytes: &[u8], first_line: u64, quote: u8) -> Vec<Chunk<'_>> {
    const TARGET: usize = 1 << 20;
    if bytes.len() < 2 * TARGET || bytes.contains(&quote) {
        return vec![Chunk { bytes, first_line }];
    }
    let (mut rest, mut line, mut cut) = (bytes, first_line, Vec::new());
    while !rest.is_empty() {
        let after_target = rest.get(TARGET..).unwrap_or_default();
        let end =
            after_target.iter().position(|b| *b == b'\n').map_or(rest.len(), |e| TARGET + e + 1);
        let (chunk, tail) = rest.split_at(end);
        cut.push(Chunk { bytes: chunk, first_line: line });
        line += line_ends(chunk);
        rest = tail;
    }
    cut
}

/// Writes `dataset` as CSV in `format`.
pub(super) fn write(
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

fn rows(
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
fn put(cell: &mut String, format: &CsvFormat, attribute: &Attribute, i: usize) {
    let missing = &format.missing;
    let text = match (attribute.spelling(i), &attribute.values) {
        (Some(_), _) if !format.spells_missing && attribute.is_missing(i) => missing,
        (Some(spelling), _) => spelling,
        _ if attribute.is_generalized(i) => GENERALIZED,
        (None, Values::Numeric(column)) => match (column.get(i), &column.form().notation) {
            (Some(value), Notation::Plain) => {
                use std::fmt::Write as _;
                return write!(cell, "{value}").expect("a String takes any text");
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

fn writer(format: &CsvFormat, out: Vec<u8>) -> csv::Writer<Vec<u8>> {
    csv::WriterBuilder::new().delimiter(format.delimiter).quote(format.quote).from_writer(out)
}

fn finish(writer: csv::Writer<Vec<u8>>) -> std::io::Result<Vec<u8>> {
    writer.into_inner().map_err(|e| e.into_error())
}
