//! Parquet: a damaged file is an error, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unmask::dataset::{Dataset, ReadOptions};
use unmask_fuzz::written_and_read;

fuzz_target!(|input: &[u8]| {
    let options = ReadOptions::default();
    if let Ok(file) = Dataset::from_parquet("t.parquet", input.to_vec(), &options) {
        written_and_read(&file, &options, "t.parquet");
    }
});
