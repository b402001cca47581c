//! Attributes become Arrow arrays: of the type they were read in where that holds every value
//! exactly, else of one that does.

use super::columns::{as_utc, units_of_a_day};
use super::{DATE, NUMBERS_AS_TEXT, NUMERIC, ORDER};
use crate::dataset::stored::Stored;
use crate::dataset::typed::cell_text;
use crate::dataset::{Attribute, Categorical, Dataset, Numeric, Values};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, Date32Array, DictionaryArray, Float64Array, Int32Array, Int64Array,
    RecordBatch, StringArray,
};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use std::sync::Arc;

/// The records of `dataset`.
pub(super) fn batch(dataset: &Dataset) -> Result<RecordBatch, ArrowError> {
    let columns = dataset.attributes.iter().map(|attribute| {
        let stored = match dataset.stored.get(&attribute.name) {
            Some(Stored::Arrow(field)) => as_it_was(attribute, field),
            _ => None,
        };
        stored.unwrap_or_else(|| plain(attribute))
    });
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

/// In the type of `field`; `None` where that does not hold the values.
fn as_it_was(attribute: &Attribute, field: &Field) -> Option<(Field, ArrayRef)> {
    let to = field.data_type();
    let array = match &attribute.values {
        Values::Numeric(column) if column.generalized() > 0 => None,
        Values::Numeric(column) => numbers(attribute, column, to),
        Values::Categorical(column) if column.is_ordinal() => {
            return ordered(column, to)
                .map(|array| (ordered_field(attribute, column, &array), array));
        }
        Values::Categorical(_) => labels(attribute, to),
    }?;
    let nullable = field.is_nullable() || array.null_count() > 0;
    Some((Field::new(&attribute.name, to.clone(), nullable), array))
}

/// In a type that holds any values of its kind.
fn plain(attribute: &Attribute) -> (Field, ArrayRef) {
    let whole = |v: f64| v.fract() == 0.0 && v.abs() <= 9e15;
    let array: ArrayRef = match &attribute.values {
        Values::Numeric(column) if column.generalized() > 0 => {
            let kind = if column.is_date() { DATE } else { NUMERIC };
            let field = Field::new(&attribute.name, DataType::Utf8, true);
            let field = field.with_metadata([(NUMBERS_AS_TEXT.into(), kind.into())].into());
            return (field, Arc::new(number_texts(column)));
        }
        Values::Numeric(column) if column.is_date() => days(column),
        Values::Numeric(column) if column.present().all(whole) => {
            Arc::new(column.iter().map(|v| v.map(|v| v as i64)).collect::<Int64Array>())
        }
        Values::Numeric(column) => Arc::new(column.iter().collect::<Float64Array>()),
        Values::Categorical(_) => Arc::new(texts(attribute)),
    };
    (Field::new(&attribute.name, array.data_type().clone(), true), array)
}

/// Numbers and stars in notations that every reader understands.
fn number_texts(column: &Numeric) -> StringArray {
    let text = |i: usize| match column.is_generalized(i) {
        true => Some(crate::dataset::GENERALIZED.to_owned()),
        false if column.is_date() => {
            column.get(i).map(|day| crate::dataset::DateFormat::iso().text(day))
        }
        false => column.get(i).map(|value| value.to_string()),
    };
    (0..column.len()).map(text).collect()
}

fn texts(attribute: &Attribute) -> StringArray {
    (0..attribute.len()).map(|i| cell_text(attribute, i)).collect()
}

fn days(column: &Numeric) -> ArrayRef {
    Arc::new(column.iter().map(|v| v.map(|v| v as i32)).collect::<Date32Array>())
}

fn cast(array: &dyn Array, to: &DataType) -> Option<ArrayRef> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, to, &options).ok()
}

fn numbers(attribute: &Attribute, column: &Numeric, to: &DataType) -> Option<ArrayRef> {
    match to {
        DataType::Date32 | DataType::Date64 if column.is_date() => cast(&days(column), to),
        DataType::Timestamp(unit, None) if column.is_date() => {
            let day = units_of_a_day(*unit);
            let instant = |value: Option<f64>| match value {
                Some(value) => (value as i64).checked_mul(day).map(Some),
                None => Some(None),
            };
            let instants: Option<Int64Array> = column.iter().map(instant).collect::<Option<_>>();
            cast(&instants?, to)
        }
        _ if column.is_date() => None,
        decimal if decimal.is_decimal() => {
            // Texts, some of which have digits that a 64-bit float does not hold.
            let text = |i: usize| match attribute.spelling(i) {
                Some(spelling) => Some(spelling.to_owned()),
                None => column.get(i).map(|value| value.to_string()),
            };
            let texts: StringArray = (0..column.len()).map(text).collect();
            let array = cast(&texts, to)?;
            let back = cast(&array, &DataType::Utf8)?;
            let back = back.as_string::<i32>().iter().map(|t| t.and_then(|t| t.parse().ok()));
            back.eq(column.iter()).then_some(array)
        }
        DataType::Boolean => through_floats(column, to),
        number if number.is_numeric() => through_floats(column, to),
        _ => None,
    }
}

fn through_floats(column: &Numeric, to: &DataType) -> Option<ArrayRef> {
    let array = cast(&column.iter().collect::<Float64Array>(), to)?;
    let back = cast(&array, &DataType::Float64)?;
    back.as_primitive::<Float64Type>().iter().eq(column.iter()).then_some(array)
}

fn labels(attribute: &Attribute, to: &DataType) -> Option<ArrayRef> {
    let texts = texts(attribute);
    if let DataType::Timestamp(_, Some(_)) = to {
        // The zone is a name for the same instants.
        let utc = exactly(&texts, &as_utc(to))?;
        return cast(&cast(&utc, &DataType::Int64)?.as_primitive::<Int64Type>().clone(), to);
    }
    exactly(&texts, to)
}

/// `texts` in the type `to`, if they are the same texts again when they are read.
fn exactly(texts: &StringArray, to: &DataType) -> Option<ArrayRef> {
    let array = cast(texts, to)?;
    let back = cast(&array, &DataType::Utf8)?;
    (back.as_string_opt::<i32>()? == texts).then_some(array)
}

/// Labels with an order as a dictionary, which has them in that order.
fn ordered(column: &Categorical, to: &DataType) -> Option<ArrayRef> {
    if !matches!(to, DataType::Dictionary(..)) || column.generalized() > 0 {
        return None;
    }
    let keys: Int32Array = (0..column.len()).map(|i| column.code(i).map(|c| c as i32)).collect();
    let labels: ArrayRef = Arc::new(column.labels().iter().map(Some).collect::<StringArray>());
    let array = DictionaryArray::<Int32Type>::try_new(keys, labels).ok()?;
    cast(&array, to)
}

fn ordered_field(attribute: &Attribute, column: &Categorical, array: &ArrayRef) -> Field {
    let order = serde_json::to_string(column.labels()).unwrap_or_default();
    Field::new(&attribute.name, array.data_type().clone(), true)
        .with_dict_is_ordered(true)
        .with_metadata([(ORDER.to_owned(), order)].into())
}
