//! A balanced tree of boxes over leaves of points.
//!
//! Boxes tell which leaves a query need not look at. A box's bound never
//! exceeds a computed distance ([`distances_to_boxes`]), so answers are exactly
//! those of a linear scan, ties and duplicate points included. A node has
//! [`BOXES`] children, whose bounds come from one pass of vector instructions:
//! with two children, computing bounds took longer than looking at leaves.
//! Built in O(n log n) on all threads, the same tree on any number of them;
//! memory O(n).

use super::leaves::{BOXES, Geometry, LEAF, Leaves, distances_to_boxes};

/// Points to search.
#[derive(Debug)]
pub(crate) struct BoxTree {
    leaves: Leaves,
    /// Root at 0.
    nodes: Vec<[Child; BOXES]>,
    /// Node by node, coordinate by coordinate: the lower, then the upper ends of
    /// the children's boxes.
    sides: Vec<f64>,
    dims: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Child {
    None,
    Node(u32),
    Leaf(u32),
}

/// The least price of the points in each box of a tree, child by child of each node.
#[derive(Debug)]
pub(crate) struct PriceFloors(Vec<[f64; BOXES]>);

/// What a search looks for.
pub(crate) trait Visitor {
    /// Leaves farther than this are passed over.
    fn radius(&self) -> f64;

    /// Looks at the points of one leaf.
    fn visit(&mut self, records: &[u32], distances: &[f64; LEAF]);
}

/// Scratch space of a search: nodes and leaves still to look at.
#[derive(Debug, Default)]
pub(crate) struct Open(Vec<(Child, f64)>);

/// Parts smaller than this are ordered by one thread.
const PARALLEL: usize = 1 << 13;

impl BoxTree {
    /// A tree over the points of `columns`.
    pub fn new(geometry: Geometry, columns: &[Vec<f64>]) -> Self {
        Self::of(geometry, columns, (0..columns[0].len() as u32).collect())
    }

    /// A tree over the points of `columns` that `records` names, of which there is at least one.
    pub fn of(geometry: Geometry, columns: &[Vec<f64>], mut records: Vec<u32>) -> Self {
        order(columns, &mut records);
        let count = records.len();
        let leaves = Leaves::new(geometry, columns, records);
        let mut tree = Self { leaves, nodes: Vec::new(), sides: Vec::new(), dims: columns.len() };
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
        self.nodes.push([Child::None; BOXES]);
        self.sides.resize(self.sides.len() + 2 * BOXES * self.dims, 0.0);
        for (place, (first, count)) in parts(first, count).into_iter().enumerate() {
            let child = match count <= LEAF {
                true => Child::Leaf(first as u32),
                false => Child::Node(self.add(first, count) as u32),
            };
            self.nodes[node][place] = child;
            for d in 0..self.dims {
                let (low, high) = self.ends(child, d);
                let start = (node * self.dims + d) * 2 * BOXES + place;
                self.sides[start] = low;
                self.sides[start + BOXES] = high;
            }
        }
        node
    }

    /// The ends of coordinate `d` of the box of `child`.
    fn ends(&self, child: Child, d: usize) -> (f64, f64) {
        match child {
            Child::None => ends([]),
            Child::Leaf(leaf) => {
                let leaf = leaf as usize;
                let column = self.leaves.columns_of(leaf).nth(d).unwrap_or_default();
                ends(column.iter().copied().take(self.leaves.records_of(leaf).len()))
            }
            Child::Node(node) => {
                let children = &self.nodes[node as usize];
                let start = (node as usize * self.dims + d) * 2 * BOXES;
                let used = (0..BOXES).filter(|&c| children[c] != Child::None);
                ends(used.flat_map(|c| [self.sides[start + c], self.sides[start + BOXES + c]]))
            }
        }
    }

    /// The least of `prices` in each box.
    pub fn floors(&self, prices: &[f64]) -> PriceFloors {
        let least = |records: &[u32]| {
            records.iter().map(|&r| prices[r as usize]).fold(f64::INFINITY, f64::min)
        };
        let mut floors = vec![[f64::INFINITY; BOXES]; self.nodes.len()];
        // Children come after their parents.
        for (node, children) in self.nodes.iter().enumerate().rev() {
            for (place, child) in children.iter().enumerate() {
                floors[node][place] = match *child {
                    Child::None => f64::INFINITY,
                    Child::Node(node) => {
                        floors[node as usize].into_iter().fold(f64::INFINITY, f64::min)
                    }
                    Child::Leaf(leaf) => least(self.leaves.records_of(leaf as usize)),
                };
            }
        }
        PriceFloors(floors)
    }

