//! The one list of methods and their parameters: the command line and the
//! specifications of studies both choose from it.

use super::generalization::{AntiUnification, Condition, Unknown, Variant};
use super::microaggregation::{
    AttributeBlocks, LDiverseVMdav, Microaggregation, PartitionRule, Refined, Refinement, TailRule,
    Univariate,
};
use super::{Noise, NoiseKind, ProtectionMethod, RankSwapping, SwapVariant};
use crate::anonymity::{Diversity, LevelRule, Levels};
use crate::dataset::{Dataset, Role};
use crate::distance::Scale;
use crate::error::{Error, Result};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

/// The methods by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum MethodChoice {
    /// Additive Gaussian noise, p percent of each standard deviation
    Noise,
    /// Swap values at most p percent of the ranks apart
    RankSwapping,
    /// Multivariate microaggregation round the extreme records
    Mdav,
    /// MDAV with groups of k to 2k - 1 records, extended to near ones
    VMdav,
    /// V-MDAV with at least l levels of the sensitive attributes in every group
    LDiverseVMdav,
    /// Microaggregation of each attribute alone
    IndividualRanking,
    /// Microaggregation by the order of the sum of z-scores
    ZProjection,
    /// Microaggregation by the order of the first principal component
    PcProjection,
    /// Generalization: patterns that k records of a class share, for labels
    AntiUnification,
}

/// The gain factor of V-MDAV for scattered data, as in the published studies.
const DEFAULT_GAMMA: f64 = 0.2;

/// Parameters of the methods; one that the method does not have is refused.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Parameters of the methods")]
pub struct MethodParameters {
    /// Noise: percent of the standard deviation; rank swapping: percent of the ranks.
    /// One for all attributes, or one each
    #[arg(long, value_name = "P,...", value_delimiter = ',')]
    pub p: Option<Vec<f64>>,

    /// Microaggregation: smallest group size. One for all groups of attributes, or one each
    /// [l-diverse-v-mdav: at least l, default: l]. anti-unification: fewest records of a pattern
    #[arg(long, value_name = "K,...", value_delimiter = ',')]
    pub k: Option<Vec<usize>>,

    /// mdav, v-mdav and projections: attributes grouped together: `all`, a size (2), or sizes (5,5,3)
    /// [default: all]
    #[arg(long, value_name = "GROUPS")]
    pub groups: Option<AttributeBlocks>,

    /// mdav, v-mdav, l-diverse-v-mdav and pc-projection: distances on z-scores or raw values [default: zscore]
    #[arg(long, value_enum, value_name = "SCALE")]
    pub cluster_on: Option<Scale>,

    /// mdav: what happens to the last records [default: last-group]
    #[arg(long, value_enum, value_name = "RULE")]
    pub tail: Option<TailRule>,

    /// l-diverse-v-mdav: the diversity of every sensitive attribute in every group
    #[arg(long, value_name = "L")]
    pub l: Option<usize>,

    /// l-diverse-v-mdav: attributes an attacker wants to learn, released as they are
    /// [default: the confidential ones]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub sensitive: Vec<String>,

    /// l-diverse-v-mdav: cut the range of numeric sensitive attributes into N levels
    /// [default: every number is a value of its own]
    #[arg(long, value_name = "N")]
    pub levels: Option<u32>,

    /// l-diverse-v-mdav: where levels are cut [default: equal-width]
    #[arg(long, value_enum, value_name = "RULE")]
    pub level_rule: Option<LevelRule>,

    /// l-diverse-v-mdav: how diversity is counted [default: distinct]
    #[arg(long, value_enum, value_name = "KIND")]
    pub diversity: Option<Diversity>,

    /// v-mdav and l-diverse-v-mdav: a group takes its nearest record while that is nearer to it than GAMMA
    /// times to any other [default: 0.2]
    #[arg(long, value_name = "GAMMA", allow_negative_numbers = true)]
    pub gamma: Option<f64>,

