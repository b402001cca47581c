//! What generalization costs: the metrics of a node.
//!
//! Precision and Samarati's metric look at the levels alone, entropy at each attribute alone,
//! the two discernibility metrics at the sizes of the classes.

use super::domain::CodeDomain;
use serde::{Deserialize, Serialize};

/// How the information loss of a node is measured; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum LatticeMetric {
    /// Sum of the levels. P. Samarati (2001), doi:10.1109/69.971193.
    Samarati,
    /// Sum of level / highest level over the quasi-identifiers. L. Sweeney, "Achieving
    /// k-anonymity privacy protection using generalization and suppression" (2002),
    /// doi:10.1142/S021848850200165X; as Schrittwieser et al. add it up.
    Precision,
    /// DM*: sum of the squared sizes of all classes. K. El Emam et al. (2009),
    /// doi:10.1197/jamia.M3144.
    DmStar,
    /// As DM*, but a record of a class that is suppressed costs as much as the file has
    /// records. R. J. Bayardo, R. Agrawal (2005), doi:10.1109/ICDE.2005.42.
    Discernibility,
    /// Non-uniform entropy: the bits needed to tell the values from their generalizations,
    /// over all records and quasi-identifiers. A. Gionis, T. Tassa, "k-anonymization with
    /// minimal loss of information" (2009). Suppression is not counted.
    Entropy,
}

impl LatticeMetric {
    /// The name as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Samarati => "samarati",
            Self::Precision => "precision",
            Self::DmStar => "dm-star",
            Self::Discernibility => "discernibility",
            Self::Entropy => "entropy",
        }
    }
}

/// Loss of one quasi-identifier on each of its levels.
pub(super) struct LevelLosses {
    /// Level / highest level.
    pub precision: Vec<f64>,
    /// Non-uniform entropy in bits.
    pub entropy: Vec<f64>,
}

impl LevelLosses {
    pub fn new(domain: &CodeDomain) -> Self {
        let top = domain.levels().saturating_sub(1).max(1) as f64;
        let precision = (0..domain.levels()).map(|level| level as f64 / top).collect();
        Self { precision, entropy: entropy(domain) }
    }
}

/// Sum over records of log2(records with the name / records with the value), by level.
fn entropy(domain: &CodeDomain) -> Vec<f64> {
    let mut counts = vec![0usize; domain.size(0)];
    domain.records.iter().for_each(|&code| counts[code as usize] += 1);
    // n log2 n summed over the codes of a level; the loss is the growth since level 0.
    let spread = |counts: &[usize]| -> f64 {
        counts.iter().filter(|n| **n > 0).map(|&n| n as f64 * (n as f64).log2()).sum()
    };
    let base = spread(&counts);
    let mut losses = vec![0.0];
    for level in 0..domain.levels() - 1 {
        let mut above = vec![0usize; domain.size(level + 1)];
        counts.iter().zip(&domain.up[level]).for_each(|(n, &code)| above[code as usize] += n);
        counts = above;
        losses.push((spread(&counts) - base).max(0.0));
    }
    losses
}
