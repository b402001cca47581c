//! The nearest released record of every original record, exactly.
//!
//! Two indices give the same answers to the last bit: [`Index::Tree`], boxes over
//! leaves that are searched with vector instructions, and [`Index::Scan`], the
//! leaves without boxes. The tree wins while boxes exclude leaves, which many
//! attributes or a kernel prevent. Records are looked up in parallel, in the
//! order in which their own released records lie in the index, so that
//! neighbouring queries use the same part of memory. The own released record
//! starts the search: whatever lies farther cannot be nearest.

use crate::distance::BoxTree;
use crate::distance::box_tree::Visitor;
use crate::distance::leaves::{Geometry, LEAF, Leaves};
use crate::progress::Progress;
use pulp::Arch;
use rayon::prelude::*;

/// Attributes from which on scanning every record beats the tree (measured on
/// normal data).
const SCAN_FROM: usize = 24;

/// Queries looked up together: one piece of work for a thread.
const CHUNK: usize = 256;

/// Queries that share a pass over a leaf of the scan.
const TILE: usize = 8;

/// What was found for one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Nearest {
    /// The least distance.
    pub distance: f64,
    /// The lowest record at that distance.
    pub record: u32,
    /// Number of records at that distance.
    pub tied: u32,
    /// The second least distance, records at the least one not counted;
    /// infinite when there is none.
    pub next: f64,
    /// The distance to the query's own record.
    pub own: f64,
}

impl Nearest {
    fn starting_at(own: f64) -> Self {
        Self { distance: own, record: u32::MAX, tied: 0, next: f64::INFINITY, own }
    }

    #[inline(always)]
    fn offer(&mut self, distance: f64, record: u32) {
        if distance < self.distance {
            self.next = self.distance;
            self.distance = distance;
            self.record = record;
            self.tied = 1;
        } else if distance == self.distance {
            self.tied += 1;
            self.record = self.record.min(record);
        } else if distance < self.next {
            self.next = distance;
        }
    }
}

impl Visitor for Nearest {
    #[inline(always)]
    fn radius(&self) -> f64 {
        self.next
    }

    #[inline(always)]
    fn visit(&mut self, records: &[u32], distances: &[f64; LEAF]) {
        let least = distances.iter().fold(f64::INFINITY, |least: f64, d| least.min(*d));
        if least > self.next {
            return;
        }
        for (record, distance) in records.iter().zip(distances) {
            if *distance <= self.next {
                self.offer(*distance, *record);
            }
        }
    }
}

/// Released records that can be asked for their nearest.
#[derive(Debug)]
pub(crate) enum Index {
    /// Boxes over leaves.
    Tree(BoxTree),
    /// Every leaf is looked at.
    Scan(Leaves),
}

impl Index {
    /// The index that is faster for `columns`.
    pub fn new(geometry: Geometry, columns: &[Vec<f64>]) -> Self {
        let boxes_help = matches!(geometry, Geometry::Sum(_)) && columns.len() < SCAN_FROM;
        if boxes_help { Self::tree(geometry, columns) } else { Self::scan(geometry, columns) }
    }

    /// The tree.
    pub fn tree(geometry: Geometry, columns: &[Vec<f64>]) -> Self {
        Self::Tree(BoxTree::new(geometry, columns))
    }

    /// The scan.
    pub fn scan(geometry: Geometry, columns: &[Vec<f64>]) -> Self {
        let records = (0..columns[0].len() as u32).collect();
        Self::Scan(Leaves::new(geometry, columns, records))
    }

    fn leaves(&self) -> &Leaves {
        match self {
            Self::Tree(tree) => tree.leaves(),
            Self::Scan(leaves) => leaves,
        }
    }

    /// The nearest record of each query; `own[i]` is the record that belongs to
    /// query i of `queries` and `points` the columns the index was made of.
    pub fn nearest(
        &self,
        points: &[Vec<f64>],
        queries: &[Vec<f64>],
        own: &[u32],
        progress: &dyn Progress,
    ) -> Vec<Nearest> {
        let order = self.query_order(own);
        let arch = Arch::new();
        let found: Vec<Nearest> = order
            .par_chunks(CHUNK)
            .flat_map_iter(|chunk| {
                let found = arch.dispatch(
                    #[inline(always)]
                    || self.chunk(points, queries, own, chunk),
                );
                progress.advance(chunk.len() as u64, order.len() as u64);
                found
            })
            .collect();
        let mut nearest = vec![Nearest::starting_at(f64::INFINITY); order.len()];
        for (&query, found) in order.iter().zip(found) {
            nearest[query as usize] = found;
        }
        nearest
    }

    /// The queries in the order of their own records' places in the leaves.
    fn query_order(&self, own: &[u32]) -> Vec<u32> {
        let records = self.leaves().records();
        let mut place = vec![0u32; records.len()];
        for (slot, &record) in records.iter().enumerate() {
            place[record as usize] = slot as u32;
        }
        let mut order: Vec<u32> = (0..own.len() as u32).collect();
        order.sort_unstable_by_key(|&q| (place[own[q as usize] as usize], q));
        order
    }

    #[inline(always)]
    fn chunk(
        &self,
        points: &[Vec<f64>],
        queries: &[Vec<f64>],
        own: &[u32],
        chunk: &[u32],
    ) -> Vec<Nearest> {
        let start = |&q: &u32| {
            let query = row(queries, q);
            let own = row(points, own[q as usize]);
            (Nearest::starting_at(self.leaves().geometry().distance(&query, &own)), query)
        };
        let mut searches: Vec<(Nearest, Vec<f64>)> = chunk.iter().map(start).collect();
        match self {
            Self::Tree(tree) => {
                let mut open = Vec::new();
                for (nearest, query) in &mut searches {
                    tree.search(query, &mut open, nearest);
                }
            }
            Self::Scan(leaves) => searches.chunks_mut(TILE).for_each(|tile| scan(leaves, tile)),
        }
        searches.into_iter().map(|(nearest, _)| nearest).collect()
    }
}

#[inline(always)]
fn scan(leaves: &Leaves, tile: &mut [(Nearest, Vec<f64>)]) {
    for leaf in 0..leaves.len() {
        for (nearest, query) in tile.iter_mut() {
            nearest.visit(leaves.records_of(leaf), &leaves.distances(leaf, query));
        }
    }
}

fn row(columns: &[Vec<f64>], record: u32) -> Vec<f64> {
    columns.iter().map(|column| column[record as usize]).collect()
}
