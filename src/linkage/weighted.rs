//! What given weights do, for whoever looks for better ones.

use super::Release;
use super::distance_based::Space;
use super::nearest::{Gatherer, Index, Nearest, Pairs};
use crate::distance::{AttributeDistances, Coordinates, Standardization};
use crate::error::Result;
use crate::listener::Listener;
use crate::spatial::leaves::Geometry;

/// Rounded sums of a few distances that are not negative differ by far less than this share.
const SLACK: f64 = 1e-9;

/// Shows a gatherer of each original record the released ones that are nearer than its own under
/// `weights`, about as near, or a hair farther: every one that exact signs could call as near.
///
/// Fails when `listener` interrupts. Cost: as linking, more where records lie farther from their
/// own.
pub(crate) fn around_own<G: Gatherer>(
    distances: &AttributeDistances,
    own: &[u32],
    weights: &[f64],
    gatherer: impl Fn(u32) -> G + Sync,
    listener: &dyn Listener,
) -> Result<Vec<G>> {
    let Coordinates { metrics, original, released } = distances.coordinates(Some(weights));
    let index = Index::new(Geometry::Sum(metrics), &released);
    let pairs = Pairs { points: &released, queries: &original, own };
    index.around_own(pairs, SLACK, gatherer, listener)
}

/// By how much each record is told apart under `weights`: (d - o) / (d + o), o being
/// the weighted squared distance to its own released record and d that to the
/// nearest other one.
///
/// 1 when its own is at distance 0, 0 at a tie, below 0 when another is nearer.
/// Fails when `listener` interrupts. Cost: as linking with the second distance.
pub(crate) fn margins<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    standardization: Standardization<'_>,
    weights: &[f64],
    listener: &dyn Listener,
) -> Result<Vec<f64>> {
    let space = Space::of_attributes(release, names, standardization, Some(weights))?;
    let index = Index::new(space.geometry, &space.released);
    let pairs = Pairs { points: &space.released, queries: &space.original, own: release.own() };
    let found = index.nearest(pairs, true, listener)?;
    let other = |nearest: &Nearest| match nearest.own == nearest.distance {
        true if nearest.tied == 1 => nearest.next,
        _ => nearest.distance,
    };
    Ok(found.iter().map(|nearest| relative_margin(nearest.own, other(nearest))).collect())
}

/// (other - own) / (other + own); 0 when both are 0, 1 when there is no other.
pub(crate) fn relative_margin(own: f64, other: f64) -> f64 {
    let sum = other + own;
    match sum.is_infinite() {
        true => 1.0,
        false if sum == 0.0 => 0.0,
        false => (other - own) / sum,
    }
}
