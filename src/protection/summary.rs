//! What protection did to a file, in numbers.

use super::{Partition, Protected, ProtectedFile};
use crate::anonymity::{Anonymity, AnonymityOptions, SensitiveMeasures};
use crate::dataset::{Dataset, Role, Values};
use crate::error::Result;
use crate::utility::{Utility, labels_changed};
use serde::Serialize;

/// What became of a file; no value of it is in here.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProtectionSummary {
    /// The method's name.
    pub method: &'static str,
    /// Its parameters.
    pub parameters: serde_json::Value,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Records in the original file.
    pub records: usize,
    /// What was protected.
    pub attributes: Vec<String>,
    /// Left as they are though nothing says that an attacker does not know them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unprotected: Vec<String>,
    /// The groups of each block of attributes.
    pub groups: Vec<GroupSummary>,
    /// Of the release, where the method promises diversity.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sensitive: Vec<SensitiveMeasures>,
    /// Whether close sensitive numbers count as different, for want of levels.
    #[serde(skip)]
    pub lacks_levels: bool,
    /// What was lost.
    pub information_loss: LossSummary,
    /// What had been lost before the groups were refined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub information_loss_before_refine: Option<LossSummary>,
}

/// The groups of one block of attributes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupSummary {
    /// The block.
    pub attributes: Vec<String>,
    /// The smallest size asked for.
    pub k: usize,
    /// Number of groups.
    pub count: usize,
    /// Size of the smallest.
    pub smallest: usize,
    /// Size of the largest.
    pub largest: usize,
}

/// What a release lost on the protected attributes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LossSummary {
    /// SSE/SST in percent, on the numeric attributes, if there are any.
    pub il_percent: Option<f64>,
    /// IL1s in percent, likewise.
    pub il1s_percent: Option<f64>,
    /// Of the labels of the categorical attributes, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels_changed_percent: Option<f64>,
}

impl ProtectionSummary {
    pub(super) fn new(file: &ProtectedFile, original: &Dataset) -> Result<Self> {
        let (recipe, released) = (&file.recipe, &file.protected.released);
        let attributes = &recipe.attributes;
        let is_open = |a: &&crate::dataset::Attribute| {
            let unknown_role = matches!(a.role, Role::Other | Role::QuasiIdentifier);
            // The release has the roles of sensitive attributes that the method named.
            let is_sensitive = released.names_with(Role::Confidential).contains(&a.name);
            !attributes.contains(&a.name) && unknown_role && !is_sensitive
        };
        let unprotected = original.attributes().iter().filter(is_open);
        let (sensitive, lacks_levels) = measure_sensitive(file, original)?;
        let before = file.before_refinement.as_ref();
        let loss = |p: &Protected| LossSummary::of(original, p, attributes);
        Ok(Self {
            method: recipe.method.name(),
            parameters: recipe.method.parameters(),
            seed: recipe.seed,
            records: original.records(),
            attributes: attributes.clone(),
            unprotected: unprotected.map(|a| a.name.clone()).collect(),
            groups: file.protected.partitions.iter().map(GroupSummary::of).collect(),
            sensitive,
            lacks_levels,
            information_loss: loss(&file.protected)?,
            information_loss_before_refine: before.map(loss).transpose()?,
        })
    }
}

/// How diverse the sensitive attributes of a release are, where that is promised, and whether
/// numbers among them lack levels.
fn measure_sensitive(
    file: &ProtectedFile,
    original: &Dataset,
) -> Result<(Vec<SensitiveMeasures>, bool)> {
    let Some(promise) = file.recipe.method.implementation().diversity_promise() else {
        return Ok((Vec::new(), false));
    };
    let released = &file.protected.released;
    let sensitive = match promise.sensitive.as_slice() {
        [] => released.names_with(Role::Confidential),
        named => named.to_vec(),
    };
    let options = AnonymityOptions { levels: promise.levels, ..AnonymityOptions::default() };
    let found = Anonymity::measure(released, &file.recipe.attributes, &sensitive, &options)?;
    let is_numeric = |s: &SensitiveMeasures| {
        original.attributes().iter().any(|a| a.name == s.attribute && a.is_numeric())
    };
    let lacks_levels = promise.levels.is_none() && found.sensitive.iter().any(is_numeric);
    Ok((found.sensitive, lacks_levels))
}

impl GroupSummary {
    fn of(partition: &Partition) -> Self {
        Self {
            attributes: partition.attributes.clone(),
            k: partition.k,
            count: partition.groups.len(),
            smallest: partition.smallest(),
            largest: partition.largest(),
        }
    }
}

impl LossSummary {
    /// What `protected` lost on `attributes`.
    pub fn of(original: &Dataset, protected: &Protected, attributes: &[String]) -> Result<Self> {
        let mut numeric = Vec::new();
        for name in attributes {
            if matches!(original.values(name)?, Values::Numeric(_)) {
                numeric.push(name);
            }
        }
        let utility = match numeric.is_empty() {
            true => None,
            false => Some(Utility::measure(original, &protected.released, &numeric)?),
        };
        Ok(Self {
            il_percent: utility.as_ref().map(|u| u.il_percent),
            il1s_percent: utility.as_ref().map(|u| u.il1s_percent),
            labels_changed_percent: labels_changed(original, &protected.released, attributes)?,
        })
    }
}