    /// Individual ranking and projections: the optimal partition, by dynamic programming
    #[arg(long)]
    pub optimal: bool,

    /// mdav, v-mdav, l-diverse-v-mdav and projections: lower the loss of the groups by a
    /// seeded local search; of mixed attributes the squared errors of numbers and labels
    /// together fall
    #[arg(long)]
    pub refine: bool,

    /// With --refine: moves that each of two searches tries [default: 20000000]
    #[arg(long, value_name = "N")]
    pub refine_iterations: Option<u64>,

    /// Noise: how the attributes' noise hangs together [default: uncorrelated]
    #[arg(long, value_enum, value_name = "KIND")]
    pub noise: Option<NoiseKind>,

    /// Rank swapping: order and window of the swaps [default: upward]
    #[arg(long, value_enum, value_name = "VARIANT")]
    pub swap: Option<SwapVariant>,

    /// anti-unification: most indifferent values of a pattern [default: 2]
    #[arg(long, value_name = "N")]
    pub indifferent: Option<usize>,

    /// anti-unification: which attributes divide a set of records, < those with the fewest
    /// parts, > those with the most; in sequence; by default "<,>"
    #[arg(long, value_name = "CONDITION,...", value_delimiter = ',')]
    pub conditions: Option<Vec<Condition>>,

    /// anti-unification: in which steps indifferent values are allowed [default: literal]
    #[arg(long, value_enum, value_name = "VARIANT")]
    pub variant: Option<Variant>,

    /// anti-unification: what an unknown (missing) value equals [default: own-value]
    #[arg(long, value_enum, value_name = "POLICY")]
    pub unknown: Option<Unknown>,
}

