//! Projection on the first principal component.

use super::univariate::line_groups;
use super::{
    AttributeBlocks, GroupingPlan, Microaggregation, Missing, Refinement, options, projection,
};
use crate::distance::{Points, Scale};
use crate::protection::{AttributeKinds, Described};

options! {
    /// Microaggregation by the order of the first principal component.
    ///
    /// Takes numeric attributes. Missing values stay missing, and groups are made of records that
    /// lack the same. Cost: O(n log n), O(n k) more for optimal groups. Source: J. Domingo-Ferrer,
    /// J.M. Mateo-Sanz 2002, doi:10.1109/69.979982.
    pub struct PcProjection {
        k,
        groups,
        cluster_on,
        optimal,
        missing,
        refine,
    }
}

impl PcProjection {
    /// Groups of exactly `k` on all attributes together, by z-scores.
    pub fn new(k: usize) -> Self {
        Self {
            k: vec![k],
            groups: AttributeBlocks::All,
            cluster_on: Scale::default(),
            optimal: false,
            missing: Missing::default(),
            refine: None,
        }
    }
}

impl Described for PcProjection {
    const NAME: &'static str = "pc-projection";
    const STRENGTHS: &'static [&'static str] = &["k"];
}

impl Microaggregation for PcProjection {
    fn grouping(&self) -> GroupingPlan<'_> {
        GroupingPlan {
            k: &self.k,
            blocks: &self.groups,
            takes: AttributeKinds::Numbers,
            scale: self.cluster_on,
            missing: self.missing,
            refinement: Refinement::of(self.refine, self.cluster_on),
        }
    }

    fn partition(
        &self,
        points: &Points,
        k: usize,
        grouped: &(dyn Fn(usize) + Sync),
    ) -> Vec<Vec<u32>> {
        let line = projection::principal_component(points.columns());
        grouped(points.records());
        line_groups(&line, k, self.optimal)
    }
}
