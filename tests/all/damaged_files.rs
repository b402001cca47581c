//! Files that are damaged, or claim more than they hold, get one clear line and exit code 2.

use crate::support::{refusal, unmask_in};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use unmask::dataset::{Dataset, ReadOptions};
use unmask::error::Error;

/// A Parquet file of numbers and labels, some missing.
fn small_parquet() -> Vec<u8> {
    let text = b"id,x,town\n1,0.5,graz\n2,-7,\n3,,linz\n4,1e3,graz\n";
    let file = Dataset::from_csv("t.csv", text, &ReadOptions::default()).unwrap();
    file.to_bytes(Path::new("t.parquet")).unwrap()
}

/// What reading `bytes` fails with, if it does.
fn failure(bytes: Vec<u8>) -> Option<Error> {
    Dataset::from_parquet("t.parquet", bytes, &ReadOptions::default()).err()
}

/// `bytes` with one bit flipped.
fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    damaged[bit / 8] ^= 1 << (bit % 8);
    damaged
}

#[test]
fn a_parquet_file_with_any_bit_flipped_is_read_or_refused() {
    let bytes = small_parquet();
    for bit in 0..8 * bytes.len() {
        if let Some(error) = failure(flipped(&bytes, bit)) {
            assert_eq!(error.exit_code(), 2, "bit {bit}: {error}");
        }
    }
}

#[test]
fn a_parquet_file_that_ends_anywhere_is_refused() {
    let bytes = small_parquet();
    for length in 0..bytes.len() {
        let error = failure(bytes[..length].to_vec()).expect("a part is no file");
        assert_eq!(error.exit_code(), 2, "{length} bytes: {error}");
    }
}

#[test]
fn a_damaged_parquet_file_is_one_line_on_standard_error() {
    let bytes = small_parquet();
    let says = |bit: &usize| {
        let error = failure(flipped(&bytes, *bit));
        error.is_some_and(|error| error.to_string().contains("it is damaged; get a fresh copy"))
    };
    let panicking: Vec<usize> = (0..8 * bytes.len()).filter(says).collect();
    let folder = TempDir::new().unwrap();
    assert!(!panicking.is_empty(), "some flips panic in the library that reads Parquet");
    for bit in panicking.into_iter().step_by(9).take(5) {
        std::fs::write(folder.path().join("t.parquet"), flipped(&bytes, bit)).unwrap();
        let error = refusal(&unmask_in(folder.path(), &["utility", "t.parquet", "t.parquet"]));
        assert!(error.contains("t.parquet") && error.contains("damaged"), "{error}");
    }
}

