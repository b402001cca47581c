//! What given weights do, for whoever looks for better ones.

use super::distance_based::Space;
use super::nearest::{Index, Nearest, Pairs};
use super::{Link, Release};
use crate::distance::Standardization;
use crate::error::Result;

/// The released record nearest to an original one by weighted distance, as far as rounding lets
/// the index see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NearestRecord {
    /// Its own, strictly: it is re-identified.
    Own,
    /// This one, which is nearer than its own, or as near.
    Other(u32),
    /// Its own, and another is as near.
    Tied,
}

/// The released record nearest to each original one under `weights`.
pub(crate) fn nearest_records<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    standardization: Standardization<'_>,
    weights: &[f64],
) -> Result<Vec<NearestRecord>> {
    let space = Space::of_attributes(release, names, standardization, Some(weights))?;
    let links = space.link(release, false, &());
    let nearest = |(link, &own): (&Link, &u32)| match link.linked == own {
        false => NearestRecord::Other(link.linked),
        true if link.tied > 1 => NearestRecord::Tied,
        true => NearestRecord::Own,
    };
    Ok(links.0.iter().zip(release.own()).map(nearest).collect())
}

/// By how much each record is told apart under `weights`: (d - o) / (d + o), o being
/// the weighted squared distance to its own released record and d that to the
/// nearest other one.
///
/// 1 when its own is at distance 0, 0 at a tie, below 0 when another is nearer.
/// Cost: as linking with the second distance.
pub(crate) fn margins<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    standardization: Standardization<'_>,
    weights: &[f64],
) -> Result<Vec<f64>> {
    let space = Space::of_attributes(release, names, standardization, Some(weights))?;
    let index = Index::new(space.geometry, &space.released);
    let pairs = Pairs { points: &space.released, queries: &space.original, own: release.own() };
    let found = index.nearest(pairs, true, &());
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
