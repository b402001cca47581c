//! Stata files out, as Stata 14 and later read them (release 118).

use super::super::instants::read_instant;
use super::{DAY, EPOCH, Kind, NUMBERS_AS_TEXT, StataColumn, missing_reason};
use crate::dataset::stored::Stored;
use crate::dataset::typed::cell_text;
use crate::dataset::{Attribute, Categorical, Dataset, Numeric, Values};
use crate::error::{Error, Result};
use crate::words::quoted;
use std::collections::HashMap;

/// The largest number that is none of Stata's missing values.
const LARGEST: f64 = 8.988_465_674_311_579e307;
/// Bytes of a text that is no long one.
const LONGEST: usize = 2_045;
/// Bytes that a name has room for, a 0 at its end included.
const NAME: usize = 129;
/// Columns of a file.
const MOST_COLUMNS: usize = 32_767;
/// Words that Stata keeps for itself.
const RESERVED: [&str; 22] = [
    "_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long", "_n",
    "_N", "_pi", "_pred", "_rc", "_se", "_skip", "strL", "using", "with", "_dta",
];

/// A column as it is written.
struct Column<'a> {
    name: &'a str,
    kind: Kind,
    format: String,
    cells: Cells<'a>,
    /// What the codes stand for.
    labels: &'a [(f64, String)],
    /// What a column of texts holds where some numbers are generalized.
    texts_of: Option<&'static str>,
}

/// The cells of a column: numbers, or reasons why they are missing; or texts.
enum Cells<'a> {
    Numbers(Vec<std::result::Result<f64, u8>>),
    Texts(&'a Attribute),
}

/// Adds `dataset` to `out` as a Stata file. Fails on names and texts that Stata has no room for.
pub(crate) fn write(dataset: &Dataset, out: &mut Vec<u8>) -> Result<()> {
    if dataset.attributes.len() > MOST_COLUMNS {
        let problem = format!(
            "{} columns, but a Stata file has at most {MOST_COLUMNS}; write .parquet or .csv",
            dataset.attributes.len()
        );
        return Err(Error::input(dataset.name(), problem));
    }
    let columns: Vec<Column<'_>> =
        dataset.attributes.iter().map(|a| Column::of(dataset, a)).collect::<Result<_>>()?;
    let mut file = File::default();
    file.header(columns.len(), dataset.records);
    file.describe(&columns);
    file.section("characteristics", |out| {
        columns.iter().for_each(|column| put_characteristic(out, column));
    });
    file.section("data", |out| {
        for record in 0..dataset.records {
            columns.iter().for_each(|column| column.put(record, out));
        }
    });
    file.section("strls", |_| {});
    file.section("value_labels", |out| {
        for (i, column) in columns.iter().enumerate().filter(|(_, c)| !c.labels.is_empty()) {
            put_labels(out, i, column.labels);
        }
    });
    out.append(&mut file.finish());
    Ok(())
}

impl<'a> Column<'a> {
    fn of(dataset: &'a Dataset, attribute: &'a Attribute) -> Result<Self> {
        let place = || format!("{}: column {}", dataset.name(), attribute.name);
        if !is_name(&attribute.name) {
            let problem = "cannot be a name in Stata, which has letters, digits and _, 32 at most, \
                           and begins with no digit; rename it, or write .parquet or .csv";
            return Err(Error::input(place(), problem));
        }
        let known = match dataset.stored.get(&attribute.name) {
            Some(Stored::Stata(known)) => Some(known),
            _ => None,
        };
        let numbers = match &attribute.values {
            Values::Numeric(column) if column.generalized() > 0 => None,
            Values::Numeric(column) => Some(of_numbers(attribute, column, known)),
            Values::Categorical(column) => {
                known.and_then(|known| of_labels(attribute, column, known))
            }
        };
        match numbers {
            Some(column) => column.checked(&place),
            None => of_texts(attribute, &place),
        }
    }

