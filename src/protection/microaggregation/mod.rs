//! Microaggregation: records are put into groups of at least k similar ones, and
//! each value is replaced by its group's centroid.
//!
//! The attributes are cut into blocks ([`AttributeBlocks`]); each block is
//! partitioned on its own by a [`PartitionRule`] and blocks run in parallel.
//! Means are taken in original units, in record order; an ordinal value becomes its
//! group's lower median, a nominal one its group's most frequent label, the first
//! in the file of several. A [`Refinement`] lowers the loss of any partition by local
//! search.
//!
//! D. Defays, P. Nanopoulos, "Panels of enterprises and confidentiality: the
//! small aggregates method" (1993); J. Domingo-Ferrer, J.M. Mateo-Sanz,
//! "Practical data-oriented microaggregation for statistical disclosure
//! control", IEEE TKDE 14 (2002), doi:10.1109/69.979982.

mod blocks;
mod centroid;
mod extension;
mod forming;
mod l_diverse;
mod mdav;
mod projection;
mod refine;
mod univariate;
mod v_mdav;

pub use blocks::AttributeBlocks;
pub use centroid::ExactCentroid;
pub use l_diverse::{DiversityRule, LDiverseVMdav, l_diverse_v_mdav};
pub use mdav::{TailRule, mdav};
pub use refine::{AtLeast, CHAINS, GroupRule, Refined, Refinement, Tally, refine};
pub use univariate::{fixed_groups, optimal_groups};
pub use v_mdav::v_mdav;

use super::{Partition, Protected, ProtectionMethod, released_column};
use crate::anonymity::EquivalenceClasses;
use crate::dataset::{Categorical, Dataset, Values};
use crate::distance::{Points, Scale, scaled_columns};
use crate::error::{Error, Result};
use crate::listener::Listener;
use centroid::{lower_median, mode};
use rayon::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

/// How a block of attributes is divided into groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PartitionRule {
    /// Multivariate, around the extreme records.
    Mdav(TailRule),
    /// As MDAV, with groups that extend to near records.
    VMdav {
        /// The gain factor: 0 for groups of k, more for larger groups.
        gamma: f64,
    },
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
/// Needs complete attributes; missing values are refused. MDAV and V-MDAV take
/// numeric, ordinal and nominal attributes ([`Points`]), the others numeric ones.
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
            PartitionRule::VMdav { .. } => "v-mdav",
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
            PartitionRule::VMdav { gamma } => {
                parameters["cluster_on"] = json!(self.cluster_on);
                parameters["gamma"] = json!(gamma);
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

    fn check(&self, original: &Dataset, positions: &[usize]) -> Result<()> {
        self.k_of_each_block(self.blocks.cut(positions)?.len(), original)?;
        match self.rule {
            PartitionRule::VMdav { gamma } => check_gamma(gamma),
            _ => Ok(()),
        }
    }

    /// The seed is not used: the method draws nothing.
    fn protect(
        &self,
        original: &Dataset,
        positions: &[usize],
        _seed: u64,
        listener: &dyn Listener,
    ) -> Result<Protected> {
        self.check(original, positions)?;
        let blocks = self.blocks.cut(positions)?;
        let ks = self.k_of_each_block(blocks.len(), original)?;
        let total = (original.records() * blocks.len()) as u64;
        let partitions: Vec<Partition> = blocks
            .into_par_iter()
            .zip(ks)
            .map(|(attributes, k)| {
                let groups = self.partition(original, &attributes, k, &|done| {
                    listener.advance(done as u64, total);
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
        self.k.iter().try_for_each(|&k| check_k(k, original))?;
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
        let points = || Points::new(original, attributes, self.cluster_on, "microaggregation");
        let (projected, cut) = match self.rule {
            PartitionRule::Mdav(tail) => return Ok(mdav(&points()?, k, tail, grouped)),
            PartitionRule::VMdav { gamma } => return Ok(v_mdav(&points()?, k, gamma, grouped)),
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

fn check_k(k: usize, original: &Dataset) -> Result<()> {
    if k < 2 {
        return Err(Error::parameter("k", k, "but microaggregation needs k >= 2"));
    }
    if k > original.records() {
        let problem = format!("but {} has only {} records", original.name(), original.records());
        return Err(Error::parameter("k", k, problem));
    }
    Ok(())
}

fn check_gamma(gamma: f64) -> Result<()> {
    if gamma.is_finite() && gamma >= 0.0 {
        return Ok(());
    }
    let problem = "but the gain factor is a number of at least 0; 0 gives groups of k";
    Err(Error::parameter("gamma", gamma, problem))
}

/// `original` with each value of a partition's attributes replaced by its group's centroid.
pub fn aggregate(original: &Dataset, partitions: &[Partition]) -> Result<Dataset> {
    let mut columns: Vec<(usize, Values)> = Vec::new();
    for partition in partitions {
        for &position in &partition.attributes {
            original.check_complete(position, "microaggregation")?;
            let released = match &original.attributes()[position].values {
                Values::Numeric(column) => {
                    let values = column.as_complete().unwrap_or_default();
                    released_column(group_means(values, &partition.groups), original, position)?
                }
                Values::Categorical(column) => {
                    Values::Categorical(typical_labels(column, &partition.groups))
                }
            };
            columns.push((position, released));
        }
    }
    Ok(original.with_columns(columns))
}

/// Fails when records that look the same in the release break `rule`: a defect of ours,
/// found before anything is written.
fn check_classes(rule: &dyn GroupRule, released: &Dataset, positions: &[usize]) -> Result<()> {
    let name = |&i: &usize| released.attributes()[i].name.as_str();
    let names: Vec<&str> = positions.iter().map(name).collect();
    let classes = EquivalenceClasses::new(released, &names)?;
    if classes.iter().all(|class| rule.allows(&Tally::of(&class, rule.levels()))) {
        return Ok(());
    }
    Err(Error::Internal(
        "a class of the release is too small or not diverse; nothing was written".into(),
    ))
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

/// Each label replaced by its group's lower median (ordinal) or mode (nominal).
fn typical_labels(column: &Categorical, groups: &[Vec<u32>]) -> Categorical {
    let mut released = vec![0; column.len()];
    for group in groups {
        let mut counts = BTreeMap::new();
        for code in group.iter().filter_map(|&i| column.code(i as usize)) {
            *counts.entry(code).or_default() += 1;
        }
        let typical = if column.is_ordinal() { lower_median(&counts) } else { mode(&counts) };
        group.iter().for_each(|&i| released[i as usize] = typical.unwrap_or_default());
    }
    column.with_codes(released)
}