#[test]
fn a_parquet_file_that_claims_far_more_than_its_bytes_can_hold_is_refused() {
    let nothing: ArrayRef = Arc::new(Int64Array::from(vec![None; 1_000_000]));
    let columns = (0..17).map(|i| (format!("c{i}"), nothing.clone(), true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert!(bytes.len() < 100_000, "{} bytes", bytes.len());
    let error = failure(bytes).expect("17 million cells in some kilobytes").to_string();
    for part in ["1000000 records of 17 columns", "CSV", "fresh copy"] {
        assert!(error.contains(part), "{error}");
    }
}

/// What reading the CSV `text` fails with.
fn csv_failure(text: &str) -> String {
    let failed = Dataset::from_csv("t.csv", text.as_bytes(), &ReadOptions::default());
    failed.expect_err("it is refused").to_string()
}

#[test]
fn a_header_of_a_million_columns_is_refused_at_once() {
    let header: String = (0..1_000_000).map(|i| format!("c{i},")).collect();
    let error = csv_failure(&format!("{header}\n"));
    for part in ["t.csv", "1000001 columns", "65536", "delimiter"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_quote_that_is_never_closed_is_refused_with_its_line() {
    for (text, line) in [
        ("a,b\n1,\"x\n2,y\n3,z\n", "line 2"),
        ("a,b\n1,x\n\"2,y\n3,z\n", "line 3"),
        ("a,b\r1,x\r2,\"y\r3,z\r", "line 3"),
        ("a,b\n1,x\n\n2,\"y \"\" z\n", "line 4"),
        ("a,\"b\n1,x\n", "line 1"),
    ] {
        let error = csv_failure(text);
        assert!(error.contains(line) && error.contains("never closed"), "{text:?}: {error}");
    }
    let closed = "a,b\n1,\"x\ny\"\n2,5\" pipe\n3,\"z \"\"\"\n";
    assert!(Dataset::from_csv("t.csv", closed.as_bytes(), &ReadOptions::default()).is_ok());
}

#[test]
fn a_blank_line_before_the_header_does_not_hide_the_delimiter() {
    let file = Dataset::from_csv("t.csv", b"\r\n\na;b\n1;2\n", &ReadOptions::default());
    assert_eq!(file.unwrap().names(), ["a", "b"]);
}

/// Found by `make fuzz`: more blank lines than lines were counted.
#[test]
fn lines_may_end_with_a_return_alone() {
    let text = "\r\rx\r".to_owned() + &"\r".repeat(24) + "7";
    let file = Dataset::from_csv("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(file.records(), 25);
}

#[test]
fn errors_name_the_line_after_blank_lines_and_with_any_line_end() {
    for text in [
        "a,b\n1,2\n\n\n3\n",
        "a,b\r\n1,2\r\n\r\n\r\n3\r\n",
        "a,b\r1,2\r\r\r3\r",
        "a,b\r\n1,2\r\r\n\n3",
    ] {
        let error = csv_failure(text);
        assert!(error.contains("line 5"), "{text:?}: {error}");
    }
}

/// The files of other formats, small enough to be damaged in many places.
fn other_files() -> Vec<(&'static str, Vec<u8>)> {
    let read = |file: &'static str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/files");
        (file, std::fs::read(folder.join(file)).unwrap())
    };
    let mut files: Vec<(&str, Vec<u8>)> = [
        "missing.dta",
        "pandas114.dta",
        "pandas117.dta",
        "small.sav",
        "missing.sav",
        "small.zsav",
        "small.xpt",
        "small.xlsx",
        "types.arrow",
        "lz4.feather",
        "zstd.arrow",
    ]
    .map(read)
    .into();
    let text = b"id,x,town\n1,0.5,graz\n2,-7,\n3,,linz\n4,1e3,graz\n";
    let small = Dataset::from_csv("t.csv", text, &ReadOptions::default()).unwrap();
    for file in ["small.dta", "small.arrow"] {
        files.push((file, small.to_bytes(Path::new(file)).unwrap()));
    }
    files
}

/// Fails on what is no data set and no error of the user's.
fn read_or_refused(file: &str, bytes: Vec<u8>, damage: &str) {
    if let Err(error) = Dataset::from_bytes(file, bytes, &ReadOptions::default()) {
        assert_eq!(error.exit_code(), 2, "{file}, {damage}: {error}");
    }
}

#[test]
fn files_of_other_formats_with_a_bit_flipped_are_read_or_refused() {
    for (file, bytes) in other_files() {
        // Every bit of what describes the columns, and some of the others.
        let bits = 8 * bytes.len();
        let step = (bits / 400).max(1);
        let sampled = (0..bits.min(2_000)).step_by(5).chain((0..bits).step_by(step | 1));
        for bit in sampled {
            read_or_refused(file, flipped(&bytes, bit), &format!("bit {bit}"));
        }
    }
}

#[test]
fn files_of_other_formats_that_end_anywhere_are_refused() {
    for (file, bytes) in other_files() {
        for length in (0..bytes.len()).step_by((bytes.len() / 60).max(1)) {
            let part = bytes[..length].to_vec();
            // A SAS transport file has no end: a part of it is one with fewer records.
            match file {
                "small.xpt" => read_or_refused(file, part, &format!("{length} bytes")),
                _ => {
                    let read = Dataset::from_bytes(file, part, &ReadOptions::default());
                    let error = read.expect_err(&format!("{length} bytes of {file}"));
                    assert_eq!(error.exit_code(), 2, "{length} bytes of {file}: {error}");
                }
            }
        }
    }
}

#[test]
fn numbers_that_claim_far_more_than_there_is_are_refused() {
    for (file, bytes) in other_files() {
        for at in (0..bytes.len().min(600)).step_by(3) {
            let mut damaged = bytes.clone();
            let end = (at + 4).min(bytes.len());
            damaged[at..end].fill(0x7f);
            read_or_refused(file, damaged, &format!("at {at}"));
        }
    }
}

/// `workbook` with a list of texts that says it has so many.
fn with_texts(workbook: &[u8], claim: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new_append(Cursor::new(workbook.to_vec())).unwrap();
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("xl/sharedStrings.xml", options).unwrap();
    write!(archive, "<sst uniqueCount = '{claim}'><si><t>graz</t></si></sst>").unwrap();
    archive.finish().unwrap().into_inner()
}

#[test]
fn a_workbook_that_claims_more_texts_than_memory_holds_is_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/files");
    let workbook = std::fs::read(folder.join("small.xlsx")).unwrap();
    let read = |claim: &str| {
        Dataset::from_bytes("t.xlsx", with_texts(&workbook, claim), &ReadOptions::default())
    };
    assert_eq!(read("7").unwrap().records(), 4);
    for claim in ["99999999999", "9999999999999999999999"] {
        let error = read(claim).unwrap_err();
        assert!(error.to_string().contains("texts in"), "{error}");
    }
}