impl MethodChoice {
    /// The parameters the method takes, by their names on the command line.
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Noise => &["p", "noise"],
            Self::RankSwapping => &["p", "swap"],
            Self::Mdav => &["k", "groups", "cluster-on", "tail", "refine", "refine-iterations"],
            Self::VMdav => &["k", "gamma", "groups", "cluster-on", "refine", "refine-iterations"],
            Self::LDiverseVMdav => {
                const L_DIVERSE: [&str; 10] = [
                    "l",
                    "k",
                    "gamma",
                    "sensitive",
                    "levels",
                    "level-rule",
                    "diversity",
                    "cluster-on",
                    "refine",
                    "refine-iterations",
                ];
                &L_DIVERSE
            }
            Self::IndividualRanking => &["k", "optimal"],
            Self::ZProjection => &["k", "groups", "optimal", "refine", "refine-iterations"],
            Self::PcProjection => {
                &["k", "groups", "cluster-on", "optimal", "refine", "refine-iterations"]
            }
            Self::AntiUnification => &["k", "indifferent", "conditions", "variant", "unknown"],
        }
    }

    /// The parameter that says how much protection: the one a study varies.
    pub fn main_parameter(self) -> &'static str {
        self.parameters()[0]
    }

    /// The method's name.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// All names, for a message: `noise, rank-swapping or mdav`.
    pub fn all_names() -> String {
        let names: Vec<String> = Self::value_variants().iter().map(|m| m.name()).collect();
        match names.split_last() {
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// How the attributes are cut into blocks.
    pub fn blocks(self, parameters: &MethodParameters) -> AttributeBlocks {
        match self {
            Self::IndividualRanking => AttributeBlocks::Of(1),
            _ => parameters.groups.clone().unwrap_or(AttributeBlocks::All),
        }
    }

    /// The method with its parameters; missing and superfluous ones are refused.
    pub fn with(self, parameters: &MethodParameters) -> Result<Box<dyn ProtectionMethod + Send>> {
        self.check_applicable(parameters)?;
        let cut = if parameters.optimal { Univariate::Optimal } else { Univariate::Fixed };
        let rule = match self {
            Self::Noise => {
                let p = self.needed(&parameters.p, "p")?;
                return Ok(Box::new(Noise { p, kind: parameters.noise.unwrap_or_default() }));
            }
            Self::RankSwapping => {
                let p = self.needed(&parameters.p, "p")?;
                let variant = parameters.swap.unwrap_or_default();
                return Ok(Box::new(RankSwapping { p, variant }));
            }
            Self::Mdav => PartitionRule::Mdav(parameters.tail.unwrap_or_default()),
            Self::VMdav => {
                PartitionRule::VMdav { gamma: parameters.gamma.unwrap_or(DEFAULT_GAMMA) }
            }
            Self::LDiverseVMdav => return Ok(Box::new(self.l_diverse(parameters)?)),
            Self::IndividualRanking => PartitionRule::IndividualRanking(cut),
            Self::ZProjection => PartitionRule::ZProjection(cut),
            Self::PcProjection => PartitionRule::PcProjection(cut),
            Self::AntiUnification => {
                let problem = "which gives patterns, not a file of the same records; \
                               a study of it is of the kind generalization";
                return Err(Error::parameter("method", self.name(), problem));
            }
        };
        Ok(Box::new(Microaggregation {
            k: self.needed(&parameters.k, "k")?,
            blocks: self.blocks(parameters),
            cluster_on: parameters.cluster_on.unwrap_or_default(),
            rule,
        }))
    }

    /// As [`MethodChoice::with`], its groups refined where the parameters ask for it.
    pub fn with_refinement(
        self,
        parameters: &MethodParameters,
    ) -> Result<Box<dyn ProtectionMethod + Send>> {
        let method = self.with(parameters)?;
        Ok(match parameters.refinement()? {
            Some(refinement) => Box::new(Refined { method, refinement }),
            None => method,
        })
    }

    /// Anti-unification with its parameters; missing and superfluous ones are refused.
    pub fn anti_unification(self, parameters: &MethodParameters) -> Result<AntiUnification> {
        self.check_applicable(parameters)?;
        let k = self.needed(&parameters.k, "k")?;
        let &[k] = k.as_slice() else {
            let problem = "but anti-unification takes one k";
            return Err(Error::parameter("k", super::join(&k), problem));
        };
        let by_default = || vec![Condition::Fewest, Condition::Most];
        Ok(AntiUnification {
            k,
            indifferent: parameters.indifferent.unwrap_or(2),
            conditions: parameters.conditions.clone().unwrap_or_else(by_default),
            variant: parameters.variant.unwrap_or_default(),
            unknown: parameters.unknown.unwrap_or_default(),
        })
    }

    fn l_diverse(self, parameters: &MethodParameters) -> Result<LDiverseVMdav> {
        let k = match parameters.k.as_deref() {
            None => None,
            Some([k]) => Some(*k),
            Some(many) => {
                let problem = "but all attributes are grouped together; give one number";
                return Err(Error::parameter("k", super::join(many), problem));
            }
        };
        if parameters.level_rule.is_some() && parameters.levels.is_none() {
            let problem = "but --level-rule is given without --levels; say how many";
            return Err(Error::parameter("method", self.name(), problem));
        }
        Ok(LDiverseVMdav {
            l: self.needed(&parameters.l, "l")?,
            k,
            gamma: parameters.gamma.unwrap_or(DEFAULT_GAMMA),
            sensitive: parameters.sensitive.clone(),
            levels: parameters.sensitive_levels(),
            diversity: parameters.diversity.unwrap_or_default(),
            cluster_on: parameters.cluster_on.unwrap_or_default(),
        })
    }

    fn needed<T: Clone>(self, value: &Option<T>, flag: &str) -> Result<T> {
        value.clone().ok_or_else(|| {
            let problem = format!("but --{flag} is not given; it needs one");
            Error::parameter("method", self.name(), problem)
        })
    }

    /// Fails on a parameter that the method does not have.
    fn check_applicable(self, parameters: &MethodParameters) -> Result<()> {
        let own = self.parameters();
        match parameters.given().find(|flag| !own.contains(flag)) {
            Some(flag) => {
                let own: Vec<String> = own.iter().map(|f| format!("--{f}")).collect();
                let problem = format!("which has no --{flag}; it takes {}", own.join(", "));
                Err(Error::parameter("method", self.name(), problem))
            }
            None => Ok(()),
        }
    }
}

impl MethodParameters {
    /// How the groups are refined, when asked for.
    pub fn refinement(&self) -> Result<Option<Refinement>> {
        match (self.refine, self.refine_iterations) {
            (false, None) => Ok(None),
            (false, Some(n)) => {
                Err(Error::parameter("refine-iterations", n, "but --refine is not given; add it"))
            }
            (true, n) => {
                let iterations = n.unwrap_or(Refinement::ITERATIONS);
                let scale = self.cluster_on.unwrap_or_default();
                let refinement = Refinement { iterations, scale };
                refinement.check_iterations().map(|()| Some(refinement))
            }
        }
    }

    /// The levels of numeric sensitive attributes; none where every number is its own.
    pub fn sensitive_levels(&self) -> Option<Levels> {
        let rule = self.level_rule.unwrap_or_default();
        self.levels.map(|count| Levels { count, rule })
    }

    /// Gives the sensitive attributes of `original` their role; one that has another, or is
    /// among the protected ones that a flag names, is refused.
    pub fn mark_sensitive(
        &self,
        original: &mut Dataset,
        (flag, protected): (&str, &[String]),
    ) -> Result<()> {
        for (i, name) in self.sensitive.iter().enumerate() {
            let attribute = &original.attributes()[original.position(name)?];
            if self.sensitive[..i].contains(name) {
                let problem = "is named twice; name each attribute once";
                return Err(Error::parameter("sensitive", name, problem));
            }
            let other = match attribute.role {
                _ if protected.contains(&attribute.name) => format!("named in {flag}"),
                Role::QuasiIdentifier => "a quasi-identifier".into(),
                Role::Identifier => "an identifier".into(),
                Role::Confidential | Role::Other => continue,
            };
            let problem = format!("is also {other}; an attribute has one role");
            return Err(Error::parameter("sensitive", &attribute.name, problem));
        }
        original.set_role(&self.sensitive, Role::Confidential)
    }

    /// The same with twice the noise, the ranks, the group size or the diversity.
    pub fn doubled(&self) -> Self {
        let p = self.p.as_ref().map(|p| p.iter().map(|p| 2.0 * p).collect());
        let k = self.k.as_ref().map(|k| k.iter().map(|k| k.saturating_mul(2)).collect());
        let l = self.l.map(|l| l.saturating_mul(2));
        Self { p, k, l, ..self.clone() }
    }

    /// True when a strength is given.
    pub fn has_strength(&self) -> bool {
        self.p.is_some() || self.k.is_some() || self.l.is_some()
    }

    /// The parameters that are given, by their names on the command line.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        [
            ("p", self.p.is_some()),
            ("k", self.k.is_some()),
            ("groups", self.groups.is_some()),
            ("cluster-on", self.cluster_on.is_some()),
            ("tail", self.tail.is_some()),
            ("gamma", self.gamma.is_some()),
            ("l", self.l.is_some()),
            ("sensitive", !self.sensitive.is_empty()),
            ("levels", self.levels.is_some()),
            ("level-rule", self.level_rule.is_some()),
            ("diversity", self.diversity.is_some()),
            ("optimal", self.optimal),
            ("refine", self.refine),
            ("refine-iterations", self.refine_iterations.is_some()),
            ("noise", self.noise.is_some()),
            ("swap", self.swap.is_some()),
            ("indifferent", self.indifferent.is_some()),
            ("conditions", self.conditions.is_some()),
            ("variant", self.variant.is_some()),
            ("unknown", self.unknown.is_some()),
        ]
        .into_iter()
        .filter_map(|(flag, is_given)| is_given.then_some(flag))
    }
}
