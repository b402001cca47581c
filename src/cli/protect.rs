//! `unmask protect`.

use super::bar::Bar;
use super::files::Files;
use super::{Format, print, print_json};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;
use unmask::dataset::{Dataset, Role, catalog, output};
use unmask::distance::Scale;
use unmask::error::{Error, Result};
use unmask::protection::microaggregation::{
    AttributeBlocks, Microaggregation, PartitionRule, TailRule, Univariate,
};
use unmask::protection::{
    Noise, NoiseKind, Partition, Protected, ProtectionMethod, RankSwapping, SwapVariant,
};
use unmask::utility::Utility;

/// Protects a file: noise, rank swapping or microaggregation.
///
/// Identifiers and confidential attributes are left alone. The same input,
/// parameters and seed give the same bytes on any number of threads.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask protect census --method mdav --k 5 -o census-k5.csv\n  \
    unmask protect census --method mdav --k 2,8,5 --groups 5,5,3 --cluster-on raw -o release.csv\n  \
    unmask protect census --method noise --p 16 --seed 7 -o noisy.parquet\n  \
    unmask protect survey.csv --method rank-swapping --p 5 --confidential income -o swapped.csv")]
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
    /// that are neither identifier nor confidential]
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
}

/// Parameters of the methods; one that the method does not have is refused.
#[derive(Args, Clone)]
#[command(next_help_heading = "Parameters of the methods")]
pub(super) struct Parameters {
    /// Noise: percent of the standard deviation; rank swapping: percent of the ranks.
    /// One for all attributes, or one each
    #[arg(long, value_name = "P,...", value_delimiter = ',')]
    p: Option<Vec<f64>>,

    /// Microaggregation: smallest group size. One for all groups of attributes, or one each
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

    /// The attributes to protect; a named identifier or confidential one is refused.
    fn positions(&self, original: &Dataset) -> Result<Vec<usize>> {
        if self.attributes.is_empty() {
            return original.default_numeric_positions();
        }
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
fn parameters(json: &serde_json::Value) -> String {
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
