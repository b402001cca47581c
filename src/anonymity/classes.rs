//! Records that look the same on the quasi-identifiers.

use crate::dataset::{Attribute, CellMeaning, Dataset, Values};
use crate::error::{Error, Result};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// The records of a file divided by their values on the quasi-identifiers.
///
/// A missing value is a value of its own: it equals other missing values only. A
/// generalized value (`*`) matches every value: equal rows then make a pattern, and its
/// class is its covered set, the rows of all patterns that agree with it
/// wherever neither is generalized. Such classes overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EquivalenceClasses {
    /// Where the equal rows of each class start in `members`, and their end.
    starts: Vec<usize>,
    /// The records class by class, ascending.
    members: Vec<u32>,
    /// The patterns that agree with each; empty when nothing is generalized.
    matching: Vec<Vec<u32>>,
}

/// How many classes there are of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ClassSize {
    /// Records in such a class.
    pub size: usize,
    /// Number of such classes.
    pub classes: usize,
    /// Records whose class is of that size.
    pub records: usize,
}

impl EquivalenceClasses {
    /// The classes of `dataset` on the attributes `quasi`, in order of appearance.
    ///
    /// Fails on an unknown attribute, and when none is named. Cost: O(n) per attribute; with
    /// generalized values also patterns times different sets of generalized attributes.
    pub fn new<S: AsRef<str>>(dataset: &Dataset, quasi: &[S]) -> Result<Self> {
        let positions = dataset.positions(quasi)?;
        if positions.is_empty() {
            let problem = "no quasi-identifier; name them with `quasi`";
            return Err(Error::input(dataset.name(), problem));
        }
        let mut class_of = vec![0u32; dataset.records()];
        let attributes = positions.iter().map(|&p| &dataset.attributes()[p]);
        let columns: Vec<Vec<u64>> = attributes.map(codes).collect();
        columns.iter().for_each(|column| refine(&mut class_of, column));
        let mut classes = Self::from_numbers(&class_of);
        if columns.iter().any(|column| column.contains(&GENERALIZED)) {
            classes.matching = matching(&classes.patterns(&columns), GENERALIZED);
        }
        Ok(classes)
    }

    /// The codes of each class.
    fn patterns(&self, columns: &[Vec<u64>]) -> Vec<Vec<u64>> {
        let first = self.starts.iter().filter_map(|&start| self.members.get(start));
        first.map(|&i| columns.iter().map(|column| column[i as usize]).collect()).collect()
    }

    /// Groups records by class number; numbers are 0, 1, ... without gap.
    fn from_numbers(class_of: &[u32]) -> Self {
        let classes = class_of.iter().max().map_or(0, |m| *m as usize + 1);
        let mut starts = vec![0usize; classes + 1];
        class_of.iter().for_each(|&c| starts[c as usize + 1] += 1);
        (0..classes).for_each(|c| starts[c + 1] += starts[c]);
        let mut place = starts.clone();
        let mut members = vec![0u32; class_of.len()];
        for (i, &c) in class_of.iter().enumerate() {
            members[place[c as usize]] = i as u32;
            place[c as usize] += 1;
        }
        Self { starts, members, matching: Vec::new() }
    }

