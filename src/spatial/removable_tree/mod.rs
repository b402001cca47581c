//! The records not yet grouped: nearest and farthest queries, and removal.
//!
//! A balanced box tree over leaves of [`LEAF`] records. Inside a leaf the
//! coordinates are a structure of arrays, so that one pass of vector
//! instructions gives the distances of the whole leaf; bounds tell which leaves
//! need no pass at all:
//! - nearest: the distance to a node's box. It is summed in the same order as
//!   distances and rounding is monotone, so it is never above a distance found.
//! - farthest: with c the center of the tree, |x - q|² = |x - c|² + |c - q|² +
//!   2 (x - c)·(c - q); a node knows its largest |x - c|², and its box bounds the
//!   last term, which vanishes for queries near the center. The corner of the box
//!   alone would let half of all leaves through in seven dimensions. Coordinates
//!   that are no numbers add the most their side of the box allows.
//! - of some labels only: a node knows which labels its records carry.
//!
//! Answers are exactly those of a linear scan. Memory O(n); the tree is rebuilt
//! when half of its records are gone, which costs O(n log n) in all.

mod batch;
mod queries;

pub(crate) use batch::QueryBatch;

use crate::distance::Metric;
use crate::distance::Points;
use crate::spatial::leaves::LEAF;
use unmask_solvers::vectorized;

/// Points that can be asked for neighbors and taken out one by one.
pub(crate) struct RemovableTree<'a> {
    source: Source<'a>,
    tree: Tree,
}

/// Where the tree takes its points from.
#[derive(Clone, Copy)]
struct Source<'a> {
    points: &'a Points,
    /// A label below 64 for each record; all 0 where there are none.
    labels: &'a [u8],
}

impl Source<'_> {
    fn label(&self, record: u32) -> u64 {
        1 << self.labels.get(record as usize).map_or(0, |label| label & 63)
    }
}

/// Every label.
pub(crate) const ANY: u64 = u64::MAX;

struct Tree {
    dims: usize,
    metrics: Vec<Metric>,
    /// Whether all coordinates are numbers.
    only_numbers: bool,
    /// Inner nodes first to last, root at 0; children of `i` are `nodes[i].children`.
    nodes: Vec<TreeNode>,
    /// Lower then upper corner of each node, `2 * dims` numbers.
    boxes: Vec<f64>,
    /// Center of the records the tree was built of.
    center: Vec<f64>,
    /// Largest squared distance from the center in each node, on numbers.
    reach: Vec<f64>,
    /// The labels in each node, a bit each.
    labels: Vec<u64>,
    /// Leaf by leaf, coordinate by coordinate.
    coordinates: Vec<f64>,
    /// Record in each slot of each leaf; the first `live` of a leaf are valid.
    records: Vec<u32>,
    /// Label bit of the record in each slot.
    label_of_slot: Vec<u64>,
    /// Slot of each record.
    slot: Vec<u32>,
    /// TreeNode of each leaf.
    node_of_leaf: Vec<u32>,
    built: usize,
}

struct TreeNode {
    parent: u32,
    live: u32,
    content: Content,
}

#[derive(Clone, Copy)]
enum Content {
    Children(u32, u32),
    Leaf(u32),
}

/// A record at a squared distance; ordered by distance, then record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Neighbor {
    pub distance: f64,
    pub record: u32,
}

impl Neighbor {
    /// Farther than any.
    pub const NONE: Self = Self { distance: f64::INFINITY, record: u32::MAX };

    pub fn is_nearer_than(&self, other: &Self) -> bool {
        (self.distance, self.record) < (other.distance, other.record)
    }
}

impl<'a> RemovableTree<'a> {
    /// All records of `points`.
    pub fn new(points: &'a Points) -> Self {
        Self::of(points, (0..points.records() as u32).collect(), &[])
    }

    /// Some records of `points`; `labels` gives each record of the file a label
    /// below 64, or is empty.
    pub fn of(points: &'a Points, records: Vec<u32>, labels: &'a [u8]) -> Self {
        let source = Source { points, labels };
        Self { source, tree: Tree::build(source, records) }
    }

    /// Number of records left.
    pub fn len(&self) -> usize {
        self.tree.nodes[0].live as usize
    }

    /// The records left, ascending.
    pub fn records(&self) -> Vec<u32> {
        let mut records = self.tree.live_records();
        records.sort_unstable();
        records
    }

    /// Whether `record` carries one of `labels`.
    pub fn carries(&self, record: u32, labels: u64) -> bool {
        self.source.label(record) & labels != 0
    }

    /// Takes `record` out.
    pub fn remove(&mut self, record: u32) {
        self.tree.remove(record);
        if self.len() * 2 < self.tree.built && self.tree.built > 2 * LEAF {
            self.tree = Tree::build(self.source, self.tree.live_records());
        }
    }

    /// The `count` records nearest to `query`, nearest first, ties by record number.
    pub fn nearest(&self, query: &[f64], count: usize) -> Vec<Neighbor> {
        self.nearest_of(query, count, ANY)
    }