    /// Fails on a number that would be read as a missing one.
    fn checked(self, place: &impl Fn() -> String) -> Result<Self> {
        if let Cells::Numbers(values) = &self.cells
            && let Some(value) = values.iter().flatten().find(|value| value.abs() > LARGEST)
        {
            let problem = format!("{value:e} is more than Stata can hold; write .parquet or .csv");
            return Err(Error::input(place(), problem));
        }
        Ok(self)
    }

    /// Adds the cell of `record` to `out`.
    fn put(&self, record: usize, out: &mut Vec<u8>) {
        match &self.cells {
            Cells::Numbers(values) => put_number(self.kind, values[record], out),
            Cells::Texts(attribute) => {
                let text = cell_text(attribute, record).unwrap_or_default();
                put_padded(out, text.as_bytes(), self.kind.width());
            }
        }
    }
}

/// A column of numbers: as it was stored where that holds them, else as small as they are.
fn of_numbers<'a>(
    attribute: &'a Attribute,
    column: &Numeric,
    known: Option<&'a StataColumn>,
) -> Column<'a> {
    let shown = known.map_or("", |known| known.format.as_str());
    let is_instant = shown.starts_with("%tc") || shown.starts_with("%tC");
    let is_day = shown.starts_with("%td") || shown.starts_with("%d");
    let stored = |value: f64| match (column.is_date(), is_instant) {
        (false, _) => value,
        (true, false) => value + EPOCH,
        (true, true) => (value + EPOCH) * DAY,
    };
    let cells = cells(attribute, column.iter().map(|value| value.map(stored)));
    let kind = fitting(&cells, known.map(|known| known.kind));
    let format = match column.is_date() {
        true if is_instant || is_day => shown.to_owned(),
        true => "%td".to_owned(),
        false if shown.is_empty() || is_instant || is_day => usual_format(kind).to_owned(),
        false => shown.to_owned(),
    };
    Column {
        name: &attribute.name,
        kind,
        format,
        cells: Cells::Numbers(cells),
        labels: &[],
        texts_of: None,
    }
}

/// A column of labels as the codes or times they were read from; `None` where one was not.
fn of_labels<'a>(
    attribute: &'a Attribute,
    column: &Categorical,
    known: &'a StataColumn,
) -> Option<Column<'a>> {
    let codes: HashMap<&str, f64> =
        known.labels.iter().rev().map(|(code, label)| (label.as_str(), *code)).collect();
    let is_instant = known.format.starts_with("%tc") || known.format.starts_with("%tC");
    let number = |label: &String| match is_instant {
        true => read_instant(label).map(|second| second * 1_000.0 + EPOCH * DAY),
        false => codes.get(label.as_str()).copied(),
    };
    if column.generalized() > 0 || matches!(known.kind, Kind::Text(_) | Kind::LongText) {
        return None;
    }
    let numbers: Vec<f64> = column.labels().iter().map(number).collect::<Option<_>>()?;
    let values = (0..column.len()).map(|i| column.code(i).map(|code| numbers[code as usize]));
    let cells = cells(attribute, values);
    let kind = fitting(&cells, Some(known.kind));
    let (format, labels) = (known.format.clone(), known.labels.as_slice());
    Some(Column {
        name: &attribute.name,
        kind,
        format,
        cells: Cells::Numbers(cells),
        labels,
        texts_of: None,
    })
}

fn of_texts<'a>(attribute: &'a Attribute, place: &impl Fn() -> String) -> Result<Column<'a>> {
    let texts = || (0..attribute.len()).filter_map(|i| cell_text(attribute, i));
    let longest = texts().map(|text| text.len()).max().unwrap_or_default();
    if longest > LONGEST {
        let problem = format!(
            "a text has {longest} bytes, but Stata's texts have at most {LONGEST}; write .parquet or \
             .csv"
        );
        return Err(Error::input(place(), problem));
    }
    if let Some(text) = texts().find(|text| text.contains('\0')) {
        let problem = format!("{} has a character 0, where texts end in Stata", quoted(&text));
        return Err(Error::input(place(), problem));
    }
    let texts_of = match &attribute.values {
        Values::Numeric(column) if column.is_date() => Some("date"),
        Values::Numeric(_) => Some("numeric"),
        Values::Categorical(_) => None,
    };
    let kind = Kind::Text(longest.max(1));
    let format = format!("%{}s", longest.max(9));
    let cells = Cells::Texts(attribute);
    Ok(Column { name: &attribute.name, kind, format, cells, labels: &[], texts_of })
}

