//! Which records have values on the same attributes, and what is made missing so that enough do.
//!
//! A missing cell of a release is a value of its own: records look the same only when they
//! are missing on the same attributes. So records are grouped within their pattern of missing
//! cells, and a pattern of too few records is given up: its records and the fewest needed of
//! another pattern, those nearest to them, become missing wherever one of the two patterns
//! is. Of all other patterns that with which the fewest cells are lost is taken. Which merges
//! would lose the fewest cells in all is a hard problem (it contains k-anonymity by suppression:
//! A. Meyerson, R. Williams, "On the complexity of optimal k-anonymity", PODS 2004,
//! doi:10.1145/1055558.1055591); this is greedy.

use super::{GroupRule, Tally};
use crate::distance::IncompletePoints;
use rayon::prelude::*;
use std::collections::HashMap;

/// Some of the attributes of a block, a bit each.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct AttributeSet(Vec<u64>);

impl AttributeSet {
    /// The attributes that `record` has.
    fn of(points: &IncompletePoints, record: u32) -> Self {
        let mut set = Self(vec![0; points.attributes().div_ceil(64)]);
        let known = (0..points.attributes()).filter(|&a| points.knows(record, a));
        known.for_each(|a| set.0[a / 64] |= 1 << (a % 64));
        set
    }

    /// The attributes that all of `records`, at least one, have.
    pub fn of_all(points: &IncompletePoints, records: &[u32]) -> Self {
        let sets = records.iter().map(|&record| Self::of(points, record));
        sets.reduce(|all, one| all.and(&one)).unwrap_or(Self(Vec::new()))
    }

    fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn count_with(&self, other: &Self) -> usize {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// The attributes, ascending.
    pub fn list(&self) -> Vec<usize> {
        let has = |a: &usize| self.0[a / 64] >> (a % 64) & 1 == 1;
        (0..64 * self.0.len()).filter(has).collect()
    }
}

/// Records that are grouped on the same attributes, which all of them have.
pub(super) struct Pattern {
    pub known: AttributeSet,
    pub records: Vec<u32>,
    tally: Tally,
    /// Whether the records could be one group.
    is_allowed: bool,
}

/// The patterns of all records of `points`, each of which keeps `rule`, as the whole file does:
/// their records ascending, the patterns by their first record.
///
/// Cost: O(n) per attribute, then O(p²) comparisons of p patterns, and a sort of the records of
/// another pattern for each that is rare.
pub(super) fn patterns(points: &IncompletePoints, rule: &dyn GroupRule) -> Vec<Pattern> {
    let mut merging = Merging { points, rule, patterns: found(points, rule) };
    while let Some(rare) = merging.rare() {
        let Some(partner) = merging.partner(rare) else { break };
        merging.merge(rare, partner);
    }
    let mut patterns = merging.patterns;
    patterns.iter_mut().for_each(|pattern| pattern.records.sort_unstable());
    patterns.sort_unstable_by_key(|pattern| pattern.records[0]);
    patterns
}

/// The patterns that there are, in order of appearance.
fn found(points: &IncompletePoints, rule: &dyn GroupRule) -> Vec<Pattern> {
    let mut numbers: HashMap<AttributeSet, usize> = HashMap::new();
    let mut members: Vec<(AttributeSet, Vec<u32>)> = Vec::new();
    for record in 0..points.records() as u32 {
        let known = AttributeSet::of(points, record);
        let number = *numbers.entry(known.clone()).or_insert(members.len());
        match members.get_mut(number) {
            Some((_, records)) => records.push(record),
            None => members.push((known, vec![record])),
        }
    }
    members.into_iter().map(|(known, records)| Pattern::new(known, records, rule)).collect()
}

impl Pattern {
    fn new(known: AttributeSet, records: Vec<u32>, rule: &dyn GroupRule) -> Self {
        let tally = Tally::of(&records, rule.levels());
        let is_allowed = rule.allows(&tally);
        Self { known, records, tally, is_allowed }
    }

    fn add(&mut self, records: &[u32], rule: &dyn GroupRule) {
        records.iter().for_each(|&record| self.tally.add(record, rule.levels()));
        self.records.extend(records);
        self.is_allowed = rule.allows(&self.tally);
    }
}

struct Merging<'a> {
    points: &'a IncompletePoints,
    rule: &'a dyn GroupRule,
    patterns: Vec<Pattern>,
}

