//! A balanced tree of boxes over leaves of points.
//!
//! Boxes tell which leaves a query need not look at. A box's bound never
//! exceeds a computed distance ([`Geometry::distance_to_box`]), so answers are
//! exactly those of a linear scan, ties and duplicate points included. Built in
//! O(n log n) on all threads, the same tree on any number of them; memory O(n).

use super::leaves::{Geometry, LEAF, Leaves};

/// Points to search.
#[derive(Debug)]
pub(crate) struct BoxTree {
    leaves: Leaves,
    /// Root at 0.
    nodes: Vec<Node>,
    /// Lower then upper corner of each node.
    boxes: Vec<f64>,
    dims: usize,
}

#[derive(Debug, Clone, Copy)]
enum Node {
    Children(u32, u32),
    Leaf(u32),
}

/// What a search looks for.
pub(crate) trait Visitor {
    /// Leaves farther than this are passed over.
    fn radius(&self) -> f64;

    /// Looks at the points of one leaf.
    fn visit(&mut self, records: &[u32], distances: &[f64; LEAF]);
}

/// Parts smaller than this are ordered by one thread.
const PARALLEL: usize = 1 << 13;

impl BoxTree {
    /// A tree over the points of `columns`.
    pub fn new(geometry: Geometry, columns: &[Vec<f64>]) -> Self {
        let mut records: Vec<u32> = (0..columns[0].len() as u32).collect();
        order(columns, &mut records);
        let count = records.len();
        let leaves = Leaves::new(geometry, columns, records);
        let nodes = Vec::with_capacity(2 * leaves.len());
        let boxes = Vec::with_capacity(4 * leaves.len() * columns.len());
        let mut tree = Self { leaves, nodes, boxes, dims: columns.len() };
        tree.add(0, count);
        tree
    }

    /// The points in leaf order.
    pub fn leaves(&self) -> &Leaves {
        &self.leaves
    }

    /// Adds the node of the `count` points from leaf `first` on; gives its number.
    fn add(&mut self, first: usize, count: usize) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node::Leaf(first as u32));
        self.boxes.resize(self.boxes.len() + 2 * self.dims, 0.0);
        if count > LEAF {
            let low_count = split(count);
            let low = self.add(first, low_count);
            let high = self.add(first + low_count / LEAF, count - low_count);
            self.nodes[node] = Node::Children(low as u32, high as u32);
            self.join_boxes(node, low, high);
        } else {
            self.box_leaf(node, first, count);
        }
        node
    }

    fn box_leaf(&mut self, node: usize, leaf: usize, count: usize) {
        let start = node * 2 * self.dims;
        for (d, column) in self.leaves.columns_of(leaf).enumerate() {
            let (low, high) = ends(column[..count].iter().copied());
            self.boxes[start + d] = low;
            self.boxes[start + self.dims + d] = high;
        }
    }

    fn join_boxes(&mut self, node: usize, a: usize, b: usize) {
        let [start, a, b] = [node, a, b].map(|n| n * 2 * self.dims);
        for d in 0..self.dims {
            self.boxes[start + d] = self.boxes[a + d].min(self.boxes[b + d]);
        }
        for d in self.dims..2 * self.dims {
            self.boxes[start + d] = self.boxes[a + d].max(self.boxes[b + d]);
        }
    }

    #[inline(always)]
    fn bound(&self, node: u32, query: &[f64]) -> f64 {
        let start = node as usize * 2 * self.dims;
        let (low, high) = self.boxes[start..start + 2 * self.dims].split_at(self.dims);
        self.leaves.geometry().distance_to_box(low, high, query)
    }

    /// Shows `visitor` every leaf within its radius, near ones first; `open` is scratch space.
    #[inline(always)]
    pub fn search<V: Visitor>(&self, query: &[f64], open: &mut Vec<(u32, f64)>, visitor: &mut V) {
        open.clear();
        open.push((0, 0.0));
        while let Some((mut node, bound)) = open.pop() {
            // An equal bound may hide an equal distance: a tie.
            if bound > visitor.radius() {
                continue;
            }
            while let Node::Children(a, b) = self.nodes[node as usize] {
                let (near, far) = nearer((a, self.bound(a, query)), (b, self.bound(b, query)));
                if far.1 <= visitor.radius() {
                    open.push(far);
                }
                node = near.0;
                if near.1 > visitor.radius() {
                    break;
                }
            }
            if let Node::Leaf(leaf) = self.nodes[node as usize] {
                let distances = self.leaves.distances(leaf as usize, query);
                visitor.visit(self.leaves.records_of(leaf as usize), &distances);
            }
        }
    }
}

#[inline(always)]
fn nearer(a: (u32, f64), b: (u32, f64)) -> ((u32, f64), (u32, f64)) {
    if a.1 <= b.1 { (a, b) } else { (b, a) }
}

/// How many of `count` points go to the lower side: whole leaves.
fn split(count: usize) -> usize {
    (count / 2 / LEAF * LEAF).max(LEAF)
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    values.fold(none, |(low, high), v| (low.min(v), high.max(v)))
}

/// Orders `records` so that every node's points lie together, cut at the widest coordinate.
fn order(columns: &[Vec<f64>], records: &mut [u32]) {
    if records.len() <= LEAF {
        return;
    }
    let width = |column: &Vec<f64>| {
        let (low, high) = ends(records.iter().map(|&i| column[i as usize]));
        high - low
    };
    let widths: Vec<f64> = columns.iter().map(width).collect();
    let widest =
        (0..widths.len()).fold(0, |best, d| if widths[d] > widths[best] { d } else { best });
    let column = &columns[widest];
    let middle = split(records.len());
    records.select_nth_unstable_by(middle, |&a, &b| {
        column[a as usize].total_cmp(&column[b as usize]).then(a.cmp(&b))
    });
    let parallel = records.len() > PARALLEL;
    let (low, high) = records.split_at_mut(middle);
    if parallel {
        rayon::join(|| order(columns, low), || order(columns, high));
    } else {
        order(columns, low);
        order(columns, high);
    }
}