/// Numbers, and for those that are missing the reason that was read.
fn cells(
    attribute: &Attribute,
    values: impl Iterator<Item = Option<f64>>,
) -> Vec<std::result::Result<f64, u8>> {
    let reason = |i: usize| attribute.spelling(i).and_then(missing_reason).unwrap_or(0);
    values.enumerate().map(|(i, value)| value.ok_or_else(|| reason(i))).collect()
}

/// The kind `stored` where it holds `cells`, else the smallest that does.
fn fitting(cells: &[std::result::Result<f64, u8>], stored: Option<Kind>) -> Kind {
    let holds = |kind: &Kind| {
        cells.iter().flatten().all(|value| match kind.range() {
            Some((low, high)) => value.fract() == 0.0 && (low..=high).contains(value),
            // The highest exponent is that of missing values.
            None => {
                *kind != Kind::Float || (f64::from(*value as f32) == *value && value.abs() < 1e38)
            }
        })
    };
    let kinds = [Kind::Byte, Kind::Int, Kind::Long];
    stored.into_iter().chain(kinds).find(holds).unwrap_or(Kind::Double)
}

fn usual_format(kind: Kind) -> &'static str {
    match kind {
        Kind::Byte | Kind::Int => "%8.0g",
        Kind::Long => "%12.0g",
        Kind::Float => "%9.0g",
        _ => "%10.0g",
    }
}

fn is_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_alphabetic() || c == '_';
    let is_string_type = name
        .strip_prefix("str")
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    name.starts_with(is_letter)
        && name.chars().count() <= 32
        && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
        && !RESERVED.contains(&name)
        && !is_string_type
}

fn put_number(kind: Kind, value: std::result::Result<f64, u8>, out: &mut Vec<u8>) {
    let whole = |highest: f64| match value {
        Ok(value) => value as i64,
        Err(reason) => highest as i64 + 1 + i64::from(reason),
    };
    let highest = kind.range().map_or(0.0, |(_, high)| high);
    match (kind, value) {
        (Kind::Byte, _) => out.extend((whole(highest) as i8).to_le_bytes()),
        (Kind::Int, _) => out.extend((whole(highest) as i16).to_le_bytes()),
        (Kind::Long, _) => out.extend((whole(highest) as i32).to_le_bytes()),
        (Kind::Float, Ok(value)) => out.extend((value as f32).to_le_bytes()),
        (Kind::Float, Err(reason)) => {
            out.extend((0x7f00_0000u32 + (u32::from(reason) << 11)).to_le_bytes());
        }
        (_, Ok(value)) => out.extend(value.to_le_bytes()),
        (_, Err(reason)) => {
            out.extend((0x7fe0_0000_0000_0000u64 + (u64::from(reason) << 40)).to_le_bytes());
        }
    }
}

/// Adds `bytes`, and zeros up to `length` bytes.
fn put_padded(out: &mut Vec<u8>, bytes: &[u8], length: usize) {
    out.extend(bytes);
    out.resize(out.len() + length - bytes.len(), 0);
}

fn put_characteristic(out: &mut Vec<u8>, column: &Column<'_>) {
    let Some(kind) = column.texts_of else { return };
    out.extend(b"<ch>");
    out.extend((2 * NAME as u32 + kind.len() as u32 + 1).to_le_bytes());
    put_padded(out, column.name.as_bytes(), NAME);
    put_padded(out, NUMBERS_AS_TEXT.as_bytes(), NAME);
    put_padded(out, kind.as_bytes(), kind.len() + 1);
    out.extend(b"</ch>");
}

