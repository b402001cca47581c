//! How varied the sensitive values of one class are.
//!
//! A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-diversity:
//! privacy beyond k-anonymity", ACM TKDD 1 (2007), doi:10.1145/1217299.1217302.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// How the diversity of some sensitive values is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Diversity {
    /// The number of different values
    #[default]
    Distinct,
    /// exp of the entropy of the values: the number of equally frequent values that
    /// are as uncertain
    Entropy,
}

/// How often each level of a sensitive attribute occurs in a set of records.
///
/// Adding, removing and asking cost O(log levels), and nothing depends on the order of adding
/// but rounding. Degrees that are whole numbers up to
/// rounding are whole numbers, so that they can be compared.
///
/// ```
/// use unmask::anonymity::{Diversity, LevelCounts};
///
/// let mut counts = LevelCounts::default();
/// [5, 3, 2].into_iter().for_each(|level| counts.add(level));
/// assert_eq!(counts.degree(Diversity::Distinct), 3.0);
/// assert_eq!(counts.degree(Diversity::Entropy), 3.0);
/// assert!(counts.degree_with(5, Diversity::Entropy) < 3.0);
/// ```
#[derive(Debug, Clone, Default)]
pub struct LevelCounts {
    counts: BTreeMap<u32, usize>,
    total: usize,
    /// Levels that occur more than once.
    repeated: usize,
    /// Sum of c ln c over the counts c.
    c_ln_c: f64,
}

impl LevelCounts {
    /// Adds a record of `level`.
    pub fn add(&mut self, level: u32) {
        let count = self.counts.entry(level).or_default();
        self.c_ln_c += c_ln_c(*count + 1) - c_ln_c(*count);
        *count += 1;
        self.repeated += usize::from(*count == 2);
        self.total += 1;
    }

    /// Takes out a record of `level` that was added before.
    pub fn remove(&mut self, level: u32) {
        let Some(count) = self.counts.get_mut(&level) else { return };
        self.c_ln_c += c_ln_c(*count - 1) - c_ln_c(*count);
        *count -= 1;
        self.repeated -= usize::from(*count == 1);
        self.total -= 1;
        if *count == 0 {
            self.counts.remove(&level);
        }
    }

    /// How often `level` occurs.
    pub fn count(&self, level: u32) -> usize {
        self.counts.get(&level).copied().unwrap_or_default()
    }

    /// The most levels that two parts of the records can have together.
    pub fn levels_in_two(&self) -> usize {
        self.counts.len() + self.repeated
    }

    /// The diversity degree; 0 for no record.
    pub fn degree(&self, diversity: Diversity) -> f64 {
        match diversity {
            Diversity::Distinct => self.counts.len() as f64,
            Diversity::Entropy => exp_entropy(self.total, self.c_ln_c),
        }
    }

    /// The diversity degree after one more record of `level`.
    pub fn degree_with(&self, level: u32, diversity: Diversity) -> f64 {
        let count = self.count(level);
        match diversity {
            Diversity::Distinct => (self.counts.len() + usize::from(count == 0)) as f64,
            Diversity::Entropy => {
                exp_entropy(self.total + 1, self.c_ln_c + c_ln_c(count + 1) - c_ln_c(count))
            }
        }
    }

    /// The diversity degree without one of the records of `level`.
    pub fn degree_without(&self, level: u32, diversity: Diversity) -> f64 {
        let count = self.count(level);
        if count == 0 {
            return self.degree(diversity);
        }
        match diversity {
            Diversity::Distinct => (self.counts.len() - usize::from(count == 1)) as f64,
            Diversity::Entropy => {
                exp_entropy(self.total - 1, self.c_ln_c + c_ln_c(count - 1) - c_ln_c(count))
            }
        }
    }
}

fn c_ln_c(count: usize) -> f64 {
    count as f64 * ln(count)
}

/// ln of a count, 0 for 0; small ones, which are asked for most, are looked up.
fn ln(count: usize) -> f64 {
    static SMALL: LazyLock<Vec<f64>> =
        LazyLock::new(|| (0..256).map(|count: u32| f64::from(count.max(1)).ln()).collect());
    SMALL.get(count).copied().unwrap_or_else(|| (count as f64).ln())
}

/// exp of the entropy of values that occur c times each, of `total` in all.
fn exp_entropy(total: usize, c_ln_c: f64) -> f64 {
    if total == 0 {
        return 0.0;
    }
    let degree = (ln(total) - c_ln_c / total as f64).exp();
    // Degrees are small and positive; without SSE4.1 `round` is a call.
    let whole = (degree + 0.5) as u32 as f64;
    if (degree - whole).abs() < ROUNDING { whole } else { degree }
}

/// Degrees closer to a whole number than this are that number.
const ROUNDING: f64 = 1e-9;

/// How often each value occurs in a sorted list, most frequent first.
pub(crate) fn frequencies(sorted: &[u32]) -> Vec<usize> {
    let mut counts: Vec<usize> = sorted.chunk_by(|a, b| a == b).map(<[u32]>::len).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
}

/// exp of the entropy of the values: the l of entropy l-diversity.
pub(crate) fn entropy_l(frequencies: &[usize]) -> f64 {
    let sum = frequencies.iter().map(|&count| c_ln_c(count)).sum();
    exp_entropy(frequencies.iter().sum(), sum)
}

/// The largest l of recursive (c, l)-diversity: the most frequent value occurs less
/// than c times as often as the l-th and all rarer ones together; at least 1, and 0 without values.
pub(super) fn recursive_l(frequencies: &[usize], c: f64) -> usize {
    let Some(most) = frequencies.first().map(|most| *most as f64) else { return 0 };
    let mut tail = 0;
    for l in (2..=frequencies.len()).rev() {
        tail += frequencies[l - 1];
        if most < c * tail as f64 {
            return l;
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts_of(levels: &[u32]) -> LevelCounts {
        let mut counts = LevelCounts::default();
        levels.iter().for_each(|&level| counts.add(level));
        counts
    }

    proptest! {
        #[test]
        fn what_would_be_is_what_comes_to_be(levels in prop::collection::vec(0u32..5, 1..30), next in 0u32..6) {
            for diversity in [Diversity::Distinct, Diversity::Entropy] {
                let mut counts = counts_of(&levels);
                let (with, without) =
                    (counts.degree_with(next, diversity), counts.degree_without(levels[0], diversity));
                counts.remove(levels[0]);
                prop_assert!((counts.degree(diversity) - without).abs() < 1e-9);
                counts.add(levels[0]);
                counts.add(next);
                prop_assert!((counts.degree(diversity) - with).abs() < 1e-9);
                let anew = counts_of(&[&levels[..], &[next]].concat());
                prop_assert!((counts.degree(diversity) - anew.degree(diversity)).abs() < 1e-9);
                prop_assert_eq!(counts.levels_in_two(), anew.levels_in_two());
            }
        }

        #[test]
        fn two_parts_have_no_more_levels_than_promised(
            levels in prop::collection::vec(0u32..5, 1..12), side in any::<u16>()
        ) {
            let part = |which: bool| -> Vec<u32> {
                let chosen = levels.iter().enumerate().filter(|(i, _)| (side >> i & 1 == 1) == which);
                chosen.map(|(_, level)| *level).collect()
            };
            let degree = |part: Vec<u32>| counts_of(&part).degree(Diversity::Distinct);
            let both = degree(part(false)) + degree(part(true));
            prop_assert!(both <= counts_of(&levels).levels_in_two() as f64);
        }
    }
}
