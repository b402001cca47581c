//! `unmask audit`.

use super::bar::Bar;
use super::interrupt::Search;
use super::release::{Distance, ReleaseFiles};
use super::{Format, print, print_json};
use clap::Args;
use std::time::Duration;
use unmask::error::Result;
use unmask::learning::{HeldOut, Learner, RowSet, SolverChoice, WorstCase, worst_case};
use unmask::linkage::{Alignment, Attack, DEFAULT_TOLERANCE, Release, TieRule};
use unmask::report::{AttackRow, AuditRecord, WorstCaseRecord};
use unmask_solvers::Limits;

/// Audits a release: the attribute weights with which it is re-identified worst, with proof.
///
/// Looks for the weights with which distance-based record linkage re-identifies
/// the most records, and proves that no weights do better. With a limit, or when
/// interrupted by Ctrl-C, it gives the best weights found and the proven
/// interval. A record counts when its own released record is strictly the
/// nearest: a tie does not identify.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask protect census --method noise --p 16 -o noisy.csv\n  \
    unmask audit --original census --released noisy.csv --sample 400\n  \
    unmask audit --original census --released noisy.csv \
    --attributes AFNLWGT,AGI,EMCONTRB,FEDTAX,PTOTVAL,STATETAX,TAXINC --sample 400 \
    --test-sample 500 --format json\n  \
    unmask audit --original census --released noisy.csv --time-limit 60s")]
pub struct AuditCommand {
    #[command(flatten)]
    release: ReleaseFiles,

    #[command(flatten)]
    distance: Distance,

    /// Who looks for the weights
    #[arg(long, value_enum, default_value_t = SolverChoice::Exact)]
    solver: SolverChoice,

    /// Stop after this time with a proven interval: 60s, 5m, 1h [default: none]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,

    /// Stop after this many nodes of the search [default: none]
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,

    /// Which inequalities the solver sees
    #[arg(long, value_enum, default_value_t = RowSet::Auto)]
    rows: RowSet,

    /// Test the learned weights on M other records
    #[arg(long, value_name = "M")]
    test_sample: Option<usize>,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

impl AuditCommand {
    /// Runs the ladder of attacks and the solver, and prints the record.
    pub fn run(&self, threads: usize) -> Result<()> {
        let (release, held_out) = self.releases()?;
        let attributes = self.release.attributes(&release)?;
        let (attacks, left_out) = self.ladder(&release, &attributes);
        let found = self.worst_case(&release, &attributes, threads)?;
        let held_out = match held_out {
            Some(other) => Some(self.test(&other, &attributes, &found)?),
            None => None,
        };
        let record = AuditRecord {
            records: release.records(),
            released_records: release.released().records(),
            standardisation: self.distance.standardize.name().into(),
            attacks,
            left_out,
            worst_case: WorstCaseRecord::new(&found, self.distance.aggregation, &attributes),
            attributes,
            held_out,
        };
        match self.format {
            Format::Text => print(record),
            Format::Json => print_json(&record)?,
        }
        Ok(())
    }

    /// The records to audit, and those to test on.
    fn releases(&self) -> Result<(Release, Option<Release>)> {
        match self.test_sample {
            None => Ok((self.release.load_sample()?, None)),
            Some(other) => {
                let whole = self.release.load()?;
                let (first, second) = whole.split(self.release.sample, other, self.release.seed)?;
                Ok((first, Some(second)))
            }
        }
    }

    /// Runs the attacks that learn nothing; one that the data do not allow, for
    /// a singular covariance or too many records, is left out with the reason.
    fn ladder(&self, release: &Release, attributes: &[String]) -> (Vec<AttackRow>, Vec<String>) {
        let sampled = self.release.sample.is_some() || self.test_sample.is_some();
        let (mut rungs, mut left_out) = (vec![AttackRow::random(release)], Vec::new());
        for attack in ladder_attacks(attributes) {
            match AttackRow::run(&attack, release, attributes, TieRule::Miss, sampled, &Bar::new())
            {
                Ok(row) => rungs.push(row),
                Err(error) => left_out.push(format!("{}: {error}", attack.name())),
            }
        }
        (rungs, left_out)
    }

    fn worst_case(
        &self,
        release: &Release,
        attributes: &[String],
        threads: usize,
    ) -> Result<WorstCase> {
        let learner = Learner {
            standardisation: self.distance.standardize.standardisation(),
            aggregation: self.distance.aggregation,
            solver: self.solver,
            rows: self.rows,
            limits: Limits {
                time: self.time_limit,
                nodes: self.nodes,
                threads: (threads > 0).then_some(threads),
            },
        };
        let search = Search::new(release.records());
        worst_case(release, attributes, &learner, &Bar::new(), &search)
    }

    fn test(&self, other: &Release, attributes: &[String], found: &WorstCase) -> Result<HeldOut> {
        let standardisation = self.distance.standardize.standardisation();
        let weights = &found.outcome.weights;
        HeldOut::test(other, attributes, standardisation, self.distance.aggregation, weights)
    }
}

/// The attacks of the ladder, weakest attacker first.
fn ladder_attacks(attributes: &[String]) -> Vec<Attack> {
    let single = |attribute: &String| Attack::Single { attribute: attribute.clone() };
    let mahalanobis = |alignment| Attack::Mahalanobis { alignment, pseudo_inverse: false };
    let mut attacks: Vec<Attack> = attributes.iter().map(single).collect();
    attacks.extend([
        Attack::Dbrl1,
        Attack::Dbrl2,
        mahalanobis(Alignment::Cov0),
        mahalanobis(Alignment::Cov),
        Attack::Kernel { degree: 2 },
        Attack::Probabilistic { tolerance: DEFAULT_TOLERANCE },
        Attack::Assignment,
    ]);
    attacks
}

/// `90`, `90s`, `1.5m`, `2h` or `500ms`.
fn duration(text: &str) -> std::result::Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("{other:?} is no unit of time; use ms, s, m or h")),
    };
    let number: f64 = digits.parse().map_err(|_| format!("{digits:?} is not a number"))?;
    Duration::try_from_secs_f64(number * unit).map_err(|e| e.to_string())
}
