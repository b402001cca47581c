//! What protection did to a file, in numbers.

use super::{Partition, Protected, ProtectedFile};
use crate::anonymity::{Anonymity, AnonymityOptions, ColumnShape, SensitiveMeasures, Telling};
use crate::dataset::{Attribute, Dataset, Role, Values};
use crate::error::Result;
use crate::utility::{Utility, labels_changed};
use crate::words::{isolated, short_percent};
use serde::Serialize;

/// What became of a file; no value of it is in here.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProtectionSummary {
    /// The method's name.
    pub method: &'static str,
    /// Its parameters.
    pub parameters: serde_json::Value,
    /// Seed of the random numbers, where it was given: one that was drawn stays secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Records in the original file.
    pub records: usize,
    /// What was protected.
    pub attributes: Vec<String>,
    /// Confidential attributes, which are released as they are.
    pub confidential: Vec<String>,
    /// The other columns that are released as they are, though nothing says that an attacker does
    /// not know them.
    pub left_as_they_are: Vec<String>,
    /// Identifiers, which the release lacks.
    pub dropped: Vec<String>,
    /// What to think about before the release is published.
    pub warnings: Vec<String>,
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
        // The release has the roles of sensitive attributes that the method named.
        let confidential = released.names_with(Role::Confidential);
        let left = |a: &&Attribute| !attributes.contains(&a.name) && a.role != Role::Confidential;
        let left: Vec<&Attribute> = released.attributes().iter().filter(left).collect();
        let (sensitive, lacks_levels) = measure_sensitive(file, original)?;
        let before = file.before_refinement.as_ref();
        let loss = |p: &Protected| LossSummary::of(original, p, attributes);
        Ok(Self {
            method: recipe.method.name(),
            parameters: recipe.method.parameters(),
            seed: recipe.seed.filter(|_| !file.seed_is_drawn),
            records: original.records(),
            attributes: attributes.clone(),
            confidential,
            left_as_they_are: left.iter().map(|a| a.name.clone()).collect(),
            dropped: file.dropped.clone(),
            warnings: file.warnings()?,
            groups: file.protected.partitions.iter().map(GroupSummary::of).collect(),
            sensitive,
            lacks_levels,
            information_loss: loss(&file.protected)?,
            information_loss_before_refine: before.map(loss).transpose()?,
        })
    }
}

impl ProtectedFile {
    /// What to think about before the release is published: a seed that others may know, and
    /// columns that are left as they are and give people away.
    pub fn warnings(&self) -> Result<Vec<String>> {
        let released = &self.protected.released;
        let is_left = |a: &&Attribute| !self.recipe.attributes.contains(&a.name);
        let telling = released.attributes().iter().filter(is_left).map(|column| {
            let shape = ColumnShape::of(released, column)?;
            Ok(telling_column(column, &shape))
        });
        let telling: Vec<Option<String>> = telling.collect::<Result<_>>()?;
        Ok(self.known_seed().into_iter().chain(telling.into_iter().flatten()).collect())
    }

    /// What a seed that was given, and may be known, does to the release.
    fn known_seed(&self) -> Option<String> {
        let draws = self.recipe.method.implementation().draws();
        let warning = "The seed was given: whoever knows it can undo noise and swapping. Without \
                       one, it is drawn and kept in the private recipe.";
        (draws && !self.seed_is_drawn).then(|| warning.to_owned())
    }
}

/// What a column that is released as it is tells about people.
fn telling_column(column: &Attribute, shape: &ColumnShape) -> Option<String> {
    let (name, share) = (isolated(&column.name), short_percent(shape.unique_share));
    Some(match (shape.telling(&column.name, column.role, true)?, column.role) {
        (_, Role::Identifier) => format!("{name} is an identifier and was kept."),
        (Telling::Identifies, _) => format!(
            "{name} looks like an identifier: it is left as it is and {share} of its values \
             are distinct. Named as one, it is dropped."
        ),
        (Telling::Warns, _) => format!(
            "{name} is left as it is and {share} of its values are distinct: whoever knows the exact \
             number finds its record."
        ),
    })
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
