//! l-diverse V-MDAV: groups of variable size in each of which the sensitive
//! attributes are diverse.
//!
//! Han J., Cen T., Yu H., "An improved V-MDAV algorithm for l-diversity" (2008).
//!
//! Where the paper is silent or contradicts itself, built here:
//! - The extension ends at 2k - 1 records, as the abstract says; Figure 2 stops at a
//!   *diversity* of 2l - 1, which fewer levels never reach.
//! - (13) is asked of the nearest record that lowers no diversity; the first that is
//!   too far ends the extension, as in V-MDAV. Figure 2 goes on to the most distant
//!   record of the file.
//! - With the entropy a leftover can take a group below l. It joins the closest
//!   group that stays at l or above; where none does, the closest one, which is then
//!   merged with the next closest until it is l-diverse again.
//! - Several sensitive attributes: a group grows by records that raise the sum of
//!   min(diversity, l) over the attributes, and extends by records that lower none.
//! - k above l: a group that is diverse but too small takes the nearest record that
//!   keeps it diverse. Where no record does, here and while it grows, the nearest.

mod answers;
mod candidates;
mod joining;
mod rule;
mod search;

pub use rule::DiversityRule;
pub use search::l_diverse_v_mdav;

use super::{
    DEFAULT_GAMMA, GroupRule, Missing, Part, Refinement, aggregate, check_classes, check_gamma,
    check_k, groups_of, options,
};
use crate::anonymity::{Diversity, LevelCounts, LevelRule, Levels, SensitiveValues};
use crate::dataset::{Attribute, Dataset, Role};
use crate::distance::Scale;
use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::protection::{
    AttributeKinds, Described, DiversityPromise, Partition, Protected, ProtectionMethod,
};

options! {
    /// V-MDAV whose groups are l-diverse on the sensitive attributes.
    ///
    /// The release has at least k records and diversity l in every class of equal
    /// quasi-identifiers, which is checked before it is given back. Takes numeric, ordinal and
    /// nominal attributes. Missing values stay missing, and groups are made of records that lack
    /// the same. The sensitive attributes must be complete and are released as they are. Source: Han J., Cen T., Yu H. 2008.
    pub struct LDiverseVMdav {
        /// The diversity of every sensitive attribute in every group
        #[cfg_attr(feature = "cli", arg(long, value_name = "L"))]
        pub l: usize,
        /// Smallest group size, at least l [default: l]
        #[cfg_attr(feature = "cli", arg(long, value_name = "K"))]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub k: Option<usize>,
        gamma,
        /// Attributes an attacker wants to learn, released as they are [default: the confidential ones]
        #[cfg_attr(feature = "cli", arg(long, value_name = "NAME,...", value_delimiter = ','))]
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub sensitive: Vec<String>,
        /// Cut the range of numeric sensitive attributes into N levels
        /// [default: every number is a value of its own]
        #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub levels: Option<u32>,
        /// Where levels are cut [default: equal-width]
        #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "RULE"))]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub level_rule: Option<LevelRule>,
        /// How diversity is counted
        #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "KIND", default_value_t))]
        #[serde(default)]
        pub diversity: Diversity,
        cluster_on,
        missing,
        refine,
    }
}

impl Described for LDiverseVMdav {
    const NAME: &'static str = "l-diverse-v-mdav";
    const STRENGTHS: &'static [&'static str] = &["l", "k"];
}

impl ProtectionMethod for LDiverseVMdav {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn takes(&self) -> AttributeKinds {
        AttributeKinds::Any
    }

    fn refinement(&self) -> Option<Refinement> {
        Refinement::of(self.refine, self.cluster_on)
    }

    fn missing(&self) -> Missing {
        self.missing
    }

    fn diversity_promise(&self) -> Option<DiversityPromise> {
        Some(DiversityPromise {
            sensitive: self.sensitive.clone(),
            levels: self.sensitive_levels(),
        })
    }

    fn group_rule<'a>(
        &'a self,
        original: &'a Dataset,
        partition: &Partition,
    ) -> Result<Box<dyn GroupRule + 'a>> {
        Ok(Box::new(self.rule(original, &partition.attributes)?))
    }

    fn check(&self, original: &Dataset, attributes: &[String]) -> Result<()> {
        if let Some(refinement) = self.refinement() {
            refinement.check_iterations()?;
        }
        self.rule(original, attributes).map(|_| ())
    }

    /// The seed is not used: the method draws nothing.
    fn protect(
        &self,
        original: &Dataset,
        attributes: &[String],
        _seed: u64,
        listener: &dyn Listener,
    ) -> Result<Protected> {
        let rule = self.rule(original, attributes)?;
        let positions = original.positions(attributes)?;
        let points = self.missing.points(original, &positions, self.cluster_on)?;
        let total = original.records() as u64;
        let grouped = |done| listener.advance(done as u64, total);
        let form = |part: &Part| {
            l_diverse_v_mdav(&part.points, &rule.of(&part.records), self.gamma, &grouped)
        };
        let groups = groups_of(Part::all(points, &rule), form, &grouped);
        let attributes = attributes.to_vec();
        let partitions = vec![Partition { attributes, k: rule.smallest(), groups }];
        let released = aggregate(original, &partitions, self.missing)?;
        check_classes(&rule, &released, &partitions[0].attributes)?;
        Ok(Protected::grouped(released, partitions))
    }
}

