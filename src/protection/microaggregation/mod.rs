//! Microaggregation: records are put into groups of at least k similar ones, and
//! each value is replaced by its group's centroid.
//!
//! The attributes are cut into blocks ([`AttributeBlocks`]); each block is
//! partitioned on its own as the [`Microaggregation`] says, and blocks run in parallel.
//! Means are taken in original units, in record order; an ordinal value becomes its
//! group's lower median, a nominal one its group's most frequent label, the first
//! in the file of several. Records are grouped with those that have values on the same
//! attributes ([`Missing`]). A [`Refinement`] lowers the loss of any partition by local
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
mod individual_ranking;
mod l_diverse;
mod mdav;
mod missing;
mod options;
mod parts;
mod patterns;
mod pc_projection;
mod projection;
mod refine;
mod univariate;
mod v_mdav;
mod z_projection;

pub use blocks::AttributeBlocks;
pub use centroid::ExactCentroid;
pub use individual_ranking::IndividualRanking;
pub use l_diverse::{DiversityRule, LDiverseVMdav, l_diverse_v_mdav};
pub use mdav::{Mdav, TailRule, mdav};
pub use missing::Missing;
pub use pc_projection::PcProjection;
pub use refine::{AtLeast, CHAINS, GroupRule, Refinement, Tally, refine};
pub use univariate::{fixed_groups, optimal_groups};
pub use v_mdav::{VMdav, v_mdav};
pub use z_projection::ZProjection;

use super::{AttributeKinds, Described, Partition, Protected, ProtectionMethod, overflow};
use crate::anonymity::EquivalenceClasses;
use crate::dataset::{Categorical, Dataset, Numeric, Values};
use crate::distance::{Points, Scale};
use crate::error::{Error, Result};
use crate::listener::Listener;
use centroid::{lower_median, mode};
use options::options;
use parts::Part;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The gain factor of V-MDAV for scattered data, as in the published studies.
const DEFAULT_GAMMA: f64 = 0.2;

fn default_gamma() -> f64 {
    DEFAULT_GAMMA
}

/// What a microaggregation groups, and how finely.
#[derive(Debug, Clone, Copy)]
pub struct GroupingPlan<'a> {
    /// Smallest group size: one for all blocks, or one each.
    pub k: &'a [usize],
    /// Which attributes are grouped together.
    pub blocks: &'a AttributeBlocks,
    /// Which attributes can be grouped.
    pub takes: AttributeKinds,
    /// On which scale distances are measured.
    pub scale: Scale,
    /// What becomes of missing values.
    pub missing: Missing,
    /// How the groups are refined, where that is asked for.
    pub refinement: Option<Refinement>,
}

/// A method that groups the records block by block; it draws nothing, so the seed is not used.
pub trait Microaggregation: Described + Send + Sync {
    /// What is grouped, and how finely.
    fn grouping(&self) -> GroupingPlan<'_>;

    /// Fails when a parameter other than the group sizes is out of its range.
    fn check_parameters(&self) -> Result<()> {
        Ok(())
    }

    /// Groups of at least `k` of the records of `points`, which has at least k; `grouped` hears
    /// how many records were grouped.
    fn partition(
        &self,
        points: &Points,
        k: usize,
        grouped: &(dyn Fn(usize) + Sync),
    ) -> Vec<Vec<u32>>;
}

impl<M: Microaggregation> ProtectionMethod for M {
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn takes(&self) -> AttributeKinds {
        self.grouping().takes
    }

    fn refinement(&self) -> Option<Refinement> {
        self.grouping().refinement
    }

    fn missing(&self) -> Missing {
        self.grouping().missing
    }

    fn check(&self, original: &Dataset, attributes: &[String]) -> Result<()> {
        let GroupingPlan { k, blocks, refinement, .. } = self.grouping();
        let blocks = blocks.cut(&original.positions(attributes)?)?;
        k_of_each_block(k, blocks.len(), original)?;
        if let Some(refinement) = refinement {
            refinement.check_iterations()?;
        }
        self.check_parameters()
    }

