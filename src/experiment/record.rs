//! What one run of a cell found, as it stands in the journal.

use crate::error::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One run of one cell; what it found as JSON, or as its kind knows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CellRecord<F = Value> {
    /// The cell's name.
    pub cell: String,
    /// The run, counted from 1.
    pub run: usize,
    /// Time of the run; goes to files of times only.
    pub seconds: f64,
    /// What was found.
    pub found: F,
}

impl CellRecord {
    /// The record as its kind knows it; numbers are the same to the last bit.
    pub fn typed<F: DeserializeOwned>(&self) -> Result<CellRecord<F>> {
        let found = F::deserialize(&self.found).map_err(|error| {
            let problem =
                format!("what the journal holds does not fit ({error}); start anew with `fresh`");
            Error::input(format!("{} run {}", self.cell, self.run), problem)
        })?;
        Ok(CellRecord { cell: self.cell.clone(), run: self.run, seconds: self.seconds, found })
    }
}

/// What was found, as it goes to the journal.
pub(crate) fn recorded(found: &impl Serialize) -> Result<Value> {
    serde_json::to_value(found).map_err(|e| Error::Internal(e.to_string()))
}

/// The records as their kind knows them.
pub(crate) fn typed<F: DeserializeOwned>(records: &[CellRecord]) -> Result<Vec<CellRecord<F>>> {
    records.iter().map(CellRecord::typed).collect()
}
