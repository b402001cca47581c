//! The nearest released record of every original record, exactly.
//!
//! Two indices give the same answers to the last bit: [`Index::Tree`], boxes over
//! leaves that are searched with vector instructions, and [`Index::Scan`], the
//! leaves without boxes. The tree wins while boxes exclude leaves, which many
//! attributes or a kernel prevent. Records are looked up in parallel, in the
//! order in which their own released records lie in the index, so that
//! neighboring queries use the same part of memory. The own released record
//! starts the search: whatever lies farther cannot be nearest.
//!
//! A KD-tree of the kiddo crate was measured and not taken: it gives neither the
//! number of ties nor the second distance, its dimension is fixed at compile
//! time, and 1,000,000 x 7 took 34 s of one core against 14 s here, reading,
//! standardizing and building included.

use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::spatial::BoxTree;
use crate::spatial::box_tree::{Open, Visitor};
use crate::spatial::leaves::{Geometry, LEAF, Leaves, any_within};
use rayon::prelude::*;
use unmask_solvers::vectorized;

/// Coordinates from which on every record is looked at. On independent normal
/// attributes, where boxes help least, the scan is ahead from 16 on (20,000
/// records: 7 coordinates 0.20 s by tree and 1.5 s by scan, 16: 3.7 and 3.1, 24:
/// 5.0 and 2.7); correlated attributes move the crossing up.
const SCAN_FROM: usize = 20;

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
    /// infinite when there is none. Only right when it was searched for.
    pub next: f64,
    /// The distance to the query's own record.
    pub own: f64,
    /// True when a record may be as near but for rounding.
    pub close: bool,
}

/// By how much two equal distances may differ.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Slack {
    /// A share of them.
    pub share: f64,
    /// And so much more.
    pub more: f64,
}

impl Slack {
    /// The largest distance that may equal `distance`.
    #[inline(always)]
    pub fn limit(self, distance: f64) -> f64 {
        distance + (distance * self.share + self.more)
    }
}

impl Nearest {
    fn starting_at(own: f64) -> Self {
        let next = f64::INFINITY;
        Self { distance: own, record: u32::MAX, tied: 0, next, own, close: false }
    }

    /// True when the exact distances may be those of other records, too.
    pub fn is_doubtful(&self) -> bool {
        self.close || self.tied > 1
    }

    #[inline(always)]
    fn offer(&mut self, distance: f64, record: u32, slack: Slack) {
        if distance < self.distance {
            self.close = self.tied > 0 && self.distance <= slack.limit(distance);
            self.next = self.distance;
            self.distance = distance;
            self.record = record;
            self.tied = 1;
        } else if distance == self.distance {
            self.tied += 1;
            self.record = self.record.min(record);
        } else {
            self.close |= distance <= slack.limit(self.distance);
            if distance < self.next {
                self.next = distance;
            }
        }
    }
}

/// A search for the nearest record, and with `SECOND` for the second least distance.
///
/// Without it only what is as near as the nearest so far is looked at, which
/// takes less than half the time.
struct NearestSearch<const SECOND: bool>(Nearest, Slack);

impl<const SECOND: bool> Visitor for NearestSearch<SECOND> {
    #[inline(always)]
    fn radius(&self) -> f64 {
        let close = self.1.limit(self.0.distance);
        if SECOND && self.0.next > close { self.0.next } else { close }
    }

    #[inline(always)]
    fn visit(&mut self, records: &[u32], distances: &[f64; LEAF]) {
        if !any_within(distances, self.radius()) {
            return;
        }
        for (record, distance) in records.iter().zip(distances) {
            if *distance <= self.radius() {
                self.0.offer(*distance, *record, self.1);
            }
        }
    }
}

/// What a query's neighborhood is looked at for.
pub(crate) trait Gatherer: Send {
    /// Sees one record within the radius; gives the radius from now on.
    fn see(&mut self, record: u32, distance: f64, radius: f64) -> f64;
}

