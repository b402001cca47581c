//! `unmask protect`.

use super::bar::Bar;
use super::files::Files;
use super::generalize::{self, Generalize};
use super::{Format, print, print_json};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;
use unmask::dataset::{Dataset, Role, catalog, output};
use unmask::distance::Scale;
use unmask::error::{Error, Result};
use unmask::protection::generalization::{AntiUnification, Condition, Unknown, Variant};
use unmask::protection::microaggregation::{
    AttributeBlocks, Microaggregation, PartitionRule, TailRule, Univariate,
};
use unmask::protection::{
    Noise, NoiseKind, Partition, Protected, ProtectionMethod, RankSwapping, SwapVariant,
};
use unmask::utility::Utility;

/// Protects a file: noise, rank swapping, microaggregation or generalization.
///
/// Identifiers and confidential attributes are left alone. The same input,
/// parameters and seed give the same bytes on any number of threads.
///
/// anti-unification replaces each record by a pattern that at least k records of its class
/// share (a class is a combination of confidential values), with `*` for indifferent
/// values, and discards the others. It needs labels (--discretize,
/// --categorical), leaves out attributes that are neither quasi-identifier,
/// confidential nor identifier, and writes beside OUT.csv: OUT-patterns.csv (the patterns
/// with the number of records they cover), OUT-discarded.csv (row numbers, the
/// first record being 1) and OUT-summary.json. Of the records that several patterns
/// cover, those patterns that would have less than k records get some; the
/// others go to the pattern with the most records.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask protect census --method mdav --k 5 -o census-k5.csv\n  \
    unmask protect census --method mdav --k 2,8,5 --groups 5,5,3 --cluster-on raw -o release.csv\n  \
    unmask protect census --method noise --p 16 --seed 7 -o noisy.parquet\n  \
    unmask protect survey.csv --method rank-swapping --p 5 --confidential income -o swapped.csv\n  \
    unmask protect adult-train --method anti-unification --k 5 --indifferent 2 --conditions \"<,>\" \
    --confidential salary --variant literal --attributes age,workclass,education,sex \
    --discretize age:5:20:90 -o patterns.csv")]
pub struct Protect {
    /// The file to protect (.csv or .parquet), or the name of a built-in data set
    input: String,

    /// How to protect
    #[arg(long, value_enum)]
    method: Method,

    /// The file to write, CSV or Parquet by its extension
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the output file when it exists
    #[arg(long)]
    force: bool,

    /// Attributes to protect [default: the quasi-identifiers, or all numeric ones
    /// that are neither identifier nor confidential; anti-unification: all of these]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    attributes: Vec<String>,

    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Leave the identifiers out of the release
    #[arg(long)]
    drop_identifiers: bool,

    /// How to print the summary
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    parameters: Parameters,

    #[command(flatten)]
    files: Files,
}

/// The methods by name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Method {
    /// Additive Gaussian noise, p percent of each standard deviation
    Noise,
    /// Swap values at most p percent of the ranks apart
    RankSwapping,
    /// Multivariate microaggregation round the extreme records
    Mdav,
    /// Microaggregation of each attribute alone
    IndividualRanking,
    /// Microaggregation by the order of the sum of z-scores
    ZProjection,
    /// Microaggregation by the order of the first principal component
    PcProjection,
    /// Generalization: patterns that k records of a class share, for labels
    AntiUnification,
}

/// Parameters of the methods; one that the method does not have is refused.
#[derive(Args, Clone)]
#[command(next_help_heading = "Parameters of the methods")]
pub(super) struct Parameters {
    /// Noise: percent of the standard deviation; rank swapping: percent of the ranks.
    /// One for all attributes, or one each
    #[arg(long, value_name = "P,...", value_delimiter = ',')]
    p: Option<Vec<f64>>,

    /// Microaggregation: smallest group size. One for all groups of attributes, or one each.
    /// anti-unification: fewest records of a pattern
    #[arg(long, value_name = "K,...", value_delimiter = ',')]
    k: Option<Vec<usize>>,

    /// mdav and projections: attributes grouped together: `all`, a size (2), or sizes (5,5,3)
    /// [default: all]
    #[arg(long, value_name = "GROUPS")]
    groups: Option<AttributeBlocks>,

