//! Which released numbers may be as far from a target's as its own.

use crate::distance::{AttributeDistances, Coordinates, Metric};
use crate::error::{Error, Result};
use crate::listener::Listener;
use rayon::prelude::*;
use std::ops::Range;

/// The released numbers of each attribute in order, to look up those that equal a target's own or
/// lie opposite, but for rounding.
pub(super) struct EqualNumbers {
    original: Vec<Vec<f64>>,
    released: Vec<Vec<f64>>,
    /// For each attribute the released records by their number.
    order: Vec<Vec<u32>>,
}

/// Numbers that differ by a smaller share of those they come from may be equal.
const ROUNDING: f64 = 1e-9;

impl EqualNumbers {
    /// None unless every attribute is compared by the squared difference of known numbers.
    ///
    /// Cost: O(n log n) for each attribute.
    pub fn new(distances: &AttributeDistances) -> Option<Self> {
        let ones = vec![1.0; distances.len()];
        let Coordinates { metrics, original, released } = distances.coordinates(Some(&ones));
        let is_plain = metrics.iter().all(|metric| *metric == Metric::Squared);
        let order = |column: &Vec<f64>| {
            let mut order: Vec<u32> = (0..column.len() as u32).collect();
            order.sort_by(|a, b| column[*a as usize].total_cmp(&column[*b as usize]));
            order
        };
        let order: Vec<Vec<u32>> = released.par_iter().map(order).collect();
        is_plain.then_some(Self { original, released, order })
    }

    /// The number of pairs that [`EqualNumbers::of`] lists at most, all targets together.
    ///
    /// Fails when `listener` interrupts.
    pub fn pairs(&self, own: &[u32], listener: &dyn Listener) -> Result<usize> {
        let of = |i: usize| -> Option<usize> {
            if listener.interrupted() {
                return None;
            }
            let found = self.ranges(i, own[i] as usize).map(|(_, range)| range.len());
            Some(found.sum::<usize>().saturating_sub(self.order.len()))
        };
        let pairs: Option<usize> = (0..own.len()).into_par_iter().map(of).sum();
        pairs.ok_or(Error::Interrupted)
    }

    /// The released records, `own` excepted, that may be as far from target `i` as `own` on some
    /// attribute.
    pub fn of(&self, i: usize, own: u32) -> Vec<u32> {
        let ranges = self.ranges(i, own as usize);
        let mut found: Vec<u32> = ranges
            .flat_map(|(k, range)| self.order[k][range].iter().copied())
            .filter(|j| *j != own)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Where released numbers lie that equal the own one of target `i`, or lie opposite.
    fn ranges(&self, i: usize, own: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
        (0..self.order.len()).flat_map(move |k| {
            let (x, y) = (self.original[k][i], self.released[k][own]);
            let slack = ROUNDING * (x.abs() + y.abs());
            let apart = (y - x).abs() > slack;
            let opposite = apart.then(|| self.near(k, 2.0 * x - y, slack));
            [Some(self.near(k, y, slack)), opposite].into_iter().flatten().map(move |r| (k, r))
        })
    }

    fn near(&self, k: usize, value: f64, slack: f64) -> Range<usize> {
        let at = |j: &u32| self.released[k][*j as usize];
        let first = self.order[k].partition_point(|j| at(j) < value - 2.0 * slack);
        let beyond = self.order[k].partition_point(|j| at(j) <= value + 2.0 * slack);
        first..beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Attribute, Dataset};
    use crate::distance::Standardization;
    use crate::linkage::Release;

    #[test]
    fn numbers_that_are_equal_or_lie_opposite_are_listed_and_no_others() {
        let file = |values: Vec<f64>| {
            Dataset::new("made", vec![Attribute::numeric("x", values).unwrap()]).unwrap()
        };
        let original = file(vec![10.0, 3.0, 0.1, 7.0]);
        let release = Release::by_row(original, file(vec![12.0, 8.0, 0.3, 12.0])).unwrap();
        let distances = release.distances(&["x"], Standardization::Raw).unwrap();
        let equal = EqualNumbers::new(&distances).unwrap();
        assert_eq!(equal.of(0, 0), [1, 3], "8 lies opposite of 12 around 10");
        assert!(equal.of(1, 1).is_empty() && equal.of(2, 2).is_empty());
        assert_eq!(equal.of(3, 3), [0]);
        assert_eq!(equal.pairs(&[0, 1, 2, 3], &()).unwrap(), 3);
    }
}