/// A search of the records about as near as a query's own one.
struct AroundOwn<G> {
    gatherer: G,
    own: u32,
    radius: f64,
}

impl<G: Gatherer> Visitor for AroundOwn<G> {
    #[inline(always)]
    fn radius(&self) -> f64 {
        self.radius
    }

    #[inline(always)]
    fn visit(&mut self, records: &[u32], distances: &[f64; LEAF]) {
        if !any_within(distances, self.radius) {
            return;
        }
        for (record, distance) in records.iter().zip(distances) {
            if *distance <= self.radius && *record != self.own {
                self.radius = self.gatherer.see(*record, *distance, self.radius);
            }
        }
    }
}

/// The points an index was made of, the queries, and the point that belongs to each query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pairs<'a> {
    pub points: &'a [Vec<f64>],
    pub queries: &'a [Vec<f64>],
    pub own: &'a [u32],
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
        let boxes_help = geometry.box_dimensions().is_some_and(|count| count < SCAN_FROM);
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

    /// The nearest record of each of `pairs.queries`, and with `second` the second
    /// least distance. Fails when `listener` interrupts.
    pub fn nearest(
        &self,
        pairs: Pairs<'_>,
        second: bool,
        listener: &dyn Listener,
    ) -> Result<Vec<Nearest>> {
        self.nearest_within(pairs, second, Slack::default(), listener)
    }

    /// The same, and whether other records are as near but for `slack`.
    pub fn nearest_within(
        &self,
        pairs: Pairs<'_>,
        second: bool,
        slack: Slack,
        listener: &dyn Listener,
    ) -> Result<Vec<Nearest>> {
        self.ask_each(pairs, listener, |chunk| {
            vectorized!(match second {
                true => self.chunk::<true>(pairs, slack, chunk),
                false => self.chunk::<false>(pairs, slack, chunk),
            })
        })
    }

    /// The answers of `ask`, which takes several queries at once, in the order of the queries.
    fn ask_each<A: Send>(
        &self,
        pairs: Pairs<'_>,
        listener: &dyn Listener,
        ask: impl Fn(&[u32]) -> Vec<A> + Sync,
    ) -> Result<Vec<A>> {
        let order = self.query_order(pairs.own);
        let answered = order.par_chunks(CHUNK).map(|chunk| {
            if listener.interrupted() {
                return Err(Error::Interrupted);
            }
            let answers = ask(chunk);
            listener.advance(chunk.len() as u64, order.len() as u64);
            Ok(answers)
        });
        let answers = answered.collect::<Result<Vec<Vec<A>>>>()?.into_iter().flatten();
        let mut placed: Vec<(u32, A)> = order.iter().copied().zip(answers).collect();
        placed.sort_unstable_by_key(|(query, _)| *query);
        Ok(placed.into_iter().map(|(_, answer)| answer).collect())
    }

    /// Shows a gatherer of each query the records, its own excepted, that may be as near as its own
    /// one but for `slack`, as long as it wants to see them. Fails when `listener` interrupts.
    pub fn around_own<G: Gatherer>(
        &self,
        pairs: Pairs<'_>,
        slack: Slack,
        gatherer: impl Fn(u32) -> G + Sync,
        listener: &dyn Listener,
    ) -> Result<Vec<G>> {
        let geometry = self.leaves().geometry();
        let radius = |q: u32, query: &[f64]| {
            slack.limit(geometry.distance(query, &row(pairs.points, pairs.own[q as usize])))
        };
        self.gather_within(pairs, radius, gatherer, listener)
    }

    /// Shows a gatherer of each query the records, its own excepted, within its radius, as long as
    /// it wants to see them. Fails when `listener` interrupts.
    pub fn gather_within<G: Gatherer>(
        &self,
        pairs: Pairs<'_>,
        radius: impl Fn(u32, &[f64]) -> f64 + Sync,
        gatherer: impl Fn(u32) -> G + Sync,
        listener: &dyn Listener,
    ) -> Result<Vec<G>> {
        let gather = |q: u32, open: &mut Open| {
            let (query, own) = (row(pairs.queries, q), pairs.own[q as usize]);
            let radius = radius(q, &query);
            let mut search = AroundOwn { gatherer: gatherer(q), own, radius };
            vectorized!(match self {
                Self::Tree(tree) => tree.search(&query, open, &mut search),
                Self::Scan(leaves) => scan_alone(leaves, &query, &mut search),
            });
            search.gatherer
        };
        self.ask_each(pairs, listener, |chunk| {
            let mut open = Open::default();
            chunk.iter().map(|&q| gather(q, &mut open)).collect()
        })
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
    fn chunk<const SECOND: bool>(
        &self,
        pairs: Pairs<'_>,
        slack: Slack,
        chunk: &[u32],
    ) -> Vec<Nearest> {
        let start = |&q: &u32| {
            let query = row(pairs.queries, q);
            let own = row(pairs.points, pairs.own[q as usize]);
            let own = self.leaves().geometry().distance(&query, &own);
            (NearestSearch::<SECOND>(Nearest::starting_at(own), slack), query)
        };
        let mut searches: Vec<_> = chunk.iter().map(start).collect();
        match self {
            Self::Tree(tree) => {
                let mut open = Open::default();
                for (search, query) in &mut searches {
                    tree.search(query, &mut open, search);
                }
            }
            Self::Scan(leaves) => searches.chunks_mut(TILE).for_each(|tile| scan(leaves, tile)),
        }
        searches.into_iter().map(|(search, _)| search.0).collect()
    }
}

