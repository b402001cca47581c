//! A partition that can be changed record by record, and taken back.

use super::points::RefinedPoints;
use super::rule::{GroupRule, Tally};
use crate::distance::lane_distance;

/// Groups that keep a rule, with centroids and squared errors, changed by transactions.
///
/// [`Grouping::relocate`] moves one record and costs O(attributes), however large the
/// groups are; errors of rounding pile up until [`Grouping::sum_up`]. Until
/// [`Grouping::commit`] all of it can be taken back.
#[derive(Clone)]
pub(super) struct Grouping<'a> {
    pub points: &'a RefinedPoints,
    pub rule: &'a dyn GroupRule,
    /// The group of each record.
    group_of: Vec<u32>,
    /// Where in its group each record is.
    place: Vec<u32>,
    members: Vec<Vec<u32>>,
    tallies: Vec<Tally>,
    centroids: Vec<f64>,
    /// Sum of squared errors of each group.
    errors: Vec<f64>,
    /// Groups without members.
    empty: Vec<u32>,
    /// Relocations since the last commit: the record and where it came from.
    journal: Vec<(u32, u32)>,
}

impl<'a> Grouping<'a> {
    pub fn new(points: &'a RefinedPoints, rule: &'a dyn GroupRule, groups: &[Vec<u32>]) -> Self {
        let mut grouping = Self {
            points,
            rule,
            group_of: vec![0; points.records()],
            place: vec![0; points.records()],
            members: groups.to_vec(),
            tallies: vec![Tally::default(); groups.len()],
            centroids: vec![0.0; groups.len() * points.width()],
            errors: vec![0.0; groups.len()],
            empty: Vec::new(),
            journal: Vec::new(),
        };
        for (group, members) in (0..).zip(groups) {
            for (place, &i) in (0..).zip(members) {
                grouping.group_of[i as usize] = group;
                grouping.place[i as usize] = place;
            }
        }
        grouping.sum_up();
        grouping
    }

    /// Counts and sums every group anew from its members: O(records x attributes).
    pub fn sum_up(&mut self) {
        let (points, width) = (self.points, self.points.width());
        for (group, members) in self.members.iter().enumerate() {
            let centroid = &mut self.centroids[group * width..][..width];
            self.errors[group] = points.sum_up(members, centroid);
            self.tallies[group] = Tally::of(members, self.rule.levels());
        }
    }

    #[inline(always)]
    pub fn group_of(&self, record: u32) -> u32 {
        self.group_of[record as usize]
    }

    #[inline(always)]
    pub fn members(&self, group: u32) -> &[u32] {
        &self.members[group as usize]
    }

    #[inline(always)]
    pub fn tally(&self, group: u32) -> &Tally {
        &self.tallies[group as usize]
    }

    #[inline(always)]
    pub fn size(&self, group: u32) -> usize {
        self.members[group as usize].len()
    }

    #[inline(always)]
    pub fn error(&self, group: u32) -> f64 {
        self.errors[group as usize]
    }

    #[inline(always)]
    pub fn centroid(&self, group: u32) -> &[f64] {
        &self.centroids[group as usize * self.points.width()..][..self.points.width()]
    }

    /// The group of each record.
    pub fn assignment(&self) -> &[u32] {
        &self.group_of
    }

    /// Sum of squared errors of all groups.
    pub fn total_error(&self) -> f64 {
        self.errors.iter().sum()
    }

    /// The squared distance of `record` from the centroid of `group`.
    #[inline(always)]
    pub fn distance(&self, record: u32, group: u32) -> f64 {
        lane_distance(self.points.row(record), self.centroid(group))
    }

    /// By how much the error grows when `record` joins `group`.
    #[inline(always)]
    pub fn joining(&self, record: u32, group: u32) -> f64 {
        let size = self.size(group) as f64;
        self.distance(record, group) * size / (size + 1.0)
    }

