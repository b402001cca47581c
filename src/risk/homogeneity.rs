//! Classes that give their sensitive value away.

use super::classes::EquivalenceClasses;
use super::disclosure::Disclosed;
use super::sensitive::{Levels, SensitiveValues};
use crate::dataset::Dataset;
use crate::error::Result;
use serde::Serialize;
use std::borrow::Cow;

/// What a homogeneity attack learns from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Homogeneity {
    /// Classes in which all records have the same sensitive value, of all classes.
    pub classes: Disclosed,
    /// Records in such classes, of all records.
    pub records: Disclosed,
}

/// The classes of equal quasi-identifiers whose sensitive level is certain.
///
/// Attacker: knows the quasi-identifiers of a person as they are released, and so
/// the class. Truth: the sensitive attribute, on levels as in
/// [`SensitiveValues::new`]. A class of one record is certain; there are no ties.
/// Missing: a value of its own. Cost: O(n log n). Source: A. Machanavajjhala, D.
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
    let is_certain = |class: &Cow<'_, [u32]>| {
        let codes = values.of(class);
        codes.first() == codes.last()
    };
    let certain: Vec<Cow<'_, [u32]>> = classes.iter().filter(is_certain).collect();
    Ok(Homogeneity {
        classes: Disclosed { disclosed: certain.len(), of: classes.len() },
        records: Disclosed {
            disclosed: certain.iter().map(|class| class.len()).sum(),
            of: file.records(),
        },
    })
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
}
