//! `unmask audit`.

use super::Format;
use super::learning::Learning;
use super::made_by::{Known, MadeBy};
use super::release::ReleaseFiles;
use super::report_files::ReportFiles;
use super::reproduction::reproduction;
use super::terminal::Terminal;
use clap::Args;
use serde_json::json;
use std::process::ExitCode;
use unmask::anonymity::{Anonymity, AnonymityOptions};
use unmask::audit::{
    AttributeRisk, AuditRecord, Identified, KeyAttributes, KnownProtection, Ladder, Naming,
    RecordsAtRisk, ReleaseRecord, Threshold, UtilitySummary, WorstCaseRecord, mark_frontier,
    recommendations,
};
use unmask::dataset::Role;
use unmask::error::Result;
use unmask::learning::{Bounds, FurtherSearches, HeldOut, WeightRange, WorstCase, margins};
use unmask::linkage::{Attack, Release, TieRule};
use unmask::report::Reproduction;
use unmask_solvers::StopReason;

/// Audits a release: the attribute weights with which it is re-identified worst, with proof.
///
/// Looks for the weights with which distance-based record linkage re-identifies
/// the most records, and proves that no weights do better. With a limit, or when
/// interrupted by Ctrl-C, it gives the best weights found and the proven
/// interval. A record counts when its own released record is strictly the
/// nearest: a tie does not identify.
///
/// With --report the worst case is also solved without each attribute, to tell
/// which to protect first; these searches share the time of --time-limit once more,
/// or may each use four times the nodes of the first. A report shows no values of records unless --internal.
/// Several releases are compared on a risk-utility map; the first is audited in full.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask protect noise census --p 16 -o noisy.csv --recipe noisy.toml\n  \
    unmask audit --original census --released noisy.csv --sample 400\n  \
    unmask audit --original census --released noisy.csv \
    --attributes AFNLWGT,AGI,EMCONTRB,FEDTAX,PTOTVAL,STATETAX,TAXINC --sample 400 \
    --test-sample 500 --report report.html\n  \
    unmask audit --original census --released noisy.csv --sample 200 --max-risk 0.2 \
    --recipe noisy.toml --report report.md --report report.json\n  \
    unmask audit --original census --released noisy.csv --released census-k5.csv --sample 200 \
    --report map.html\n  \
    unmask audit --original census --released noisy.csv --time-limit 60s --format json")]
pub struct AuditCommand {
    #[command(flatten)]
    release: ReleaseFiles,

    #[command(flatten)]
    learning: Learning,

    /// Test the learned weights on M other records
    #[arg(long, value_name = "M")]
    test_sample: Option<usize>,

    /// The greatest share of records that may be re-identified, 0 to 1: exit code 3 when
    /// the worst case, or its proven upper bound where it is not proven, is above it
    #[arg(long, value_name = "SHARE", value_parser = share)]
    max_risk: Option<f64>,

    /// Where that threshold comes from, for the report
    #[arg(long, value_name = "TEXT", default_value = "--max-risk on the command line")]
    max_risk_source: String,

    /// Show the values of the most exposed records: the report is then not for sharing
    #[arg(long)]
    internal: bool,

    #[command(flatten)]
    reports: ReportFiles,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    made_by: MadeBy,
}

/// The records that are attacked, those to test on, and what is solved on them.
struct Audited {
    /// All records.
    whole: Release,
    /// Those attacked.
    release: Release,
    held_out: Option<Release>,
    attributes: Vec<String>,
    found: WorstCase,
}

impl AuditCommand {
    /// Runs the attacks and the solver, writes the reports and prints the record.
    ///
    /// Exit code 3 when the threshold is exceeded.
    pub fn run(&self, threads: usize) -> Result<ExitCode> {
        self.reports.check()?;
        self.made_by.check(self.release.key.as_deref())?;
        let record = self.record(threads)?;
        self.reports.write_and_print(&record.document()?, self.format)?;
        Ok(if record.exceeded() { ExitCode::from(3) } else { ExitCode::SUCCESS })
    }

    fn record(&self, threads: usize) -> Result<AuditRecord> {
        let reproduction = self.reproduction()?;
        let whole = self.release.load_released(&self.release.released[0])?;
        let attributes = self.release.attributes(&whole)?;
        let known = self.made_by.known(&whole)?;
        let (release, held_out) = self.drawn(&whole)?;
        let sampled = self.release.sample.is_some() || self.test_sample.is_some();
        let ladder = Ladder::climb(&release, &attributes, sampled, || Box::new(Terminal::new()))?;
        let found = self.learning.solve(&release, &attributes, threads)?;
        let audited = Audited { whole, release, held_out, attributes, found };
        let keys = self.key_attributes(&audited, &ladder, known.as_ref(), threads)?;
        let releases = self.releases(&audited, &ladder, threads)?;
        self.assemble(audited, ladder, keys, releases, reproduction)
    }