impl LDiverseVMdav {
    /// Groups of at least `l` records and `l` different values of the confidential attributes.
    pub fn new(l: usize) -> Self {
        Self {
            l,
            k: None,
            gamma: DEFAULT_GAMMA,
            sensitive: Vec::new(),
            levels: None,
            level_rule: None,
            diversity: Diversity::default(),
            cluster_on: Scale::default(),
            missing: Missing::default(),
            refine: None,
        }
    }

    fn sensitive_levels(&self) -> Option<Levels> {
        let rule = self.level_rule.unwrap_or_default();
        self.levels.map(|count| Levels { count, rule })
    }

    /// What every group must have, after all checks of the parameters.
    pub fn rule(&self, original: &Dataset, attributes: &[String]) -> Result<DiversityRule> {
        let positions = &original.positions(attributes)?;
        if self.level_rule.is_some() && self.levels.is_none() {
            let problem = "but `level_rule` is given without `levels`; say how many";
            return Err(Error::parameter("method", Self::NAME, problem));
        }
        let k = self.k.unwrap_or(self.l);
        if self.l < 2 {
            return Err(Error::parameter("l", self.l, "but l-diversity needs l >= 2"));
        }
        if k < self.l {
            let problem = format!("but {}-diverse groups need k >= {}", self.l, self.l);
            return Err(Error::parameter("k", k, problem));
        }
        if self.l > original.records() {
            let problem =
                format!("but {} has only {} records", original.name(), original.records());
            return Err(Error::parameter("l", self.l, problem));
        }
        check_k(k, original)?;
        check_gamma(self.gamma)?;
        let sensitive = self.sensitive_positions(original, positions)?;
        let mut levels = Vec::new();
        for position in sensitive {
            original.check_complete(position, "l-diversity")?;
            let name = &original.attributes()[position].name;
            let values = SensitiveValues::new(original, name, self.sensitive_levels())?;
            levels.push(values.codes().to_vec());
            self.check_reachable(&levels[levels.len() - 1], &original.attributes()[position])?;
        }
        Ok(DiversityRule::new(self.l, k, self.diversity, levels))
    }

    /// The sensitive attributes; none of them may be protected, and every
    /// quasi-identifier must be.
    fn sensitive_positions(&self, original: &Dataset, protected: &[usize]) -> Result<Vec<usize>> {
        let attributes = original.attributes();
        let with_role =
            |role: Role| (0..attributes.len()).filter(move |&i| attributes[i].role == role);
        let sensitive = match self.sensitive.is_empty() {
            true => with_role(Role::Confidential).collect(),
            false => original.positions(&self.sensitive)?,
        };
        if sensitive.is_empty() {
            let problem = "but no sensitive attribute is given; name it with `sensitive`";
            return Err(Error::parameter("method", self.name(), problem));
        }
        let is_quasi =
            |i: &&usize| protected.contains(i) || attributes[**i].role == Role::QuasiIdentifier;
        if let Some(&both) = sensitive.iter().find(is_quasi) {
            let problem = "is also a quasi-identifier; an attribute has one role";
            return Err(Error::parameter("sensitive", &attributes[both].name, problem));
        }
        if let Some(open) = with_role(Role::QuasiIdentifier).find(|i| !protected.contains(i)) {
            let problem = format!(
                "but the quasi-identifier {} is not among them, so that its values would divide \
                 the classes; protect it as well",
                attributes[open].name
            );
            return Err(Error::parameter("attributes", protected.len(), problem));
        }
        Ok(sensitive)
    }

    /// Fails unless the whole file as one group would do: no partition is more diverse
    /// in its least diverse group.
    fn check_reachable(&self, levels: &[u32], attribute: &Attribute) -> Result<()> {
        let name = &attribute.name;
        let mut counts = LevelCounts::default();
        levels.iter().for_each(|&level| counts.add(level));
        let degree = counts.degree(self.diversity);
        if degree >= self.l as f64 {
            return Ok(());
        }
        let problem = match self.diversity {
            Diversity::Distinct if attribute.is_numeric() => format!(
                "but {name} has values on only {degree} levels; lower l, or cut more levels with \
                 `levels`"
            ),
            Diversity::Distinct => {
                format!("but {name} has only {degree} different values; lower l")
            }
            Diversity::Entropy => format!(
                "but the entropy diversity of {name} in the whole file is {degree:.3}, and no \
                 partition has more in every class; lower l, or cut other levels"
            ),
        };
        Err(Error::parameter("l", self.l, problem))
    }
}
