//! Kernel distance: records compared in the space of all products of attributes.

use super::Release;
use super::distance_based::{DistanceScale, Space};
use super::mahalanobis::{AttributeColumn, columns};
use crate::distance::constant_column;
use crate::error::{Error, Result};
use crate::spatial::leaves::{Geometry, power};

/// The space of K(x,y) = (1 + x·y)^`degree` on data standardized file by file.
///
/// A missing value stands at its file's mean, which is 0.
pub(super) fn space<S: AsRef<str>>(release: &Release, names: &[S], degree: u32) -> Result<Space> {
    if !(1..=16).contains(&degree) {
        return Err(Error::parameter("degree", degree, "but a polynomial kernel takes 1 to 16"));
    }
    let (original, released) = columns(release, names, "the kernel distance")?;
    let files = [(original, release.original()), (released, release.released())];
    let mut sides = Vec::with_capacity(2);
    for (side, dataset) in files {
        if let Some(k) = side.iter().position(|c| c.deviation == 0.0) {
            return Err(constant_column(dataset, names[k].as_ref()));
        }
        sides.push(with_own_kernel(side, degree));
    }
    let released = sides.pop().unwrap_or_default();
    let original = sides.pop().unwrap_or_default();
    let geometry = Geometry::Kernel { degree };
    Ok(Space { geometry, original, released, scale: DistanceScale::SquareRoot, ties: None })
}

/// The z-scores of `side`, and each record's kernel with itself.
fn with_own_kernel(side: Vec<AttributeColumn>, degree: u32) -> Vec<Vec<f64>> {
    let z_scores = |column: AttributeColumn| -> Vec<f64> {
        let (mean, deviation) = (column.mean, column.deviation);
        column.filled().into_iter().map(|v| (v - mean) / deviation).collect()
    };
    let mut columns: Vec<Vec<f64>> = side.into_iter().map(z_scores).collect();
    let mut own = vec![1.0; columns[0].len()];
    for column in &columns {
        own.iter_mut().zip(column).for_each(|(sum, v)| *sum += v * v);
    }
    columns.push(own.into_iter().map(|sum| power(sum, degree)).collect());
    columns
}