    fn assemble(
        &self,
        audited: Audited,
        ladder: Ladder,
        key_attributes: KeyAttributes,
        releases: Vec<ReleaseRecord>,
        reproduction: Reproduction,
    ) -> Result<AuditRecord> {
        let distance = &self.learning.distance;
        let worst_case =
            WorstCaseRecord::new(&audited.found, distance.aggregation, &audited.attributes);
        Ok(AuditRecord {
            records: audited.release.records(),
            released_records: audited.release.released().records(),
            standardization: distance.standardize.name().into(),
            held_out: self.test(&audited)?,
            tie_rule: TieRule::Miss,
            threshold: self.judge(&worst_case.bounds()),
            key_attributes,
            records_at_risk: self.records_at_risk(&audited, &ladder)?,
            anonymity: anonymity(&audited)?,
            releases,
            internal: self.internal,
            reproduction,
            attacks: ladder.rungs,
            left_out: ladder.left_out,
            worst_case,
            attributes: audited.attributes,
        })
    }

    /// The records to attack, and those to test on.
    fn drawn(&self, whole: &Release) -> Result<(Release, Option<Release>)> {
        let (sample, seed) = (self.release.sample, self.release.seed);
        match (self.test_sample, sample) {
            (Some(other), _) => {
                let (first, second) = whole.split(sample, other, seed)?;
                Ok((first, Some(second)))
            }
            (None, Some(size)) => Ok((whole.sample(size, seed)?, None)),
            (None, None) => Ok((whole.clone(), None)),
        }
    }

    fn test(&self, audited: &Audited) -> Result<Option<HeldOut>> {
        let distance = &self.learning.distance;
        let (standardization, aggregation) =
            (distance.standardize.standardization(), distance.aggregation);
        let weights = audited.found.outcome.weights();
        let test = |other: &Release| {
            HeldOut::test(other, &audited.attributes, standardization, aggregation, weights)
        };
        audited.held_out.as_ref().map(test).transpose()
    }

    fn judge(&self, worst: &Bounds) -> Option<Threshold> {
        self.max_risk.map(|most| Threshold::judge(most, self.max_risk_source.clone(), worst))
    }

    /// The weights with their ranges, and, for a report, the worst case without each
    /// attribute and with each protected twice as much.
    fn key_attributes(
        &self,
        audited: &Audited,
        ladder: &Ladder,
        known: Option<&Known>,
        threads: usize,
    ) -> Result<KeyAttributes> {
        let (found, attributes) = (&audited.found, &audited.attributes);
        let names = self.learning.distance.aggregation.weight_names(attributes);
        let mut keys = KeyAttributes {
            weights: WeightRange::of(found, names),
            attributes: attributes.iter().map(|name| alone(name, ladder)).collect(),
            protection: known.map(|known| protection(known, &audited.whole)),
            recommendations: Vec::new(),
            notes: Vec::new(),
        };
        if found.rounds > 0 {
            keys.notes.push("Inequalities were generated: the true ranges may be narrower.".into());
        }
        if let Some(protection) = &keys.protection
            && !protection.reproduced
        {
            keys.notes.push(format!(
                "The released file is not what {} gives with these parameters and seed: what \
                 doubling does is an estimate.",
                protection.method
            ));
        }
        match () {
            () if self.reports.is_empty() => {}
            () if found.outcome.stop_reason() == StopReason::Interrupted => {
                let skipped = "Not solved without each attribute: the search was interrupted.";
                keys.notes.push(skipped.into());
            }
            () => self.solve_again(audited, &mut keys, known, threads)?,
        }
        Ok(keys)
    }