    /// As [`Self::nearest`], of all records but `itself`.
    pub fn nearest_other(&self, query: &[f64], count: usize, itself: u32) -> Vec<Neighbor> {
        self.nearest_within(query, count, f64::INFINITY, ANY, |r| r != itself, |_| false)
    }

    /// As [`Self::nearest`], of the records that carry one of `labels`.
    pub fn nearest_of(&self, query: &[f64], count: usize, labels: u64) -> Vec<Neighbor> {
        self.nearest_within(query, count, f64::INFINITY, labels, |_| true, |_| false)
    }

    /// As [`Self::nearest_of`], of the records within the squared distance `limit` that
    /// `accept` takes; some of them as soon as one is `near_enough`.
    pub fn nearest_within(
        &self,
        query: &[f64],
        count: usize,
        limit: f64,
        labels: u64,
        accept: impl Fn(u32) -> bool,
        near_enough: impl Fn(f64) -> bool,
    ) -> Vec<Neighbor> {
        found(count, limit, |best| {
            vectorized!(self.tree.nearest(query, labels, accept, near_enough, best))
        })
    }

    /// The `count` records nearest to any point of `batch`, nearest first, of those that
    /// carry one of `labels` and that `accept` takes.
    ///
    /// A point sees all records within its limit, and some beyond: those count with their
    /// distance from it even if another point, to which they are beyond the limit, is nearer.
    pub fn nearest_to_any(
        &self,
        batch: &QueryBatch,
        count: usize,
        labels: u64,
        accept: impl Fn(u32) -> bool,
    ) -> Vec<Neighbor> {
        found(count, batch.farthest_limit(), |best| {
            vectorized!(self.tree.nearest_to_any(batch, labels, accept, best))
        })
    }

    /// The record farthest from `query`, the lowest of several.
    pub fn farthest(&self, query: &[f64]) -> u32 {
        vectorized!(self.tree.farthest(query))
    }
}

/// What `search` puts into a list of `count` that begins with nothing but `limit`.
fn found(count: usize, limit: f64, search: impl FnOnce(&mut [Neighbor])) -> Vec<Neighbor> {
    let mut best = vec![Neighbor { distance: limit, ..Neighbor::NONE }; count];
    if count > 0 {
        search(&mut best);
    }
    best.retain(|n| n.record != u32::MAX);
    best
}

impl Tree {
    fn build(source: Source<'_>, mut records: Vec<u32>) -> Self {
        let columns = source.points.columns();
        let leaves = records.len().div_ceil(LEAF).max(1);
        let mut tree = Self {
            dims: columns.len(),
            metrics: source.points.metrics().to_vec(),
            only_numbers: source.points.metrics().iter().all(|m| *m == Metric::Squared),
            nodes: Vec::with_capacity(2 * leaves),
            boxes: Vec::with_capacity(4 * leaves * columns.len()),
            center: columns.iter().map(|c| middle(c, &records)).collect(),
            reach: Vec::with_capacity(2 * leaves),
            labels: Vec::with_capacity(2 * leaves),
            coordinates: Vec::with_capacity(leaves * LEAF * columns.len()),
            records: Vec::with_capacity(leaves * LEAF),
            label_of_slot: Vec::with_capacity(leaves * LEAF),
            slot: vec![0; columns[0].len()],
            node_of_leaf: Vec::with_capacity(leaves),
            built: records.len(),
        };
        tree.add_node(source, &mut records, 0);
        tree
    }

    /// Adds the subtree of `records`; gives its node.
    fn add_node(&mut self, source: Source<'_>, records: &mut [u32], parent: u32) -> u32 {
        let node = self.nodes.len() as u32;
        let live = records.len() as u32;
        self.nodes.push(TreeNode { parent, live, content: Content::Leaf(0) });
        let widest = self.add_box(source, records);
        let content = if records.len() <= LEAF {
            Content::Leaf(self.add_leaf(source, records, node))
        } else {
            let middle = records.len() / 2 / LEAF * LEAF;
            let middle = middle.max(LEAF);
            let column = &source.points.columns()[widest];
            records.select_nth_unstable_by(middle, |&a, &b| {
                column[a as usize].total_cmp(&column[b as usize]).then(a.cmp(&b))
            });
            let (low, high) = records.split_at_mut(middle);
            let low = self.add_node(source, low, node);
            Content::Children(low, self.add_node(source, high, node))
        };
        self.nodes[node as usize].content = content;
        node
    }

