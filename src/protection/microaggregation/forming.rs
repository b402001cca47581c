//! Groups of variable size while they are formed: seeds, extension, leftovers.

use super::centroid::Centroid;
use super::cloud::{ANY, Cloud, Neighbour};
use super::members::Members;
use crate::distance::Points;
use rayon::prelude::*;

/// Groups that are being formed round records far from the centroid.
pub(super) struct Forming<'a> {
    pub points: &'a Points,
    pub remaining: Cloud<'a>,
    pub groups: Vec<Vec<u32>>,
    /// All records, the nearest to the centroid first; the last is taken next.
    by_distance: Vec<u32>,
    is_taken: Vec<bool>,
    grouped: &'a dyn Fn(usize),
}

impl<'a> Forming<'a> {
    /// No group yet; `labels` as in [`Cloud::of`].
    pub fn new(points: &'a Points, labels: &'a [u8], grouped: &'a dyn Fn(usize)) -> Self {
        let center = Centroid::of_all(points).point();
        let all: Vec<u32> = (0..points.records() as u32).collect();
        let distances: Vec<f64> = all.iter().map(|&i| points.distance(i, &center)).collect();
        let mut by_distance = all.clone();
        by_distance.sort_unstable_by(|&a, &b| {
            distances[a as usize].total_cmp(&distances[b as usize]).then(b.cmp(&a))
        });
        Self {
            points,
            is_taken: vec![false; all.len()],
            remaining: Cloud::of(points, all, labels),
            groups: Vec::new(),
            by_distance,
            grouped,
        }
    }

    /// Takes the remaining record farthest from the centroid of the file.
    pub fn farthest(&mut self) -> u32 {
        while let Some(record) = self.by_distance.pop() {
            if !self.is_taken[record as usize] {
                self.take(record);
                return record;
            }
        }
        unreachable!("asked only while records remain, and those are in the list")
    }

    /// Takes `record` out of the remaining ones.
    pub fn take(&mut self, record: u32) {
        self.is_taken[record as usize] = true;
        self.remaining.remove(record);
    }

    /// Takes the record that extends `group`: of those with one of `labels` that
    /// `accept` takes the nearest, if it is nearer to the group than `gamma` times
    /// its distance to any other remaining record. `near` are the remaining records
    /// nearest to the group's first.
    pub fn extension(
        &mut self,
        group: &mut Growing,
        gamma: f64,
        near: &[Neighbour],
        labels: u64,
        accept: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        if gamma == 0.0 {
            return None;
        }
        group.look_for(labels);
        let is_wanted = |record| self.remaining.carries(record, labels) && accept(record);
        // All that are nearer to the first are in the list, too.
        if let Some(nearest) = near.iter().find(|n| is_wanted(n.record)) {
            group.nearest[0] = *nearest;
        }
        let nearest = self.candidate(group, gamma, near, &is_wanted)?;
        let (record, d_in) = (nearest.record, nearest.distance.sqrt());
        // Beyond this it does not matter how far the others are; a little more, for rounding.
        let cap = Neighbour { distance: 1.000001 * (d_in / gamma).powi(2), ..Neighbour::NONE };
        let point = self.points.point(record);
        let other = self.remaining.nearer(&point, cap, ANY, |other| other != record);
        let is_extended = other.record == u32::MAX || d_in < gamma * other.distance.sqrt();
        is_extended.then(|| {
            self.take(record);
            group.add(record);
            record
        })
    }

    /// The wanted record nearest to `group`; none where it is clear that it would not extend it.
    fn candidate(
        &self,
        group: &mut Growing,
        gamma: f64,
        near: &[Neighbour],
        is_wanted: &impl Fn(u32) -> bool,
    ) -> Option<Neighbour> {
        let members = 0..group.records.len();
        // Most groups end here: near enough to its closest member is no record.
        let near_enough = members.clone().fold(Neighbour::NONE, |best, member| {
            let distance = self.limit(group.records[member], gamma, near);
            let limit = Neighbour { distance, ..Neighbour::NONE };
            let cap = if limit.is_nearer_than(&best) { limit } else { best };
            let found = self.nearer(group, member, cap, is_wanted);
            if found.record == u32::MAX { best } else { found }
        });
        (near_enough.record != u32::MAX).then(|| {
            members.fold(near_enough, |best, member| self.nearer(group, member, best, is_wanted))
        })
    }