    fn solve_again(
        &self,
        audited: &Audited,
        keys: &mut KeyAttributes,
        known: Option<&Known>,
        threads: usize,
    ) -> Result<()> {
        let learner = self.learning.learner(threads);
        let count = audited.attributes.len() * (1 + usize::from(known.is_some()));
        let searches = FurtherSearches::new(&audited.attributes, &learner, &audited.found, count);
        let control = Terminal::new();
        for k in 0..audited.attributes.len() {
            let risk = &mut keys.attributes[k];
            risk.without = searches.without(&audited.release, k, &control)?;
            if let Some(known) = known {
                match known.doubled(audited.whole.released(), &audited.attributes[k]) {
                    Ok(Some(stronger)) => {
                        let stronger = self.drawn(&self.release.with_released(stronger)?)?.0;
                        risk.doubled = Some(searches.on(&stronger, &control)?);
                    }
                    Ok(None) => {}
                    Err(error) if k == 0 => keys.notes.push(error.to_string()),
                    Err(_) => {}
                }
            }
        }
        keys.recommendations = recommendations(&Bounds::of(&audited.found), &keys.attributes);
        Ok(())
    }

    fn records_at_risk(&self, audited: &Audited, ladder: &Ladder) -> Result<RecordsAtRisk> {
        let (release, attributes) = (&audited.release, &audited.attributes);
        let distance = &self.learning.distance;
        let standardization = distance.standardize.standardization();
        let weights = audited.found.outcome.weights();
        let margins = margins(release, attributes, standardization, distance.aggregation, weights)?;
        let mut identified = ladder.identified.clone();
        let records = audited.found.reidentified.clone();
        identified.push(Identified { attack: "worst case".into(), records });
        let naming = Naming { key: self.release.key.as_deref(), internal: self.internal };
        RecordsAtRisk::new(release, attributes, &identified, &margins, naming)
    }

    /// The audited release and the others, on one map.
    fn releases(
        &self,
        audited: &Audited,
        ladder: &Ladder,
        threads: usize,
    ) -> Result<Vec<ReleaseRecord>> {
        let attributes = &audited.attributes;
        let record = |file: &String,
                      whole: &Release,
                      found: &WorstCase,
                      dbrl1_rate|
         -> Result<ReleaseRecord> {
            let worst_case = Bounds::of(found);
            Ok(ReleaseRecord {
                name: String::new(),
                file: file.clone(),
                dbrl1_rate,
                worst_case,
                utility: UtilitySummary::measure(whole, attributes)?,
                frontier: false,
                exceeded: self.judge(&worst_case).map(|t| t.exceeded),
            })
        };
        let first = ladder.rung("dbrl1").map(|row| row.rate);
        let files = &self.release.released;
        let mut all = vec![record(&files[0], &audited.whole, &audited.found, first)?];
        for file in &files[1..] {
            let whole = self.release.load_released(file)?;
            let (release, _) = self.drawn(&whole)?;
            let found = self.learning.solve(&release, attributes, threads)?;
            let dbrl1 = Attack::Dbrl1.link(&release, attributes, &())?.rate(TieRule::Miss);
            all.push(record(file, &whole, &found, Some(dbrl1))?);
        }
        mark_frontier(&mut all);
        Ok(all)
    }

    fn reproduction(&self) -> Result<Reproduction> {
        let own = json!({
            "sample": self.release.sample,
            "test_sample": self.test_sample,
            "tie_rule": TieRule::Miss,
            "max_risk": self.max_risk,
            "internal": self.internal,
        });
        reproduction(&self.release, &self.learning, &self.made_by, own)
    }
}

/// What the ladder says about one attribute alone.
fn alone(attribute: &str, ladder: &Ladder) -> AttributeRisk {
    let rung = ladder.rung(&format!("single:{attribute}"));
    AttributeRisk {
        attribute: attribute.to_owned(),
        alone_rate: rung.map(|row| row.rate),
        without: None,
        doubled: None,
    }
}

fn protection(known: &Known, whole: &Release) -> KnownProtection {
    KnownProtection {
        method: known.recipe.method.name().to_owned(),
        parameters: known.recipe.method.parameters(),
        doubled_parameters: known.doubled.method.parameters(),
        seed: known.recipe.seed,
        reproduced: known.reproduces(whole.released()),
    }
}

/// k, l and uniques of the whole released file on the attributes.
fn anonymity(audited: &Audited) -> Result<Anonymity> {
    let released = audited.whole.released();
    let confidential = released.attributes().iter().filter(|a| a.role == Role::Confidential);
    let sensitive: Vec<String> = confidential
        .map(|a| a.name.clone())
        .filter(|name| !audited.attributes.contains(name))
        .collect();
    Anonymity::measure(released, &audited.attributes, &sensitive, &AnonymityOptions::default())
}

/// A share between 0 and 1.
fn share(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("a share is a number from 0 to 1, 0.2 for 20%".into()),
    }
}