    /// Shows `visitor` every leaf within its radius, near ones first.
    #[inline(always)]
    pub fn search<V: Visitor>(&self, query: &[f64], open: &mut Open, visitor: &mut V) {
        self.search_above(query, |_| &[0.0; BOXES], open, visitor);
    }

    /// As [`Self::search`], where points have prices, none below its box's floor, and the
    /// visitor's radius is one of distance plus price.
    #[inline(always)]
    pub fn search_priced<V: Visitor>(
        &self,
        query: &[f64],
        floors: &PriceFloors,
        open: &mut Open,
        visitor: &mut V,
    ) {
        self.search_above(query, |node| &floors.0[node], open, visitor);
    }

    #[inline(always)]
    fn search_above<'f, V: Visitor>(
        &self,
        query: &[f64],
        floors: impl Fn(usize) -> &'f [f64; BOXES],
        open: &mut Open,
        visitor: &mut V,
    ) {
        open.0.clear();
        open.0.push((Child::Node(0), 0.0));
        while let Some((child, bound)) = open.0.pop() {
            // An equal bound may hide an equal distance: a tie.
            if bound > visitor.radius() {
                continue;
            }
            match child {
                Child::None => {}
                Child::Node(node) => {
                    let node = node as usize;
                    self.open(node, query, floors(node), visitor.radius(), open);
                }
                Child::Leaf(leaf) => {
                    let leaf = leaf as usize;
                    let distances = self.leaves.distances(leaf, query);
                    visitor.visit(self.leaves.records_of(leaf), &distances);
                }
            }
        }
    }

    /// Adds the children of `node` within `radius` to `open`, the nearest last.
    #[inline(always)]
    fn open(
        &self,
        node: usize,
        query: &[f64],
        floors: &[f64; BOXES],
        radius: f64,
        open: &mut Open,
    ) {
        let size = 2 * BOXES * self.dims;
        let sides = &self.sides[node * size..(node + 1) * size];
        let mut bounds = distances_to_boxes(self.leaves.geometry(), sides, query);
        bounds.iter_mut().zip(floors).for_each(|(bound, floor)| *bound += floor);
        let start = open.0.len();
        for (&child, &bound) in self.nodes[node].iter().zip(&bounds) {
            if bound <= radius && child != Child::None {
                open.0.push((child, bound));
                let mut place = open.0.len() - 1;
                while place > start && open.0[place - 1].1 < bound {
                    open.0.swap(place - 1, place);
                    place -= 1;
                }
            }
        }
    }
}

/// The leaves from `first` on, halved until there are [`BOXES`] parts or single leaves.
fn parts(first: usize, count: usize) -> Vec<(usize, usize)> {
    let mut parts = vec![(first, count)];
    for _ in 0..BOXES.ilog2() {
        let halves = |(first, count): (usize, usize)| match count <= LEAF {
            true => vec![(first, count)],
            false => {
                let low = split(count);
                vec![(first, low), (first + low / LEAF, count - low)]
            }
        };
        parts = parts.into_iter().flat_map(halves).collect();
    }
    parts
}

/// How many of `count` points go to the lower side: whole leaves.
fn split(count: usize) -> usize {
    (count / 2 / LEAF * LEAF).max(LEAF)
}

/// The ends of an interval round `values`; without ends where one is generalized or unknown.
fn ends(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    values.into_iter().fold(none, |(low, high), v| match v.is_finite() {
        true => (low.min(v), high.max(v)),
        false => (f64::NEG_INFINITY, f64::INFINITY),
    })
}

/// Orders `records` so that every part's points lie together, cut at the widest coordinate.
fn order(columns: &[Vec<f64>], records: &mut [u32]) {
    if records.len() <= LEAF {
        return;
    }
    let width = |column: &Vec<f64>| {
        let values = records.iter().map(|&i| column[i as usize]);
        let (low, high) = ends(values.filter(|v| v.is_finite()));
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
