//! The parts of a file whose records are grouped with each other alone.

use super::patterns::{AttributeSet, patterns};
use super::{GroupRule, Tally};
use crate::distance::{IncompletePoints, Points};
use std::collections::HashMap;

/// Records and the attributes that all of them have, as complete points.
pub(super) struct Part {
    pub records: Vec<u32>,
    pub points: Points,
}

impl Part {
    /// The parts of `points` within which groups are made that keep `rule`, as the whole does.
    pub fn all(points: IncompletePoints, rule: &dyn GroupRule) -> Vec<Self> {
        if points.is_complete() {
            return vec![Self::whole(points)];
        }
        let part = |pattern: super::patterns::Pattern| {
            let points = points.of(&pattern.records, &pattern.known.list());
            Self { records: pattern.records, points }
        };
        patterns(&points, rule).into_iter().map(part).collect()
    }

    /// The parts whose records are in `groups` that have the same attributes, and these groups, by
    /// places in the part.
    pub fn of_groups(points: IncompletePoints, groups: &[Vec<u32>]) -> Vec<(Self, Vec<Vec<u32>>)> {
        if points.is_complete() {
            return vec![(Self::whole(points), groups.to_vec())];
        }
        let mut numbers: HashMap<AttributeSet, usize> = HashMap::new();
        let mut found: Vec<(AttributeSet, Vec<&Vec<u32>>)> = Vec::new();
        for group in groups {
            let known = AttributeSet::of_all(&points, group);
            let number = *numbers.entry(known.clone()).or_insert(found.len());
            match found.get_mut(number) {
                Some((_, groups)) => groups.push(group),
                None => found.push((known, vec![group])),
            }
        }
        let part = |(known, groups): (AttributeSet, Vec<&Vec<u32>>)| {
            let mut records: Vec<u32> = groups.iter().flat_map(|g| g.iter().copied()).collect();
            records.sort_unstable();
            let points = points.of(&records, &known.list());
            let place = |record: &u32| records.binary_search(record).unwrap_or_default() as u32;
            let groups = groups.iter().map(|group| group.iter().map(place).collect()).collect();
            (Self { records, points }, groups)
        };
        found.into_iter().map(part).collect()
    }

    fn whole(points: IncompletePoints) -> Self {
        Self { records: (0..points.records() as u32).collect(), points: points.complete() }
    }

    /// True where no attribute is left by which records differ.
    pub fn is_blank(&self) -> bool {
        self.points.columns().is_empty()
    }

    /// Groups by places in the part as groups of records.
    pub fn records_of(&self, groups: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
        let record = |place: u32| self.records[place as usize];
        groups.into_iter().map(|group| group.into_iter().map(record).collect()).collect()
    }
}

/// A rule for groups of some records, by their places among these.
pub(super) struct Within<'a> {
    rule: &'a dyn GroupRule,
    records: &'a [u32],
    levels: Vec<Vec<u32>>,
}

impl<'a> Within<'a> {
    /// `rule` for groups of `records`.
    pub fn new(rule: &'a dyn GroupRule, records: &'a [u32]) -> Self {
        Self { rule, records, levels: levels_of(rule.levels(), records) }
    }
}

/// The levels of `records`, attribute by attribute.
pub(super) fn levels_of(levels: &[Vec<u32>], records: &[u32]) -> Vec<Vec<u32>> {
    let of = |levels: &Vec<u32>| records.iter().map(|&i| levels[i as usize]).collect();
    levels.iter().map(of).collect()
}

impl GroupRule for Within<'_> {
    fn smallest(&self) -> usize {
        self.rule.smallest()
    }

    fn levels(&self) -> &[Vec<u32>] {
        &self.levels
    }

    fn allows(&self, group: &Tally) -> bool {
        self.rule.allows(group)
    }

    fn spares(&self, group: &Tally, place: u32) -> bool {
        self.rule.spares(group, self.records[place as usize])
    }

    fn wants(&self, group: &Tally, place: u32) -> bool {
        self.rule.wants(group, self.records[place as usize])
    }

    fn is_full(&self, group: &Tally) -> bool {
        self.rule.is_full(group)
    }
}
