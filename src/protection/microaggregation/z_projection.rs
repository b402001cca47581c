//! Projection on the sum of z-scores.

use super::univariate::line_groups;
use super::{
    AttributeBlocks, GroupingPlan, Microaggregation, Missing, Refinement, options, projection,
};
use crate::distance::{Points, Scale};
use crate::protection::{AttributeKinds, Described};

options! {
    /// Microaggregation by the order of the sum of z-scores.
    ///
    /// Takes numeric attributes. Missing values stay missing, and groups are made of records that
    /// lack the same. Cost: O(n log n), O(n k) more for optimal groups. Source: J. Domingo-Ferrer,
    /// J.M. Mateo-Sanz 2002, doi:10.1109/69.979982.
    pub struct ZProjection {
        k,
        groups,
        optimal,
        missing,
        refine,
    }
}

impl ZProjection {
    /// Groups of exactly `k` on all attributes together.
    pub fn new(k: usize) -> Self {
        Self {
            k: vec![k],
            groups: AttributeBlocks::All,
            optimal: false,
            missing: Missing::default(),
            refine: None,
        }
    }
}

impl Described for ZProjection {
    const NAME: &'static str = "z-projection";
    const STRENGTHS: &'static [&'static str] = &["k"];
}

impl Microaggregation for ZProjection {
    fn grouping(&self) -> GroupingPlan<'_> {
        GroupingPlan {
            k: &self.k,
            blocks: &self.groups,
            takes: AttributeKinds::Numbers,
            scale: Scale::Zscore,
            missing: self.missing,
            refinement: Refinement::of(self.refine, Scale::Zscore),
        }
    }

    fn partition(
        &self,
        points: &Points,
        k: usize,
        grouped: &(dyn Fn(usize) + Sync),
    ) -> Vec<Vec<u32>> {
        let line = projection::sum(points.columns());
        grouped(points.records());
        line_groups(&line, k, self.optimal)
    }
}
