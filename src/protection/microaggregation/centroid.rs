//! Centroids that do not depend on the order in which records come and go.

use crate::distance::Metric;
use crate::distance::Points;
use std::collections::BTreeMap;

/// The centroid of some of a file's records: the mean on numeric attributes, the
/// lower median on ordinal ones, the most frequent label (the first of several) on
/// nominal ones.
///
/// V. Torra, "Microaggregation for categorical variables: a median based
/// approach", Privacy in Statistical Databases, LNCS 3050 (2004).
#[derive(Debug, Clone)]
pub(super) struct Centroid<'a> {
    points: &'a Points,
    means: ExactCentroid,
    /// How often each value of a coordinate that is no number occurs, by its bits.
    counts: Vec<BTreeMap<u64, usize>>,
}

impl<'a> Centroid<'a> {
    /// The centroid of all records.
    pub fn of_all(points: &'a Points) -> Self {
        let counts = vec![BTreeMap::new(); points.columns().len()];
        let mut all = Self { points, means: ExactCentroid::new(points.columns()), counts };
        (0..points.records() as u32).for_each(|record| all.add(record));
        all
    }

    /// The centroid of the records of `group`, on the same scale.
    pub fn of_group(&self, group: &[u32]) -> Self {
        let counts = vec![BTreeMap::new(); self.counts.len()];
        let mut own = Self { points: self.points, means: self.means.emptied(), counts };
        group.iter().for_each(|&record| own.add(record));
        own
    }

    /// Adds a record.
    pub fn add(&mut self, record: u32) {
        self.means.add(self.points.coordinates(record));
        self.count(record, |count| *count += 1);
    }

    /// Takes a record out that was added before.
    pub fn remove(&mut self, record: u32) {
        self.means.remove(self.points.coordinates(record));
        self.count(record, |count| *count -= 1);
    }

    fn count(&mut self, record: u32, change: impl Fn(&mut usize)) {
        let coordinates = self.points.metrics().iter().zip(self.points.coordinates(record));
        for ((metric, value), counts) in coordinates.zip(&mut self.counts) {
            if *metric != Metric::Squared {
                change(counts.entry(value.to_bits()).or_default());
            }
        }
    }

    /// The point in the middle.
    pub fn point(&self) -> Vec<f64> {
        let mut middle = self.means.mean();
        for ((metric, counts), value) in
            self.points.metrics().iter().zip(&self.counts).zip(&mut middle)
        {
            let typical = match metric {
                Metric::Squared | Metric::SquaredOrAny | Metric::Cell(_) => continue,
                Metric::Steps(_) => lower_median(counts),
                Metric::Mismatch(_) => mode(counts),
            };
            *value = typical.map_or(*value, f64::from_bits);
        }
        middle
    }
}

/// The smallest value with at least half of the values at or below it.
pub(super) fn lower_median<V: Copy + Ord>(counts: &BTreeMap<V, usize>) -> Option<V> {
    let total: usize = counts.values().sum();
    let mut below = 0;
    let reaches_half = |(_, count): &(&V, &usize)| {
        below += **count;
        2 * below >= total && **count > 0
    };
    counts.iter().find(reaches_half).map(|(value, _)| *value)
}

/// The most frequent value, the lowest of several.
pub(super) fn mode<V: Copy + Ord>(counts: &BTreeMap<V, usize>) -> Option<V> {
    let most = counts.values().max()?;
    counts.iter().find(|(_, count)| *count == most).map(|(value, _)| *value)
}

/// The running centroid of a set of points, exact under adding and removing.
///
/// Sums are kept in 128-bit fixed point, scaled by the largest magnitude of each
/// coordinate, so taking a record out gives to the last bit the sum one would get
/// by starting anew. The error of a mean is below 2⁻⁸⁰ of the largest magnitude.
#[derive(Debug, Clone)]
pub struct ExactCentroid {
    sums: Vec<i128>,
    units: Vec<f64>,
    count: usize,
}

/// Bits of the largest magnitude; with 2³² points the sum stays below 2¹²⁰.
const BITS: i32 = 88;

impl ExactCentroid {
    /// The empty centroid for points of `columns`, which fix the scale.
    pub fn new<C: AsRef<[f64]>>(columns: &[C]) -> Self {
        let unit = |column: &C| {
            let largest = column.as_ref().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let exponent = if largest > 0.0 { largest.log2().ceil() as i32 } else { 0 };
            2f64.powi((exponent - BITS).max(-1000))
        };
        Self { sums: vec![0; columns.len()], units: columns.iter().map(unit).collect(), count: 0 }
    }

    /// The empty centroid on the same scale.
    fn emptied(&self) -> Self {
        Self { sums: vec![0; self.sums.len()], units: self.units.clone(), count: 0 }
    }

    /// Adds a point.
    pub fn add(&mut self, point: impl Iterator<Item = f64>) {
        self.change(point, 1);
        self.count += 1;
    }

    /// Takes a point out that was added before.
    pub fn remove(&mut self, point: impl Iterator<Item = f64>) {
        self.change(point, -1);
        self.count -= 1;
    }

    /// The mean of the points.
    pub fn mean(&self) -> Vec<f64> {
        let scaled = self.sums.iter().zip(&self.units);
        scaled.map(|(sum, unit)| *sum as f64 / self.count as f64 * unit).collect()
    }

    fn change(&mut self, point: impl Iterator<Item = f64>, sign: i128) {
        for ((sum, unit), value) in self.sums.iter_mut().zip(&self.units).zip(point) {
            *sum += sign * (value / unit).round() as i128;
        }
    }
}
