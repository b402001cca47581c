//! The grouped records, when the others join them.

use super::cloud::Neighbour;
use crate::distance::box_tree::{Open, Visitor};
use crate::distance::leaves::{Geometry, LEAF, any_within};
use crate::distance::{BoxTree, Points};
use unmask_solvers::vectorized;

/// The grouped records, which can be asked for the group closest to a record.
///
/// None is taken out again, so that they lie in a tree that computes the bounds of
/// eight boxes at once.
pub(super) struct Members<'a> {
    points: &'a Points,
    tree: BoxTree,
    group_of: Vec<u32>,
}

impl<'a> Members<'a> {
    /// The records of `groups`, of which there is at least one.
    pub fn new(groups: &[Vec<u32>], points: &'a Points) -> Self {
        let mut group_of = vec![0; points.records()];
        for (number, group) in (0u32..).zip(groups) {
            group.iter().for_each(|&record| group_of[record as usize] = number);
        }
        let geometry = Geometry::Sum(points.metrics().to_vec());
        let tree = BoxTree::of(geometry, points.columns(), groups.concat());
        Self { points, tree, group_of }
    }

    /// The group of the member nearest to `record` among the groups that `accept`
    /// takes; of members equally near the lowest counts.
    pub fn closest(&self, record: u32, accept: impl Fn(usize) -> bool) -> Option<usize> {
        let group = |member: u32| self.group_of[member as usize] as usize;
        let accept = |member| accept(group(member));
        let mut search = Search { best: Neighbour::NONE, accept };
        let point = self.points.point(record);
        vectorized!(self.tree.search(&point, &mut Open::default(), &mut search));
        (search.best.record != u32::MAX).then(|| group(search.best.record))
    }
}

/// The nearest member so far of those that `accept` takes.
struct Search<A> {
    best: Neighbour,
    accept: A,
}

impl<A: Fn(u32) -> bool> Visitor for Search<A> {
    #[inline(always)]
    fn radius(&self) -> f64 {
        self.best.distance
    }

    #[inline(always)]
    fn visit(&mut self, records: &[u32], distances: &[f64; LEAF]) {
        if !any_within(distances, self.radius()) {
            return;
        }
        for (&record, &distance) in records.iter().zip(distances) {
            let member = Neighbour { distance, record };
            if member.is_nearer_than(&self.best) && (self.accept)(record) {
                self.best = member;
            }
        }
    }
}
