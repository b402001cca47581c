//! SAS transport files (.xpt), of version 5 and 8.

use super::instants::instants;
use super::{DAMAGED, broken};
use crate::dataset::file::ReadOptions;
use crate::dataset::labels::Labels;
use crate::dataset::typed::TypedColumn;
use crate::dataset::{Attribute, Dataset, DateFormat, Notation, ReadingNotes, check_columns};
use crate::error::{Error, Result};
use crate::panics::caught;
use crate::words::quoted;
use encoding_rs::WINDOWS_1252;
use sas_xport::sas::SasVariableType;
use sas_xport::sas::xport::{XportReader, XportValue, XportVariable};
use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, Cursor};

/// Days from 1960-01-01, day 0 of SAS, to 1970-01-01.
const EPOCH: f64 = 3_653.0;
const DAY: f64 = 86_400.0;

/// Formats of dates, without their widths.
const DATES: [&str; 22] = [
    "DATE", "DAY", "DDMMYY", "DDMMYYB", "DDMMYYC", "DDMMYYD", "DDMMYYN", "DDMMYYP", "DDMMYYS",
    "MMDDYY", "MMDDYYB", "MMDDYYC", "MMDDYYD", "MMDDYYN", "MMDDYYP", "MMDDYYS", "YYMMDD",
    "YYMMDDB", "YYMMDDD", "YYMMDDN", "E8601DA", "B8601DA",
];
/// Formats of dates with times.
const INSTANTS: [&str; 5] = ["DATETIME", "E8601DT", "B8601DT", "DATEAMPM", "MDYAMPM"];

/// The data set in `bytes`, called `file` in errors.
pub(crate) fn read(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset> {
    caught(|| read_columns(file, bytes, options)).unwrap_or_else(|| Err(failed(file, &DAMAGED)))
}

fn failed(file: &str, problem: &dyn Display) -> Error {
    broken(file, "SAS transport", problem)
}

/// The cells of a column.
enum Cells {
    Numbers(Vec<Option<f64>>),
    Texts(Labels),
}

fn read_columns(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset> {
    let mut settings = XportReader::<BufReader<File>>::options();
    settings.add_fallback_encoding(WINDOWS_1252);
    let reader = settings.from_reader(Cursor::new(bytes)).map_err(|e| failed(file, &e))?;
    let set = reader.next_dataset().map_err(|e| failed(file, &e))?;
    let mut set = set.ok_or_else(|| failed(file, &"it holds no data set"))?;
    let variables = set.schema().variables().to_vec();
    check_columns(file, variables.len())?;
    let typed: Vec<TypedColumn<'_>> =
        variables.iter().map(|v| TypedColumn::new(file, v.full_name(), options)).collect();
    let mut columns: Vec<Cells> = variables.iter().map(Cells::of).collect();
    while let Some(record) = set.next_record().map_err(|e| failed(file, &e))? {
        let cells = columns.iter_mut().zip(&typed).zip(record.iter());
        cells.for_each(|((cells, typed), value)| cells.push(value, typed));
    }
    let mut notes = ReadingNotes::default();
    if let Some(next) = set.next_dataset().map_err(|e| failed(file, &e))? {
        let next = quoted(next.schema().dataset_name().trim());
        notes.warn(format!("the first data set was read, and not {next}"));
    }
    let columns = columns.into_iter().zip(&typed).zip(&variables);
    let attributes = columns.map(|((cells, typed), v)| cells.attribute(typed, v.full_format()));
    let mut dataset = Dataset::new(file, attributes.collect::<Result<_>>()?)?;
    dataset.notes = notes;
    Ok(dataset)
}

impl Cells {
    fn of(variable: &XportVariable) -> Self {
        match variable.value_type() {
            SasVariableType::Character => Self::Texts(Labels::default()),
            _ => Self::Numbers(Vec::new()),
        }
    }

    fn push(&mut self, value: &XportValue<'_>, typed: &TypedColumn<'_>) {
        match (self, value) {
            (Self::Texts(labels), XportValue::Character(text)) => {
                labels.push(typed.present(text.trim_end()));
            }
            (Self::Numbers(values), XportValue::Number(number)) => {
                // What is missing, for whatever reason, is not a number here.
                values.push(Some(*number).filter(|number| number.is_finite()));
            }
            (Self::Texts(labels), _) => labels.push(None),
            (Self::Numbers(values), _) => values.push(None),
        }
    }

    fn attribute(self, typed: &TypedColumn<'_>, format: &str) -> Result<Attribute> {
        let name = format.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        match self {
            Self::Texts(labels) => typed.texts(labels),
            Self::Numbers(values) if is(&DATES) => {
                let day = |value: Option<f64>| value.map(|value| value.floor() - EPOCH);
                let days = values.into_iter().map(day).collect();
                typed.numbers(days, Notation::Date(DateFormat::iso()))
            }
            Self::Numbers(values) if is(&INSTANTS) => {
                let since = |value: Option<f64>| value.map(|value| value - EPOCH * DAY);
                instants(typed, &values.into_iter().map(since).collect::<Vec<_>>())
            }
            Self::Numbers(values) => typed.numbers(values, Notation::Plain),
        }
    }
}