    /// The records of each class.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, [u32]>> {
        (0..self.len()).map(|class| match self.matching.get(class) {
            None => Cow::Borrowed(self.equal_rows(class)),
            Some(patterns) => {
                let rows = patterns.iter().flat_map(|&p| self.equal_rows(p as usize));
                Cow::Owned(rows.copied().collect())
            }
        })
    }

    /// The rows that are equal, class by class; generalized values equal one another only.
    pub(crate) fn equal_rows_of_each(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|class| self.equal_rows(class))
    }

    fn equal_rows(&self, class: usize) -> &[u32] {
        &self.members[self.starts[class]..self.starts[class + 1]]
    }

    /// Records in class `class`.
    fn size(&self, class: usize) -> usize {
        match self.matching.get(class) {
            None => self.equal_rows(class).len(),
            Some(patterns) => patterns.iter().map(|&p| self.equal_rows(p as usize).len()).sum(),
        }
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The least number of equal rows, where that is not the same as k: in a file with
    /// generalized values.
    pub fn fewest_equal_rows(&self) -> Option<usize> {
        let fewest = (0..self.len()).map(|class| self.equal_rows(class).len()).min();
        fewest.filter(|_| !self.matching.is_empty())
    }

    /// Never true: a file has records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The k of k-anonymity: the size of the smallest class.
    ///
    /// L. Sweeney, "k-anonymity: a model for protecting privacy" (2002),
    /// doi:10.1142/S0218488502001648.
    pub fn k(&self) -> usize {
        (0..self.len()).map(|class| self.size(class)).min().unwrap_or(0)
    }

    /// Number of records that are alone in their class.
    pub fn uniques(&self) -> usize {
        (0..self.len()).filter(|&class| self.size(class) == 1).count()
    }

    /// How many classes there are of each size, small ones first.
    pub fn sizes(&self) -> Vec<ClassSize> {
        let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for class in 0..self.len() {
            let (classes, records) = counts.entry(self.size(class)).or_default();
            *classes += 1;
            *records += self.equal_rows(class).len();
        }
        let one = |(size, (classes, records))| ClassSize { size, classes, records };
        counts.into_iter().map(one).collect()
    }
}

/// For each of `patterns` those that agree with it wherever neither is `any`, itself included.
///
/// Patterns are looked up by their values, one table for each set of generalized attributes.
fn matching(patterns: &[Vec<u64>], any: u64) -> Vec<Vec<u32>> {
    let mut kinds: BTreeMap<Vec<usize>, Vec<u32>> = BTreeMap::new();
    for (id, pattern) in patterns.iter().enumerate() {
        let known = (0..pattern.len()).filter(|&a| pattern[a] != any).collect();
        kinds.entry(known).or_default().push(id as u32);
    }
    let mut found = vec![Vec::new(); patterns.len()];
    for (known, own) in &kinds {
        for (other_known, others) in &kinds {
            let shared: Vec<usize> =
                known.iter().copied().filter(|a| other_known.contains(a)).collect();
            let key = |id: &u32| -> Vec<u64> {
                shared.iter().map(|&a| patterns[*id as usize][a]).collect()
            };
            let mut table: HashMap<Vec<u64>, Vec<u32>> = HashMap::new();
            others.iter().for_each(|id| table.entry(key(id)).or_default().push(*id));
            for id in own {
                found[*id as usize].extend(table.get(&key(id)).into_iter().flatten());
            }
        }
    }
    found
}

/// Divides classes by `codes`, new ones numbered in order of appearance.
fn refine(class_of: &mut [u32], codes: &[u64]) {
    let mut numbers: HashMap<(u32, u64), u32> = HashMap::new();
    for (class, &code) in class_of.iter_mut().zip(codes) {
        let next = numbers.len() as u32;
        *class = *numbers.entry((*class, code)).or_insert(next);
    }
}

/// The code of a missing value, and that of a generalized one: NaN patterns, which no number has.
const MISSING: u64 = u64::MAX;
const GENERALIZED: u64 = u64::MAX - 1;

/// By label: the first that stands for the same, however it is written (`20-29`, `[20, 29]`).
fn label_codes(labels: &[String]) -> Vec<u64> {
    let mut first: HashMap<String, u64> = HashMap::new();
    let written = labels.iter().map(|label| CellMeaning::read(label).to_string());
    written.zip(0u64..).map(|(text, code)| *first.entry(text).or_insert(code)).collect()
}

/// A number per record, equal where the values are.
fn codes(attribute: &Attribute) -> Vec<u64> {
    let labels = match &attribute.values {
        Values::Numeric(_) => Vec::new(),
        Values::Categorical(column) => label_codes(column.labels()),
    };
    let code = |i: usize| match &attribute.values {
        _ if attribute.is_generalized(i) => GENERALIZED,
        // Adding 0 makes -0 and 0 one value.
        Values::Numeric(column) => column.get(i).map_or(MISSING, |v| (v + 0.0).to_bits()),
        Values::Categorical(column) => column.code(i).map_or(MISSING, |c| labels[c as usize]),
    };
    (0..attribute.len()).map(code).collect()
}
