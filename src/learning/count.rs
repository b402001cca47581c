//! What an attacker who cannot tell some released records apart is counted for.

use crate::linkage::TieRule;
use crate::statistics::sum_of_shares;
use serde::{Deserialize, Serialize};

/// What the best weights maximize.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Count {
    /// Right guesses on average: a record that is told apart with its twins counts 1 / their number
    #[default]
    Expected,
    /// Records whose own released record alone is nearest, as in the studies of 2012
    Certain,
}

impl Count {
    /// What a tie counts in attacks that learn nothing.
    pub fn tie(self) -> TieRule {
        match self {
            Self::Expected => TieRule::Share,
            Self::Certain => TieRule::Miss,
        }
    }
}

/// What each record gains when it is told apart, in whole units, so that sums are exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gains {
    units: Vec<u64>,
    per_record: u64,
}

/// The most units in all, so that their sums are exact in every number that holds them.
const MOST: u64 = 1 << 52;

/// The most units of a record where the twins' numbers have no small common multiple.
const FINE: u64 = 1 << 40;

/// Common multiples up to here are taken as they are.
const SMALL: u64 = 1 << 20;

impl Gains {
    /// One for every record.
    pub fn certain(records: usize) -> Self {
        Self { units: vec![1; records], per_record: 1 }
    }

    /// One over the number of twins of each record, its own released record included.
    ///
    /// Exact where the numbers have a common multiple up to a million or so; else each gain is
    /// rounded up by less than a part of a billion, so that a bound on their sum stays one.
    pub fn expected(twins: &[u32]) -> Self {
        let fine = FINE.min(MOST / (twins.len() as u64).next_power_of_two());
        let per_record = common_multiple(twins).unwrap_or(fine);
        let units = twins.iter().map(|&t| per_record.div_ceil(u64::from(t.max(1)))).collect();
        Self { units, per_record }
    }

    /// The units of record `i`.
    pub fn units(&self, i: usize) -> u64 {
        self.units[i]
    }

    /// The units of a record that has no twins.
    pub fn per_record(&self) -> u64 {
        self.per_record
    }

    /// So many units as records.
    pub fn records(&self, units: u64) -> f64 {
        units as f64 / self.per_record as f64
    }
}

fn common_multiple(twins: &[u32]) -> Option<u64> {
    let mut multiple = 1;
    for &t in twins {
        let t = u64::from(t.max(1));
        multiple = multiple / greatest_common_divisor(multiple, t) * t;
        if multiple > SMALL {
            return None;
        }
    }
    Some(multiple)
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// How many of the records that are told apart with their twins an attacker guesses right on
/// average.
pub fn expected(told_apart: &[bool], twins: &[u32]) -> f64 {
    let told = told_apart.iter().zip(twins).filter(|(told, _)| **told);
    sum_of_shares(told.map(|(_, twins)| *twins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_exact_where_they_can_be_and_never_too_small() {
        let exact = Gains::expected(&[1, 2, 3, 4]);
        assert_eq!((exact.per_record, exact.units), (12, vec![12, 6, 4, 3]));
        let primes = [97, 89, 83, 79, 73, 71];
        let rounded = Gains::expected(&primes);
        assert_eq!(rounded.per_record, FINE);
        for (i, p) in primes.into_iter().enumerate() {
            assert!(rounded.units(i) * u64::from(p) >= FINE, "rounded up");
            assert!((rounded.units(i) - 1) * u64::from(p) < FINE, "by less than a unit");
        }
        assert_eq!(Gains::certain(2), Gains::expected(&[1, 1]));
    }

    #[test]
    fn guessing_among_twins_is_right_once_in_their_number() {
        let told = [true, true, true, false, true];
        assert_eq!(expected(&told, &[1, 2, 2, 1, 4]), 2.25);
    }
}
