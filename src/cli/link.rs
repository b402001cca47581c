//! `unmask link`.

use super::release::ReleaseFiles;
use super::terminal::Terminal;
use super::{Format, print, print_json};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use unmask::disclosure::{IntervalRule, distance_linkage_disclosure, interval_disclosure};
use unmask::error::{Error, Result};
use unmask::files;
use unmask::linkage::{Alignment, Attack, DEFAULT_TOLERANCE, Release, TieRule};
use unmask::report::{AttackRow, attack_table};
use unmask::statistics::wilson_interval;

/// Attacks a release: how many records can be linked back, without learning anything.
///
/// Row i of the released file belongs to row i of the original, or rows with
/// the same key belong together (--key). The attacker links each original
/// record to a released one; a link is right when it is the record's own.
/// Identifiers and confidential attributes are not used. A generalized value (a `*`
/// cell) covers every value: it is at distance 0 from anything. Where the release
/// holds intervals, --discretize reads the original the same way; where records
/// were discarded, --discarded names their row numbers.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask protect noise census --p 16 -o noisy.csv\n  \
    unmask link --original census --released noisy.csv\n  \
    unmask link --original census --released noisy.csv --attack dbrl1,dbrl2,single \
    --attributes AFNLWGT,AGI,EMCONTRB --sample 400 --seed 7\n  \
    unmask link --original known.csv --released public.csv --key id --tie share --links links.csv")]
pub struct LinkCommand {
    #[command(flatten)]
    release: ReleaseFiles,

    /// Attacks to run
    #[arg(
        long,
        value_enum,
        value_name = "NAME,...",
        value_delimiter = ',',
        default_value = "dbrl1"
    )]
    attack: Vec<AttackName>,

    /// What a record counts whose own released record is as near as others
    #[arg(long, value_enum, default_value_t = TieRule::Miss)]
    tie: TieRule,

    /// Write one row per record: record, linked record, distance, second
    /// distance, correct, tied; needs a single attack
    #[arg(long, value_name = "FILE")]
    links: Option<PathBuf>,

    /// Replace the links file when it exists
    #[arg(long)]
    force: bool,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    parameters: Parameters,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AttackName {
    /// Nearest record, each file standardized by itself
    Dbrl1,
    /// Nearest record, standardized by how far values moved
    Dbrl2,
    /// Both of the following
    Mahalanobis,
    /// Mahalanobis distance, covariance of the true pairs
    MahalanobisCov,
    /// Mahalanobis distance, covariance of all pairs
    MahalanobisCov0,
    /// Polynomial kernel distance (--degree)
    Kernel,
    /// Mean of range-standardized distances, for mixed data
    Gower,
    /// dbrl1 on each attribute alone
    Single,
    /// dbrl1 with given weights (--weights)
    Weighted,
    /// Fellegi-Sunter weights of agreements (--tolerance), linked one to one
    Probabilistic,
    /// dbrl1 distances, linked one to one
    Assignment,
    /// Share of values within an interval of the released one (--interval)
    Interval,
    /// Own record nearest or second nearest, from the release to the original
    Dld,
}

/// Parameters of the attacks.
#[derive(Args)]
#[command(next_help_heading = "Parameters of the attacks")]
struct Parameters {
    /// weighted: weight of each attribute's squared distance, in the order of the attributes
    #[arg(long, value_name = "W,...", value_delimiter = ',', allow_negative_numbers = true)]
    weights: Vec<f64>,

    /// kernel: the exponent
    #[arg(long, value_name = "D", default_value_t = 2)]
    degree: u32,

    /// probabilistic: numbers agree within this share of the original's standard deviation
    #[arg(long, value_name = "T", default_value_t = DEFAULT_TOLERANCE)]
    tolerance: f64,

    /// interval: percent of the ranks, or of the standard deviation, to either side
    #[arg(long, value_name = "P", default_value_t = 10.0)]
    interval: f64,

    /// interval: what the percentage is of
    #[arg(long, value_enum, value_name = "RULE", default_value_t = IntervalRule::Rank)]
    interval_rule: IntervalRule,

    /// mahalanobis: ignore directions without variance in place of refusing them
    #[arg(long)]
    pseudo_inverse: bool,
}

/// One row of the table.
#[derive(Clone, PartialEq)]
enum Step {
    Link(Attack),
    Interval,
    Dld,
}

impl Step {
    fn name(&self) -> String {
        match self {
            Self::Link(attack) => attack.name(),
            Self::Interval => "interval".into(),
            Self::Dld => "dld".into(),
        }
    }
}

/// What `--format json` prints; the text is made from the same record.
#[derive(Serialize)]
struct Report {
    records: usize,
    released_records: usize,
    attributes: Vec<String>,
    tie: TieRule,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<Sample>,
    attacks: Vec<AttackRow>,
}

#[derive(Serialize)]
struct Sample {
    size: usize,
    seed: u64,
}

