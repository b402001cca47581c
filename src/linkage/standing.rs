//! How records stand under given weights, for whoever looks for better ones.

use super::distance_based::Space;
use super::{Link, Release};
use crate::distance::Standardisation;
use crate::error::Result;
use crate::progress::Silent;

/// How a record stands under weighted distance, as far as rounding lets the index see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Its own released record is strictly the nearest.
    Identified,
    /// This released record is nearer, or as near.
    Rival(u32),
    /// Another released record is as near as its own.
    Tied,
}

/// How each original record stands under `weights`.
pub(crate) fn standings<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    standardisation: Standardisation<'_>,
    weights: &[f64],
) -> Result<Vec<Standing>> {
    let space = Space::of_attributes(release, names, standardisation, Some(weights))?;
    let links = space.link(release, false, &Silent);
    let standing = |(link, &own): (&Link, &u32)| match link.linked == own {
        false => Standing::Rival(link.linked),
        true if link.tied > 1 => Standing::Tied,
        true => Standing::Identified,
    };
    Ok(links.0.iter().zip(release.own()).map(standing).collect())
}
