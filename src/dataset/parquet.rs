//! Parquet in and out, through Arrow.
//!
//! Integers, floats, decimals and booleans become numeric attributes (unless
//! the schema says nominal), everything else becomes labels. Numeric attributes
//! are written as 64-bit floats, or as 64-bit integers when all values are whole.
//! When some are generalized they are written as text, marked by [`NUMBERS_AS_TEXT`]
//! in the metadata of the field, and read back as numbers.

use super::file::ReadOptions;
use super::{Attribute, Categorical, Dataset, GENERALIZED, Kind, Numeric, Role, Values};
use crate::error::{Error, Result};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::sync::Arc;

/// Metadata of a text field that holds numbers and generalized values: key and value.
const NUMBERS_AS_TEXT: (&str, &str) = ("unmask.kind", "numeric");

/// The data set in `bytes`, called `file` in errors.
pub(super) fn read(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset> {
    let broken =
        |e: &dyn std::fmt::Display| Error::input(file, format!("not a readable Parquet file: {e}"));
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes))
        .map_err(|e| broken(&e))?;
    let fields = builder.schema().fields().clone();
    let batches: Vec<RecordBatch> = builder
        .build()
        .map_err(|e| broken(&e))?
        .collect::<std::result::Result<_, _>>()
        .map_err(|e| broken(&e))?;
    let attributes = fields
        .iter()
        .enumerate()
        .map(|(j, field)| {
            let arrays: Vec<&ArrayRef> = batches.iter().map(|b| b.column(j)).collect();
            column(file, field, &arrays, options)
        })
        .collect::<Result<_>>()?;
    Dataset::new(file, attributes)
}

fn column(
    file: &str,
    field: &Field,
    arrays: &[&ArrayRef],
    options: &ReadOptions,
) -> Result<Attribute> {
    let name = field.name();
    let data_type = field.data_type();
    let is_number = data_type.is_numeric() || *data_type == DataType::Boolean;
    let (key, value) = NUMBERS_AS_TEXT;
    let is_text_of_numbers = field.metadata().get(key).is_some_and(|kind| kind == value);
    let values = match options.schema.kind(name) {
        Some(Kind::Nominal | Kind::Ordinal) => labels(file, name, arrays, options)?,
        _ if is_text_of_numbers => numbers_of_text(file, name, arrays)?,
        Some(Kind::Numeric) if !is_number => {
            let problem = format!("is of type {data_type}, but the schema says numeric");
            return Err(Error::input(format!("{file}: column {name}"), problem));
        }
        _ if is_number => numbers(file, name, arrays)?,
        _ => labels(file, name, arrays, options)?,
    };
    Ok(Attribute { name: name.clone(), role: Role::Other, values })
}

fn numbers(file: &str, name: &str, arrays: &[&ArrayRef]) -> Result<Values> {
    let mut values = Vec::new();
    for array in arrays {
        let array = converted(file, name, array, &DataType::Float64)?;
        let floats =
            array.as_any().downcast_ref::<Float64Array>().ok_or_else(|| unexpected(name))?;
        values.extend(floats.iter());
    }
    let column = Numeric::new(values.iter().copied()).ok_or_else(|| {
        let record = values.iter().position(|v| v.is_some_and(|v| !v.is_finite())).unwrap_or(0);
        let problem =
            format!("record {} is NaN or infinite; use a null for a missing value", record + 1);
        Error::input(format!("{file}: column {name}"), problem)
    })?;
    Ok(Values::Numeric(column))
}

/// Numbers that were written as text because some are generalized.
fn numbers_of_text(file: &str, name: &str, arrays: &[&ArrayRef]) -> Result<Values> {
    let wrong = |text: &str| {
        let problem =
            format!("{text:?} is neither a number nor {GENERALIZED}, but the file says numeric");
        Error::input(format!("{file}: column {name}"), problem)
    };
    let (mut values, mut generalized) = (Vec::new(), Vec::new());
    for array in arrays {
        let array = converted(file, name, array, &DataType::Utf8)?;
        let texts = array.as_any().downcast_ref::<StringArray>().ok_or_else(|| unexpected(name))?;
        for text in texts {
            if text == Some(GENERALIZED) {
                generalized.push(values.len());
            }
            let number = |text: &str| {
                let number = text.parse().ok().filter(|number: &f64| number.is_finite());
                number.ok_or_else(|| wrong(text))
            };
            values.push(text.filter(|text| *text != GENERALIZED).map(number).transpose()?);
        }
    }
    let column = Numeric::new(values).ok_or_else(|| unexpected(name))?;
    Ok(Values::Numeric(column.generalize(&generalized)))
}

fn labels(file: &str, name: &str, arrays: &[&ArrayRef], options: &ReadOptions) -> Result<Values> {
    let mut values: Vec<Option<String>> = Vec::new();
    for array in arrays {
        let array = converted(file, name, array, &DataType::Utf8)?;
        let texts = array.as_any().downcast_ref::<StringArray>().ok_or_else(|| unexpected(name))?;
        let is_missing = |text: &str| options.missing.iter().any(|token| token == text);
        values.extend(texts.iter().map(|t| t.filter(|t| !is_missing(t)).map(str::to_owned)));
    }
    Ok(Values::Categorical(Categorical::nominal(values)))
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
