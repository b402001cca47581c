//! Parquet in and out, through Arrow.
//!
//! Integers, floats, decimals and booleans become numeric attributes (unless
//! the schema says nominal), everything else becomes labels. Numeric attributes
//! are written as 64-bit floats, or as 64-bit integers when all values are whole.
//! When some are generalized they are written as text, marked by [`NUMBERS_AS_TEXT`]
//! in the metadata of the field, and read back as numbers.

mod claims;

use super::file::ReadOptions;
use super::labels::Labels;
use super::{Attribute, Dataset, GENERALIZED, Kind, Numeric, Role, Values, check_columns};
use crate::error::{Error, Result};
use crate::panics::caught;
use crate::words::quoted;
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use claims::{check_footer, check_size};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::fmt::Display;
use std::sync::Arc;

/// Metadata of a text field that holds numbers and generalized values: key and value.
const NUMBERS_AS_TEXT: (&str, &str) = ("unmask.kind", "numeric");

/// The data set in `bytes`, called `file` in errors.
///
/// A file that claims far more than so many bytes can hold is refused, and so is one at which the
/// library that reads Parquet panics.
pub(super) fn read(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset> {
    let damaged = || broken(file, &"it is damaged; get a fresh copy");
    caught(|| read_columns(file, bytes.into(), options)).unwrap_or_else(|| Err(damaged()))
}

fn broken(file: &str, problem: &dyn Display) -> Error {
    Error::input(file, format!("not a readable Parquet file: {problem}"))
}

/// Reads batch by batch: beside the columns there is never more than one batch in memory.
fn read_columns(file: &str, bytes: Bytes, options: &ReadOptions) -> Result<Dataset> {
    check_footer(&bytes).map_err(|e| broken(file, &e))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes.clone());
    let builder = builder.map_err(|e| broken(file, &e))?;
    check_size(&bytes, builder.metadata()).map_err(|e| broken(file, &e))?;
    check_columns(file, builder.schema().fields().len())?;
    let fields = builder.schema().fields().clone();
    let mut columns: Vec<Column<'_>> =
        fields.iter().map(|field| Column::new(file, field, options)).collect::<Result<_>>()?;
    for batch in builder.build().map_err(|e| broken(file, &e))? {
        let batch = batch.map_err(|e| broken(file, &e))?;
        columns.iter_mut().zip(batch.columns()).try_for_each(|(column, a)| column.add(a))?;
    }
    Dataset::new(file, columns.into_iter().map(Column::finish).collect::<Result<_>>()?)
}

/// A column while it is being read.
struct Column<'a> {
    file: &'a str,
    name: &'a str,
    missing: &'a [String],
    cells: Cells,
}

enum Cells {
    Numbers(Vec<Option<f64>>),
    /// Numbers that were written as text because some are generalized, and those records.
    NumbersAsText(Vec<Option<f64>>, Vec<usize>),
    Labels(Labels),
}

impl<'a> Column<'a> {
    fn new(file: &'a str, field: &'a Field, options: &'a ReadOptions) -> Result<Self> {
        let name = field.name();
        let data_type = field.data_type();
        let is_number = data_type.is_numeric() || *data_type == DataType::Boolean;
        let (key, value) = NUMBERS_AS_TEXT;
        let is_text_of_numbers = field.metadata().get(key).is_some_and(|kind| kind == value);
        let cells = match options.schema.kind(name) {
            Some(kind) if kind.is_label() => Cells::Labels(Labels::default()),
            _ if is_text_of_numbers => Cells::NumbersAsText(Vec::new(), Vec::new()),
            Some(Kind::Numeric | Kind::Integer) if !is_number => {
                let problem = format!("is of type {data_type}, but the schema says numeric");
                return Err(Error::input(format!("{file}: column {name}"), problem));
            }
            _ if is_number => Cells::Numbers(Vec::new()),
            _ => Cells::Labels(Labels::default()),
        };
        Ok(Self { file, name, missing: &options.missing_tokens, cells })
    }