    /// The wanted record nearest to a `member` of `group`, or one as near to another member,
    /// if it is nearer than `best`; else `best`.
    fn nearer(
        &self,
        group: &mut Growing,
        member: usize,
        best: Neighbour,
        is_wanted: &impl Fn(u32) -> bool,
    ) -> Neighbour {
        let known = group.nearest[member];
        if !known.is_nearer_than(&best) {
            return best;
        }
        let remains = |record: u32| record != u32::MAX && !self.is_taken[record as usize];
        if remains(known.record) && is_wanted(known.record) {
            return known;
        }
        let point = self.points.point(group.records[member]);
        let found = self.remaining.nearer(&point, best, group.labels, is_wanted);
        group.nearest[member] = found;
        found
    }

    /// A squared distance from `member` beyond which no record that has it for its closest
    /// member passes d_in < γ d_out.
    ///
    /// Of two records `near` one is not the candidate e, and it is at most d_in + s from e, s
    /// being the larger of the distances of `member` to the two that are closest to it. So
    /// d_out is at most that, and only d_in < γ s / (1 - γ) passes.
    fn limit(&self, member: u32, gamma: f64, near: &[Neighbour]) -> f64 {
        if near.len() < 2 || gamma >= 1.0 {
            return f64::INFINITY;
        }
        let point = self.points.point(member);
        let mut two = [f64::INFINITY; 2];
        for distance in near.iter().map(|n| self.points.distance(n.record, &point)) {
            two = [two[0].min(distance), two[1].min(distance.max(two[0]))];
        }
        // A little more than that: sums are rounded.
        (1.000001 * gamma * two[1].sqrt() / (1.0 - gamma)).powi(2)
    }

    /// Adds a group whose records were taken.
    pub fn close(&mut self, mut group: Vec<u32>) {
        group.sort_unstable();
        (self.grouped)(group.len());
        self.groups.push(group);
    }

    /// Each of the remaining records `rest` joins the group of the grouped record
    /// that is nearest, before any joined.
    pub fn join_closest(&mut self, rest: &[u32]) {
        let members = Members::new(&self.groups, self.points);
        let joined: Vec<_> = rest.par_iter().map(|&r| members.closest(r, |_| true)).collect();
        for (&record, group) in rest.iter().zip(joined) {
            self.groups[group.unwrap_or_default()].push(record);
        }
        self.groups.iter_mut().for_each(|group| group.sort_unstable());
        (self.grouped)(rest.len());
    }
}

/// A group that grows, and what is known of the records near it.
pub(super) struct Growing {
    pub records: Vec<u32>,
    /// The labels of the records that were looked for.
    labels: u64,
    /// No remaining record of these labels is nearer to the member at the same place.
    nearest: Vec<Neighbour>,
}

impl Growing {
    /// A group of one record.
    pub fn round(seed: u32) -> Self {
        Self { records: vec![seed], labels: ANY, nearest: vec![NOT_LOOKED_UP] }
    }

    /// Adds `record`.
    pub fn add(&mut self, record: u32) {
        self.records.push(record);
        self.nearest.push(NOT_LOOKED_UP);
    }

    /// From now on looks for records of `labels`: what is known stays true of fewer labels.
    fn look_for(&mut self, labels: u64) {
        if labels & !self.labels != 0 {
            self.forget();
        }
        self.labels = labels;
    }

    /// Forgets what is known: the next search may accept other records than the last.
    pub fn forget(&mut self) {
        self.nearest.fill(NOT_LOOKED_UP);
    }
}

/// Nearer than any.
const NOT_LOOKED_UP: Neighbour = Neighbour { distance: -1.0, record: u32::MAX };
