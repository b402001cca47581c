//! Columns of Arrow arrays become attributes.

use super::{DATE, NUMBERS_AS_TEXT, NUMERIC, ORDER, ROWS_AT_A_TIME, unexpected};
use crate::dataset::file::ReadOptions;
use crate::dataset::labels::Labels;
use crate::dataset::spellings::Spellings;
use crate::dataset::stored::{Stored, StoredColumns};
use crate::dataset::typed::TypedColumn;
use crate::dataset::{Attribute, Dataset, DateFormat, GENERALIZED, Kind, Notation, Values};
use crate::error::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, Schema, TimeUnit};

/// Numbers beyond this are not told apart by a 64-bit float.
const WIDEST: f64 = 9e15;

/// The columns of a file while its batches are read.
pub(super) struct Columns<'a> {
    file: &'a str,
    columns: Vec<Column<'a>>,
}

impl<'a> Columns<'a> {
    /// The columns of `schema`, of which nothing is read yet.
    pub fn new(file: &'a str, schema: &'a Schema, options: &'a ReadOptions) -> Result<Self> {
        let fields = schema.fields().iter();
        let columns =
            fields.map(|field| Column::new(file, field, options)).collect::<Result<_>>()?;
        Ok(Self { file, columns })
    }

    /// Adds the records of `batch`.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        for start in (0..batch.num_rows()).step_by(ROWS_AT_A_TIME) {
            let length = ROWS_AT_A_TIME.min(batch.num_rows() - start);
            let arrays = batch.columns().iter().map(|array| array.slice(start, length));
            self.columns.iter_mut().zip(arrays).try_for_each(|(column, a)| column.add(&a))?;
        }
        Ok(())
    }

    /// The data set, which remembers the types of its columns.
    pub fn finish(self) -> Result<Dataset> {
        let mut stored = StoredColumns::default();
        for column in &self.columns {
            stored.insert(column.typed.name, Stored::Arrow(column.field.clone()));
        }
        let attributes = self.columns.into_iter().map(Column::finish).collect::<Result<_>>()?;
        let mut dataset = Dataset::new(self.file, attributes)?;
        dataset.stored = stored;
        Ok(dataset)
    }
}

/// A column while it is being read.
struct Column<'a> {
    typed: TypedColumn<'a>,
    field: &'a Field,
    cells: Cells,
    order: Order,
}

enum Cells {
    /// Numbers, and the texts of those that a 64-bit float does not hold.
    Numbers(Vec<Option<f64>>, Spellings),
    /// Days since 1970-01-01.
    Days(Vec<Option<f64>>),
    /// Times since 1970-01-01 in a unit.
    Instants(Vec<Option<i64>>),
    Labels(Labels),
}

/// The order of the labels of a dictionary.
enum Order {
    None,
    /// Those that were seen, and where they come from.
    Of(Vec<String>, Option<ArrayRef>),
}

impl<'a> Column<'a> {
    fn new(file: &'a str, field: &'a Field, options: &'a ReadOptions) -> Result<Self> {
        let mut typed = TypedColumn::new(file, field.name(), options);
        match field.metadata().get(NUMBERS_AS_TEXT).map(String::as_str) {
            Some(NUMERIC) => typed = typed.said(Kind::Numeric),
            Some(DATE) => typed = typed.said(Kind::Date),
            _ => {}
        }
        let data_type = field.data_type();
        let cells = match data_type {
            DataType::Boolean => Cells::Numbers(Vec::new(), Spellings::default()),
            number if number.is_numeric() => Cells::Numbers(Vec::new(), Spellings::default()),
            DataType::Date32 | DataType::Date64 => Cells::Days(Vec::new()),
            DataType::Timestamp(..) => Cells::Instants(Vec::new()),
            _ => Cells::Labels(Labels::default()),
        };
        Ok(Self { typed, field, cells, order: Order::of(field) })
    }

