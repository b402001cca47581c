//! Data files and attributes as specifications name them.

use super::check::Problems;
use crate::dataset::{Dataset, ReadOptions, catalog};
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

/// The data `file` that the key `place` names, and its SHA-256.
pub(crate) fn data_file(place: &str, file: &str, to: &Problems) -> Option<(Dataset, String)> {
    match Dataset::load(file, &ReadOptions::default()) {
        Err(error) => {
            to.add(place, format!("{file:?}"), format!("which cannot be used: {error}"));
            None
        }
        Ok(dataset) => {
            let sha256 = match catalog::find(file) {
                Some(built_in) if !Path::new(file).exists() => built_in.sha256.to_owned(),
                _ => files::sha256(&std::fs::read(file).unwrap_or_default()),
            };
            Some((dataset, sha256))
        }
    }
}

/// Positions of the numeric attributes `names`; every other one is noted.
pub(crate) fn known_positions(
    place: &str,
    names: &[String],
    data: &Dataset,
    to: &Problems,
) -> Vec<usize> {
    let positions = positions_of(place, names, data, to);
    let (numeric, labels): (Vec<usize>, Vec<usize>) =
        positions.into_iter().partition(|&i| data.attributes()[i].is_numeric());
    for name in data.names(&labels) {
        to.add(place, format!("{name:?}"), "but it is not numeric; leave it out");
    }
    numeric
}

/// Positions of the attributes `names`; every unknown one is noted.
pub(crate) fn positions_of(
    place: &str,
    names: &[String],
    data: &Dataset,
    to: &Problems,
) -> Vec<usize> {
    let mut positions = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let place = format!("{place}[{i}]");
        match data.position(name) {
            Err(error) => to.add(&place, format!("{name:?}"), format!("but {error}")),
            Ok(position) if positions.contains(&position) => {
                to.add(&place, format!("{name:?}"), "which is named twice; name it once");
            }
            Ok(position) => positions.push(position),
        }
    }
    positions
}
