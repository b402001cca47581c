//! What tests and benches share: the program, refusals, files, methods, and tables of times.
#![allow(dead_code)]

pub mod arrangement;
pub mod bench;
pub mod browser;
pub mod console;
pub mod journal;
pub mod methods;
pub mod survey;
pub mod worst_case;

use rand_distr::{Distribution, StandardNormal};
use std::path::Path;
use std::process::{Command, Output};
use unmask::dataset::{Attribute, Dataset};
use unmask::random::generator;

/// Runs `unmask` with `arguments` in `folder`.
pub fn unmask_in(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_unmask"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// Runs `unmask protect` on `file`; `arguments` start with the method.
pub fn protect_in(folder: &Path, file: &str, arguments: &[&str]) -> Output {
    let (method, rest) = arguments.split_first().expect("a method");
    unmask_in(folder, &[&["protect", method, file, "-o", "out.csv"], rest].concat())
}

/// Standard error of a run that must stop with exit code 2 since its options are wrong.
pub fn misuse(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "stderr: {error}");
    assert!(error.contains("Usage: unmask"), "{error}");
    error
}

/// Standard output of a run that must succeed.
pub fn success(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "exit {:?}: {error}", output.status.code());
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

/// Standard error of a run that must stop with exit code 2 and one line.
pub fn refusal(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "stderr: {error}");
    assert_eq!(error.trim_end().lines().count(), 1, "one line: {error}");
    assert!(output.stdout.is_empty(), "a refusal prints nothing on standard output");
    error
}

/// `count` columns of `records` standard normal values.
pub fn normal_columns(records: usize, count: usize, seed: u64) -> Vec<Vec<f64>> {
    (0..count as u64)
        .map(|j| {
            let mut random = generator(seed, j);
            (0..records).map(|_| StandardNormal.sample(&mut random)).collect()
        })
        .collect()
}

/// A data set of numeric columns x0, x1, ...
pub fn dataset(columns: &[Vec<f64>]) -> Dataset {
    let attributes = columns
        .iter()
        .enumerate()
        .map(|(j, c)| Attribute::numeric(format!("x{j}"), c.clone()).expect("finite"))
        .collect();
    Dataset::new("made.csv", attributes).expect("a data set")
}

/// The numbers of column `position`.
pub fn column(dataset: &Dataset, position: usize) -> Vec<f64> {
    let name = &dataset.attributes()[position].name;
    dataset.complete_numeric(name, "the test").expect("complete").to_vec()
}
