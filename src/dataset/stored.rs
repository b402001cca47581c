//! How columns were stored in the file they come from.

use std::collections::BTreeMap;

/// What a format knows of a column beyond its values: a release that is written in the same
/// format gets its columns back as they were, where their values still fit.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stored {
    /// The type of a column of Parquet and Arrow files.
    #[cfg(feature = "parquet")]
    Arrow(arrow_schema::Field),
    /// Format, labels and codes of a column of a Stata file.
    #[cfg(feature = "formats")]
    Stata(super::formats::StataColumn),
}

/// How the columns of a data set were stored, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StoredColumns(BTreeMap<String, Stored>);

#[cfg_attr(not(any(feature = "parquet", feature = "formats")), allow(dead_code))]
impl StoredColumns {
    /// Says how the column `name` was stored.
    pub fn insert(&mut self, name: &str, stored: Stored) {
        self.0.insert(name.to_owned(), stored);
    }

    /// How the column `name` was stored, where that is known.
    pub fn get(&self, name: &str) -> Option<&Stored> {
        self.0.get(name)
    }

    /// The column `from` is called `to`.
    pub fn rename(&mut self, from: &str, to: &str) {
        if let Some(stored) = self.0.remove(from) {
            self.0.insert(to.to_owned(), stored);
        }
    }
}
