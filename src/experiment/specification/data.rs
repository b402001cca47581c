//! Data files and attributes as specifications name them.

use super::check::Problems;
use crate::dataset::{Dataset, ReadOptions, Values, catalog};
use crate::files;
use std::path::Path;

/// Name and SHA-256 of a data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DataDigest {
    /// As results name it.
    pub name: String,
    /// Of its bytes.
    pub sha256: String,
}

impl DataDigest {
    /// A data file by its name and digest.
    pub fn new(name: &str, sha256: &str) -> Self {
        Self { name: name.to_owned(), sha256: sha256.to_owned() }
    }
}

/// The data `file` that the key `place` names, beside the specification, in the current folder or
/// built in, and its SHA-256.
pub(crate) fn data_file(place: &str, file: &str, to: &Problems) -> Option<(Dataset, String)> {
    let path = &*to.resolved(file);
    match Dataset::load(path, &ReadOptions::default()) {
        Err(error) => {
            to.add(place, format!("{file:?}"), format!("which cannot be used: {error}"));
            None
        }
        Ok(dataset) => {
            let sha256 = match catalog::find(path) {
                Some(built_in) if !Path::new(path).exists() => built_in.sha256.to_owned(),
                _ => files::sha256(&std::fs::read(path).unwrap_or_default()),
            };
            Some((dataset, sha256))
        }
    }
}

/// Those of `names` that are numeric attributes; every other one is noted.
pub(crate) fn known_numeric(
    place: &str,
    names: &[String],
    data: &Dataset,
    to: &Problems,
) -> Vec<String> {
    let is_numeric = |name: &String| matches!(data.values(name), Ok(Values::Numeric(_)));
    let (numeric, labels): (Vec<String>, Vec<String>) =
        known_names(place, names, data, to).into_iter().partition(is_numeric);
    for name in labels {
        to.add(place, format!("{name:?}"), "but it is not numeric; leave it out");
    }
    numeric
}

/// Those of `names` that are attributes, each once; every other one is noted.
pub(crate) fn known_names(
    place: &str,
    names: &[String],
    data: &Dataset,
    to: &Problems,
) -> Vec<String> {
    let mut known = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let place = format!("{place}[{i}]");
        match data.position(name) {
            Err(error) => to.add(&place, format!("{name:?}"), format!("but {error}")),
            Ok(_) if known.contains(name) => {
                to.add(&place, format!("{name:?}"), "which is named twice; name it once");
            }
            Ok(_) => known.push(name.clone()),
        }
    }
    known
}
