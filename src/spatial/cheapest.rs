//! The few points of least distance plus price.

use super::box_tree::{BoxTree, Open, PriceFloors, Visitor};
use super::leaves::{LEAF, any_within};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use unmask_solvers::vectorized;

/// A point at its price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Offer {
    /// Distance plus price.
    pub value: f64,
    /// The distance.
    pub distance: f64,
    /// The point's record.
    pub record: u32,
    /// Its place among offers of the same value.
    order: u32,
}

impl Eq for Offer {}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> Ordering {
        let of_a_value = || (self.order, self.record).cmp(&(other.order, other.record));
        self.value.total_cmp(&other.value).then_with(of_a_value)
    }
}

/// The `most` cheapest points so far, the dearest of them on top.
struct Cheapest<'a> {
    prices: &'a [f64],
    salt: u32,
    most: usize,
    found: BinaryHeap<Offer>,
}

impl Cheapest<'_> {
    fn offer(&mut self, offer: Offer) {
        if self.found.len() < self.most {
            self.found.push(offer);
        } else if let Some(mut dearest) = self.found.peek_mut()
            && offer < *dearest
        {
            *dearest = offer;
        }
    }
}

impl Visitor for Cheapest<'_> {
    #[inline(always)]
    fn radius(&self) -> f64 {
        match self.found.peek() {
            Some(dearest) if self.found.len() == self.most => dearest.value,
            _ => f64::INFINITY,
        }
    }

    #[inline(always)]
    fn visit(&mut self, records: &[u32], distances: &[f64; LEAF]) {
        if !any_within(distances, self.radius()) {
            return;
        }
        for (&record, &distance) in records.iter().zip(distances) {
            let value = distance + self.prices[record as usize];
            if value <= self.radius() {
                self.offer(Offer { value, distance, record, order: mixed(self.salt, record) });
            }
        }
    }
}

/// Prices of the points of a tree, none negative.
#[derive(Debug)]
pub(crate) struct PricedTree<'a> {
    tree: &'a BoxTree,
    floors: PriceFloors,
}

impl<'a> PricedTree<'a> {
    /// The points of `tree` at `prices`.
    pub fn new(tree: &'a BoxTree, prices: &[f64]) -> Self {
        Self { tree, floors: tree.floors(prices) }
    }

    /// The `most` points of least distance to `query` plus price, cheapest first; no price is
    /// below the one that the tree was made with.
    ///
    /// Points of the same value come in an order that depends on `salt` and their records
    /// alone, so that queries with other salts see others of many that tie.
    pub fn cheapest(
        &self,
        (query, salt): (&[f64], u32),
        prices: &[f64],
        most: usize,
        open: &mut Open,
    ) -> Vec<Offer> {
        let found = BinaryHeap::with_capacity(most + 1);
        let mut search = Cheapest { prices, salt, most, found };
        vectorized!(self.tree.search_priced(query, &self.floors, open, &mut search));
        search.found.into_sorted_vec()
    }
}

/// A number that looks random, of two: the finalizer of MurmurHash3.
fn mixed(salt: u32, record: u32) -> u32 {
    let mut bits = (u64::from(salt) << 32) | u64::from(record);
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        bits ^= bits >> 33;
        bits = bits.wrapping_mul(factor);
    }
    (bits ^ (bits >> 33)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Metric;
    use crate::random::generator;
    use crate::spatial::leaves::Geometry;
    use rand::RngExt;

    #[test]
    fn the_cheapest_points_are_those_of_a_linear_scan_ties_included() {
        let mut random = generator(21, 0);
        for case in 0..60 {
            let (points, dims, levels) = (1 + case * 7, 1 + case % 4, [2, 5, 1_000_000][case % 3]);
            let mut column = |size: usize| -> Vec<f64> {
                (0..size).map(|_| f64::from(random.random_range(0..levels))).collect()
            };
            let columns: Vec<Vec<f64>> = (0..dims).map(|_| column(points)).collect();
            let (query, prices) = (column(dims), column(points));
            let geometry = Geometry::Sum(vec![Metric::Squared; dims]);
            let tree = BoxTree::new(geometry.clone(), &columns);
            let offer = |record: u32| {
                let point: Vec<f64> = columns.iter().map(|c| c[record as usize]).collect();
                let distance = geometry.distance(&query, &point);
                let value = distance + prices[record as usize];
                Offer { value, distance, record, order: mixed(9, record) }
            };
            let mut scanned: Vec<Offer> = (0..points as u32).map(offer).collect();
            scanned.sort_unstable();
            scanned.truncate(6);
            let lower: Vec<f64> = prices.iter().map(|price| (price - 1.0).max(0.0)).collect();
            for floors in [&prices, &lower] {
                let tree = PricedTree::new(&tree, floors);
                let found = tree.cheapest((&query, 9), &prices, 6, &mut Open::default());
                assert_eq!(found, scanned);
            }
        }
    }
}