    /// By how much the error falls when `record` leaves its group of at least two.
    #[inline(always)]
    pub fn leaving(&self, record: u32) -> f64 {
        let group = self.group_of(record);
        let size = self.size(group) as f64;
        self.distance(record, group) * size / (size - 1.0)
    }

    /// By how much the error changes when `new` takes the place of `old` in `group`.
    #[inline(always)]
    pub fn replacing(&self, group: u32, old: u32, new: u32) -> f64 {
        let moved = self.points.distance(old, new) / self.size(group) as f64;
        self.distance(new, group) - self.distance(old, group) - moved
    }

    /// Moves `record` to `group`; gives the change of the error.
    pub fn relocate(&mut self, record: u32, group: u32) -> f64 {
        let from = self.group_of(record);
        self.journal.push((record, from));
        self.put(record, from, group)
    }

    /// A group without members.
    pub fn empty_group(&mut self) -> u32 {
        if let Some(&group) = self.empty.last() {
            return group;
        }
        self.members.push(Vec::new());
        self.tallies.push(Tally::of(&[], self.rule.levels()));
        self.errors.push(0.0);
        self.centroids.extend(std::iter::repeat_n(0.0, self.points.width()));
        let group = self.members.len() as u32 - 1;
        self.empty.push(group);
        group
    }

    /// Whether every group changed since the last commit keeps the rule.
    pub fn keeps_rule(&self) -> bool {
        let good = |group| {
            let tally = self.tally(group);
            tally.records == 0 || self.rule.allows(tally)
        };
        self.journal.iter().all(|&(record, from)| good(from) && good(self.group_of(record)))
    }

    /// Makes the changes since the last commit lasting.
    pub fn commit(&mut self) {
        self.journal.clear();
    }

    /// Takes the changes since the last commit back.
    pub fn roll_back(&mut self) {
        while let Some((record, from)) = self.journal.pop() {
            self.put(record, self.group_of(record), from);
        }
    }

    fn put(&mut self, record: u32, from: u32, to: u32) -> f64 {
        if from == to {
            return 0.0;
        }
        let fall = self.take_out(record, from);
        let growth = self.put_in(record, to);
        growth - fall
    }

    /// Takes `record` out of `group`; gives by how much the error falls.
    fn take_out(&mut self, record: u32, group: u32) -> f64 {
        let fall = if self.size(group) > 1 { self.leaving(record) } else { self.error(group) };
        let (place, members) = (self.place[record as usize], &mut self.members[group as usize]);
        members.swap_remove(place as usize);
        if let Some(&moved) = members.get(place as usize) {
            self.place[moved as usize] = place;
        }
        if members.is_empty() {
            self.empty.push(group);
        }
        let weight = -1.0 / members.len().max(1) as f64;
        self.tallies[group as usize].remove(record, self.rule.levels());
        self.pull(record, group, weight, -fall);
        fall
    }

    /// Puts `record` into `group`; gives by how much the error grows.
    fn put_in(&mut self, record: u32, group: u32) -> f64 {
        let growth = self.joining(record, group);
        let members = &mut self.members[group as usize];
        if members.is_empty() {
            self.empty.retain(|&empty| empty != group);
            self.errors[group as usize] = 0.0;
            let centroid = group as usize * self.points.width()..;
            self.centroids[centroid][..self.points.width()]
                .copy_from_slice(self.points.row(record));
        }
        self.group_of[record as usize] = group;
        self.place[record as usize] = members.len() as u32;
        members.push(record);
        let weight = 1.0 / members.len() as f64;
        self.tallies[group as usize].add(record, self.rule.levels());
        self.pull(record, group, weight, growth);
        growth
    }

    /// Moves the centroid of `group` towards `record` by a share of the way, and its error by `change`.
    fn pull(&mut self, record: u32, group: u32, share: f64, change: f64) {
        let (width, row) = (self.points.width(), self.points.row(record));
        let centroid = &mut self.centroids[group as usize * width..][..width];
        centroid.iter_mut().zip(row).for_each(|(c, v)| *c += (v - *c) * share);
        self.errors[group as usize] += change;
    }
}
