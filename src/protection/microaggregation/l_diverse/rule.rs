//! What every group must have, and which records bring it there.

use super::super::parts::levels_of;
use super::super::{GroupRule, Tally};
use crate::anonymity::{Diversity, LevelCounts};
use crate::spatial::ANY;
use std::collections::HashMap;

/// What every group must have: `k` records, and diversity `l` on each sensitive attribute.
#[derive(Debug, Clone)]
pub struct DiversityRule {
    l: f64,
    k: usize,
    diversity: Diversity,
    /// The level of each record, sensitive attribute by sensitive attribute.
    levels: Vec<Vec<u32>>,
    /// A number below 64 for each record, the same where all levels are; empty where
    /// there are more combinations.
    pub(super) labels: Vec<u8>,
    /// A record of each label.
    examples: Vec<u32>,
}

impl GroupRule for DiversityRule {
    fn smallest(&self) -> usize {
        self.k
    }

    fn levels(&self) -> &[Vec<u32>] {
        &self.levels
    }

    fn allows(&self, group: &Tally) -> bool {
        group.records >= self.k && self.is_diverse(group)
    }

    fn spares(&self, group: &Tally, record: u32) -> bool {
        let without = |(counts, levels): (&LevelCounts, &Vec<u32>)| {
            counts.degree_without(levels[record as usize], self.diversity)
        };
        group.records > self.k
            && group.counts.iter().zip(&self.levels).map(without).all(|degree| degree >= self.l)
    }

    /// Whether the group becomes more diverse with `record`, or stays diverse if it is.
    fn wants(&self, group: &Tally, record: u32) -> bool {
        self.wants_at(&self.degrees(group), group, record)
    }

    /// Two groups of l levels each need 2l in all, a level counting twice at most.
    fn is_full(&self, group: &Tally) -> bool {
        let enough = |counts: &LevelCounts| match self.diversity {
            Diversity::Distinct => counts.levels_in_two() as f64 + 1.0 >= 2.0 * self.l,
            Diversity::Entropy => true,
        };
        group.records + 1 >= 2 * self.k && group.counts.iter().all(enough)
    }
}

/// Degrees that differ by less are equal.
const ROUNDING: f64 = 1e-9;

impl DiversityRule {
    /// The rule for records whose levels on each sensitive attribute are `levels`.
    pub fn new(l: usize, k: usize, diversity: Diversity, levels: Vec<Vec<u32>>) -> Self {
        let (labels, examples) = labels(&levels);
        Self { l: l as f64, k, diversity, levels, labels, examples }
    }

    /// The same rule for groups of `records` alone, by their places among these.
    pub(super) fn of(&self, records: &[u32]) -> Self {
        let levels = levels_of(&self.levels, records);
        let (labels, examples) = labels(&levels);
        Self { levels, labels, examples, ..*self }
    }

    /// True when a group of `records` is large and diverse enough.
    pub fn is_met(&self, records: &[u32]) -> bool {
        self.allows(&Tally::of(records, &self.levels))
    }

    /// The degree on each attribute.
    pub(super) fn degrees(&self, tally: &Tally) -> Vec<f64> {
        tally.counts.iter().map(|counts| counts.degree(self.diversity)).collect()
    }

    /// The degree on each attribute after `record` joined.
    fn degrees_with<'t>(&'t self, tally: &'t Tally, record: u32) -> impl Iterator<Item = f64> + 't {
        tally.counts.iter().zip(&self.levels).map(move |(counts, levels)| {
            counts.degree_with(levels[record as usize], self.diversity)
        })
    }

    /// [`GroupRule::wants`] for a group whose degrees are `now`.
    pub(super) fn wants_at(&self, now: &[f64], tally: &Tally, record: u32) -> bool {
        match now.iter().all(|degree| *degree >= self.l) {
            true => self.is_diverse_with(tally, record),
            false => self.is_raised_by(now, tally, record),
        }
    }

    /// How many labels there are.
    pub(super) fn label_count(&self) -> usize {
        self.examples.len()
    }

    pub(super) fn is_diverse(&self, tally: &Tally) -> bool {
        tally.counts.iter().all(|counts| counts.degree(self.diversity) >= self.l)
    }

    pub(super) fn is_diverse_with(&self, tally: &Tally, record: u32) -> bool {
        self.degrees_with(tally, record).all(|after| after >= self.l)
    }

    /// Whether no record lowers the diversity of a group that it joins.
    pub(super) fn only_rises(&self) -> bool {
        self.diversity == Diversity::Distinct
    }

    fn is_raised_by(&self, now: &[f64], tally: &Tally, record: u32) -> bool {
        let degrees = now.iter().zip(self.degrees_with(tally, record));
        let gain: f64 = degrees.map(|(now, after)| after.min(self.l) - now.min(self.l)).sum();
        gain > ROUNDING
    }

    /// Whether `record` lowers no degree of a group whose degrees are `now`.
    pub(super) fn is_not_lowered_by(&self, now: &[f64], tally: &Tally, record: u32) -> bool {
        now.iter().zip(self.degrees_with(tally, record)).all(|(now, after)| after >= now - ROUNDING)
    }

    /// The labels whose records pass `test`, a bit each; all where there are no labels.
    pub(super) fn passing(&self, test: impl Fn(u32) -> bool) -> u64 {
        if self.labels.is_empty() {
            return ANY;
        }
        let bit = |(label, &example): (usize, &u32)| u64::from(test(example)) << label;
        self.examples.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
    }
}

/// A label for each record and a record of each label; nothing when there are over 64.
fn labels(levels: &[Vec<u32>]) -> (Vec<u8>, Vec<u32>) {
    let records = levels.first().map_or(0, Vec::len);
    let mut numbers: HashMap<Vec<u32>, u8> = HashMap::new();
    let (mut labels, mut examples) = (Vec::with_capacity(records), Vec::new());
    for record in 0..records {
        let combination: Vec<u32> = levels.iter().map(|of| of[record]).collect();
        let next = numbers.len() as u8;
        let label = *numbers.entry(combination).or_insert(next);
        if label == next {
            examples.push(record as u32);
        }
        labels.push(label);
        if numbers.len() > 64 {
            return (Vec::new(), Vec::new());
        }
    }
    (labels, examples)
}
