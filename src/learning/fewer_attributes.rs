//! What it brings to ignore attributes and to guess among the released records that are left equal.
//!
//! Weights of zero make records equal that others tell apart, and who guesses among t equal ones is
//! right once in t times. The bound of the worst case speaks of weights that tell a record and its
//! twins apart, so attackers with weights on a subset S of the attributes alone are bounded here.
//! Of record i, t(S) is the number of released records that are as far as its own on each attribute
//! of S. No weights on S find i when another record is nowhere farther and somewhere nearer on S;
//! else i counts at most 1 / t(S). Those of them that are told apart from all but their twins are
//! told apart by some positive weights, too, and together stay below the bound of the worst case.
//!
//! Not covered: weights under which unequal distances sum to the same, as in 1 + 2 = 2 + 1. Any
//! small change of the weights decides such a tie.

use super::PairRows;
use super::equal_numbers::EqualNumbers;
use crate::error::{Error, Result};
use crate::listener::Listener;
use rayon::prelude::*;

/// An upper bound for attackers who give weight to some attributes alone.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeSubset {
    /// The attributes, by their places among the weights.
    pub attributes: Vec<usize>,
    /// Right guesses on average that no generic weights on them exceed.
    pub upper_bound: f64,
}

/// The sums over records from which every subset is bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedGuesses {
    dimension: usize,
    /// False when only rows with equal numbers were looked at: who is found at all is not known.
    every_row: bool,
    /// By subset: what records count that may be found.
    may_be_found: Vec<u64>,
    /// The same, of those that tie with more than their twins.
    may_be_guessed: Vec<u64>,
    /// How many records there are.
    records: usize,
    /// What records count at most that tie with more than their twins on some attribute.
    ever_guessed: u64,
}

/// A record that is found for certain; sums of 2^27 records fit.
const RECORD: u64 = 1 << 36;

/// Steps that are spent on sums over subsets, at most; beyond only a coarse bound is made.
const MOST_STEPS: usize = 1 << 33;

/// Distances of which all are looked at; with more only those of numbers that may be equal.
const ALL_DISTANCES: usize = 200_000_000;

/// Distances that are looked at, at most: a minute's worth.
const MOST_DISTANCES: usize = 5_000_000_000;

impl SharedGuesses {
    /// Looks at the inequalities of `rows`. Fails when `listener` interrupts, and at once where
    /// that would take minutes.
    ///
    /// Cost: O(n²) inequalities, of large files those alone that hold equal numbers; and k 2^k
    /// steps a record for k attributes where these are at most 2^33 in all. Memory O(2^k)
    /// for each thread.
    pub fn of(rows: &PairRows<'_>, listener: &dyn Listener) -> Result<Self> {
        let distances = rows.rows_full().saturating_mul(rows.dimension());
        let equal = match distances > ALL_DISTANCES {
            true => rows.equal_numbers(),
            false => None,
        };
        if listener.interrupted() {
            return Err(Error::Interrupted);
        }
        let looked_at = match &equal {
            Some(equal) => equal.pairs(rows.own(), listener)?.saturating_mul(rows.dimension()),
            None => distances,
        };
        if looked_at > MOST_DISTANCES {
            return Err(Error::Interrupted);
        }
        let none = || Self::none(rows, equal.is_none());
        let add = |mut sums: Self, i: usize| {
            if listener.interrupted() {
                return Err(Error::Interrupted);
            }
            sums.add(rows, i, equal.as_ref());
            Ok(sums)
        };
        let records = (0..rows.blocks()).into_par_iter();
        records.try_fold(none, add).try_reduce(none, |a, b| Ok(a.and(&b)))
    }

    fn none(rows: &PairRows<'_>, every_row: bool) -> Self {
        let dimension = rows.dimension();
        let steps = (dimension << dimension.min(32)).saturating_mul(rows.blocks());
        let subsets = if dimension < 24 && steps <= MOST_STEPS { 1 << dimension } else { 0 };
        let sums = vec![0; subsets];
        Self {
            dimension,
            every_row,
            may_be_found: sums.clone(),
            may_be_guessed: sums,
            records: rows.blocks(),
            ever_guessed: 0,
        }
    }