    /// mdav and pc-projection: distances on z-scores or raw values [default: zscore]
    #[arg(long, value_enum, value_name = "SCALE")]
    cluster_on: Option<Scale>,

    /// mdav: what happens to the last records [default: last-group]
    #[arg(long, value_enum, value_name = "RULE")]
    tail: Option<TailRule>,

    /// Individual ranking and projections: the optimal partition, by dynamic programming
    #[arg(long)]
    optimal: bool,

    /// Noise: how the attributes' noise hangs together [default: uncorrelated]
    #[arg(long, value_enum, value_name = "KIND")]
    noise: Option<NoiseKind>,

    /// Rank swapping: order and window of the swaps [default: upward]
    #[arg(long, value_enum, value_name = "VARIANT")]
    swap: Option<SwapVariant>,

    /// anti-unification: most indifferent values of a pattern [default: 2]
    #[arg(long, value_name = "N")]
    indifferent: Option<usize>,

    /// anti-unification: which attributes divide a set of records, < those with the fewest
    /// parts, > those with the most; in sequence [default: <,>]
    #[arg(long, value_name = "CONDITION,...", value_delimiter = ',')]
    conditions: Option<Vec<Condition>>,

    /// anti-unification: in which steps indifferent values are allowed [default: literal]
    #[arg(long, value_enum, value_name = "VARIANT")]
    variant: Option<Variant>,

    /// anti-unification: what an unknown (missing) value equals [default: own-value]
    #[arg(long, value_enum, value_name = "POLICY")]
    unknown: Option<Unknown>,
}

/// What `--format json` prints; the text is made from the same record.
#[derive(Serialize)]
struct Summary {
    method: &'static str,
    parameters: serde_json::Value,
    seed: u64,
    records: usize,
    attributes: Vec<String>,
    groups: Vec<GroupSummary>,
    information_loss: InformationLoss,
    output: String,
    sha256: String,
}

#[derive(Serialize)]
struct GroupSummary {
    attributes: Vec<String>,
    k: usize,
    count: usize,
    smallest: usize,
    largest: usize,
}

#[derive(Serialize)]
struct InformationLoss {
    il_percent: f64,
    il1s_percent: f64,
}

impl Protect {
    /// Reads, protects, writes, and prints the summary.
    pub fn run(&self) -> Result<()> {
        if self.method == Method::AntiUnification {
            return self.generalize();
        }
        output::check_writable(&self.output, self.force)?;
        let method = self.parameters.method(self.method)?;
        let original = self.files.load(&self.input)?;
        let positions = self.positions(&original)?;
        let protected = method.protect(&original, &positions, self.seed, &Bar::new())?;
        let sha256 = self.write(&protected.released)?;
        let summary = self.summary(&*method, &original, &positions, &protected, sha256)?;
        match self.format {
            Format::Text => print(summary.text()),
            Format::Json => print_json(&summary)?,
        }
        Ok(())
    }

    /// Reads, generalizes, writes four files, and prints the summary.
    fn generalize(&self) -> Result<()> {
        let method = self.parameters.anti_unification()?;
        let outputs = Generalize::new(&self.output, self.force, self.drop_identifiers)?;
        let original = self.files.load(&self.input)?;
        let positions = match self.attributes.is_empty() {
            true => generalize::default_positions(&original)?,
            false => self.named_positions(&original)?,
        };
        let found = method.generalize(&original, &positions, &Bar::new())?;
        let summary = outputs.write(&method, &original, &positions, &found)?;
        match self.format {
            Format::Text => print(summary.text()),
            Format::Json => print_json(&summary)?,
        }
        Ok(())
    }

    /// The attributes to protect; a named identifier or confidential one is refused.
    fn positions(&self, original: &Dataset) -> Result<Vec<usize>> {
        match self.attributes.is_empty() {
            true => original.default_numeric_positions(),
            false => self.named_positions(original),
        }
    }

    fn named_positions(&self, original: &Dataset) -> Result<Vec<usize>> {
        let positions = original.positions(&self.attributes)?;
        for &position in &positions {
            let attribute = &original.attributes()[position];
            if matches!(attribute.role, Role::Identifier | Role::Confidential) {
                let problem = "is an identifier or confidential, and those are left alone; \
                               change its role or leave it out";
                return Err(Error::parameter("attributes", &attribute.name, problem));
            }
        }
        Ok(positions)
    }