    fn protect(
        &self,
        original: &Dataset,
        attributes: &[String],
        _seed: u64,
        listener: &dyn Listener,
    ) -> Result<Protected> {
        self.check(original, attributes)?;
        let GroupingPlan { k, blocks, takes, scale, missing, .. } = self.grouping();
        let positions = original.positions(attributes)?;
        if takes == AttributeKinds::Numbers {
            positions.iter().try_for_each(|&p| original.numeric_at(p, PURPOSE).map(|_| ()))?;
        }
        let blocks = blocks.cut(&positions)?;
        let ks = k_of_each_block(k, blocks.len(), original)?;
        let total = (original.records() * blocks.len()) as u64;
        let partitions: Vec<Partition> = blocks
            .into_par_iter()
            .zip(ks)
            .map(|(positions, k)| {
                let points = missing.points(original, &positions, scale)?;
                let grouped = |done| listener.advance(done as u64, total);
                let form = |part: &Part| self.partition(&part.points, k, &grouped);
                let groups = groups_of(Part::all(points, &AtLeast(k)), form, &grouped);
                Ok(Partition { attributes: original.names_at(&positions), k, groups })
            })
            .collect::<Result<_>>()?;
        let released = aggregate(original, &partitions, missing)?;
        for partition in partitions.iter().filter(|p| lacks_values(original, p)) {
            check_classes(&AtLeast(partition.k), &released, &partition.attributes)?;
        }
        Ok(Protected::grouped(released, partitions))
    }
}

/// What needs numbers or complete records, in errors.
const PURPOSE: &str = "microaggregation";

/// The groups that `form` makes of each of `parts`; records without any value are one.
fn groups_of(
    parts: Vec<Part>,
    form: impl Fn(&Part) -> Vec<Vec<u32>> + Sync,
    grouped: &(dyn Fn(usize) + Sync),
) -> Vec<Vec<u32>> {
    let groups = |part: Part| match part.is_blank() {
        true => {
            grouped(part.records.len());
            vec![part.records]
        }
        false => part.records_of(form(&part)),
    };
    parts.into_par_iter().flat_map(groups).collect()
}

/// Whether a value of the attributes of `partition` is missing.
fn lacks_values(original: &Dataset, partition: &Partition) -> bool {
    let attributes = original.attributes().iter();
    attributes
        .filter(|a| partition.attributes.contains(&a.name))
        .any(|a| a.first_missing().is_some())
}

fn k_of_each_block(k: &[usize], blocks: usize, original: &Dataset) -> Result<Vec<usize>> {
    k.iter().try_for_each(|&k| check_k(k, original))?;
    match k {
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
///
/// A value that any record of the group lacks is missing in all of them, unless missing values are
/// imputed: then the centroid is that of the records that have one.
pub fn aggregate(
    original: &Dataset,
    partitions: &[Partition],
    missing: Missing,
) -> Result<Dataset> {
    let mut columns: Vec<(usize, Values)> = Vec::new();
    for partition in partitions {
        for position in original.positions(&partition.attributes)? {
            let released = match &original.attributes()[position].values {
                Values::Numeric(column) => {
                    let means = group_means(column, &partition.groups, missing);
                    Values::Numeric(
                        Numeric::new(means).ok_or_else(|| overflow(original, position))?,
                    )
                }
                Values::Categorical(column) => {
                    Values::Categorical(typical_labels(column, &partition.groups, missing))
                }
            };
            columns.push((position, released));
        }
    }
    Ok(original.with_columns(columns))
}

/// Fails when records that look the same in the release break `rule`: a defect of ours,
/// found before anything is written.
fn check_classes(rule: &dyn GroupRule, released: &Dataset, attributes: &[String]) -> Result<()> {
    let classes = EquivalenceClasses::new(released, attributes)?;
    if classes.iter().all(|class| rule.allows(&Tally::of(&class, rule.levels()))) {
        return Ok(());
    }
    Err(Error::Internal(
        "a class of the release is too small or not diverse; nothing was written".into(),
    ))
}

/// Each number replaced by its group's mean.
fn group_means(column: &Numeric, groups: &[Vec<u32>], missing: Missing) -> Vec<Option<f64>> {
    let mut means = vec![None; column.len()];
    for group in groups {
        let known: Vec<f64> = group.iter().filter_map(|&i| column.get(i as usize)).collect();
        let mean = || known.iter().sum::<f64>() / known.len() as f64;
        let mean = missing.value(known.len(), group.len(), mean);
        group.iter().for_each(|&i| means[i as usize] = mean);
    }
    means
}

/// Each label replaced by its group's lower median (ordinal) or mode (nominal).
fn typical_labels(column: &Categorical, groups: &[Vec<u32>], missing: Missing) -> Categorical {
    let mut released = vec![None; column.len()];
    for group in groups {
        let mut counts = BTreeMap::new();
        for code in group.iter().filter_map(|&i| column.code(i as usize)) {
            *counts.entry(code).or_default() += 1;
        }
        let typical = || if column.is_ordinal() { lower_median(&counts) } else { mode(&counts) };
        let typical = missing.value(counts.values().sum(), group.len(), typical).flatten();
        group.iter().for_each(|&i| released[i as usize] = typical);
    }
    column.with_codes(released)
}
