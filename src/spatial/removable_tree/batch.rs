//! What the tree is asked for several points at once: the records nearest to any of them.

use super::queries::smallest;
use super::{Content, Neighbor, Tree};
use crate::distance::Metric;
use crate::distance::Points;
use crate::spatial::leaves::{self, LEAF};

/// Points that look for records together: one walk through the tree serves all of them.
///
/// A node's bounds come from one pass of vector instructions over the points, and a
/// leaf is read once for all points near it.
pub(crate) struct QueryBatch {
    dims: usize,
    /// Point by point.
    points: Vec<f64>,
    /// The same, [`LANES`] points side by side, coordinate by coordinate.
    lanes: Vec<[f64; LANES]>,
    /// The squared distance up to which each point looks at boxes; nowhere to fill up.
    limits: Vec<[f64; LANES]>,
}

/// Points side by side: a vector of them.
const LANES: usize = 4;

impl QueryBatch {
    /// The points of `records`, of which there is at least one; each looks at boxes up to
    /// the squared distance that `limit` says.
    pub fn new(points: &Points, records: &[u32], limit: impl Fn(u32) -> f64) -> Self {
        let columns = points.columns();
        let mut batch = Self {
            dims: columns.len(),
            points: records.iter().flat_map(|&record| points.coordinates(record)).collect(),
            lanes: Vec::with_capacity(columns.len() * records.len().div_ceil(LANES)),
            limits: Vec::with_capacity(records.len().div_ceil(LANES)),
        };
        for chunk in records.chunks(LANES) {
            let in_lane = |lane: usize| chunk[lane.min(chunk.len() - 1)] as usize;
            let side_by_side = |column: &Vec<f64>| std::array::from_fn(|l| column[in_lane(l)]);
            batch.lanes.extend(columns.iter().map(side_by_side));
            batch.limits.push(std::array::from_fn(|lane| {
                chunk.get(lane).map_or(f64::NEG_INFINITY, |&record| limit(record).min(f64::MAX))
            }));
        }
        batch
    }

    /// The largest squared distance up to which a point looks; finite, because what is beyond
    /// a limit counts as infinitely far.
    pub fn farthest_limit(&self) -> f64 {
        self.limits.as_flattened().iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}

impl Tree {
    /// Puts records with one of `labels` that `accept` takes into `best`, those nearest
    /// to any point of `batch` first, as far as they are nearer than what is there.
    #[inline(always)]
    pub(super) fn nearest_to_any(
        &self,
        batch: &QueryBatch,
        labels: u64,
        accept: impl Fn(u32) -> bool,
        best: &mut [Neighbor],
    ) {
        let (worst, width) = (best.len() - 1, batch.limits.len());
        let mut open = Vec::with_capacity(64);
        // Of each open node the bounds of all points.
        let mut bounds = vec![[0.0; LANES]; 64 * width];
        open.push((0u32, 0.0));
        while let Some((node, bound)) = open.pop() {
            if bound > best[worst].distance || self.labels[node as usize] & labels == 0 {
                continue;
            }
            let place = open.len() * width;
            match self.nodes[node as usize].content {
                Content::Children(a, b) => {
                    bounds.resize(bounds.len().max(place + 2 * width), [0.0; LANES]);
                    let (far, near) = bounds[place..place + 2 * width].split_at_mut(width);
                    let da = self.bounds_to_any(a, batch, near);
                    let db = self.bounds_to_any(b, batch, far);
                    if da <= db {
                        open.extend([(b, db), (a, da)]);
                    } else {
                        near.swap_with_slice(far);
                        open.extend([(a, da), (b, db)]);
                    }
                }
                Content::Leaf(leaf) => {
                    let (bounds, radius) = (&bounds[place..place + width], best[worst].distance);
                    let distances = self.distances_to_any(leaf, batch, bounds, radius);
                    if smallest(&distances) <= radius {
                        self.nearest_of_leaf(leaf, &distances, labels, &accept, best);
                    }
                }
            }
        }
    }

    /// The squared distance of the box of `node` from each point of `batch`, infinite
    /// beyond its limit; gives the smallest.
    #[inline(always)]
    fn bounds_to_any(&self, node: u32, batch: &QueryBatch, bounds: &mut [[f64; LANES]]) -> f64 {
        let (low, high) = self.box_of(node);
        let mut least = [f64::INFINITY; LANES];
        let chunks = batch.lanes.chunks_exact(batch.dims).zip(&batch.limits);
        for ((columns, limits), bounds) in chunks.zip(bounds) {
            let mut sums = [0.0; LANES];
            let sides = columns.iter().zip(low).zip(high);
            if self.only_numbers {
                for ((column, &l), &h) in sides {
                    combine(&mut sums, column, |sum, x| sum + Metric::Squared.least_in(l, h, x));
                }
            } else {
                for (((column, &l), &h), metric) in sides.zip(&self.metrics) {
                    combine(&mut sums, column, |sum, x| sum + metric.least_in(l, h, x));
                }
            }
            combine(&mut sums, limits, |sum, limit| if sum <= limit { sum } else { f64::INFINITY });
            combine(&mut least, &sums, smaller);
            *bounds = sums;
        }
        least.into_iter().fold(f64::INFINITY, smaller)
    }

    /// The squared distance of each slot of `leaf` from the nearest point of `batch`;
    /// points whose `bounds` are beyond `radius` do not count.
    #[inline(always)]
    fn distances_to_any(
        &self,
        leaf: u32,
        batch: &QueryBatch,
        bounds: &[[f64; LANES]],
        radius: f64,
    ) -> [f64; LEAF] {
        let mut nearest = [f64::INFINITY; LEAF];
        let points = batch.points.chunks_exact(batch.dims);
        for (point, &bound) in points.zip(bounds.as_flattened()) {
            if bound <= radius {
                let distances = self.distances(leaf, point);
                leaves::combine(&mut nearest, &distances, |old, new| smaller(new, old));
            }
        }
        nearest
    }
}

/// The smaller of two numbers that are not NaN, in one instruction.
#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// Puts `new` of a value and its neighbor in the value's place.
#[inline(always)]
fn combine(values: &mut [f64; LANES], others: &[f64; LANES], new: impl Fn(f64, f64) -> f64) {
    *values = std::array::from_fn(|lane| new(values[lane], others[lane]));
}
