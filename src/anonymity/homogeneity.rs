//! Classes that give their sensitive value away.

use super::classes::EquivalenceClasses;
use super::sensitive::{Levels, SensitiveValues};
use crate::dataset::Dataset;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// How many of how many things are disclosed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disclosed {
    /// Disclosed.
    pub disclosed: usize,
    /// In all.
    pub of: usize,
}

impl Disclosed {
    /// The share disclosed; 0 when there is nothing.
    pub fn rate(&self) -> f64 {
        if self.of == 0 { 0.0 } else { self.disclosed as f64 / self.of as f64 }
    }
}

/// What a homogeneity attack learns from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Homogeneity {
    /// Classes in which all records that have a sensitive value have the same, of all classes.
    pub classes: Disclosed,
    /// Records with a value in such classes, of all records.
    pub records: Disclosed,
}

/// The classes of equal quasi-identifiers whose sensitive level is certain.
///
/// Attacker: knows the quasi-identifiers of a person as they are released, and so
/// the class. Truth: the sensitive attribute, on levels as in
/// [`SensitiveValues::new`]. A class of one record is certain; there are no ties.
/// Missing: no value, neither one that is certain nor one that makes others uncertain. Cost: O(n log n). Source: A. Machanavajjhala, D.
/// Kifer, J. Gehrke, M. Venkitasubramaniam, "l-diversity: privacy beyond
/// k-anonymity", ACM TKDD 1 (2007), doi:10.1145/1217299.1217302.
pub fn homogeneity_attack<S: AsRef<str>>(
    file: &Dataset,
    quasi: &[S],
    sensitive: &str,
    levels: Option<Levels>,
) -> Result<Homogeneity> {
    let classes = EquivalenceClasses::new(file, quasi)?;
    let values = SensitiveValues::new(file, sensitive, levels)?;
    Ok(Homogeneity::of(&classes, &values))
}

impl Homogeneity {
    /// What the attack learns from `classes` about `values`.
    pub(crate) fn of(classes: &EquivalenceClasses, values: &SensitiveValues) -> Self {
        let is_certain = |class: &[u32]| {
            let codes = values.of(class);
            let present = values.present(&codes);
            !present.is_empty() && present.first() == present.last()
        };
        let with_value =
            |rows: &[u32]| rows.iter().filter(|record| values.has_value(**record)).count();
        // Covered sets overlap, so records are counted by their own rows.
        let rows = classes.iter().zip(classes.equal_rows_of_each());
        let certain: Vec<usize> =
            rows.filter(|(class, _)| is_certain(class)).map(|(_, rows)| with_value(rows)).collect();
        let records = classes.equal_rows_of_each().map(<[u32]>::len).sum();
        Self {
            classes: Disclosed { disclosed: certain.len(), of: classes.len() },
            records: Disclosed { disclosed: certain.iter().sum(), of: records },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ReadOptions;

    #[test]
    fn a_class_with_one_level_is_certain_and_one_with_two_is_not() {
        let text = b"q,s\n1,10\n1,11\n2,10\n2,90\n3,50\n";
        let file = Dataset::from_csv("example", text, &ReadOptions::default()).unwrap();
        let levels = Some(Levels { count: 4, rule: Default::default() });
        let by_level = homogeneity_attack(&file, &["q"], "s", levels).unwrap();
        assert_eq!(by_level.classes, Disclosed { disclosed: 2, of: 3 });
        assert_eq!(by_level.records, Disclosed { disclosed: 3, of: 5 });
        let by_value = homogeneity_attack(&file, &["q"], "s", None).unwrap();
        assert_eq!(by_value.classes.disclosed, 1, "10 and 11 differ as values");
    }

    #[test]
    fn a_missing_value_makes_no_class_diverse_and_is_itself_not_certain() {
        let text = b"q,s\n1,flu\n1,flu\n1,\n2,flu\n2,cold\n2,\n3,\n3,\n";
        let file = Dataset::from_csv("example", text, &ReadOptions::default()).unwrap();
        let found = homogeneity_attack(&file, &["q"], "s", None).unwrap();
        assert_eq!(found.classes, Disclosed { disclosed: 1, of: 3 });
        assert_eq!(found.records, Disclosed { disclosed: 2, of: 8 });
    }

    #[test]
    fn a_record_under_several_patterns_counts_once() {
        let text = b"q,r,s\n1,*,a\n*,2,a\n1,2,a\n3,3,b\n3,3,c\n";
        let file = Dataset::from_csv("example", text, &ReadOptions::default()).unwrap();
        let found = homogeneity_attack(&file, &["q", "r"], "s", None).unwrap();
        assert_eq!(found.classes, Disclosed { disclosed: 3, of: 4 });
        assert_eq!(found.records, Disclosed { disclosed: 3, of: 5 });
    }
}
