//! How varied the sensitive values of one class are.
//!
//! A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-diversity:
//! privacy beyond k-anonymity", ACM TKDD 1 (2007), doi:10.1145/1217299.1217302.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How the diversity of some sensitive values is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
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
/// Adding, removing and asking cost O(1). Degrees that are whole numbers up to
/// rounding are whole numbers, so that they can be compared.
///
/// ```
/// use unmask::risk::{Diversity, LevelCounts};
///
/// let mut counts = LevelCounts::default();
/// [5, 3, 2].into_iter().for_each(|level| counts.add(level));
/// assert_eq!(counts.degree(Diversity::Distinct), 3.0);
/// assert_eq!(counts.degree(Diversity::Entropy), 3.0);
/// assert!(counts.degree_with(5, Diversity::Entropy) < 3.0);
/// ```
#[derive(Debug, Clone, Default)]
pub struct LevelCounts {
    counts: HashMap<u32, usize>,
    total: usize,
    /// Sum of c ln c over the counts c.
    c_ln_c: f64,
}

impl LevelCounts {
    /// Adds a record of `level`.
    pub fn add(&mut self, level: u32) {
        let count = self.counts.entry(level).or_default();
        self.c_ln_c += c_ln_c(*count + 1) - c_ln_c(*count);
        *count += 1;
        self.total += 1;
    }

    /// Takes out a record of `level` that was added before.
    pub fn remove(&mut self, level: u32) {
        let Some(count) = self.counts.get_mut(&level) else { return };
        self.c_ln_c += c_ln_c(*count - 1) - c_ln_c(*count);
        *count -= 1;
        self.total -= 1;
        if *count == 0 {
            self.counts.remove(&level);
        }
    }

    /// Adds all records of `other`.
    pub fn add_all(&mut self, other: &Self) {
        for (&level, &count) in &other.counts {
            (0..count).for_each(|_| self.add(level));
        }
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
        let count = self.counts.get(&level).copied().unwrap_or_default();
        match diversity {
            Diversity::Distinct => (self.counts.len() + usize::from(count == 0)) as f64,
            Diversity::Entropy => {
                exp_entropy(self.total + 1, self.c_ln_c + c_ln_c(count + 1) - c_ln_c(count))
            }
        }
    }
}

fn c_ln_c(count: usize) -> f64 {
    if count == 0 { 0.0 } else { count as f64 * (count as f64).ln() }
}

/// exp of the entropy of values that occur c times each, of `total` in all.
fn exp_entropy(total: usize, c_ln_c: f64) -> f64 {
    if total == 0 {
        return 0.0;
    }
    let degree = ((total as f64).ln() - c_ln_c / total as f64).exp();
    let whole = degree.round();
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
/// than c times as often as the l-th and all rarer ones together; at least 1.
pub(super) fn recursive_l(frequencies: &[usize], c: f64) -> usize {
    let most = frequencies[0] as f64;
    let mut tail = 0;
    for l in (2..=frequencies.len()).rev() {
        tail += frequencies[l - 1];
        if most < c * tail as f64 {
            return l;
        }
    }
    1
}
