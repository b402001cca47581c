//! How the distances on single attributes become the distance of a pair.

use serde::{Deserialize, Serialize};

/// What the learned weights belong to.
///
/// In every aggregation the distance of a pair is linear in the weights, so the
/// learning problem is the same block problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Aggregation {
    /// A weight for each attribute
    #[default]
    WeightedMean,
    /// Ordered weighted averaging: a weight for the largest distance, the second largest, ...
    Owa,
}

impl Aggregation {
    /// Puts the distances of one pair in the order of the weights.
    pub fn arrange(self, distances: &mut [f64]) {
        if self == Self::Owa {
            distances.sort_unstable_by(|a, b| b.total_cmp(a));
        }
    }

    /// What each weight is called: the attributes, or the ranks of the distances.
    pub fn weight_names(self, attributes: &[String]) -> Vec<String> {
        match self {
            Self::WeightedMean => attributes.to_vec(),
            Self::Owa => (1..=attributes.len()).map(|rank| format!("distance-{rank}")).collect(),
        }
    }
}
