//! By how much each record is told apart.

use super::{Aggregation, PairRows};
use crate::distance::Standardization;
use crate::error::Result;
use crate::linkage::{self, Release};
use crate::listener::Listener;

/// For each record (d - o) / (d + o), o being the weighted distance to its own
/// released record and d that to the nearest other one: above 0 when `weights`
/// re-identify it, 0 at a tie, 1 when its own is at distance 0.
///
/// Rounded: for display, never for counting. Fails when `listener` interrupts. Cost: as linking, about O(n log n) for
/// few attributes; O(n²) for ordered distances.
pub fn margins<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    standardization: Standardization<'_>,
    aggregation: Aggregation,
    weights: &[f64],
    listener: &dyn Listener,
) -> Result<Vec<f64>> {
    match aggregation {
        Aggregation::WeightedMean => {
            linkage::margins(release, names, standardization, weights, listener)
        }
        Aggregation::Owa => {
            Ok(PairRows::new(release, names, standardization, aggregation)?.margins(weights))
        }
    }
}