    fn add(&mut self, array: &ArrayRef) -> Result<()> {
        if matches!(self.cells, Cells::Numbers(..)) && self.has_wide_integers(array)? {
            self.become_labels();
        }
        let typed = &self.typed;
        match (&mut self.cells, scale(self.field.data_type())) {
            (Cells::Numbers(values, spellings), Some(scale)) => {
                let texts = converted(typed, array, &DataType::Utf8)?;
                let texts = strings(&texts, typed.name)?.iter();
                texts.for_each(|text| push_decimal(text, scale, values, spellings));
            }
            (Cells::Numbers(values, _), None) => {
                let floats = converted(typed, array, &DataType::Float64)?;
                values.extend(floats.as_primitive::<Float64Type>().iter());
            }
            (Cells::Days(values), _) => {
                let days = converted(typed, array, &DataType::Date32)?;
                values.extend(days.as_primitive::<Date32Type>().iter().map(|d| d.map(f64::from)));
            }
            (Cells::Instants(values), _) => {
                let instants = converted(typed, array, &DataType::Int64)?;
                values.extend(instants.as_primitive::<Int64Type>().iter());
            }
            (Cells::Labels(labels), _) => {
                let texts = converted(typed, array, &DataType::Utf8)?;
                push_texts(labels, &texts, typed)?;
                self.order.see(array, typed)?;
            }
        }
        Ok(())
    }

    /// True where integers of `array` lose digits as numbers, and nobody wants them as such.
    fn has_wide_integers(&self, array: &ArrayRef) -> Result<bool> {
        let may_be_wide = match self.field.data_type() {
            DataType::Int64 | DataType::UInt64 => true,
            other => scale(other) == Some(0),
        };
        if !may_be_wide || matches!(self.typed.kind(), Some(Kind::Numeric | Kind::Integer)) {
            return Ok(false);
        }
        let floats = converted(&self.typed, array, &DataType::Float64)?;
        Ok(floats.as_primitive::<Float64Type>().iter().flatten().any(|v| v.abs() > WIDEST))
    }

    /// Integers so far become labels: identifiers, one of which a 64-bit float does not hold.
    fn become_labels(&mut self) {
        if let Cells::Numbers(values, _) = &self.cells {
            let mut labels = Labels::default();
            for value in values {
                let text = value.map(|value| format!("{value:.0}"));
                labels.push(text.as_deref().and_then(|text| self.typed.present(text)));
            }
            self.cells = Cells::Labels(labels);
        }
    }

    fn finish(self) -> Result<Attribute> {
        let iso = Notation::Date(DateFormat::iso());
        let Self { typed, field, cells, order } = self;
        match cells {
            Cells::Numbers(values, spellings) => {
                let mut attribute = typed.numbers(values, Notation::Plain)?;
                if let Values::Numeric(column) = &mut attribute.values {
                    *column = column.clone().spelled(spellings);
                }
                Ok(attribute)
            }
            Cells::Days(values) => typed.numbers(values, iso),
            Cells::Instants(values) => match days(&values, field.data_type()) {
                Some(days) => typed.numbers(days, iso),
                None => {
                    let mut labels = Labels::default();
                    push_texts(&mut labels, &instant_texts(values, field, &typed)?, &typed)?;
                    typed.texts(labels)
                }
            },
            Cells::Labels(labels) => order.applied(typed.texts(labels)?, &typed),
        }
    }
}

/// Adds the number that `text` spells, and the text where a 64-bit float does not hold it.
fn push_decimal(
    text: Option<&str>,
    scale: usize,
    values: &mut Vec<Option<f64>>,
    spellings: &mut Spellings,
) {
    let number = text.and_then(|text| text.parse::<f64>().ok());
    if let (Some(text), Some(number)) = (text, number)
        && format!("{number:.scale$}") != text
    {
        spellings.push(values.len(), text);
    }
    values.push(number);
}

fn push_texts(labels: &mut Labels, texts: &ArrayRef, typed: &TypedColumn<'_>) -> Result<()> {
    let texts = strings(texts, typed.name)?.iter();
    texts.for_each(|text| labels.push(text.and_then(|text| typed.present(text))));
    Ok(())
}

fn converted(typed: &TypedColumn<'_>, array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let converted = cast_with_options(array, to, &options).map_err(|e| {
        let problem = format!("type {} cannot be used ({e}); leave it out", array.data_type());
        Error::input(typed.place(), problem)
    })?;
    match converted.data_type() == to {
        true => Ok(converted),
        false => Err(unexpected(typed.name)),
    }
}