    /// Writes the release; gives its SHA-256.
    fn write(&self, released: &Dataset) -> Result<String> {
        let written = match self.drop_identifiers {
            true => &released.without_role(Role::Identifier)?,
            false => released,
        };
        let bytes = written.to_bytes(&self.output)?;
        output::write_file(&self.output, self.force, |out| {
            out.write_all(&bytes).map_err(|e| Error::io(&self.output, e))
        })?;
        Ok(catalog::sha256(&bytes))
    }

    fn summary(
        &self,
        method: &dyn ProtectionMethod,
        original: &Dataset,
        positions: &[usize],
        protected: &Protected,
        sha256: String,
    ) -> Result<Summary> {
        let names = |positions: &[usize]| -> Vec<String> {
            positions.iter().map(|&i| original.attributes()[i].name.clone()).collect()
        };
        let group = |p: &Partition| GroupSummary {
            attributes: names(&p.attributes),
            k: p.k,
            count: p.groups.len(),
            smallest: p.smallest(),
            largest: p.largest(),
        };
        let utility = Utility::measure(original, &protected.released, &names(positions))?;
        Ok(Summary {
            method: method.name(),
            parameters: method.parameters(),
            seed: self.seed,
            records: original.records(),
            attributes: names(positions),
            groups: protected.partitions.iter().map(group).collect(),
            information_loss: InformationLoss {
                il_percent: utility.il_percent,
                il1s_percent: utility.il1s_percent,
            },
            output: self.output.display().to_string(),
            sha256,
        })
    }
}

impl Summary {
    fn text(&self) -> String {
        let mut lines = vec![
            format!("method            {} {}", self.method, parameters(&self.parameters)),
            format!("records           {}", self.records),
            format!("attributes        {}: {}", self.attributes.len(), self.attributes.join(", ")),
        ];
        lines.extend(self.groups.iter().map(|g| format!("groups            {}", self.describe(g))));
        let loss = &self.information_loss;
        lines.push(format!(
            "information loss  {:.2}% of the variation between records (SSE/SST), IL1s {:.2}%",
            loss.il_percent, loss.il1s_percent
        ));
        lines.push(format!("written           {}", self.output));
        lines.push(format!("sha256            {}", self.sha256));
        lines.join("\n")
    }

    /// `216 of 5 records`, and on which attributes unless on all.
    fn describe(&self, group: &GroupSummary) -> String {
        let size = match group.smallest == group.largest {
            true => group.smallest.to_string(),
            false => format!("{} to {}", group.smallest, group.largest),
        };
        let on = match group.attributes == self.attributes {
            true => String::new(),
            false => format!(" on {}", group.attributes.join(", ")),
        };
        format!("{} of {size} records{on}", group.count)
    }
}

/// `{"k":[3],"groups":"all"}` as `k=3 groups=all`.
pub(super) fn parameters(json: &serde_json::Value) -> String {
    let plain = |value: &serde_json::Value| value.to_string().replace(['"', '[', ']'], "");
    let pairs = json.as_object().into_iter().flatten();
    pairs.map(|(name, value)| format!("{name}={}", plain(value))).collect::<Vec<_>>().join(" ")
}

impl Parameters {
    /// The same with twice the noise, the ranks or the group size.
    pub(super) fn doubled(&self) -> Self {
        let p = self.p.as_ref().map(|p| p.iter().map(|p| 2.0 * p).collect());
        let k = self.k.as_ref().map(|k| k.iter().map(|k| k.saturating_mul(2)).collect());
        Self { p, k, ..self.clone() }
    }

    /// True when a strength is given.
    pub(super) fn is_given(&self) -> bool {
        self.p.is_some() || self.k.is_some()
    }

