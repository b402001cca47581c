//! `unmask audit`.

use super::Format;
use super::learning::Learning;
use super::recipe::KnownMethod;
use super::release::ReleaseFiles;
use super::report_files::{Readers, ReportFiles};
use super::terminal::{Terminal, command_line, today};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use unmask::audit::{Audit, DEFAULT_TIME, Gate};
use unmask::error::{Error, Result};
use unmask::files::Batch;
use unmask::learning::Learner;
use unmask::learning::certificate::Certificates;
use unmask::linkage::Release;
use unmask::listener::Listener;

/// Audits a release: how many people the strongest attacker finds, and what no attacker exceeds.
///
/// Attacks that learn nothing are tried first. Then the attribute weights are looked for with
/// which distance-based record linkage finds the most, on both scales, and it is proven that no
/// weights find more. The verdict is the strongest of all. An attacker who cannot tell some
/// released records apart guesses among them; what is certain is told beside. When the time is
/// up, or interrupted by Ctrl-C, the audit gives what it has and the proven interval.
///
/// With --report the worst case is also solved without each attribute, to tell which to protect
/// first. A report names no records and shows none of their values unless --internal. Several
/// releases are compared on a risk-utility map; the first is audited in full, and all share the
/// time.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask protect noise census --p 16 -o noisy.csv\n  \
    unmask audit --original census --released noisy.csv --sample 400\n  \
    unmask audit --original census --released noisy.csv \
    --attributes AFNLWGT,AGI,EMCONTRB,FEDTAX,PTOTVAL,STATETAX,TAXINC --sample 400 \
    --test-sample 500 --report report.html\n  \
    unmask audit --original census --released noisy.csv --sample 200 --max-risk 0.2 \
    --recipe noisy.csv.recipe.toml --report report.md --report report.json\n  \
    unmask audit --original census --released noisy.csv --released census-k5.csv --sample 200 \
    --report map.html\n  \
    unmask audit --original census --released noisy.csv --sample 200 --certificate proof.unmask\n  \
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
    /// what --gate says is above it [default: max_risk of the project, if it has one]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    max_risk: Option<f64>,

    /// What that share is compared with
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Gate::Bound)]
    gate: Gate,

    /// The greatest share of people, 0 to 1, whose value of a confidential attribute may be
    /// certain to who finds their class: exit code 3 above it [default: max_certain of the
    /// project, if it has one]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    max_certain: Option<f64>,

    /// Insist that rows belong together although they do not seem to
    #[arg(long)]
    rows_correspond: bool,

    /// Where that threshold comes from, for the report [default: the command line, or the
    /// project]
    #[arg(long, value_name = "TEXT")]
    max_risk_source: Option<String>,

    /// Name the most exposed records and show their values: the report is then not for sharing,
    /// and its files are for your eyes alone
    #[arg(long)]
    internal: bool,

    /// Write why no weights find more, for `unmask verify`: a proof that anybody who has both
    /// files can check, on each scale. It tells of single records: for your eyes alone
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

    #[command(flatten)]
    reports: ReportFiles,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    method: KnownMethod,
}

impl AuditCommand {
    /// Where certificates are collected, if one is asked for.
    fn certificates(&self, release: &Release) -> Result<Option<Certificates>> {
        if self.certificate.is_none() {
            return Ok(None);
        }
        Certificates::check(&self.learning.learner(0))?;
        Ok(Some(Certificates::new(self.release.certified(release)?)))
    }

    /// Where the threshold comes from.
    fn source(&self, project: &str) -> String {
        match (&self.max_risk_source, self.max_risk) {
            (Some(source), _) => source.clone(),
            (None, Some(_)) => "--max-risk on the command line".to_owned(),
            (None, None) => format!("max_risk of {project}"),
        }
    }

    /// The time ended before anything was found.
    fn too_short(&self) -> Error {
        let limit = self.learning.time(Some(DEFAULT_TIME)).unwrap_or_default();
        let problem = "but that was too short for a single attack; give more time, or look for a \
                       `sample`";
        Error::parameter("time_limit", format!("{} s", limit.as_secs_f64()), problem)
    }

    /// Runs the audit, writes the reports and prints the record.
    ///
    /// Exit code 3 when the threshold is exceeded.
    pub fn run(&self, threads: usize) -> Result<ExitCode> {
        let started = Instant::now();
        let inputs = self.release.inputs().into_iter().chain(self.method.recipe().path());
        let certificate: Vec<PathBuf> = self.certificate.iter().cloned().collect();
        self.reports.check(&certificate, &inputs.collect::<Vec<_>>())?;
        let recipe = self.method.recipe().load()?;
        let (limits, project) = self.release.limits()?;
        let digests = self.release.digests()?;
        let (first, others) = self.release.load_all()?;
        let certificates = self.certificates(&first)?;
        let learner =
            Learner { certificates: certificates.as_ref(), ..self.learning.learner(threads) };
        let mut audit = Audit::of(&first)
            .attributes(self.release.attributes.iter().cloned())
            .key(self.release.key())
            .sample(self.release.sample)
            .haystack(self.release.haystack)
            .held_out(self.test_sample)
            .seed(self.release.seed)
            .learner(learner)
            .scales(self.learning.standardize)
            .time_limit(self.learning.time(Some(DEFAULT_TIME)))
            .started(started)
            .max_risk(self.max_risk.or(limits.max_risk), self.source(&project))
            .gate(self.gate)
            .max_certain(self.max_certain.or(limits.max_certain))
            .rows_correspond(self.rows_correspond)
            .without_each_attribute(!self.reports.is_empty())
            .internal(self.internal)
            .recipe(recipe)
            .suppose(self.method.supposed())
            .dated(today())
            .typed_as(command_line(), digests);
        for (name, release) in &others {
            audit = audit.compared_with(*name, release);
        }
        let terminal = Terminal::new();
        let interrupted = || terminal.interrupted();
        interrupted();
        let record = audit.run(&terminal).map_err(|error| match error {
            Error::Interrupted if !interrupted() => self.too_short(),
            other => other,
        })?;
        let mut outputs = Batch::new();
        let proven = certificates.as_ref().zip(self.certificate.as_ref());
        let (written, missing) =
            (proven.filter(|c| !c.0.is_empty()), proven.filter(|c| c.0.is_empty()));
        if let Some((certificates, path)) = written {
            certificates.add_to(&mut outputs, path, self.reports.force())?;
        }
        let readers = if record.internal { Readers::Owner } else { Readers::Everyone };
        self.reports.write_and_print(outputs, &record.document()?, self.format, readers)?;
        if let Some((_, path)) = missing {
            return Err(nothing_proven(path));
        }
        Ok(if record.exceeded() { ExitCode::from(3) } else { ExitCode::SUCCESS })
    }
}

/// The audit went without any search, so that there is no proof to write.
fn nothing_proven(path: &Path) -> Error {
    let problem = "but there was no time for a search, and no certificate was written; give more \
                   time, or look for a `sample`";
    Error::parameter("certificate", path.display(), problem)
}
