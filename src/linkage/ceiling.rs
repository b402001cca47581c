//! What nobody who looks at some attributes can find more than.

use super::Release;
use crate::anonymity::EquivalenceClasses;
use crate::error::Result;
use crate::statistics::sum_of_shares;
use crate::words::whole_where_possible;
use serde::Serialize;

/// The right guesses on average that no attacker who looks at some released columns exceeds,
/// whatever his method, his knowledge of the originals and his distances.
///
/// Released records that are equal on these columns cannot be told apart by them: who looks for a
/// person whose record is one of t equal ones is right at most once in t times, as the order of the
/// rows tells nothing. Claim: the sum of 1/t over the targets. Cost: O(n) a column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ceiling {
    /// Right guesses on average, at most.
    #[serde(serialize_with = "whole_where_possible")]
    pub expected: f64,
    /// Targets whose released record is equal to no other: nobody else is found for certain.
    pub certain: usize,
    /// Targets, those without a released record included.
    pub of: usize,
    /// `expected` as a share of `of`.
    pub rate: f64,
}

impl Ceiling {
    /// The ceiling of who looks at the released columns `names`.
    pub fn of<S: AsRef<str>>(release: &Release, names: &[S]) -> Result<Self> {
        let classes = EquivalenceClasses::new(release.released(), names)?;
        let mut equal = vec![0u32; release.released().records()];
        for rows in classes.equal_rows_of_each() {
            rows.iter().for_each(|&j| equal[j as usize] = rows.len() as u32);
        }
        let own = || release.own().iter().map(|&j| equal[j as usize]);
        let (expected, of) = (sum_of_shares(own()), release.records() + release.absent());
        let certain = own().filter(|t| *t == 1).count();
        Ok(Self { expected, certain, of, rate: expected / of as f64 })
    }
}