impl Merging<'_> {
    /// Of the patterns that could not be groups that with the most values, the first of several.
    fn rare(&self) -> Option<usize> {
        let rare = (0..self.patterns.len()).filter(|&i| !self.patterns[i].is_allowed);
        rare.min_by_key(|&i| usize::MAX - self.patterns[i].known.count())
    }

    /// The pattern to which the fewest cells are lost, the first of several; none where there is
    /// no other.
    fn partner(&self, rare: usize) -> Option<usize> {
        let others = (0..self.patterns.len()).into_par_iter().filter(|&i| i != rare);
        others.min_by_key(|&i| (self.lost(&self.patterns[rare], &self.patterns[i]), i))
    }

    /// The cells that become missing where `rare` and as many of `other` as are needed do so on
    /// what one of them lacks.
    fn lost(&self, rare: &Pattern, other: &Pattern) -> usize {
        let (own, others) = (rare.records.len(), other.records.len());
        let smallest = self.rule.smallest();
        let needed = smallest.saturating_sub(own);
        let moved = match other.is_allowed && others >= needed + smallest {
            true => needed,
            false => others,
        };
        let common = rare.known.count_with(&other.known);
        own * (rare.known.count() - common) + moved * (other.known.count() - common)
    }

    /// Makes one pattern of `rare` and as many records of `partner` as it needs, and of those that
    /// have that pattern already.
    fn merge(&mut self, rare: usize, partner: usize) {
        let mut take = |i: usize| self.patterns.remove(i);
        let (rare, mut partner) = match rare < partner {
            true => (take(rare), take(partner - 1)),
            false => (take(rare), take(partner)),
        };
        let known = rare.known.and(&partner.known);
        let mut merged = Pattern::new(known, rare.records.clone(), self.rule);
        if let Some(same) = self.patterns.iter().position(|p| p.known == merged.known) {
            merged.add(&self.patterns.remove(same).records, self.rule);
        }
        if merged.known == partner.known {
            merged.add(&partner.records, self.rule);
        } else {
            partner = self.donate(partner, &rare.records, &mut merged);
            if !partner.records.is_empty() {
                self.patterns.push(partner);
            }
        }
        self.patterns.push(merged);
    }

    /// Moves the records of `from` nearest to `near` until `to` could be a group; all of them,
    /// unless both could then be.
    fn donate(&self, from: Pattern, near: &[u32], to: &mut Pattern) -> Pattern {
        let (rest, moved) = match from.is_allowed {
            true => self.split(&from, near, to),
            false => (Pattern::new(from.known.clone(), Vec::new(), self.rule), from.records),
        };
        to.add(&moved, self.rule);
        rest
    }

    /// The records of `from` that stay and those, nearest to `near`, that move to `to`.
    fn split(&self, from: &Pattern, near: &[u32], to: &Pattern) -> (Pattern, Vec<u32>) {
        let (mut moved, mut stay) = (Vec::new(), Vec::new());
        let mut tally = to.tally.clone();
        for record in self.by_distance(&from.records, near) {
            let is_wanted = !self.rule.allows(&tally) && self.rule.wants(&tally, record);
            if is_wanted {
                tally.add(record, self.rule.levels());
            }
            if is_wanted { &mut moved } else { &mut stay }.push(record);
        }
        let rest = Pattern::new(from.known.clone(), stay, self.rule);
        match self.rule.allows(&tally) && rest.is_allowed {
            true => (rest, moved),
            false => (Pattern::new(rest.known, Vec::new(), self.rule), from.records.clone()),
        }
    }

    /// `records` by their distances from some of `near`, added up; equal ones by number.
    fn by_distance(&self, records: &[u32], near: &[u32]) -> Vec<u32> {
        let near = &near[..near.len().min(self.rule.smallest())];
        let distance = |&record: &u32| {
            let distances = near.iter().map(|&other| self.points.distance(record, other));
            (distances.sum::<f64>(), record)
        };
        let mut keyed: Vec<(f64, u32)> = records.par_iter().map(distance).collect();
        keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        keyed.into_iter().map(|(_, record)| record).collect()
    }
}