impl LinkCommand {
    /// Reads both files, runs the attacks, writes the links, prints the report.
    pub fn run(&self) -> Result<()> {
        if let Some(path) = &self.links {
            files::check_writable(path, self.force)?;
        }
        let release = self.release.load_sample()?;
        let attributes = self.release.attributes(&release)?;
        let steps = self.steps(&attributes)?;
        let rows: Result<Vec<AttackRow>> =
            steps.iter().map(|step| self.row(step, &release, &attributes)).collect();
        let mut rows = rows?;
        rows.push(AttackRow::random(&release));
        self.print(&release, attributes, rows)
    }

    fn steps(&self, attributes: &[String]) -> Result<Vec<Step>> {
        let mut names = self.attack.clone();
        if !self.parameters.weights.is_empty() && !names.contains(&AttackName::Weighted) {
            names.push(AttackName::Weighted);
        }
        let mut steps: Vec<Step> = Vec::new();
        for name in names {
            for step in self.parameters.steps(name, attributes)? {
                if !steps.contains(&step) {
                    steps.push(step);
                }
            }
        }
        if self.links.is_some() && !matches!(steps.as_slice(), [Step::Link(_)]) {
            let given: Vec<String> = steps.iter().map(Step::name).collect();
            let problem = "but --links writes the links of one attack; name one that links, alone";
            return Err(Error::parameter("attack", given.join(","), problem));
        }
        Ok(steps)
    }

    fn row(&self, step: &Step, release: &Release, attributes: &[String]) -> Result<AttackRow> {
        let started = Instant::now();
        let mut row = match step {
            Step::Link(attack) => self.link(attack, release, attributes)?,
            Step::Interval => {
                let (rule, percent) = (self.parameters.interval_rule, self.parameters.interval);
                AttackRow::disclosed(interval_disclosure(release, attributes, rule, percent)?)
            }
            Step::Dld => AttackRow::disclosed(distance_linkage_disclosure(
                release,
                attributes,
                &Terminal::new(),
            )?),
        };
        row.attack = step.name();
        if self.release.sample.is_some() {
            row.interval = Some(wilson_interval(row.reidentified, row.of));
        }
        row.seconds = started.elapsed().as_secs_f64();
        Ok(row)
    }

    fn link(&self, attack: &Attack, release: &Release, attributes: &[String]) -> Result<AttackRow> {
        let links = match &self.links {
            None => attack.link(release, attributes, &Terminal::new())?,
            Some(path) => {
                let links = attack.link_with_second(release, attributes, &Terminal::new())?;
                links.save(path, self.force, self.tie)?;
                links
            }
        };
        Ok(AttackRow::linked(&links, self.tie))
    }

    fn print(
        &self,
        release: &Release,
        attributes: Vec<String>,
        attacks: Vec<AttackRow>,
    ) -> Result<()> {
        let report = Report {
            records: release.records(),
            released_records: release.released().records(),
            attributes,
            tie: self.tie,
            sample: self.release.sample.map(|size| Sample { size, seed: self.release.seed }),
            attacks,
        };
        match self.format {
            Format::Text => print(report.text()),
            Format::Json => print_json(&report)?,
        }
        Ok(())
    }
}

impl Parameters {
    fn steps(&self, name: AttackName, attributes: &[String]) -> Result<Vec<Step>> {
        let pseudo_inverse = self.pseudo_inverse;
        let mahalanobis = |alignment| Attack::Mahalanobis { alignment, pseudo_inverse };
        let attacks = match name {
            AttackName::Interval => return Ok(vec![Step::Interval]),
            AttackName::Dld => return Ok(vec![Step::Dld]),
            AttackName::Dbrl1 => vec![Attack::Dbrl1],
            AttackName::Dbrl2 => vec![Attack::Dbrl2],
            AttackName::Mahalanobis => {
                vec![mahalanobis(Alignment::Cov), mahalanobis(Alignment::Cov0)]
            }
            AttackName::MahalanobisCov => vec![mahalanobis(Alignment::Cov)],
            AttackName::MahalanobisCov0 => vec![mahalanobis(Alignment::Cov0)],
            AttackName::Kernel => vec![Attack::Kernel { degree: self.degree }],
            AttackName::Gower => vec![Attack::Gower],
            AttackName::Single => {
                let single = |attribute: &String| Attack::Single { attribute: attribute.clone() };
                attributes.iter().map(single).collect()
            }
            AttackName::Weighted if self.weights.is_empty() => {
                let problem = "but --weights is not given; it needs one weight per attribute";
                return Err(Error::parameter("attack", "weighted", problem));
            }
            AttackName::Weighted => vec![Attack::Weighted { weights: self.weights.clone() }],
            AttackName::Probabilistic => vec![Attack::Probabilistic { tolerance: self.tolerance }],
            AttackName::Assignment => vec![Attack::Assignment],
        };
        Ok(attacks.into_iter().map(Step::Link).collect())
    }
}

impl Report {
    fn text(&self) -> String {
        format!(
            "{} original records, {} released ones, {} attributes: {}\n\n{}",
            self.records,
            self.released_records,
            self.attributes.len(),
            self.attributes.join(", "),
            attack_table(&self.attacks)
        )
    }
}
