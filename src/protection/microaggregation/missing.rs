//! What becomes of missing values.

use super::PURPOSE;
use crate::dataset::Dataset;
use crate::distance::{IncompletePoints, Scale};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// What a microaggregation does with missing values; docs/missing.md has the whole of it.
///
/// A generalized value (`*`) is a missing one, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// They stay missing, and the records of a group have values on the same attributes; where
    /// fewer than k have, further cells are made missing, as few as a greedy search finds
    #[default]
    Keep,
    /// They get the centroid of what their group has; where it has nothing, they stay missing
    Impute,
    /// A file with missing values is refused
    Refuse,
}

impl Missing {
    /// True for what is done when nothing is said.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The attributes at `positions` as points: what grouping sees.
    ///
    /// Filled in where values are imputed; fails on missing values where they are refused.
    pub(super) fn points(
        self,
        original: &Dataset,
        positions: &[usize],
        scale: Scale,
    ) -> Result<IncompletePoints> {
        if self == Self::Refuse {
            positions.iter().try_for_each(|&p| original.check_complete(p, PURPOSE))?;
        }
        let points = IncompletePoints::new(original, positions, scale)?;
        Ok(if self == Self::Impute { points.filled() } else { points })
    }

    /// The value of a group, `known` of whose `members` have one: `centroid` of those that have,
    /// unless the group is to be missing.
    pub(super) fn value<T>(
        self,
        known: usize,
        members: usize,
        centroid: impl FnOnce() -> T,
    ) -> Option<T> {
        let enough = if self == Self::Impute { 1 } else { members };
        (known >= enough).then(centroid)
    }
}
