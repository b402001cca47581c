//! Individual ranking: each attribute by its own order.

use super::univariate::line_groups;
use super::{AttributeBlocks, GroupingPlan, Microaggregation, Missing, options};
use crate::distance::{Points, Scale};
use crate::protection::{AttributeKinds, Described};

options! {
    /// Microaggregation of each attribute alone, by its order.
    ///
    /// Takes numeric attributes. Missing values stay missing: at least k of an attribute are.
    /// Cost: O(n log n) per attribute, O(n k) more for optimal groups. Source: D. Defays, P.
    /// Nanopoulos 1993.
    pub struct IndividualRanking {
        k,
        optimal,
        missing,
    }
}

impl IndividualRanking {
    /// Groups of exactly `k` on every attribute.
    pub fn new(k: usize) -> Self {
        Self { k: vec![k], optimal: false, missing: Missing::default() }
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
            scale: Scale::Raw,
            missing: self.missing,
            refinement: None,
        }
    }

    fn partition(
        &self,
        points: &Points,
        k: usize,
        grouped: &(dyn Fn(usize) + Sync),
    ) -> Vec<Vec<u32>> {
        grouped(points.records());
        line_groups(&points.columns()[0], k, self.optimal)
    }
}
