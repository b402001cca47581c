//! A partition that can be changed record by record, and taken back.

use super::points::Points;
use super::rule::GroupRule;
use crate::distance::lane_distance;

/// Groups with centroids and squared errors, changed by transactions.
///
/// [`Grouping::relocate`] moves one record and costs O(group size x attributes):
/// the two groups are summed anew, so that errors of rounding never pile up.
/// Until [`Grouping::commit`] all of it can be taken back.
#[derive(Clone)]
pub(super) struct Grouping<'a> {
    pub points: &'a Points,
    /// The group of each record.
    group_of: Vec<u32>,
    members: Vec<Vec<u32>>,
    centroids: Vec<f64>,
    /// Sum of squared errors of each group.
    errors: Vec<f64>,
    /// Groups without members.
    empty: Vec<u32>,
    /// Relocations since the last commit: the record and where it came from.
    journal: Vec<(u32, u32)>,
}

impl<'a> Grouping<'a> {
    pub fn new(points: &'a Points, groups: &[Vec<u32>]) -> Self {
        let mut grouping = Self {
            points,
            group_of: vec![0; points.records()],
            members: groups.to_vec(),
            centroids: vec![0.0; groups.len() * points.width()],
            errors: vec![0.0; groups.len()],
            empty: Vec::new(),
            journal: Vec::new(),
        };
        for (group, members) in groups.iter().enumerate() {
            members.iter().for_each(|&i| grouping.group_of[i as usize] = group as u32);
            grouping.sum_anew(group as u32);
        }
        grouping
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
        self.errors.push(0.0);
        self.centroids.extend(std::iter::repeat_n(0.0, self.points.width()));
        let group = self.members.len() as u32 - 1;
        self.empty.push(group);
        group
    }

    /// Whether every group changed since the last commit keeps `rule`.
    pub fn keeps(&self, rule: &dyn GroupRule) -> bool {
        let good = |group| {
            let members = self.members(group);
            members.is_empty() || members.len() >= rule.smallest() && rule.allows(members)
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
        let before = self.error(from) + self.error(to);
        if self.members(to).is_empty() {
            self.empty.retain(|&group| group != to);
        }
        let place = self.members(from).iter().position(|&i| i == record);
        place.map(|place| self.members[from as usize].swap_remove(place));
        self.members[to as usize].push(record);
        self.group_of[record as usize] = to;
        if self.members(from).is_empty() {
            self.empty.push(from);
        }
        self.sum_anew(from);
        self.sum_anew(to);
        self.error(from) + self.error(to) - before
    }

    /// The centroid and the error of `group` from its members.
    fn sum_anew(&mut self, group: u32) {
        let (points, width) = (self.points, self.points.width());
        let members = &self.members[group as usize];
        let centroid = &mut self.centroids[group as usize * width..][..width];
        self.errors[group as usize] = points.sum_up(members, centroid);
    }
}
