//! Records that look the same on the quasi-identifiers.

use crate::dataset::{Attribute, Dataset, Values};
use crate::error::{Error, Result};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// The records of a file divided by their values on the quasi-identifiers.
///
/// A missing value is a value of its own: it equals other missing values only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EquivalenceClasses {
    /// Where each class starts in `members`, and their end.
    starts: Vec<usize>,
    /// The records class by class, ascending.
    members: Vec<u32>,
}

/// How many classes there are of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ClassSize {
    /// Records in such a class.
    pub size: usize,
    /// Number of such classes.
    pub classes: usize,
}

impl EquivalenceClasses {
    /// The classes of `dataset` on the attributes `quasi`, in order of appearance.
    ///
    /// Fails on an unknown attribute, and when none is named. Cost: O(n) per attribute.
    pub fn new<S: AsRef<str>>(dataset: &Dataset, quasi: &[S]) -> Result<Self> {
        let positions = dataset.positions(quasi)?;
        if positions.is_empty() {
            let problem = "no quasi-identifier; name them with --quasi";
            return Err(Error::input(dataset.name(), problem));
        }
        let mut class_of = vec![0u32; dataset.records()];
        for position in positions {
            refine(&mut class_of, &codes(&dataset.attributes()[position]));
        }
        Ok(Self::from_numbers(&class_of))
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
        Self { starts, members }
    }

    /// The records of each class.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.members[ends[0]..ends[1]])
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
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
        self.iter().map(<[u32]>::len).min().unwrap_or(0)
    }

    /// Number of records that are alone in their class.
    pub fn uniques(&self) -> usize {
        self.iter().filter(|class| class.len() == 1).count()
    }

    /// How many classes there are of each size, small ones first.
    pub fn sizes(&self) -> Vec<ClassSize> {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        self.iter().for_each(|class| *counts.entry(class.len()).or_default() += 1);
        counts.into_iter().map(|(size, classes)| ClassSize { size, classes }).collect()
    }
}

/// Divides classes by `codes`, new ones numbered in order of appearance.
fn refine(class_of: &mut [u32], codes: &[u64]) {
    let mut numbers: HashMap<(u32, u64), u32> = HashMap::new();
    for (class, &code) in class_of.iter_mut().zip(codes) {
        let next = numbers.len() as u32;
        *class = *numbers.entry((*class, code)).or_insert(next);
    }
}

/// A number per record, equal where the values are.
fn codes(attribute: &Attribute) -> Vec<u64> {
    match &attribute.values {
        // Adding 0 makes -0 and 0 one value; a NaN pattern stands for missing.
        Values::Numeric(column) => {
            column.iter().map(|v| v.map_or(u64::MAX, |v| (v + 0.0).to_bits())).collect()
        }
        Values::Categorical(column) => {
            let code = |i| column.code(i).map_or(u64::MAX, u64::from);
            (0..column.len()).map(code).collect()
        }
    }
}
