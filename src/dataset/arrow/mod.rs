//! Parquet and Arrow files, in and out.
//!
//! Integers, floats, decimals and booleans become numeric attributes (unless the schema says
//! nominal), dates and timestamps that are all at midnight become dates, everything else labels.
//! Integers that a 64-bit float cannot hold are labels, too, as in CSV. A column is written in the
//! type it was read in ([`super::stored`]) where that type holds every value exactly; others in a
//! type that does ([`arrays`]).

mod arrays;
mod claims;
mod columns;
pub(super) mod ipc;
pub(super) mod parquet;

use crate::error::Error;

/// Metadata of a text field that holds numbers, or dates, and generalized values: key and values.
const NUMBERS_AS_TEXT: &str = "unmask.kind";
const NUMERIC: &str = "numeric";
const DATE: &str = "date";
/// Metadata of an ordered dictionary: its labels in order, as JSON. What a Parquet file keeps of a
/// dictionary are the labels in order of appearance.
const ORDER: &str = "unmask.order";

/// More columns or groups of them than a file of records has; also the rows that are converted at
/// a time, since few bytes can stand for long texts.
const ROWS_AT_A_TIME: usize = 1024;

/// The error for a column that was converted and is of another type.
fn unexpected(name: &str) -> Error {
    Error::Internal(format!("column {name} was not converted as asked"))
}
