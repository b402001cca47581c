//! The scales an attacker compares values on.

use crate::distance::Standardization;
use serde::Serialize;

/// On which scales the worst case is solved. Weights absorb every other scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Scales {
    /// On the first two below; the stronger attacker counts
    #[default]
    Both,
    /// Each file divided by its own means and standard deviations
    Own,
    /// Both files by the original's
    Original,
    /// Values as they are
    None,
}

impl Scales {
    /// The scales, in the order in which a tie is decided.
    pub fn list(self) -> Vec<Standardization<'static>> {
        match self {
            Self::Both => vec![Standardization::Own, Standardization::Original],
            Self::Own => vec![Standardization::Own],
            Self::Original => vec![Standardization::Original],
            Self::None => vec![Standardization::Raw],
        }
    }
}
