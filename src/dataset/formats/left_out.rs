//! Stands in for the formats that this build leaves out.

use crate::dataset::Dataset;
use crate::dataset::file::ReadOptions;
use crate::error::{Error, Result};

fn left_out<T>(file: &str, kind: &str) -> Result<T> {
    let problem = format!(
        "is {kind} file, and this build of unmask leaves those out; convert it to CSV, or build \
         with the feature formats"
    );
    Err(Error::input(file, problem))
}

pub(crate) fn excel(file: &str, _bytes: Vec<u8>, _options: &ReadOptions) -> Result<Dataset> {
    left_out(file, "an Excel")
}

pub(crate) fn stata(file: &str, _bytes: Vec<u8>, _options: &ReadOptions) -> Result<Dataset> {
    left_out(file, "a Stata")
}

pub(crate) fn sas_transport(file: &str, _: Vec<u8>, _options: &ReadOptions) -> Result<Dataset> {
    left_out(file, "a SAS")
}

pub(crate) fn spss(file: &str, _bytes: Vec<u8>, _options: &ReadOptions) -> Result<Dataset> {
    left_out(file, "an SPSS")
}

pub(crate) fn write_stata(dataset: &Dataset, _to: &mut Vec<u8>) -> Result<()> {
    left_out(dataset.name(), "a Stata")
}
