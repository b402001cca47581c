//! Individual ranking: each attribute by its own order.

use super::univariate::line_groups;
use super::{AttributeBlocks, GroupingPlan, Microaggregation};
use crate::dataset::Dataset;
use crate::distance::{Scale, scaled_columns};
use crate::error::Result;
use crate::protection::{AttributeKinds, Described, one_or_many};
use serde::{Deserialize, Serialize};

/// Microaggregation of each attribute alone, by its order.
///
/// Takes numeric attributes; missing values are refused. Cost: O(n log n) per attribute, O(n k)
/// more for optimal groups. Source: D. Defays, P. Nanopoulos 1993.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct IndividualRanking {
    /// Smallest group size: one for all attributes, or one each
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "K,...", value_delimiter = ',', required = true)
    )]
    #[serde(deserialize_with = "one_or_many::deserialize")]
    pub k: Vec<usize>,

    /// The optimal partition, by dynamic programming, in place of groups of exactly k
    #[cfg_attr(feature = "cli", arg(long))]
    #[serde(default)]
    pub optimal: bool,
}

impl IndividualRanking {
    /// Groups of exactly `k` on every attribute.
    pub fn new(k: usize) -> Self {
        Self { k: vec![k], optimal: false }
    }
}

impl Described for IndividualRanking {
    const NAME: &'static str = "individual-ranking";
    const STRENGTHS: &'static [&'static str] = &["k"];
}

impl Microaggregation for IndividualRanking {
    fn grouping(&self) -> GroupingPlan<'_> {
        GroupingPlan {
            k: &self.k,
            blocks: &AttributeBlocks::Of(1),
            takes: AttributeKinds::Numbers,
            refinement: None,
        }
    }

    fn partition(
        &self,
        original: &Dataset,
        positions: &[usize],
        k: usize,
        grouped: &dyn Fn(usize),
    ) -> Result<Vec<Vec<u32>>> {
        let line =
            scaled_columns(original, positions, Scale::Raw, "microaggregation")?.swap_remove(0);
        grouped(original.records());
        Ok(line_groups(&line, k, self.optimal))
    }
}
