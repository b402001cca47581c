//! Groups of variable size while they are formed: seeds and leftovers.

use super::centroid::Centroid;
use crate::distance::Points;
use crate::spatial::GroupIndex;
use crate::spatial::RemovableTree;
use crate::spatial::box_tree::Open;
use rayon::prelude::*;
use std::cmp::Reverse;

/// Groups that are being formed round records far from the centroid.
pub(super) struct Forming<'a> {
    pub points: &'a Points,
    pub remaining: RemovableTree<'a>,
    pub groups: Vec<Vec<u32>>,
    /// All records, the nearest to the centroid first; the last is taken next.
    by_distance: Vec<u32>,
    is_taken: Vec<bool>,
    grouped: &'a (dyn Fn(usize) + Sync),
}

impl<'a> Forming<'a> {
    /// No group yet; `labels` as in [`RemovableTree::of`].
    pub fn new(points: &'a Points, labels: &'a [u8], grouped: &'a (dyn Fn(usize) + Sync)) -> Self {
        let center = Centroid::of_all(points).point();
        let all: Vec<u32> = (0..points.records() as u32).collect();
        let distance = |&record: &u32| (points.distance(record, &center), Reverse(record));
        let mut by_distance: Vec<(f64, Reverse<u32>)> = all.iter().map(distance).collect();
        by_distance.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Self {
            points,
            is_taken: vec![false; all.len()],
            remaining: RemovableTree::of(points, all, labels),
            groups: Vec::new(),
            by_distance: by_distance.into_iter().map(|(_, Reverse(record))| record).collect(),
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

    /// Adds a group whose records were taken.
    pub fn close(&mut self, mut group: Vec<u32>) {
        group.sort_unstable();
        (self.grouped)(group.len());
        self.groups.push(group);
    }

    /// Each of the remaining records `rest` joins the group of the grouped record
    /// that is nearest, before any joined.
    pub fn join_closest(&mut self, rest: &[u32]) {
        let members = GroupIndex::new(&self.groups, self.points);
        let joined: Vec<_> = rest
            .par_iter()
            .map_init(Open::default, |open, &record| members.closest(record, open, |_| true))
            .collect();
        for (&record, group) in rest.iter().zip(joined) {
            self.groups[group.unwrap_or_default()].push(record);
        }
        self.groups.iter_mut().for_each(|group| group.sort_unstable());
        (self.grouped)(rest.len());
    }
}
