//! Projection on the first principal component.

use super::univariate::line_groups;
use super::{AttributeBlocks, GroupingPlan, Microaggregation, Refinement, options, projection};
use crate::dataset::Dataset;
use crate::distance::{Scale, scaled_columns};
use crate::error::Result;
use crate::protection::{AttributeKinds, Described};

options! {
    /// Microaggregation by the order of the first principal component.
    ///
    /// Takes numeric attributes; missing values are refused. Cost: O(n log n), O(n k) more for
    /// optimal groups. Source: J. Domingo-Ferrer, J.M. Mateo-Sanz 2002, doi:10.1109/69.979982.
    pub struct PcProjection {
        k,
        groups,
        cluster_on,
        optimal,
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
            refinement: Refinement::of(self.refine, self.cluster_on),
        }
    }

    fn partition(
        &self,
        original: &Dataset,
        positions: &[usize],
        k: usize,
        grouped: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Vec<u32>>> {
        let columns = scaled_columns(original, positions, self.cluster_on, "microaggregation")?;
        let line = projection::principal_component(&columns);
        grouped(original.records());
        Ok(line_groups(&line, k, self.optimal))
    }
}
