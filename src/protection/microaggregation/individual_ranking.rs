//! Individual ranking: each attribute by its own order.

use super::univariate::line_groups;
use super::{AttributeBlocks, GroupingPlan, Microaggregation, options};
use crate::dataset::Dataset;
use crate::distance::{Scale, scaled_columns};
use crate::error::Result;
use crate::protection::{AttributeKinds, Described};

options! {
    /// Microaggregation of each attribute alone, by its order.
    ///
    /// Takes numeric attributes; missing values are refused. Cost: O(n log n) per attribute, O(n k)
    /// more for optimal groups. Source: D. Defays, P. Nanopoulos 1993.
    pub struct IndividualRanking {
        k,
        optimal,
    }
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
        grouped: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Vec<u32>>> {
        let line =
            scaled_columns(original, positions, Scale::Raw, "microaggregation")?.swap_remove(0);
        grouped(original.records());
        Ok(line_groups(&line, k, self.optimal))
    }
}
