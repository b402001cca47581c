//! What the tree is asked: the nearest and the farthest records of a point.

use super::{Content, Neighbor, Tree};
use crate::distance::Metric;
use crate::spatial::leaves::{LEAF, distances_on_numbers, distances_to_points};

impl Tree {
    /// Squared distance from `query` to the nearest point of the box of `node`.
    #[inline(always)]
    fn nearest_of_box(&self, node: u32, query: &[f64]) -> f64 {
        let (low, high) = self.box_of(node);
        let mut sum = 0.0;
        // A loop of its own keeps the choice of the metric, and so the sum's way through
        // memory, out of what is asked most.
        if self.only_numbers {
            for ((l, h), q) in low.iter().zip(high).zip(query) {
                sum += Metric::Squared.least_in(*l, *h, *q);
            }
        } else {
            for (((l, h), q), metric) in low.iter().zip(high).zip(query).zip(&self.metrics) {
                sum += metric.least_in(*l, *h, *q);
            }
        }
        sum
    }

    /// At least the squared distance from the query to any record of `node`.
    #[inline(always)]
    fn farthest_of_node(&self, node: u32, query: &FromCenter) -> f64 {
        let (mut linear, mut others) = (0.0, 0.0);
        if self.only_numbers {
            let start = node as usize * 2 * self.dims;
            let sides = &self.boxes[start..start + 2 * self.dims];
            for ((&far, &g), &c) in query.far_side.iter().zip(&query.offset).zip(&self.center) {
                linear += (sides[far] - c) * g;
            }
        } else {
            let (low, high) = self.box_of(node);
            for (d, (l, h)) in low.iter().zip(high).enumerate() {
                let (c, g) = (self.center[d], query.offset[d]);
                match &self.metrics[d] {
                    Metric::Squared => linear += ((l - c) * g).max((h - c) * g),
                    other => others += other.most_in(*l, *h, query.query[d]),
                }
            }
        }
        // Rounding may make the bound too low by far less than this.
        let scale = self.reach[node as usize] + query.squared + others;
        scale + 2.0 * linear + 1e-9 * scale
    }

    #[inline(always)]
    pub(super) fn box_of(&self, node: u32) -> (&[f64], &[f64]) {
        let start = node as usize * 2 * self.dims;
        self.boxes[start..start + 2 * self.dims].split_at(self.dims)
    }

    /// Squared distances from `query` to all slots of `leaf`.
    #[inline(always)]
    pub(super) fn distances(&self, leaf: u32, query: &[f64]) -> [f64; LEAF] {
        let size = self.dims * LEAF;
        let coordinates = &self.coordinates[leaf as usize * size..(leaf as usize + 1) * size];
        match self.only_numbers {
            true => distances_on_numbers(coordinates, query),
            false => distances_to_points(&self.metrics, coordinates, query),
        }
    }

    /// Puts records with one of `labels` that `accept` takes into `best`, nearest
    /// first, as far as they are nearer than what is there; stops as soon as the nearest
    /// is `near_enough`.
    #[inline(always)]
    pub(super) fn nearest(
        &self,
        query: &[f64],
        labels: u64,
        accept: impl Fn(u32) -> bool,
        near_enough: impl Fn(f64) -> bool,
        best: &mut [Neighbor],
    ) {
        let worst = best.len() - 1;
        // Two for each level of the tree at most.
        let mut open = Vec::with_capacity(64);
        open.push((0u32, 0.0));
        while let Some((node, bound)) = open.pop() {
            // An equal bound may hide an equal distance with a lower record number.
            // A node without records has no labels.
            if bound > best[worst].distance || self.labels[node as usize] & labels == 0 {
                continue;
            }
            match self.nodes[node as usize].content {
                Content::Children(a, b) => {
                    let (da, db) = (self.nearest_of_box(a, query), self.nearest_of_box(b, query));
                    let (near, far) =
                        if da <= db { ((a, da), (b, db)) } else { ((b, db), (a, da)) };
                    open.push(far);
                    open.push(near);
                }
                Content::Leaf(leaf) => {
                    let distances = self.distances(leaf, query);
                    if smallest(&distances) <= best[worst].distance {
                        self.nearest_of_leaf(leaf, &distances, labels, &accept, best);
                        if best[0].record != u32::MAX && near_enough(best[0].distance) {
                            return;
                        }
                    }
                }
            }
        }
    }