    /// Adds the bounding box of `records`; gives its widest coordinate.
    fn add_box(&mut self, source: Source<'_>, records: &[u32]) -> usize {
        let columns = source.points.columns();
        let start = self.boxes.len();
        let values = |column: &'_ Vec<f64>| -> (f64, f64) {
            records
                .iter()
                .map(|&i| column[i as usize])
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                    (low.min(v), high.max(v))
                })
        };
        let sides: Vec<(f64, f64)> = columns.iter().map(values).collect();
        self.boxes.extend(sides.iter().map(|s| s.0));
        self.boxes.extend(sides.iter().map(|s| s.1));
        debug_assert_eq!(self.boxes.len(), start + 2 * self.dims);
        let from_center = |&i: &u32| {
            let numbers = self.numbers().map(|d| columns[d][i as usize] - self.center[d]);
            numbers.fold(0.0, |sum, t| sum + t * t)
        };
        self.reach.push(records.iter().map(from_center).fold(0.0, f64::max));
        self.labels.push(records.iter().fold(0, |bits, &i| bits | source.label(i)));
        let width = |d: usize| sides[d].1 - sides[d].0;
        (0..self.dims).fold(0, |widest, d| if width(d) > width(widest) { d } else { widest })
    }

    /// The coordinates that are numbers.
    fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.dims).filter(|&d| self.metrics[d] == Metric::Squared)
    }

    fn add_leaf(&mut self, source: Source<'_>, records: &[u32], node: u32) -> u32 {
        let leaf = self.node_of_leaf.len();
        self.node_of_leaf.push(node);
        for (j, &record) in records.iter().enumerate() {
            self.slot[record as usize] = (leaf * LEAF + j) as u32;
        }
        self.records.extend(records);
        self.records.resize((leaf + 1) * LEAF, u32::MAX);
        self.label_of_slot.extend(records.iter().map(|&i| source.label(i)));
        self.label_of_slot.resize((leaf + 1) * LEAF, 0);
        for column in source.points.columns() {
            let start = self.coordinates.len();
            self.coordinates.extend(records.iter().map(|&i| column[i as usize]));
            self.coordinates.resize(start + LEAF, f64::NAN);
        }
        leaf as u32
    }

    fn live_records(&self) -> Vec<u32> {
        let leaves = self.node_of_leaf.iter().enumerate();
        leaves.flat_map(|(leaf, _)| self.leaf_records(leaf).iter().copied()).collect()
    }

    fn leaf_records(&self, leaf: usize) -> &[u32] {
        let live = self.nodes[self.node_of_leaf[leaf] as usize].live as usize;
        &self.records[leaf * LEAF..leaf * LEAF + live]
    }

    fn remove(&mut self, record: u32) {
        let slot = self.slot[record as usize] as usize;
        let leaf = slot / LEAF;
        let mut node = self.node_of_leaf[leaf] as usize;
        let last = leaf * LEAF + self.nodes[node].live as usize - 1;
        self.records[slot] = self.records[last];
        self.slot[self.records[slot] as usize] = slot as u32;
        self.label_of_slot[slot] = self.label_of_slot[last];
        for d in 0..self.dims {
            let start = (leaf * self.dims + d) * LEAF - leaf * LEAF;
            self.coordinates[start + slot] = self.coordinates[start + last];
            self.coordinates[start + last] = f64::NAN;
        }
        self.nodes[node].live -= 1;
        self.shrink_leaf(leaf, node);
        while node != 0 {
            node = self.nodes[node].parent as usize;
            self.nodes[node].live -= 1;
            if let Content::Children(a, b) = self.nodes[node].content {
                self.shrink_to_children(node, a as usize, b as usize);
            }
        }
    }

    /// Fits box, reach and labels of a leaf to the records left in it.
    fn shrink_leaf(&mut self, leaf: usize, node: usize) {
        let live = self.nodes[node].live as usize;
        let mut squares = [0.0; LEAF];
        for d in 0..self.dims {
            let start = (leaf * self.dims + d) * LEAF;
            let column = &self.coordinates[start..start + live];
            let (low, high) = column
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
            let corner = node * 2 * self.dims + d;
            (self.boxes[corner], self.boxes[corner + self.dims]) = (low, high);
            if self.metrics[d] == Metric::Squared {
                for (sum, x) in squares.iter_mut().zip(column) {
                    *sum += (x - self.center[d]) * (x - self.center[d]);
                }
            }
        }
        let labels = &self.label_of_slot[leaf * LEAF..leaf * LEAF + live];
        self.labels[node] = labels.iter().fold(0, |bits, label| bits | label);
        self.reach[node] = squares[..live].iter().copied().fold(0.0, f64::max);
    }

    fn shrink_to_children(&mut self, node: usize, a: usize, b: usize) {
        let size = 2 * self.dims;
        for d in 0..self.dims {
            let (low, high) = (d, d + self.dims);
            self.boxes[node * size + low] =
                self.boxes[a * size + low].min(self.boxes[b * size + low]);
            self.boxes[node * size + high] =
                self.boxes[a * size + high].max(self.boxes[b * size + high]);
        }
        self.reach[node] = self.reach[a].max(self.reach[b]);
        self.labels[node] = self.labels[a] | self.labels[b];
    }
}

fn middle(column: &[f64], records: &[u32]) -> f64 {
    records.iter().map(|&i| column[i as usize]).sum::<f64>() / records.len() as f64
}
