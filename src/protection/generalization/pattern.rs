//! Patterns, and which records they cover.

use super::coded::Tuples;
use rayon::prelude::*;
use std::collections::HashMap;

/// The code of an unknown value.
pub(super) const UNKNOWN: u32 = 0;

/// The code of an indifferent value in a pattern.
pub(super) const INDIFFERENT: u32 = u32::MAX;

/// The number of indifferent values of a pattern.
pub(super) fn indifferent(pattern: &[u32]) -> usize {
    pattern.iter().filter(|v| **v == INDIFFERENT).count()
}

/// Which patterns cover a record.
///
/// A pattern covers a record that has its values wherever it is not
/// indifferent. Where unknown values match anything, so do they on either side
/// for a record that has one. Patterns are looked up by their values, one table
/// for each choice of attributes: cost O(tables) per record, whatever the
/// number of patterns.
pub(super) struct Covers<'a> {
    patterns: &'a [&'a [u32]],
    unknown_matches: bool,
    /// By the attributes on which a record is unknown.
    tables: HashMap<Vec<usize>, Vec<CoverTable>>,
}

/// The patterns that fix the same attributes, by their values there.
struct CoverTable {
    attributes: Vec<usize>,
    patterns: HashMap<Vec<u32>, Vec<u32>>,
}

impl<'a> Covers<'a> {
    /// Prepares to find which of `patterns` cover one of `records`.
    pub fn new<'r>(
        patterns: &'a [&'a [u32]],
        records: impl Iterator<Item = &'r [u32]>,
        unknown_matches: bool,
    ) -> Self {
        let mut covers = Self { patterns, unknown_matches, tables: HashMap::new() };
        for codes in records {
            let unknown = covers.unknown(codes);
            if !covers.tables.contains_key(&unknown) {
                let tables = covers.build(&unknown);
                covers.tables.insert(unknown, tables);
            }
        }
        covers
    }

    /// The attributes on which a record matches anything.
    fn unknown(&self, codes: &[u32]) -> Vec<usize> {
        match self.unknown_matches {
            true => (0..codes.len()).filter(|&a| codes[a] == UNKNOWN).collect(),
            false => Vec::new(),
        }
    }

    fn build(&self, unknown: &[usize]) -> Vec<CoverTable> {
        let mut tables: Vec<CoverTable> = Vec::new();
        let mut places: HashMap<Vec<usize>, usize> = HashMap::new();
        for (id, pattern) in self.patterns.iter().enumerate() {
            let compared = |a: &usize| {
                let loose = !unknown.is_empty();
                let ignored = loose && (pattern[*a] == UNKNOWN || unknown.contains(a));
                pattern[*a] != INDIFFERENT && !ignored
            };
            let attributes: Vec<usize> = (0..pattern.len()).filter(compared).collect();
            let key = attributes.iter().map(|&a| pattern[a]).collect();
            let place = *places.entry(attributes.clone()).or_insert_with(|| {
                tables.push(CoverTable { attributes, patterns: HashMap::new() });
                tables.len() - 1
            });
            tables[place].patterns.entry(key).or_default().push(id as u32);
        }
        tables
    }

    /// The patterns that cover a record, ascending.
    pub fn of(&self, codes: &[u32]) -> Vec<u32> {
        let mut found = Vec::new();
        let mut key = Vec::with_capacity(codes.len());
        for table in self.tables.get(&self.unknown(codes)).into_iter().flatten() {
            key.clear();
            key.extend(table.attributes.iter().map(|&a| codes[a]));
            found.extend(table.patterns.get(key.as_slice()).into_iter().flatten());
        }
        found.sort_unstable();
        found
    }

    /// The patterns that cover each of `tuples`.
    pub fn of_all(&self, tuples: &Tuples) -> Vec<Vec<u32>> {
        (0..tuples.len()).into_par_iter().map(|t| self.of(tuples.codes(t))).collect()
    }
}
