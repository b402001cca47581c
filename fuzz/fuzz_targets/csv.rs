//! CSV: what is read can be written, and is then the same for ever.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unmask::dataset::{Dataset, ReadOptions};
use unmask_fuzz::written_and_read;

fuzz_target!(|input: &[u8]| {
    let Some((&first, text)) = input.split_first() else { return };
    let options = ReadOptions {
        delimiter: Some(if first & 1 == 1 { b';' } else { b',' }),
        header: first & 2 == 0,
        quote: if first & 1 == 1 { b'\'' } else { b'"' },
        ..ReadOptions::default()
    };
    if let Ok(file) = Dataset::from_csv("t.csv", text, &options) {
        written_and_read(&file, &options, "t.csv");
        let escaping = file.escaping_formulas(first & 4 == 4);
        escaping.to_bytes("t.csv".as_ref()).expect("what was read can be written");
    }
});
