//! Parquet in and out, through Arrow.

use super::arrays::batch;
use super::claims::{check_footer, check_size};
use super::columns::Columns;
use crate::dataset::file::ReadOptions;
use crate::dataset::{Dataset, check_columns};
use crate::error::{Error, Result};
use crate::panics::caught;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::fmt::Display;
use std::sync::Arc;

/// The data set in `bytes`, called `file` in errors.
///
/// A file that claims far more than so many bytes can hold is refused, and so is one at which the
/// library that reads Parquet panics.
pub fn read(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset> {
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
    let schema = builder.schema().clone();
    let mut columns = Columns::new(file, &schema, options)?;
    for batch in builder.build().map_err(|e| broken(file, &e))? {
        columns.add(&batch.map_err(|e| broken(file, &e))?)?;
    }
    columns.finish()
}

/// Writes `dataset` as one Parquet file with Snappy compression.
pub fn write(dataset: &Dataset, out: &mut Vec<u8>) -> Result<()> {
    let failed = |e: &dyn Display| Error::Internal(format!("writing Parquet: {e}"));
    let batch = batch(dataset).map_err(|e| failed(&e))?;
    let batch = RecordBatch::try_new(honest(&batch), batch.columns().to_vec());
    let batch = batch.map_err(|e| failed(&e))?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let writer = ArrowWriter::try_new(out, batch.schema(), Some(properties));
    let mut writer = writer.map_err(|e| failed(&e))?;
    writer.write(&batch).map_err(|e| failed(&e))?;
    writer.close().map(drop).map_err(|e| failed(&e))
}

/// The schema of `batch`, in which dictionaries are called ordered only where their labels appear
/// in order for the first time: a Parquet file has them as they appear, and other programs would
/// take that for the order.
fn honest(batch: &RecordBatch) -> SchemaRef {
    let schema = batch.schema();
    let fields = schema.fields().iter().zip(batch.columns());
    let fields = fields.map(|(field, array)| match appears_in_order(array) {
        true => field.as_ref().clone(),
        false => field.as_ref().clone().with_dict_is_ordered(false),
    });
    Arc::new(Schema::new(fields.collect::<Vec<Field>>()))
}

fn appears_in_order(array: &ArrayRef) -> bool {
    let Some(dictionary) = array.as_any_dictionary_opt() else { return true };
    let mut seen = vec![false; dictionary.values().len()];
    let mut highest = None;
    let keys = dictionary.normalized_keys();
    let keys = keys.iter().enumerate().filter(|(i, _)| array.is_valid(*i));
    for (_, key) in keys {
        if !std::mem::replace(&mut seen[*key], true) {
            if highest > Some(*key) {
                return false;
            }
            highest = Some(*key);
        }
    }
    true
}
