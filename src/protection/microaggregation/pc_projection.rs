//! Projection on the first principal component.

use super::univariate::line_groups;
use super::{AttributeBlocks, GroupingPlan, Microaggregation, Refinement, projection};
use crate::dataset::Dataset;
use crate::distance::{Scale, scaled_columns};
use crate::error::Result;
use crate::protection::{AttributeKinds, Described, one_or_many};
use serde::{Deserialize, Serialize};

/// Microaggregation by the order of the first principal component.
///
/// Takes numeric attributes; missing values are refused. Cost: O(n log n), O(n k) more for
/// optimal groups. Source: J. Domingo-Ferrer, J.M. Mateo-Sanz 2002, doi:10.1109/69.979982.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct PcProjection {
    /// Smallest group size: one for all groups of attributes, or one each
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "K,...", value_delimiter = ',', required = true)
    )]
    #[serde(deserialize_with = "one_or_many::deserialize")]
    pub k: Vec<usize>,

    /// Attributes grouped together: `all`, a size (2), or sizes (5,5,3)
    #[cfg_attr(feature = "cli", arg(long, value_name = "GROUPS", default_value_t))]
    #[serde(default)]
    pub groups: AttributeBlocks,

    /// The component of z-scores or raw values
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "SCALE", default_value_t))]
    #[serde(default)]
    pub cluster_on: Scale,

    /// The optimal partition, by dynamic programming, in place of groups of exactly k
    #[cfg_attr(feature = "cli", arg(long))]
    #[serde(default)]
    pub optimal: bool,

    /// Lower the loss of the groups by a seeded local search, with so many moves in each of two
    /// searches [default: 20000000]; of mixed attributes the squared errors of numbers and labels
    /// together fall
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "MOVES", num_args = 0..=1, require_equals = true, default_missing_value = "20000000")
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refine: Option<u64>,
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
        grouped: &dyn Fn(usize),
    ) -> Result<Vec<Vec<u32>>> {
        let columns = scaled_columns(original, positions, self.cluster_on, "microaggregation")?;
        let line = projection::principal_component(&columns);
        grouped(original.records());
        Ok(line_groups(&line, k, self.optimal))
    }
}
