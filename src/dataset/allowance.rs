//! How much memory a file may ask for by what it claims to hold.
//!
//! This guards against damage and against files that are made to exhaust memory; a file of records
//! is far below.

/// What a file may ask for whatever its size.
const ALWAYS: u64 = 256 << 20;
/// What it may ask for besides, for each of its bytes.
const FOR_EACH_BYTE: u64 = 1_000;
/// Memory for a cell while it is read.
pub(super) const CELL: u64 = 16;

/// Why a file is not read.
pub(super) type Refusal = String;

/// So many bytes of memory a file of `bytes` may ask for.
pub(super) fn allowed(bytes: usize) -> u64 {
    ALWAYS.max(FOR_EACH_BYTE.saturating_mul(bytes as u64))
}

/// Fails when so many `rows` of so many `columns` are far more than a file of `bytes` can hold.
pub(super) fn check_cells(rows: u64, columns: u64, bytes: usize) -> Result<(), Refusal> {
    match rows.saturating_mul(columns).saturating_mul(CELL) > allowed(bytes) {
        true => Err(too_large(&format!("{rows} records of {columns} columns in {bytes} bytes"))),
        false => Ok(()),
    }
}

/// The refusal of a file that makes `claim`.
pub(super) fn too_large(claim: &str) -> Refusal {
    format!(
        "it claims {claim}, which a file of records does not; if that is right, write it as CSV, \
         else get a fresh copy"
    )
}
