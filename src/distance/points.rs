//! Records of one file as points that can be grouped.

use super::attributes::{Pair, labels};
use super::leaves::Metric;
use super::{Scale, scaled_columns};
use crate::dataset::{Dataset, Values};
use crate::error::Result;

/// Complete records of numeric, ordinal and nominal attributes, one coordinate each.
///
/// The squared distance of two points is the sum over the attributes of what
/// [`super::AttributeDistances`] says: (a - b)² on z-scores or raw numbers, steps
/// divided by the number of levels on ordinal attributes, 0 or 1 on nominal ones.
#[derive(Debug, Clone)]
pub struct Points {
    metrics: Vec<Metric>,
    columns: Vec<Vec<f64>>,
}

impl Points {
    /// Points of numbers; `columns` are of equal length.
    pub fn numeric(columns: Vec<Vec<f64>>) -> Self {
        Self { metrics: vec![Metric::Squared; columns.len()], columns }
    }

    /// The attributes at `positions` of `dataset`, numbers on `scale`.
    ///
    /// Fails on missing values and, for z-scores, on a constant numeric column;
    /// `purpose` says in the error what needs them.
    pub fn new(
        dataset: &Dataset,
        positions: &[usize],
        scale: Scale,
        purpose: &str,
    ) -> Result<Self> {
        let mut points = Self { metrics: Vec::new(), columns: Vec::new() };
        for &position in positions {
            match &dataset.attributes()[position].values {
                Values::Numeric(_) => {
                    points.metrics.push(Metric::Squared);
                    points.columns.extend(scaled_columns(dataset, &[position], scale, purpose)?);
                }
                Values::Categorical(column) => {
                    dataset.check_complete(position, purpose)?;
                    let Pair { original, kind, .. } = labels(column, column, false);
                    points.metrics.push(kind.metric());
                    points.columns.push(original);
                }
            }
        }
        Ok(points)
    }

    /// Number of records.
    pub fn records(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// How each coordinate adds to a distance.
    pub(crate) fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// The coordinates, attribute by attribute.
    pub fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }

    /// The coordinates of `record`.
    pub fn coordinates(&self, record: u32) -> impl Iterator<Item = f64> + '_ {
        self.columns.iter().map(move |column| column[record as usize])
    }

    /// The coordinates of `record` as a list.
    pub fn point(&self, record: u32) -> Vec<f64> {
        self.coordinates(record).collect()
    }

    /// Squared distance of `record` and a point, summed in the order of the coordinates.
    pub fn distance(&self, record: u32, point: &[f64]) -> f64 {
        let terms = self.metrics.iter().zip(self.coordinates(record)).zip(point);
        terms.fold(0.0, |sum, ((metric, x), y)| sum + metric.between(x, *y))
    }
}
