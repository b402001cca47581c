//! Microaggregation: records are put into groups of at least k similar ones, and
//! each value is replaced by its group's mean.
//!
//! The attributes are cut into blocks ([`AttributeBlocks`]); each block is
//! partitioned on its own by a [`PartitionRule`] and blocks run in parallel.
//! Means are taken in original units, in record order. A [`Refinement`] lowers the
//! loss of any partition by local search.
//!
//! D. Defays, P. Nanopoulos, "Panels of enterprises and confidentiality: the
//! small aggregates method" (1993); J. Domingo-Ferrer, J.M. Mateo-Sanz,
//! "Practical data-oriented microaggregation for statistical disclosure
//! control", IEEE TKDE 14 (2002), doi:10.1109/69.979982.

mod blocks;
mod centroid;
mod cloud;
mod mdav;
mod projection;
mod refine;
mod univariate;

pub use blocks::AttributeBlocks;
pub use centroid::ExactCentroid;
pub use mdav::{TailRule, mdav};
pub use refine::{AtLeast, CHAINS, GroupRule, Refined, Refinement, refine};
pub use univariate::{fixed_groups, optimal_groups};

use super::{Partition, Protected, ProtectionMethod, released_column};
use crate::dataset::{Dataset, Values};
use crate::distance::{Scale, scaled_columns};
use crate::error::{Error, Result};
use crate::progress::Progress;
use rayon::prelude::*;
use serde_json::json;

/// How a block of attributes is divided into groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartitionRule {
    /// Multivariate, around the extreme records.
    Mdav(TailRule),
    /// Each attribute alone, by its order; blocks are single attributes.
    IndividualRanking(Univariate),
    /// By the order of the sum of z-scores.
    ZProjection(Univariate),
    /// By the order of the first principal component.
    PcProjection(Univariate),
}

/// How ordered records are cut into groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Univariate {
    /// Groups of exactly k; the last takes the rest.
    #[default]
    Fixed,
    /// The partition with the least sum of squared errors, by dynamic programming.
    Optimal,
}

/// A microaggregation method with its parameters.
///
/// Needs complete numeric attributes; missing values are refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Microaggregation {
    /// Smallest group size: one for all blocks, or one each.
    pub k: Vec<usize>,
    /// Which attributes are grouped together.
    pub blocks: AttributeBlocks,
    /// What the distances (or the projection) see.
    pub cluster_on: Scale,
    /// How groups are formed.
    pub rule: PartitionRule,
}

impl ProtectionMethod for Microaggregation {
    fn name(&self) -> &'static str {
        match self.rule {
            PartitionRule::Mdav(_) => "mdav",
            PartitionRule::IndividualRanking(_) => "individual-ranking",
            PartitionRule::ZProjection(_) => "z-projection",
            PartitionRule::PcProjection(_) => "pc-projection",
        }
    }

    fn parameters(&self) -> serde_json::Value {
        let mut parameters = json!({ "k": self.k, "groups": self.blocks.to_string() });
        match self.rule {
            PartitionRule::Mdav(tail) => {
                parameters["cluster_on"] = json!(self.cluster_on);
                parameters["tail"] = json!(tail);
            }
            PartitionRule::PcProjection(cut) => {
                parameters["cluster_on"] = json!(self.cluster_on);
                parameters["optimal"] = json!(cut == Univariate::Optimal);
            }
            PartitionRule::IndividualRanking(cut) | PartitionRule::ZProjection(cut) => {
                parameters["optimal"] = json!(cut == Univariate::Optimal);
            }
        }
        parameters
    }

    /// The seed is not used: the method draws nothing.
    fn protect(
        &self,
        original: &Dataset,
        positions: &[usize],
        _seed: u64,
        progress: &dyn Progress,
    ) -> Result<Protected> {
        let blocks = self.blocks.cut(positions)?;
        let ks = self.k_of_each_block(blocks.len(), original)?;
        let total = (original.records() * blocks.len()) as u64;
        let partitions: Vec<Partition> = blocks
            .into_par_iter()
            .zip(ks)
            .map(|(attributes, k)| {
                let groups = self.partition(original, &attributes, k, &|done| {
                    progress.advance(done as u64, total);
                })?;
                Ok(Partition { attributes, k, groups })
            })
            .collect::<Result<_>>()?;
        let released = aggregate(original, &partitions)?;
        Ok(Protected { released, partitions })
    }
}

impl Microaggregation {
    fn k_of_each_block(&self, blocks: usize, original: &Dataset) -> Result<Vec<usize>> {
        for &k in &self.k {
            if k < 2 {
                return Err(Error::parameter("k", k, "but microaggregation needs k >= 2"));
            }
            if k > original.records() {
                let problem =
                    format!("but {} has only {} records", original.name(), original.records());
                return Err(Error::parameter("k", k, problem));
            }
        }
        match self.k.as_slice() {
            [one] => Ok(vec![*one; blocks]),
            many if many.len() == blocks => Ok(many.to_vec()),
            many => {
                let problem = format!(
                    "{} values for {blocks} groups of attributes; give one for all or one for each",
                    many.len()
                );
                Err(Error::parameter("k", super::join(many), problem))
            }
        }
    }

    fn partition(
        &self,
        original: &Dataset,
        attributes: &[usize],
        k: usize,
        grouped: &dyn Fn(usize),
    ) -> Result<Vec<Vec<u32>>> {
        let columns = |scale| scaled_columns(original, attributes, scale, "microaggregation");
        let (projected, cut) = match self.rule {
            PartitionRule::Mdav(tail) => {
                return Ok(mdav(&columns(self.cluster_on)?, k, tail, grouped));
            }
            PartitionRule::IndividualRanking(cut) => (columns(Scale::Raw)?.swap_remove(0), cut),
            PartitionRule::ZProjection(cut) => (projection::sum(&columns(Scale::Zscore)?), cut),
            PartitionRule::PcProjection(cut) => {
                (projection::principal_component(&columns(self.cluster_on)?), cut)
            }
        };
        let groups = match cut {
            Univariate::Fixed => fixed_groups(&projected, k),
            Univariate::Optimal => optimal_groups(&projected, k),
        };
        grouped(original.records());
        Ok(groups)
    }
}

/// `original` with each value of a partition's attributes replaced by its group's mean.
pub fn aggregate(original: &Dataset, partitions: &[Partition]) -> Result<Dataset> {
    let mut columns: Vec<(usize, Values)> = Vec::new();
    for partition in partitions {
        let originals = original.complete_numeric(&partition.attributes, "microaggregation")?;
        for (&position, values) in partition.attributes.iter().zip(originals) {
            let released = group_means(values, &partition.groups);
            columns.push((position, released_column(released, original, position)?));
        }
    }
    Ok(original.with_columns(columns))
}

fn group_means(values: &[f64], groups: &[Vec<u32>]) -> Vec<f64> {
    let mut means = vec![0.0; values.len()];
    for group in groups {
        let sum: f64 = group.iter().map(|&i| values[i as usize]).sum();
        let mean = sum / group.len() as f64;
        group.iter().for_each(|&i| means[i as usize] = mean);
    }
    means
}
