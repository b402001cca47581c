//! Confidential values that a class of equal released records gives away.

use crate::anonymity::{EquivalenceClasses, Homogeneity, SensitiveValues};
use crate::dataset::Role;
use crate::error::Result;
use crate::linkage::Release;
use crate::words::{isolated, short_percent};
use serde::Serialize;

/// How many people's confidential value is certain once their class is found.
///
/// A class is the released records with the same values on the attacked attributes; the value is
/// certain where the class has only one, as always in a class of one record. Missing values
/// count for nothing. What is counted is [`Homogeneity`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CertainValues {
    /// The confidential attribute.
    pub attribute: String,
    /// People whose value is certain.
    pub certain: usize,
    /// People in the release.
    pub of: usize,
    /// `certain` as a share of `of`.
    pub share: f64,
}

impl CertainValues {
    /// One for each confidential attribute of the release that is not attacked itself, in file
    /// order; none where nothing is attacked.
    ///
    /// Fails on an attacked attribute that the release lacks. Cost: O(n log n) for each.
    pub fn of(release: &Release, attacked: &[String]) -> Result<Vec<Self>> {
        Self::of_attributes(release, attacked, &confidential(release, attacked))
    }

    /// The same for the attributes `confidential` of the release, whatever their role.
    pub fn of_attributes(
        release: &Release,
        attacked: &[String],
        confidential: &[String],
    ) -> Result<Vec<Self>> {
        if attacked.is_empty() || confidential.is_empty() {
            return Ok(Vec::new());
        }
        let released = release.released();
        let classes = EquivalenceClasses::new(released, attacked)?;
        let certain = |name: &String| {
            let values = SensitiveValues::new(released, name, None)?;
            Ok(Self::new(name, &Homogeneity::of(&classes, &values)))
        };
        confidential.iter().map(certain).collect()
    }

    /// What the homogeneity attack on `attribute` learned.
    pub fn new(attribute: &str, found: &Homogeneity) -> Self {
        Self {
            attribute: attribute.to_owned(),
            certain: found.records.disclosed,
            of: found.records.of,
            share: found.records.rate(),
        }
    }

    /// What it means, where anything is certain.
    pub fn sentence(&self) -> Option<String> {
        let people = if self.certain == 1 { "person" } else { "people" };
        let sentence = || {
            format!(
                "{} is certain for {} {people} of {} ({}): all released records that look like \
                 theirs have the same value.",
                isolated(&self.attribute),
                self.certain,
                self.of,
                short_percent(self.share)
            )
        };
        (self.certain > 0).then(sentence)
    }
}

/// The confidential columns of the release, by their role in either file, that are not attacked and
/// hold a value that somebody could learn.
pub(super) fn confidential(release: &Release, attacked: &[String]) -> Vec<String> {
    let mut names = release.released().names();
    let marked = [release.original(), release.released()].map(|f| f.names_with(Role::Confidential));
    let marked = marked.concat();
    names.retain(|name| marked.contains(name) && !attacked.contains(name));
    let is_blank = |name: &String| {
        release.released().attributes().iter().any(|a| a.name == *name && a.is_blank())
    };
    names.retain(|name| !is_blank(name));
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Dataset, ReadOptions};

    fn release() -> Release {
        let text = b"q,s,t\n1,a,5\n1,a,6\n2,a,7\n2,b,7\n3,c,8\n";
        let file = Dataset::from_csv("example", text, &ReadOptions::default()).unwrap();
        let confidential = |name| {
            let mut file = file.clone();
            file.set_role(&[name], Role::Confidential).unwrap();
            file
        };
        Release::by_row(confidential("s"), confidential("t")).unwrap()
    }

    #[test]
    fn the_role_in_either_file_counts_and_so_does_a_class_of_one() {
        let found = CertainValues::of(&release(), &["q".to_owned()]).unwrap();
        let shown = |c: &CertainValues| (c.attribute.clone(), c.certain, c.of);
        let found: Vec<_> = found.iter().map(shown).collect();
        assert_eq!(found, [("s".to_owned(), 3, 5), ("t".to_owned(), 3, 5)]);
    }

    #[test]
    fn an_attacked_attribute_is_known_already() {
        let attacked = ["q", "s"].map(String::from);
        let found = CertainValues::of(&release(), &attacked).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].attribute, "t");
    }

    #[test]
    fn one_person_is_a_person_and_nobody_is_not_spoken_of() {
        let of = |certain| CertainValues {
            attribute: "s".into(),
            certain,
            of: 8,
            share: certain as f64 / 8.0,
        };
        let one = of(1).sentence().unwrap();
        assert!(one.starts_with("s is certain for 1 person of 8 (12.5%): "), "{one}");
        assert_eq!(of(0).sentence(), None);
    }
}