    fn and(mut self, other: &Self) -> Self {
        let sum = |a: &mut Vec<u64>, b: &[u64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        sum(&mut self.may_be_found, &other.may_be_found);
        sum(&mut self.may_be_guessed, &other.may_be_guessed);
        self.ever_guessed += other.ever_guessed;
        self
    }

    fn add(&mut self, rows: &PairRows<'_>, i: usize, equal_numbers: Option<&EqualNumbers>) {
        let all = u64::MAX >> (64 - self.dimension);
        let subsets = self.may_be_found.len();
        let (mut equal, mut nowhere_farther) = (vec![0_u32; subsets], vec![0_u32; subsets]);
        let (mut twins, mut ties) = (1_u64, false);
        let see = |row: &[f64]| {
            let (zero, not_positive) = signs(row);
            twins += u64::from(zero == all);
            ties |= zero != 0 && zero != all;
            if subsets > 0 {
                equal[zero as usize] += 1;
                nowhere_farther[not_positive as usize] += 1;
            }
        };
        match equal_numbers {
            None => rows.each_row(i, see),
            Some(equal) => {
                let others = equal.of(i, rows.own()[i]);
                if others.is_empty() {
                    return;
                }
                rows.each_row_of(i, others.into_iter(), see);
            }
        }
        if ties {
            self.ever_guessed += RECORD.div_ceil(twins + 1);
        }
        sum_over_supersets(&mut equal);
        sum_over_supersets(&mut nowhere_farther);
        for subset in 1..subsets {
            if equal[subset] == nowhere_farther[subset] {
                let tied = u64::from(equal[subset]) + 1;
                let counts = RECORD.div_ceil(tied);
                self.may_be_found[subset] += counts;
                if tied > twins {
                    self.may_be_guessed[subset] += counts;
                }
            }
        }
    }

    /// Bounds closer than this, in records, are equal: shares of a record are rounded up.
    pub fn rounding(&self) -> f64 {
        (self.records + 1) as f64 / RECORD as f64
    }

    /// True when someone may be guessed on some subset.
    pub fn any(&self) -> bool {
        self.ever_guessed > 0
    }

    /// The subsets on which someone may be guessed, with their bounds, the greatest first, when no
    /// weights that tell records apart find more than `told_apart`.
    ///
    /// One bound for all, with every attribute, where there are too many subsets.
    pub fn subsets(&self, told_apart: f64) -> Vec<AttributeSubset> {
        let records = |units: u64| units as f64 / RECORD as f64;
        if self.may_be_found.is_empty() {
            let attributes = (0..self.dimension).collect();
            let upper_bound = told_apart + records(self.ever_guessed);
            let all = AttributeSubset { attributes, upper_bound };
            return self.any().then_some(all).into_iter().collect();
        }
        let bounded = |subset: usize| {
            let guessed = Some(self.may_be_guessed[subset]).filter(|guessed| *guessed > 0)?;
            let found = records(self.may_be_found[subset]);
            let attributes = (0..self.dimension).filter(|k| subset >> k & 1 == 1).collect();
            let with_guesses = told_apart + records(guessed);
            let upper_bound = if self.every_row { found.min(with_guesses) } else { with_guesses };
            Some(AttributeSubset { attributes, upper_bound })
        };
        let mut subsets: Vec<_> = (1..self.may_be_found.len()).filter_map(bounded).collect();
        subsets.sort_by(|a, b| b.upper_bound.total_cmp(&a.upper_bound));
        subsets
    }
}

/// The attributes where `row` is zero, and where it is not positive, as bits.
fn signs(row: &[f64]) -> (u64, u64) {
    row.iter().enumerate().fold((0, 0), |(zero, not_positive), (k, value)| {
        (zero | u64::from(*value == 0.0) << k, not_positive | u64::from(*value <= 0.0) << k)
    })
}

/// Each entry becomes the sum of those whose index holds all its bits.
fn sum_over_supersets(sums: &mut [u32]) {
    let mut bit = 1;
    while bit < sums.len() {
        for pair in sums.chunks_exact_mut(2 * bit) {
            let (without, with) = pair.split_at_mut(bit);
            without.iter_mut().zip(with).for_each(|(without, with)| *without += *with);
        }
        bit *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_over_supersets_counts_each_index_that_holds_the_bits() {
        let mut sums = [1, 2, 3, 4, 5, 6, 7, 8];
        sum_over_supersets(&mut sums);
        let slow = |s: usize| (0..8).filter(|t| t & s == s).map(|t| t as u32 + 1).sum::<u32>();
        assert_eq!(sums, std::array::from_fn(slow));
    }

    #[test]
    fn signs_are_told_by_bits() {
        assert_eq!(signs(&[0.0, -1.0, 2.0, -0.0]), (0b1001, 0b1011));
    }
}