    /// The method with its parameters; missing and superfluous ones are refused.
    pub(super) fn method(&self, method: Method) -> Result<Box<dyn ProtectionMethod>> {
        let has = self.check_applicable(method)?;
        let univariate = if self.optimal { Univariate::Optimal } else { Univariate::Fixed };
        Ok(match method {
            Method::Noise => Box::new(Noise {
                p: self.needed(&self.p, "p", has)?,
                kind: self.noise.unwrap_or_default(),
            }),
            Method::RankSwapping => Box::new(RankSwapping {
                p: self.needed(&self.p, "p", has)?,
                variant: self.swap.unwrap_or_default(),
            }),
            Method::Mdav => {
                self.microaggregation(PartitionRule::Mdav(self.tail.unwrap_or_default()), has)?
            }
            Method::IndividualRanking => {
                self.microaggregation(PartitionRule::IndividualRanking(univariate), has)?
            }
            Method::ZProjection => {
                self.microaggregation(PartitionRule::ZProjection(univariate), has)?
            }
            Method::PcProjection => {
                self.microaggregation(PartitionRule::PcProjection(univariate), has)?
            }
            Method::AntiUnification => {
                return Err(Error::Internal(format!("{has} is no perturbative method")));
            }
        })
    }

    fn anti_unification(&self) -> Result<AntiUnification> {
        let name = self.check_applicable(Method::AntiUnification)?;
        let k = self.needed(&self.k, "k", name)?;
        let &[k] = k.as_slice() else {
            let given = k.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            return Err(Error::parameter("k", given, "but anti-unification takes one k"));
        };
        Ok(AntiUnification {
            k,
            indifferent: self.indifferent.unwrap_or(2),
            conditions: self
                .conditions
                .clone()
                .unwrap_or_else(|| vec![Condition::Fewest, Condition::Most]),
            variant: self.variant.unwrap_or_default(),
            unknown: self.unknown.unwrap_or_default(),
        })
    }

    fn microaggregation(
        &self,
        rule: PartitionRule,
        method: &str,
    ) -> Result<Box<dyn ProtectionMethod>> {
        let blocks = match rule {
            PartitionRule::IndividualRanking(_) => AttributeBlocks::Of(1),
            _ => self.groups.clone().unwrap_or(AttributeBlocks::All),
        };
        let cluster_on = self.cluster_on.unwrap_or_default();
        let k = self.needed(&self.k, "k", method)?;
        Ok(Box::new(Microaggregation { k, blocks, cluster_on, rule }))
    }

    fn needed<T: Clone>(&self, value: &Option<Vec<T>>, flag: &str, method: &str) -> Result<Vec<T>> {
        value.clone().ok_or_else(|| {
            Error::parameter("method", method, format!("but --{flag} is not given; it needs one"))
        })
    }

    /// Fails on a flag that `method` does not have; gives the method's name.
    fn check_applicable(&self, method: Method) -> Result<&'static str> {
        let (name, flags): (_, &[&str]) = match method {
            Method::Noise => ("noise", &["p", "noise"]),
            Method::RankSwapping => ("rank-swapping", &["p", "swap"]),
            Method::Mdav => ("mdav", &["k", "groups", "cluster-on", "tail"]),
            Method::IndividualRanking => ("individual-ranking", &["k", "optimal"]),
            Method::ZProjection => ("z-projection", &["k", "groups", "optimal"]),
            Method::PcProjection => ("pc-projection", &["k", "groups", "cluster-on", "optimal"]),
            Method::AntiUnification => {
                ("anti-unification", &["k", "indifferent", "conditions", "variant", "unknown"])
            }
        };
        let given = [
            ("p", self.p.is_some()),
            ("k", self.k.is_some()),
            ("groups", self.groups.is_some()),
            ("cluster-on", self.cluster_on.is_some()),
            ("tail", self.tail.is_some()),
            ("optimal", self.optimal),
            ("noise", self.noise.is_some()),
            ("swap", self.swap.is_some()),
            ("indifferent", self.indifferent.is_some()),
            ("conditions", self.conditions.is_some()),
            ("variant", self.variant.is_some()),
            ("unknown", self.unknown.is_some()),
        ];
        match given.iter().find(|(flag, is_given)| *is_given && !flags.contains(flag)) {
            Some((flag, _)) => {
                let own: Vec<String> = flags.iter().map(|f| format!("--{f}")).collect();
                let problem = format!("which has no --{flag}; it takes {}", own.join(", "));
                Err(Error::parameter("method", name, problem))
            }
            None => Ok(name),
        }
    }
}
