//! Arrow, Stata, SPSS, SAS and Excel: a damaged file is an error, never a panic. The first byte says
//! which of them the others are.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unmask::dataset::{Dataset, ReadOptions};
use unmask_fuzz::FORMATS;

fuzz_target!(|input: &[u8]| {
    let Some((format, bytes)) = input.split_first() else { return };
    let file = FORMATS[usize::from(*format) % FORMATS.len()];
    let options = ReadOptions::default();
    if let Ok(read) = Dataset::from_bytes(file, bytes.to_vec(), &options) {
        let again = read.to_bytes("t.arrow".as_ref()).expect("what was read can be written");
        let again = Dataset::from_bytes("t.arrow", again, &options);
        assert_eq!(again.expect("what was written can be read").names(), read.names());
    }
});