    pub(super) fn nearest_of_leaf(
        &self,
        leaf: u32,
        distances: &[f64; LEAF],
        labels: u64,
        accept: &impl Fn(u32) -> bool,
        best: &mut [Neighbor],
    ) {
        let worst = best.len() - 1;
        let slots = self.leaf_records(leaf as usize).iter().zip(distances);
        let labeled = slots.zip(&self.label_of_slot[leaf as usize * LEAF..]);
        for ((&record, &distance), label) in labeled {
            if distance <= best[worst].distance && label & labels != 0 && accept(record) {
                insert(best, Neighbor { distance, record });
            }
        }
    }

    #[inline(always)]
    pub(super) fn farthest(&self, query: &[f64]) -> u32 {
        let from_center = FromCenter::new(self, query);
        let mut best = Neighbor { distance: -1.0, record: u32::MAX };
        let mut open = vec![(0u32, f64::INFINITY)];
        while let Some((node, bound)) = open.pop() {
            if bound < best.distance || self.nodes[node as usize].live == 0 {
                continue;
            }
            match self.nodes[node as usize].content {
                Content::Children(a, b) => {
                    // No closure: it would stay a function of its own, without vector instructions.
                    let da = self.farthest_of_node(a, &from_center);
                    let db = self.farthest_of_node(b, &from_center);
                    let (far, near) =
                        if da >= db { ((a, da), (b, db)) } else { ((b, db), (a, da)) };
                    open.push(near);
                    open.push(far);
                }
                Content::Leaf(leaf) => {
                    let distances = self.distances(leaf, query);
                    if largest(&distances) >= best.distance {
                        self.farthest_of_leaf(leaf, &distances, &mut best);
                    }
                }
            }
        }
        best.record
    }

    fn farthest_of_leaf(&self, leaf: u32, distances: &[f64; LEAF], best: &mut Neighbor) {
        for (&record, &distance) in self.leaf_records(leaf as usize).iter().zip(distances) {
            let tie = distance == best.distance && record < best.record;
            if distance > best.distance || tie {
                *best = Neighbor { distance, record };
            }
        }
    }
}

/// A query as seen from the center of the tree.
struct FromCenter {
    /// Center minus query.
    offset: Vec<f64>,
    /// Where among the sides of a box the one is that lies farther in that direction.
    far_side: Vec<usize>,
    /// The query itself.
    query: Vec<f64>,
    /// Squared distance from the center, on numbers.
    squared: f64,
}

impl FromCenter {
    fn new(tree: &Tree, query: &[f64]) -> Self {
        let offset: Vec<f64> = tree.center.iter().zip(query).map(|(c, q)| c - q).collect();
        let squared = tree.numbers().map(|d| offset[d] * offset[d]).sum();
        let far_side = |(d, g): (usize, &f64)| if *g < 0.0 { d } else { d + tree.dims };
        let far_side = offset.iter().enumerate().map(far_side).collect();
        Self { offset, far_side, query: query.to_vec(), squared }
    }
}

/// The largest distance; empty slots (NaN) do not count.
#[inline(always)]
fn largest(distances: &[f64; LEAF]) -> f64 {
    reduce(distances, f64::NEG_INFINITY, |new, old| if new > old { new } else { old })
}

/// The smallest distance; empty slots (NaN) do not count.
#[inline(always)]
pub(super) fn smallest(distances: &[f64; LEAF]) -> f64 {
    reduce(distances, f64::INFINITY, |new, old| if new < old { new } else { old })
}

/// Folds lane by lane, so that it becomes vector instructions.
#[inline(always)]
fn reduce(distances: &[f64; LEAF], start: f64, pick: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [start; 8];
    for chunk in distances.chunks_exact(8) {
        for (lane, distance) in lanes.iter_mut().zip(chunk) {
            *lane = pick(*distance, *lane);
        }
    }
    lanes.into_iter().fold(start, |old, new| pick(new, old))
}

/// Puts `new` in its place in the ascending list `best`, whose last falls out.
fn insert(best: &mut [Neighbor], new: Neighbor) {
    let mut place = best.len() - 1;
    if !new.is_nearer_than(&best[place]) {
        return;
    }
    while place > 0 && new.is_nearer_than(&best[place - 1]) {
        best[place] = best[place - 1];
        place -= 1;
    }
    best[place] = new;
}