impl Order {
    /// The order that `field` says its labels have.
    fn of(field: &Field) -> Self {
        let said = field.metadata().get(ORDER).and_then(|order| serde_json::from_str(order).ok());
        match (said, field.dict_is_ordered()) {
            (Some(order), _) => Self::Of(order, None),
            (None, Some(true)) => Self::Of(Vec::new(), None),
            (None, _) => Self::None,
        }
    }

    /// Takes note of the labels of a dictionary. Dictionaries that disagree have no order.
    fn see(&mut self, array: &ArrayRef, typed: &TypedColumn<'_>) -> Result<()> {
        let Self::Of(order, last) = self else { return Ok(()) };
        let Some(dictionary) = array.as_any_dictionary_opt() else { return Ok(()) };
        let values = dictionary.values();
        let is_known = last.as_ref().is_some_and(|last| last.to_data().ptr_eq(&values.to_data()));
        // What is said in the metadata holds of dictionaries in any order.
        let is_said = last.is_none() && !order.is_empty();
        if is_known || is_said {
            return Ok(());
        }
        let texts = converted(typed, values, &DataType::Utf8)?;
        let texts = strings(&texts, typed.name)?.iter().flatten();
        let labels: Vec<String> = texts.map(str::to_owned).collect();
        if order.iter().zip(&labels).any(|(a, b)| a != b) {
            *self = Self::None;
            return Ok(());
        }
        if labels.len() > order.len() {
            *order = labels;
        }
        *last = Some(values.clone());
        Ok(())
    }

    /// `attribute` with this order of its labels, unless something else is said about it.
    fn applied(self, mut attribute: Attribute, typed: &TypedColumn<'_>) -> Result<Attribute> {
        if let (Self::Of(order, _), Values::Categorical(column), None) =
            (self, &mut attribute.values, typed.kind())
        {
            let is_label = |label: &String| typed.present(label).is_some() && label != GENERALIZED;
            let order: Vec<String> = order.into_iter().filter(is_label).collect();
            if let Ok(ordinal) = column.clone().ordinal(&order) {
                *column = ordinal;
            }
        }
        Ok(attribute)
    }
}

/// Digits after the point of a decimal; below 0 there are none.
fn scale(data_type: &DataType) -> Option<usize> {
    match data_type {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => Some(usize::try_from(*scale).unwrap_or(0)),
        _ => None,
    }
}

/// How many of `unit` a day has.
pub(super) fn units_of_a_day(unit: TimeUnit) -> i64 {
    let seconds = 86_400;
    match unit {
        TimeUnit::Second => seconds,
        TimeUnit::Millisecond => seconds * 1_000,
        TimeUnit::Microsecond => seconds * 1_000_000,
        TimeUnit::Nanosecond => seconds * 1_000_000_000,
    }
}

/// The days of times that are all at midnight and of no time zone.
fn days(values: &[Option<i64>], data_type: &DataType) -> Option<Vec<Option<f64>>> {
    let DataType::Timestamp(unit, None) = data_type else { return None };
    let day = units_of_a_day(*unit);
    let whole = values.iter().flatten().all(|value| value % day == 0);
    whole.then(|| values.iter().map(|value| value.map(|v| (v / day) as f64)).collect())
}

/// The type in which times of `data_type` are written as texts: of the same unit, and in UTC where
/// they are of a time zone.
pub(super) fn as_utc(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Timestamp(unit, Some(_)) => DataType::Timestamp(*unit, Some("+00:00".into())),
        other => other.clone(),
    }
}

/// Times as ISO texts.
fn instant_texts(
    values: Vec<Option<i64>>,
    field: &Field,
    typed: &TypedColumn<'_>,
) -> Result<ArrayRef> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let utc = as_utc(field.data_type());
    let instants = cast_with_options(&Int64Array::from(values), &utc, &options);
    let texts = instants.and_then(|array| cast_with_options(&array, &DataType::Utf8, &options));
    texts.map_err(|e| Error::input(typed.place(), format!("a time cannot be read ({e}); mend it")))
}

fn strings<'t>(array: &'t ArrayRef, name: &str) -> Result<&'t StringArray> {
    array.as_any().downcast_ref::<StringArray>().ok_or_else(|| unexpected(name))
}