    fn add(&mut self, array: &ArrayRef) -> Result<()> {
        let to = match self.cells {
            Cells::Numbers(_) => DataType::Float64,
            Cells::NumbersAsText(..) | Cells::Labels(_) => DataType::Utf8,
        };
        let array = converted(self.file, self.name, array, &to)?;
        match &mut self.cells {
            Cells::Numbers(values) => {
                let floats = array.as_any().downcast_ref::<Float64Array>();
                values.extend(floats.ok_or_else(|| unexpected(self.name))?.iter());
            }
            Cells::NumbersAsText(values, generalized) => {
                let place = || format!("{}: column {}", self.file, self.name);
                for text in texts(&array, self.name)? {
                    if text == Some(GENERALIZED) {
                        generalized.push(values.len());
                    }
                    let text = text.filter(|text| *text != GENERALIZED);
                    values.push(text.map(|text| number(text, place)).transpose()?);
                }
            }
            Cells::Labels(labels) => {
                let is_missing = |text: &str| self.missing.iter().any(|token| token == text);
                let texts = texts(&array, self.name)?.iter();
                texts.for_each(|text| labels.push(text.filter(|text| !is_missing(text))));
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Attribute> {
        let values = match self.cells {
            Cells::Numbers(values) => Values::Numeric(finite(self.file, self.name, &values)?),
            Cells::NumbersAsText(values, generalized) => {
                let column = finite(self.file, self.name, &values)?;
                Values::Numeric(column.generalize(&generalized))
            }
            Cells::Labels(labels) => Values::Categorical(labels.finish()),
        };
        Ok(Attribute { name: self.name.to_owned(), role: Role::Other, values })
    }
}

fn finite(file: &str, name: &str, values: &[Option<f64>]) -> Result<Numeric> {
    Numeric::new(values.iter().copied()).ok_or_else(|| {
        let record = values.iter().position(|v| v.is_some_and(|v| !v.is_finite())).unwrap_or(0);
        let problem =
            format!("record {} is NaN or infinite; use a null for a missing value", record + 1);
        Error::input(format!("{file}: column {name}"), problem)
    })
}

fn texts<'a>(array: &'a ArrayRef, name: &str) -> Result<&'a StringArray> {
    array.as_any().downcast_ref::<StringArray>().ok_or_else(|| unexpected(name))
}

/// The number that `text` spells in a column that is said to be numeric.
fn number(text: &str, place: impl Fn() -> String) -> Result<f64> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| {
        let text = quoted(text);
        let problem =
            format!("{text} is neither a number nor {GENERALIZED}, but the file says numeric");
        Error::input(place(), problem)
    })
}

fn converted(file: &str, name: &str, array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    cast(array, to).map_err(|e| {
        let problem = format!("type {} cannot be used ({e}); leave it out", array.data_type());
        Error::input(format!("{file}: column {name}"), problem)
    })
}

fn unexpected(name: &str) -> Error {
    Error::Internal(format!("column {name} was not converted as asked"))
}

/// Writes `dataset` as one Parquet file with Snappy compression.
pub(super) fn write(dataset: &Dataset, out: &mut Vec<u8>) -> Result<()> {
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("writing Parquet: {e}"));
    let arrays: Vec<ArrayRef> = dataset.attributes.iter().map(array).collect();
    let fields: Vec<Field> =
        dataset.attributes.iter().zip(&arrays).map(|(a, array)| field(a, array)).collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(|e| failed(&e))?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(out, schema, Some(properties)).map_err(|e| failed(&e))?;
    writer.write(&batch).map_err(|e| failed(&e))?;
    writer.close().map(drop).map_err(|e| failed(&e))
}

fn field(attribute: &Attribute, array: &ArrayRef) -> Field {
    let field = Field::new(&attribute.name, array.data_type().clone(), true);
    let (key, value) = NUMBERS_AS_TEXT;
    match (&attribute.values, array.data_type()) {
        (Values::Numeric(_), DataType::Utf8) => {
            field.with_metadata([(key.to_owned(), value.to_owned())].into())
        }
        _ => field,
    }
}

fn array(attribute: &Attribute) -> ArrayRef {
    let whole = |v: f64| v.fract() == 0.0 && v.abs() <= 9e15;
    match &attribute.values {
        Values::Numeric(column) if column.generalized() > 0 => {
            Arc::new((0..column.len()).map(|i| number_text(column, i)).collect::<StringArray>())
        }
        Values::Numeric(column) if column.present().all(whole) => {
            Arc::new(column.iter().map(|v| v.map(|v| v as i64)).collect::<Int64Array>())
        }
        Values::Numeric(column) => Arc::new(column.iter().collect::<Float64Array>()),
        Values::Categorical(column) => {
            let text = |i| if column.is_generalized(i) { Some(GENERALIZED) } else { column.get(i) };
            Arc::new((0..column.len()).map(text).collect::<StringArray>())
        }
    }
}

fn number_text(column: &Numeric, i: usize) -> Option<String> {
    match column.is_generalized(i) {
        true => Some(GENERALIZED.to_owned()),
        false => column.get(i).map(|v| v.to_string()),
    }
}
