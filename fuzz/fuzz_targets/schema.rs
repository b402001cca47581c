//! Schemas, and files that are read by them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unmask::dataset::{Dataset, ReadOptions, Schema};
use unmask_fuzz::{PEOPLE, written_and_read};

fuzz_target!(|text: &str| {
    let Ok(mut schema) = Schema::from_toml(text, "t.toml") else { return };
    schema.passes_over_absent = true;
    let options = ReadOptions { schema, ..ReadOptions::default() };
    if let Ok(file) = Dataset::from_csv("t.csv", PEOPLE.as_bytes(), &options) {
        written_and_read(&file, &options, "t.csv");
    }
});
