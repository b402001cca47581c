//! How an attacker reads released cells that do not tell their value.

use crate::dataset::ValueGroups;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a suppressed (`*`) or missing cell of the released file is to an attacker.
///
/// The first two are attackers of an audit: which of them is stronger depends on the file, so
/// both are run. Neither knows anything of a value that the original lacks: it is at distance 0
/// from every cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuppressedReading {
    /// It may be any value: at distance 0 from every one.
    MatchesAll,
    /// It is a value of its own: at distance 1 from every known one; on numbers one standard
    /// deviation of the original.
    OwnValue,
    /// As attacks of published studies have it: a suppressed cell may be any value; a missing
    /// one is missing as the original's is (distance 0), and as far from a known number as a
    /// random one would be on average, z² + 1 on z-scores; 1 from labels and levels, and from
    /// everything in a column that holds intervals, sets, masked codes or groups.
    #[default]
    Study,
}

/// What released cells stand for.
#[derive(Debug, Clone, Default)]
pub struct ValueReading {
    /// Suppressed and missing ones.
    pub suppressed: SuppressedReading,
    /// Names of groups of values.
    pub groups: Arc<ValueGroups>,
}
