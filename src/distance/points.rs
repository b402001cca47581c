//! Records of one file as points that can be grouped.

use super::{IncompletePoints, Metric, Scale};
use crate::dataset::Dataset;
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
        positions.iter().try_for_each(|&p| dataset.check_complete(p, purpose))?;
        Ok(IncompletePoints::new(dataset, positions, scale)?.complete())
    }

    /// Points by how each coordinate adds to a distance, and the coordinates.
    pub(super) fn of(metrics: Vec<Metric>, columns: Vec<Vec<f64>>) -> Self {
        Self { metrics, columns }
    }

    /// Columns of numbers whose squared Euclidean distances are the distances of the points.
    ///
    /// A number is its own column. A nominal attribute gives a column for each level, 1/√2
    /// where the record has it; an ordinal one with D levels a column for each step, 1/√D
    /// where the record is above it. So groups of mixed records have centroids and squared
    /// errors: half the mean squared distance of two members for each member.
    ///
    /// ```
    /// use unmask::dataset::{Attribute, Dataset};
    /// use unmask::distance::{Points, Scale};
    ///
    /// let town = Attribute::nominal("town", [Some("a"), Some("b"), Some("c")]);
    /// let data = Dataset::new("towns", vec![town])?;
    /// let columns = Points::new(&data, &[0], Scale::Raw, "grouping")?.embedded();
    /// let squares = columns.iter().map(|column| (column[0] - column[2]).powi(2));
    /// assert!((squares.sum::<f64>() - 1.0).abs() < 1e-15);
    /// # Ok::<(), unmask::error::Error>(())
    /// ```
    pub fn embedded(&self) -> Vec<Vec<f64>> {
        let columns = self.metrics.iter().zip(&self.columns);
        columns.flat_map(|(metric, column)| embedded(metric, column)).collect()
    }

    /// The number of columns of [`Points::embedded`].
    pub fn embedded_width(&self) -> usize {
        let width = |(metric, column): (&Metric, &Vec<f64>)| match metric {
            Metric::Squared | Metric::SquaredOrAny | Metric::Cell(_) => 1,
            Metric::Mismatch(_) => levels(column).len(),
            Metric::Steps(_) => levels(column).len() - 1,
        };
        self.metrics.iter().zip(&self.columns).map(width).sum()
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

/// The different values of `column`, of which there is at least one, ascending.
fn levels(column: &[f64]) -> Vec<f64> {
    let mut levels = column.to_vec();
    levels.sort_unstable_by(f64::total_cmp);
    levels.dedup();
    levels
}

/// `column` as numbers; see [`Points::embedded`].
fn embedded(metric: &Metric, column: &[f64]) -> Vec<Vec<f64>> {
    let levels = levels(column);
    let mark = |height: f64, has: &dyn Fn(f64) -> bool| {
        column.iter().map(|&value| if has(value) { height } else { 0.0 }).collect()
    };
    match metric {
        Metric::Squared | Metric::SquaredOrAny | Metric::Cell(_) => vec![column.to_vec()],
        Metric::Mismatch(value) => {
            let height = (value / 2.0).sqrt();
            levels.iter().map(|&level| mark(height, &|v| v == level)).collect()
        }
        Metric::Steps(_) => {
            let steps = levels.windows(2);
            steps.map(|s| mark((s[1] - s[0]).sqrt(), &|v| v >= s[1])).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn embedded_columns_have_the_distances_of_the_points(
            rows in prop::collection::vec((-9.0..9.0, 0u8..4, 0u8..5), 2..30)
        ) {
            let columns = vec![
                rows.iter().map(|r| r.0).collect(),
                rows.iter().map(|r| f64::from(r.1)).collect(),
                rows.iter().map(|r| f64::from(r.2) / 5.0).collect(),
            ];
            let metrics = vec![Metric::Squared, Metric::Mismatch(1.0), Metric::Steps(1.0)];
            let points = Points { metrics, columns };
            let embedded = points.embedded();
            prop_assert_eq!(embedded.len(), points.embedded_width());
            for (a, b) in (0..rows.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let squares = embedded.iter().map(|column| (column[a] - column[b]).powi(2));
                let distance = points.distance(a as u32, &points.point(b as u32));
                prop_assert!((squares.sum::<f64>() - distance).abs() < 1e-9);
            }
        }
    }
}
