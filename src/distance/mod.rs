//! Standardization and distances between records, shared by protection and linkage.

mod attributes;
mod axis;
mod cells;
mod exact;
mod incomplete;
mod metric;
mod points;
mod reading;
mod released;

pub use attributes::{AttributeDistances, Standardization};
pub(crate) use attributes::{Coordinates, moments};
pub(crate) use cells::{CellMetric, Gap};
pub use exact::Comparison;
pub(crate) use exact::OwnDistance;
pub(crate) use incomplete::IncompletePoints;
pub(crate) use metric::Metric;
pub use points::Points;
pub use reading::{SuppressedReading, ValueReading};
pub(crate) use released::{check_labels, generalized_numbers, tells_nothing};

use crate::dataset::Dataset;
use crate::error::Error;
use serde::{Deserialize, Serialize};

/// Whether distances see standardized or raw values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Each attribute minus its mean, divided by its standard deviation.
    #[default]
    Zscore,
    /// Values as they are.
    Raw,
}

/// The error for a constant column where a standard deviation is needed.
pub fn constant_column(dataset: &Dataset, name: &str) -> Error {
    Error::input(
        format!("{}: column {name}", dataset.name()),
        "is constant, so it has no standard deviation to divide by; leave it out of `attributes`",
    )
}

/// The error for a column without any value.
pub(crate) fn all_missing(dataset: &Dataset, position: usize) -> Error {
    let name = &dataset.attributes()[position].name;
    let place = format!("{}: column {name}", dataset.name());
    Error::input(place, "every value is missing; leave it out of `attributes`")
}

/// Partial sums of [`lane_distance`]; rows are filled up with zeros to a multiple.
pub(crate) const LANES: usize = 4;

/// Squared Euclidean distance of two rows of whole vectors, summed lane by lane.
///
/// Always in the same order, so the bits do not depend on the machine; but not
/// in the order of [`Points::distance`].
#[inline(always)]
pub(crate) fn lane_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] += (a[lane] - b[lane]) * (a[lane] - b[lane]);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