#[inline(always)]
fn scan<V: Visitor>(leaves: &Leaves, tile: &mut [(V, Vec<f64>)]) {
    for leaf in 0..leaves.len() {
        for (search, query) in tile.iter_mut() {
            search.visit(leaves.records_of(leaf), &leaves.distances(leaf, query));
        }
    }
}

#[inline(always)]
fn scan_alone<V: Visitor>(leaves: &Leaves, query: &[f64], search: &mut V) {
    for leaf in 0..leaves.len() {
        search.visit(leaves.records_of(leaf), &leaves.distances(leaf, query));
    }
}

fn row(columns: &[Vec<f64>], record: u32) -> Vec<f64> {
    columns.iter().map(|column| column[record as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Metric;
    use crate::random::generator;
    use crate::spatial::leaves::power;
    use rand::RngExt;

    /// What a double loop over all pairs finds.
    fn linear_scan(
        geometry: &Geometry,
        points: &[Vec<f64>],
        queries: &[Vec<f64>],
        own: &[u32],
    ) -> Vec<Nearest> {
        let records = points[0].len() as u32;
        let search = |(q, &own): (usize, &u32)| {
            let query = row(queries, q as u32);
            let distances: Vec<f64> =
                (0..records).map(|j| geometry.distance(&query, &row(points, j))).collect();
            let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
            let at_least = || distances.iter().enumerate().filter(|(_, d)| **d == least);
            let others = distances.iter().copied().filter(|d| *d > least);
            Nearest {
                distance: least,
                record: at_least().next().map_or(u32::MAX, |(j, _)| j as u32),
                tied: at_least().count() as u32,
                next: others.fold(f64::INFINITY, f64::min),
                own: distances[own as usize],
                close: false,
            }
        };
        own.iter().enumerate().map(search).collect()
    }

    /// Random columns; few `levels` make ties and duplicate points.
    fn columns(records: usize, dims: usize, levels: u32, stream: u64) -> Vec<Vec<f64>> {
        let mut random = generator(5, stream);
        let mut value = || f64::from(random.random_range(0..levels)) / 7.0;
        (0..dims).map(|_| (0..records).map(|_| value()).collect()).collect()
    }

    /// `columns` with every ninth value or so generalized.
    fn generalized(mut columns: Vec<Vec<f64>>, stream: u64) -> Vec<Vec<f64>> {
        let mut random = generator(5, stream);
        for value in columns.iter_mut().flatten() {
            if random.random_range(0..9) == 0 {
                *value = f64::INFINITY;
            }
        }
        columns
    }

    fn with_own_kernel(mut columns: Vec<Vec<f64>>, degree: u32) -> Vec<Vec<f64>> {
        let own = |i: u32| power(row(&columns, i).iter().fold(1.0, |s, v| s + v * v), degree);
        let kernels = (0..columns[0].len() as u32).map(own).collect();
        columns.push(kernels);
        columns
    }

    fn check(index: Index, geometry: &Geometry, points: &[Vec<f64>], queries: &[Vec<f64>]) {
        let records = points[0].len() as u32;
        let own: Vec<u32> = (0..queries[0].len() as u32).map(|q| (q * 7 + 3) % records).collect();
        let pairs = Pairs { points, queries, own: &own };
        let expected = linear_scan(geometry, points, queries, &own);
        assert_eq!(index.nearest(pairs, true, &()).unwrap(), expected);
        let without_second = |mut nearest: Nearest| {
            nearest.next = 0.0;
            nearest
        };
        let found = index.nearest(pairs, false, &()).unwrap();
        assert!(found.into_iter().map(without_second).eq(expected.into_iter().map(without_second)));
    }

    /// The same cases for every index.
    macro_rules! agrees_with_the_linear_scan {
        ($($index:ident),*) => {$(
            mod $index {
                use super::*;

                #[test]
                fn finds_what_a_linear_scan_finds_with_ties_and_duplicate_points() {
                    for (case, levels) in [2, 3, 10, 1_000_000].into_iter().enumerate() {
                        for records in [1, 2, 31, 32, 33, 64, 65, 500] {
                            for dims in [1, 2, 5, 9] {
                                let points = columns(records, dims, levels, case as u64);
                                let queries = columns(40, dims, levels, 90 + case as u64);
                                let geometry = Geometry::Sum(vec![Metric::Squared; dims]);
                                let index = Index::$index(geometry.clone(), &points);
                                check(index, &geometry, &points, &queries);
                            }
                        }
                    }
                }

                #[test]
                fn finds_what_a_linear_scan_finds_on_mixed_attributes() {
                    let kinds = [Metric::Squared, Metric::Steps(0.6), Metric::Mismatch(0.25)];
                    for dims in [1, 3, 6, 30] {
                        let metrics = (0..dims).map(|d| kinds[(d + dims) % 3].clone()).collect();
                        let geometry = Geometry::Sum(metrics);
                        let (points, queries) = (columns(300, dims, 4, 1), columns(60, dims, 4, 2));
                        let index = Index::$index(geometry.clone(), &points);
                        check(index, &geometry, &points, &queries);
                    }
                }

                #[test]
                fn finds_what_a_linear_scan_finds_among_generalized_values() {
                    let kinds = [Metric::SquaredOrAny, Metric::Steps(0.6), Metric::Mismatch(0.25)];
                    for (levels, dims) in [(4, 1), (4, 3), (1_000_000, 3), (9, 6), (4, 30)] {
                        let geometry = Geometry::Sum((0..dims).map(|d| kinds[d % 3].clone()).collect());
                        let points = generalized(columns(300, dims, levels, 5), 6);
                        let queries = generalized(columns(60, dims, levels, 7), 8);
                        let index = Index::$index(geometry.clone(), &points);
                        check(index, &geometry, &points, &queries);
                    }
                }

                #[test]
                fn finds_what_a_linear_scan_finds_with_a_kernel() {
                    for degree in [1, 2, 3] {
                        let geometry = Geometry::Kernel { degree };
                        let points = with_own_kernel(columns(200, 4, 9, 3), degree);
                        let queries = with_own_kernel(columns(50, 4, 9, 4), degree);
                        let index = Index::$index(geometry.clone(), &points);
                        check(index, &geometry, &points, &queries);
                    }
                }
            }
        )*};
    }

    agrees_with_the_linear_scan!(tree, scan);
}
