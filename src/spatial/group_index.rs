//! The grouped records, when the others join them.

use super::BoxTree;
use crate::distance::Points;
use crate::spatial::Neighbor;
use crate::spatial::box_tree::{Open, Visitor};
use crate::spatial::leaves::{Geometry, LEAF, any_within, distances_to_points};
use std::ops::Range;
use unmask_solvers::vectorized;

/// The grouped records, which can be asked for the group closest to a record.
///
/// None is taken out again, so that they lie in a tree that computes the bounds of
/// eight boxes at once.
pub(crate) struct GroupIndex<'a> {
    points: &'a Points,
    tree: BoxTree,
    group_of: Vec<u32>,
    /// The members of each group together, for a look at a few groups.
    blocks: Vec<Block>,
    /// Block by block, coordinate by coordinate.
    coordinates: Vec<f64>,
    /// The blocks of each group.
    parts: Vec<Vec<Range<usize>>>,
}

/// Members of one group; the last of them is repeated where there are fewer.
type Block = [u32; SIDE_BY_SIDE];

/// Members whose distances are computed at once.
const SIDE_BY_SIDE: usize = 8;

impl<'a> GroupIndex<'a> {
    /// The records of `groups`, of which there is at least one.
    pub fn new(groups: &[Vec<u32>], points: &'a Points) -> Self {
        let geometry = Geometry::Sum(points.metrics().to_vec());
        let mut members = Self {
            points,
            tree: BoxTree::of(geometry, points.columns(), groups.concat()),
            group_of: vec![0; points.records()],
            blocks: Vec::new(),
            coordinates: Vec::new(),
            parts: Vec::new(),
        };
        groups.iter().for_each(|group| members.add(group));
        members
    }

    fn add(&mut self, group: &[u32]) {
        let (number, first) = (self.parts.len(), self.blocks.len());
        group.iter().for_each(|&record| self.group_of[record as usize] = number as u32);
        for records in group.chunks(SIDE_BY_SIDE) {
            let block: Block = std::array::from_fn(|i| records[i.min(records.len() - 1)]);
            for column in self.points.columns() {
                self.coordinates.extend(block.map(|record| column[record as usize]));
            }
            self.blocks.push(block);
        }
        let part = first..self.blocks.len();
        self.parts.push(vec![part]);
    }

    /// The members of one group are in another from now on.
    pub fn merge(&mut self, from: usize, into: usize) {
        for part in std::mem::take(&mut self.parts[from]) {
            let records = self.blocks[part.clone()].as_flattened();
            records.iter().for_each(|&record| self.group_of[record as usize] = into as u32);
            self.parts[into].push(part);
        }
    }

    /// The group of the member nearest to `record` among the groups that `accept`
    /// takes; of members equally near the lowest counts.
    pub fn closest(
        &self,
        record: u32,
        open: &mut Open,
        accept: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let accept = |member| accept(self.group_of[member as usize] as usize);
        let mut search = ClosestGroup { best: Neighbor::NONE, accept };
        let point = self.points.point(record);
        vectorized!(self.tree.search(&point, open, &mut search));
        self.group(search.best)
    }

    /// As [`Self::closest`] among some `groups`: looks at all of their members.
    pub fn closest_of(&self, record: u32, groups: &[u32]) -> Option<usize> {
        let point = self.points.point(record);
        let accept = |_| true;
        let mut search = ClosestGroup { best: Neighbor::NONE, accept };
        vectorized!(self.look_at(groups, &point, &mut search));
        self.group(search.best)
    }

    #[inline(always)]
    fn look_at(
        &self,
        groups: &[u32],
        point: &[f64],
        search: &mut ClosestGroup<impl Fn(u32) -> bool>,
    ) {
        let size = SIDE_BY_SIDE * point.len();
        for &group in groups {
            for part in &self.parts[group as usize] {
                let coordinates =
                    self.coordinates[part.start * size..part.end * size].chunks_exact(size);
                for (block, coordinates) in self.blocks[part.clone()].iter().zip(coordinates) {
                    let distances: [f64; SIDE_BY_SIDE] =
                        distances_to_points(self.points.metrics(), coordinates, point);
                    search.offer(block, &distances);
                }
            }
        }
    }

    fn group(&self, member: Neighbor) -> Option<usize> {
        self.group_of.get(member.record as usize).map(|&group| group as usize)
    }
}

/// The nearest member so far of those that `accept` takes.
struct ClosestGroup<A> {
    best: Neighbor,
    accept: A,
}

impl<A: Fn(u32) -> bool> ClosestGroup<A> {
    #[inline(always)]
    fn offer(&mut self, records: &[u32], distances: &[f64]) {
        if !any_within(distances, self.best.distance) {
            return;
        }
        for (&record, &distance) in records.iter().zip(distances) {
            let member = Neighbor { distance, record };
            if member.is_nearer_than(&self.best) && (self.accept)(record) {
                self.best = member;
            }
        }
    }
}

impl<A: Fn(u32) -> bool> Visitor for ClosestGroup<A> {
    #[inline(always)]
    fn radius(&self) -> f64 {
        self.best.distance
    }

    #[inline(always)]
    fn visit(&mut self, records: &[u32], distances: &[f64; LEAF]) {
        self.offer(records, distances);
    }
}
