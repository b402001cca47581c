//! Records that may lack values, as points.

use super::attributes::{DistancePair, finite_moments, labels};
use super::{Metric, Points, Scale, constant_column};
use crate::dataset::{Dataset, Numeric, Values};
use crate::error::Result;
use rayon::prelude::*;

/// Records of numeric, ordinal and nominal attributes, of which any value may be unknown.
///
/// The distance of two records is that of the attributes both have, times the number of
/// attributes over the number of those; without any in common it is infinite. A missing value and
/// a generalized one are both unknown. J.C. Gower, "A general coefficient of similarity and some of
/// its properties", Biometrics 27 (1971), averages in the same way.
#[derive(Debug, Clone)]
pub(crate) struct IncompletePoints {
    metrics: Vec<Metric>,
    /// NaN where unknown.
    columns: Vec<Vec<f64>>,
}

/// Records in which values are looked for that others lack; more cost time and change little.
const LOOKED_AT: usize = 2048;

impl IncompletePoints {
    /// The attributes at `positions` of `dataset`, numbers on `scale` by the values there are.
    ///
    /// Fails on numbers whose squares overflow and, for z-scores, on a constant numeric column.
    pub fn new(dataset: &Dataset, positions: &[usize], scale: Scale) -> Result<Self> {
        let mut points = Self { metrics: Vec::new(), columns: Vec::new() };
        for &position in positions {
            let (metric, column) = match &dataset.attributes()[position].values {
                Values::Numeric(column) => {
                    (Metric::Squared, scaled((dataset, position), column, scale)?)
                }
                Values::Categorical(column) => {
                    let DistancePair { mut original, kind, .. } = labels(column, column, false);
                    let unknown = (0..column.len()).filter(|&i| column.code(i).is_none());
                    unknown.for_each(|i| original[i] = f64::NAN);
                    (kind.metric(), original)
                }
            };
            points.metrics.push(metric);
            points.columns.push(column);
        }
        Ok(points)
    }

    /// Number of records.
    pub fn records(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Number of attributes.
    pub fn attributes(&self) -> usize {
        self.columns.len()
    }

    /// Whether `record` has a value of `attribute`.
    #[inline]
    pub fn knows(&self, record: u32, attribute: usize) -> bool {
        !self.columns[attribute][record as usize].is_nan()
    }

    /// True where every record has every value.
    pub fn is_complete(&self) -> bool {
        self.columns.par_iter().all(|column| column.iter().all(|v| !v.is_nan()))
    }

    /// The points of all records, which are complete.
    pub fn complete(self) -> Points {
        Points::of(self.metrics, self.columns)
    }

    /// The points of `records` on `attributes`, of which they have all values.
    pub fn of(&self, records: &[u32], attributes: &[usize]) -> Points {
        let column = |&a: &usize| records.iter().map(|&i| self.columns[a][i as usize]).collect();
        let metrics = attributes.iter().map(|&a| self.metrics[a].clone()).collect();
        Points::of(metrics, attributes.iter().map(column).collect())
    }

    /// The distance of two records.
    pub fn distance(&self, one: u32, other: u32) -> f64 {
        let of = |record: u32| self.columns.iter().map(move |column| column[record as usize]);
        known_distance(&self.metrics, of(one), of(other))
    }

    /// The same records with every unknown value filled in from the nearest record that has one,
    /// the first of several; an attribute that no record has stays unknown.
    ///
    /// Looks at no more than 2,048 records, evenly spread, and at the first that has a value where
    /// none of these does. Cost: O(incomplete records × attributes) times that.
    pub fn filled(mut self) -> Self {
        let donors = self.donors();
        let fills: Vec<Vec<(u32, usize, f64)>> = (0..self.records() as u32)
            .into_par_iter()
            .filter(|&record| (0..self.attributes()).any(|a| !self.knows(record, a)))
            .map(|record| self.fills(record, &donors))
            .collect();
        for (record, attribute, value) in fills.into_iter().flatten() {
            self.columns[attribute][record as usize] = value;
        }
        self
    }

    /// The records that are looked at, row by row, and for each attribute one that has it.
    fn donors(&self) -> Donors {
        let n = self.records();
        let looked_at = n.min(LOOKED_AT);
        let rows = (0..looked_at).map(|i| self.row((i * n / looked_at) as u32)).collect();
        let known = |column: &Vec<f64>| column.iter().copied().find(|v| !v.is_nan());
        Donors { rows, otherwise: self.columns.iter().map(known).collect() }
    }

    fn row(&self, record: u32) -> Vec<f64> {
        self.columns.iter().map(|column| column[record as usize]).collect()
    }

    /// What `record` lacks, filled in.
    fn fills(&self, record: u32, donors: &Donors) -> Vec<(u32, usize, f64)> {
        let own = self.row(record);
        let lacks: Vec<usize> = (0..own.len()).filter(|&a| own[a].is_nan()).collect();
        let mut nearest: Vec<(f64, Option<f64>)> =
            lacks.iter().map(|&a| (f64::INFINITY, donors.otherwise[a])).collect();
        for row in &donors.rows {
            let (own, other) = (own.iter().copied(), row.iter().copied());
            let distance = known_distance(&self.metrics, own, other);
            for (&a, best) in lacks.iter().zip(&mut nearest) {
                if distance < best.0 && !row[a].is_nan() {
                    *best = (distance, Some(row[a]));
                }
            }
        }
        let found = lacks.into_iter().zip(nearest);
        found.filter_map(|(a, (_, value))| Some((record, a, value?))).collect()
    }
}

/// Where values are looked for that a record lacks.
struct Donors {
    rows: Vec<Vec<f64>>,
    /// Some value of each attribute, if there is any.
    otherwise: Vec<Option<f64>>,
}

/// The distance of two records that may lack values.
#[inline]
fn known_distance(
    metrics: &[Metric],
    one: impl Iterator<Item = f64>,
    other: impl Iterator<Item = f64>,
) -> f64 {
    let (mut sum, mut common) = (0.0, 0u32);
    for (metric, (x, y)) in metrics.iter().zip(one.zip(other)) {
        if !(x.is_nan() || y.is_nan()) {
            sum += metric.between(x, y);
            common += 1;
        }
    }
    match common {
        0 => f64::INFINITY,
        _ => sum * metrics.len() as f64 / f64::from(common),
    }
}

/// `column` on `scale`, NaN where unknown.
fn scaled(place: (&Dataset, usize), column: &Numeric, scale: Scale) -> Result<Vec<f64>> {
    let present: Vec<f64> = column.present().collect();
    if present.is_empty() {
        return Ok(vec![f64::NAN; column.len()]);
    }
    let (center, spread) = finite_moments(place, &present)?;
    let scaled = |value: f64| match scale {
        Scale::Raw => value,
        Scale::Zscore => (value - center) / spread,
    };
    if scale == Scale::Zscore && spread == 0.0 {
        return Err(constant_column(place.0, &place.0.attributes()[place.1].name));
    }
    Ok(column.iter().map(|value| value.map_or(f64::NAN, scaled)).collect())
}
