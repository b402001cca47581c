//! How the records that formed no group join one without taking it below l.

use super::super::{GroupRule, Tally};
use super::DiversityRule;
use super::answers::Answers;
use super::candidates::Candidates;
use crate::distance::Points;
use crate::spatial::GroupIndex;
use crate::spatial::box_tree::Open;

/// Groups that leftovers join.
pub(super) struct Joining<'a> {
    points: &'a Points,
    rule: &'a DiversityRule,
    members: GroupIndex<'a>,
    groups: Vec<Vec<u32>>,
    tallies: Vec<Tally>,
    /// Whether each group may take a record and stay diverse.
    is_open: Vec<Answers>,
    candidates: Candidates,
    /// Scratch space.
    open: Open,
}

/// So many members for each attribute are looked at in the time of a search in the tree, roughly.
const FEW: usize = 128;

impl<'a> Joining<'a> {
    pub fn new(points: &'a Points, rule: &'a DiversityRule, groups: Vec<Vec<u32>>) -> Self {
        let tallies = groups.iter().map(|group| Tally::of(group, rule.levels())).collect();
        Self {
            points,
            rule,
            members: GroupIndex::new(&groups, points),
            tallies,
            is_open: vec![Answers::default(); groups.len()],
            candidates: Candidates::new(groups.len(), rule.label_count()),
            groups,
            open: Open::default(),
        }
    }

    /// The groups after each of `rest` joined one: the closest that stays diverse, or the
    /// closest, merged with others until it is.
    pub fn join(mut self, rest: &[u32]) -> Vec<Vec<u32>> {
        for &record in rest {
            let open = self.open_group(record);
            let group = open.or_else(|| self.members.closest(record, &mut self.open, |_| true));
            let group = group.unwrap_or_default();
            self.groups[group].push(record);
            self.tallies[group].add(record, self.rule.levels());
            self.merge_until_diverse(group, record);
            self.is_open[group] = Answers::default();
            self.candidates.add(group);
        }
        self.groups.retain(|group| !group.is_empty());
        self.groups.iter_mut().for_each(|group| group.sort_unstable());
        self.groups
    }

    /// The closest group that stays diverse with `record`.
    fn open_group(&mut self, record: u32) -> Option<usize> {
        let label = self.rule.labels.get(record as usize).copied();
        let is_open = |group: usize| {
            let test = || self.rule.is_diverse_with(&self.tallies[group], record);
            self.is_open[group].get(label, test)
        };
        let few = FEW * self.points.columns().len() / self.rule.smallest();
        let few = label.and_then(|label| self.candidates.few(label, few, is_open));
        match few {
            Some(groups) => self.members.closest_of(record, groups),
            None => self.members.closest(record, &mut self.open, is_open),
        }
    }

    /// Merges `group` with those closest to its new `record` until it is diverse. When
    /// it is the only one left, it is diverse once the last record has joined: then
    /// it is the whole file.
    fn merge_until_diverse(&mut self, group: usize, record: u32) {
        while !self.rule.is_diverse(&self.tallies[group]) {
            let other = self.members.closest(record, &mut self.open, |other| other != group);
            let Some(other) = other else { return };
            let moved = std::mem::take(&mut self.groups[other]);
            moved.iter().for_each(|&r| self.tallies[group].add(r, self.rule.levels()));
            self.groups[group].extend(moved);
            self.members.merge(other, group);
            // An empty group is open to nobody.
            self.tallies[other] = Tally::of(&[], self.rule.levels());
            self.is_open[other] = Answers::default();
        }
    }
}
