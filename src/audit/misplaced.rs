//! Records whose released values are those of another one: rows that were moved, not protected.

use crate::dataset::{Attribute, Dataset, Values};
use crate::error::Result;
use serde::Serialize;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Fewer rows than this may be chance.
const FEW: usize = 10;

/// Records that differ from their own released record on two attributes or more, and those of them
/// whose released values are exactly those of one other original record.
///
/// Protection changes values, and a changed record is that of exactly one other person by chance
/// alone: where it lands among records at random, in at most 1/e of the cases. Rows that were moved
/// always are, wherever no two people are alike. So rows are doubted from half of the cases on.
/// Two attributes at least, since an attribute that is swapped by itself holds the values of others
/// by design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Misplaced {
    /// Records that differ on two attributes or more.
    pub changed: usize,
    /// Those of them that hold the values of exactly one other record.
    pub elsewhere: usize,
}

impl Misplaced {
    /// Compares the rows of both files, in the same order, on `attributes` and on all columns that
    /// both have; the one that shows more counts. Cost: O(n) for each column.
    pub fn among(files: [&Dataset; 2], attributes: &[String]) -> Result<Self> {
        let [original, released] = files;
        let shared = |a: &&Attribute| released.values(&a.name).is_ok();
        let all = original.attributes().iter().filter(shared).map(|a| a.name.clone());
        let found = Self::on(files, &all.collect::<Vec<_>>())?;
        let given = Self::on(files, attributes)?;
        Ok(if found.is_doubtful() { found } else { given })
    }

    fn on([original, released]: [&Dataset; 2], names: &[String]) -> Result<Self> {
        let mut rows = vec![(DefaultHasher::new(), DefaultHasher::new(), 0); original.records()];
        for name in names {
            let (before, after) = (original.values(name)?, released.values(name)?);
            for (i, (known, published, differ)) in rows.iter_mut().enumerate() {
                let cells = [cell(before, i), cell(after, i)];
                *differ += usize::from(cells[0] != cells[1]);
                cells[0].hash(known);
                cells[1].hash(published);
            }
        }
        let mut owners: HashMap<u64, usize> = HashMap::new();
        rows.iter().for_each(|row| *owners.entry(row.0.finish()).or_default() += 1);
        let changed = || rows.iter().filter(|row| row.2 >= 2);
        let elsewhere = changed().filter(|row| owners.get(&row.1.finish()) == Some(&1));
        Ok(Self { changed: changed().count(), elsewhere: elsewhere.count() })
    }

    /// True when more than half of the changed records hold the values of another one.
    pub fn is_doubtful(&self) -> bool {
        self.elsewhere >= FEW && 2 * self.elsewhere > self.changed
    }

    /// What that says.
    pub(super) fn sentence(&self) -> String {
        format!(
            "{} records hold exactly the values of one other record each, and {} hold other values: \
             rows seem to have been moved.",
            self.elsewhere,
            self.changed - self.elsewhere
        )
    }
}

/// What a cell holds, comparable between files.
fn cell(values: &Values, i: usize) -> Option<(u64, &str)> {
    match values {
        // 0 and -0 are one number.
        Values::Numeric(column) => column.get(i).map(|v| ((v + 0.0).to_bits(), "")),
        Values::Categorical(column) => column.get(i).map(|label| (0, label)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ReadOptions;
    use crate::protection::{ProtectionMethod, RankSwapping};

    fn survey() -> Dataset {
        Dataset::load("survey", &ReadOptions::default()).unwrap()
    }

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn rows_moved_among_neighbors_hold_the_values_of_others() {
        let survey = survey();
        let moved: Vec<usize> = (0..survey.records()).map(|i| i / 3 * 3 + (i + 1) % 3).collect();
        let moved = survey.select(&moved).unwrap();
        let found = Misplaced::among([&survey, &moved], &names(&["age", "sex"])).unwrap();
        assert!(found.is_doubtful(), "{found:?}");
        assert_eq!(found.elsewhere, survey.records());
    }

    #[test]
    fn swapped_values_are_no_moved_rows() {
        let census = Dataset::load("census", &ReadOptions::default()).unwrap();
        for attributes in [names(&["AGI"]), names(&["AGI", "FICA"])] {
            let method = RankSwapping::new(5.0);
            let swapped = method.protect(&census, &attributes, 1, &()).unwrap().released;
            let found = Misplaced::among([&census, &swapped], &attributes).unwrap();
            assert!(!found.is_doubtful(), "{attributes:?}: {found:?}");
        }
    }
}