/// The name of the labels of column `i`.
fn labels_name(i: usize) -> String {
    format!("labels{}", i + 1)
}

fn put_labels(out: &mut Vec<u8>, column: usize, labels: &[(f64, String)]) {
    let mut texts = Vec::new();
    let mut starts = Vec::new();
    for (_, label) in labels {
        starts.push(texts.len() as u32);
        texts.extend(label.as_bytes());
        texts.push(0);
    }
    let count = labels.len() as u32;
    out.extend(b"<lbl>");
    out.extend((8 + 8 * count + texts.len() as u32).to_le_bytes());
    put_padded(out, labels_name(column).as_bytes(), NAME + 3);
    out.extend(count.to_le_bytes());
    out.extend((texts.len() as u32).to_le_bytes());
    starts.iter().for_each(|start| out.extend(start.to_le_bytes()));
    labels.iter().for_each(|(code, _)| out.extend((*code as i32).to_le_bytes()));
    out.extend(texts);
    out.extend(b"</lbl>");
}

/// A file while it is written, with the places of its sections.
#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    starts: Vec<u64>,
    map: usize,
}

impl File {
    fn header(&mut self, columns: usize, records: usize) {
        self.starts.push(0);
        let bytes = &mut self.bytes;
        bytes.extend(b"<stata_dta><header><release>118</release><byteorder>LSF</byteorder><K>");
        bytes.extend((columns as u16).to_le_bytes());
        bytes.extend(b"</K><N>");
        bytes.extend((records as u64).to_le_bytes());
        // No label, and no time at which it was written: equal data are equal bytes.
        bytes.extend(b"</N><label>\0\0</label><timestamp>\0</timestamp></header>");
        self.starts.push(self.bytes.len() as u64);
        self.bytes.extend(b"<map>");
        self.map = self.bytes.len();
        self.bytes.resize(self.map + 14 * 8, 0);
        self.bytes.extend(b"</map>");
    }

    fn section(&mut self, tag: &str, content: impl FnOnce(&mut Vec<u8>)) {
        self.starts.push(self.bytes.len() as u64);
        self.bytes.extend(format!("<{tag}>").as_bytes());
        content(&mut self.bytes);
        self.bytes.extend(format!("</{tag}>").as_bytes());
    }

    fn describe(&mut self, columns: &[Column<'_>]) {
        self.section("variable_types", |out| {
            columns.iter().for_each(|column| out.extend(code(column.kind).to_le_bytes()));
        });
        self.section("varnames", |out| {
            columns.iter().for_each(|column| put_padded(out, column.name.as_bytes(), NAME));
        });
        self.section("sortlist", |out| out.resize(out.len() + 2 * (columns.len() + 1), 0));
        self.section("formats", |out| {
            columns.iter().for_each(|column| put_padded(out, column.format.as_bytes(), 57));
        });
        self.section("value_label_names", |out| {
            for (i, column) in columns.iter().enumerate() {
                let name = if column.labels.is_empty() { String::new() } else { labels_name(i) };
                put_padded(out, name.as_bytes(), NAME);
            }
        });
        self.section("variable_labels", |out| out.resize(out.len() + 321 * columns.len(), 0));
    }

    fn finish(mut self) -> Vec<u8> {
        self.starts.push(self.bytes.len() as u64);
        self.bytes.extend(b"</stata_dta>");
        self.starts.push(self.bytes.len() as u64);
        for (i, start) in self.starts.iter().enumerate() {
            let at = self.map + 8 * i;
            self.bytes[at..at + 8].copy_from_slice(&start.to_le_bytes());
        }
        self.bytes
    }
}

fn code(kind: Kind) -> u16 {
    match kind {
        Kind::Text(length) => length as u16,
        Kind::LongText => 32_768,
        Kind::Double => 65_526,
        Kind::Float => 65_527,
        Kind::Long => 65_528,
        Kind::Int => 65_529,
        Kind::Byte => 65_530,
    }
}
