//! What given weights do, for whoever looks for better ones.

use super::Release;
use super::distance_based::Space;
use super::nearest::{Gatherer, Index, Nearest, Pairs, Slack};
use crate::distance::{AttributeDistances, Coordinates, Metric, Standardization};
use crate::error::Result;
use crate::listener::Listener;
use crate::spatial::leaves::Geometry;

/// By how much distances that are exactly equal may differ in an index of these coordinates.
pub(super) fn rounding_slack(metrics: &[Metric], coordinates: [&[Vec<f64>]; 2]) -> Slack {
    let largest = |column: &Vec<f64>| {
        column.iter().filter(|v| v.is_finite()).fold(0.0, |largest: f64, v| largest.max(v.abs()))
    };
    let [original, released] = coordinates.map(|side| side.iter().map(largest));
    let rounding = metrics.iter().zip(original.zip(released));
    Slack { share: SHARE, more: rounding.map(|(metric, (a, b))| metric.rounding(a.max(b))).sum() }
}

/// Rounded sums of a few distances that are not negative differ by far less than this share.
const SHARE: f64 = 4e-9;

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
    let slack = rounding_slack(&metrics, [&original, &released]);
    let index = Index::new(Geometry::Sum(metrics), &released);
    let pairs = Pairs { points: &released, queries: &original, own };
    index.around_own(pairs, slack, gatherer, listener)
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
