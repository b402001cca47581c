//! Labels become codes while they are read.

use super::attribute::{GENERALIZED_CODE, MISSING_CODE};
use super::{Categorical, GENERALIZED};
use std::collections::HashMap;

/// A nominal column while it is being read: codes in order of first appearance.
#[derive(Debug, Default)]
pub(super) struct Labels {
    codes: Vec<u32>,
    labels: Vec<String>,
    index: HashMap<String, u32>,
}

impl Labels {
    /// Adds a record.
    pub fn push(&mut self, label: Option<&str>) {
        let code = match label {
            None => MISSING_CODE,
            Some(GENERALIZED) => GENERALIZED_CODE,
            Some(label) => self.code(label),
        };
        self.codes.push(code);
    }

    /// Number of records so far.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// The code of `label`, a new one when it is new.
    fn code(&mut self, label: &str) -> u32 {
        // Neighbors are often equal, and comparing is cheaper than hashing.
        let is_last = |code: &u32| self.labels.get(*code as usize).is_some_and(|l| l == label);
        if let Some(code) = self.codes.last().copied().filter(is_last) {
            return code;
        }
        if let Some(&code) = self.index.get(label) {
            return code;
        }
        let code = self.labels.len() as u32;
        self.labels.push(label.to_owned());
        self.index.insert(label.to_owned(), code);
        code
    }

    /// Adds the records of `later`.
    pub fn append(&mut self, later: Self) {
        let codes: Vec<u32> = later.labels.iter().map(|label| self.code(label)).collect();
        // What stands for no label has no place in the list.
        let recode = |&code: &u32| codes.get(code as usize).copied().unwrap_or(code);
        self.codes.extend(later.codes.iter().map(recode));
    }

    /// The column.
    pub fn finish(self) -> Categorical {
        Categorical::from_codes(self.codes, self.labels)
    }
}
