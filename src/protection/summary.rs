//! What protection did to a file, in numbers.

use super::{AttributeKinds, Partition, Protected, ProtectedFile};
use crate::anonymity::{Anonymity, AnonymityOptions, ColumnShape, SensitiveMeasures, Telling};
use crate::dataset::{Attribute, Dataset, Role, Values};
use crate::error::Result;
use crate::utility::{Utility, is_measurable, labels_changed};
use crate::words::{isolated, listed, short_percent};
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
    /// Cells without a value among what was protected, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_cells: Option<MissingCells>,
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

/// What became of the cells of the protected attributes that lack a value in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct MissingCells {
    /// All cells of these attributes.
    pub of: usize,
    /// Those that lack a value in both files.
    pub left: usize,
    /// Those that lack one in the original and have one in the release.
    pub imputed: usize,
    /// Those that lost theirs, so that enough records look the same.
    pub suppressed: usize,
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
        let compared = |name: &&String| !is_too_blank(original, released, name);
        let (_, unmeasured): (Vec<&String>, Vec<&String>) = attributes.iter().partition(compared);
        Ok(Self {
            method: recipe.method.name(),
            parameters: recipe.method.parameters(),
            seed: recipe.seed.filter(|_| !file.seed_is_drawn),
            records: original.records(),
            attributes: attributes.clone(),
            confidential,
            left_as_they_are: left.iter().map(|a| a.name.clone()).collect(),
            dropped: file.dropped.clone(),
            warnings: file.warnings()?.into_iter().chain(unmeasured_warning(&unmeasured)).collect(),
            groups: file.protected.partitions.iter().map(GroupSummary::of).collect(),
            sensitive,
            lacks_levels,
            missing_cells: MissingCells::of(file, original)?,
            information_loss: loss(&file.protected)?,
            information_loss_before_refine: before.map(loss).transpose()?,
        })
    }
}

impl ProtectedFile {
    /// What to think about before the release is published: a seed that others may know, columns
    /// that were not protected as asked, and those that are left as they are and give people away.
    pub fn warnings(&self) -> Result<Vec<String>> {
        let released = &self.protected.released;
        let is_left = |a: &&Attribute| !self.recipe.attributes.contains(&a.name);
        let telling = released.attributes().iter().filter(is_left).map(|column| {
            let shape = ColumnShape::of(released, column)?;
            Ok(telling_column(column, &shape))
        });
        let telling: Vec<Option<String>> = telling.collect::<Result<_>>()?;
        let own = self.known_seed().into_iter().chain(self.of_another_kind());
        Ok(own.chain(telling.into_iter().flatten()).collect())
    }

    /// What the method could not protect, though somebody expects it.
    fn of_another_kind(&self) -> Option<String> {
        let method = self.recipe.method.implementation();
        let kind = match method.takes() {
            AttributeKinds::Labels => "labels",
            AttributeKinds::Numbers | AttributeKinds::Any => "numbers",
        };
        let names: Vec<String> = self.not_protected.iter().map(|name| isolated(name)).collect();
        let (what, name) = (listed(&names), method.name());
        let fate = match method.keeps_every_record() {
            true => "Left as they are",
            false => "Left out of the release",
        };
        (!names.is_empty()).then(|| format!("{fate}: {what}; {name} protects {kind}."))
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

impl MissingCells {
    /// Counts them; none where every cell has a value in both files, and where records were
    /// generalized.
    fn of(file: &ProtectedFile, original: &Dataset) -> Result<Option<Self>> {
        let mut found = Self::default();
        if file.protected.generalization.is_some() {
            return Ok(None);
        }
        for name in &file.recipe.attributes {
            let before = &original.attributes()[original.position(name)?];
            let released = &file.protected.released;
            let after = &released.attributes()[released.position(name)?];
            for i in 0..before.len() {
                found.of += 1;
                match (before.has_value(i), after.has_value(i)) {
                    (true, true) => {}
                    (true, false) => found.suppressed += 1,
                    (false, true) => found.imputed += 1,
                    (false, false) => found.left += 1,
                }
            }
        }
        let is_any = found.left + found.imputed + found.suppressed > 0;
        Ok(is_any.then_some(found))
    }
}

/// True for a column of which missing values leave too little to compare.
fn is_too_blank(original: &Dataset, released: &Dataset, name: &str) -> bool {
    let lacks = |file: &Dataset| {
        let found = file.position(name).map(|i| file.attributes()[i].first_missing());
        found.is_ok_and(|first| first.is_some())
    };
    let is_numeric = matches!(original.values(name), Ok(Values::Numeric(_)));
    is_numeric && (lacks(original) || lacks(released)) && !is_measurable(original, released, name)
}

fn unmeasured_warning(names: &[&String]) -> Option<String> {
    let listed = listed(&names.iter().map(|name| isolated(name)).collect::<Vec<_>>());
    (!names.is_empty())
        .then(|| format!("Too few values are left to tell what was lost of: {listed}."))
}

impl LossSummary {
    /// What `protected` lost on `attributes`, those aside of which missing values leave nothing to
    /// compare.
    pub fn of(original: &Dataset, protected: &Protected, attributes: &[String]) -> Result<Self> {
        let mut numeric = Vec::new();
        for name in attributes {
            let is_numeric = matches!(original.values(name)?, Values::Numeric(_));
            if is_numeric && !is_too_blank(original, &protected.released, name) {
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
