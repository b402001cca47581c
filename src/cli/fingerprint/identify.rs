//! `unmask fingerprint identify`.

use super::super::correspondence::renaming;
use super::super::reading::Reading;
use super::super::{Format, print, print_json};
use super::warn_if_open;
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use unmask::error::{Error, Result};
use unmask::fingerprint::{Identification, Leak, LeakPart, Plan, Verdict};
use unmask::words::listed;

/// Tells which recipients can have made a leaked file.
///
/// The recipient with exactly the levels of the leak is named. Where there is none, the
/// smallest sets of recipients are listed whose files together can make it, all of them; a
/// leak that is finer than anything handed out is nobody's. A value that exists on several
/// levels counts for all of them, and the records are intersected; records that cannot be
/// of one release are taken back in parts.
#[derive(Args)]
#[command(after_help = "Example:\n  unmask fingerprint identify plan.toml leaked.csv")]
pub struct IdentifyCommand {
    /// The plan after a release, or the list of that release
    plan: PathBuf,

    /// The leaked records, with the names of the columns in the first line
    leaked: String,

    /// Columns that have other names in the leak
    #[arg(long, value_name = "LEAKED=ORIGINAL,...", value_delimiter = ',')]
    rename: Vec<String>,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    files: Reading,
}

/// What `--format json` prints; the text is made from the same record.
#[derive(Serialize)]
struct LeakSummary {
    leaked: String,
    records: usize,
    absent: Vec<String>,
    parts: Vec<PartRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct PartRow {
    records: usize,
    levels: BTreeMap<String, Vec<usize>>,
    #[serde(flatten)]
    found: Identification,
}

impl IdentifyCommand {
    /// Reads the levels off the leak, finds the recipients, prints them.
    pub fn run(&self) -> Result<()> {
        let warnings = warn_if_open(&self.plan);
        let plan = Plan::load(&self.plan)?;
        if plan.assignments.is_empty() {
            let problem = "nobody has received a file of this plan yet; release it first, or name \
                           the list of the release";
            return Err(Error::input(self.plan.display().to_string(), problem));
        }
        let quasi = plan.quasi();
        let known =
            |name: &str, label: &str| plan.hierarchies.iter().any(|h| h.names_it(name, label));
        let renaming = renaming(&self.rename)?;
        let file = self.files.load_labels(&self.leaked, &quasi, &renaming)?.without_escapes(known);
        let leak = Leak::read(&file, &plan.hierarchies)?;
        let row = |part: &LeakPart| {
            Ok(PartRow {
                records: part.records,
                levels: levels(part, &quasi),
                found: part.identify(&plan.assignments, &quasi)?,
            })
        };
        let report = LeakSummary {
            leaked: self.leaked.clone(),
            records: file.records(),
            parts: leak.parts.iter().map(row).collect::<Result<_>>()?,
            absent: leak.absent,
            warnings: warnings.into_iter().collect(),
        };
        match self.format {
            Format::Text => print(report.text(&quasi)),
            Format::Json => print_json(&report),
        }
    }
}

fn levels(part: &LeakPart, quasi: &[String]) -> BTreeMap<String, Vec<usize>> {
    quasi.iter().enumerate().map(|(a, name)| (name.clone(), part.levels(a))).collect()
}

impl LeakSummary {
    fn text(&self, quasi: &[String]) -> String {
        let mut lines = vec![format!("{}: {}", self.leaked, count(self.records, "record"))];
        if !self.absent.is_empty() {
            lines.push(format!("no column {}: it says nothing", listed(&self.absent)));
        }
        if self.parts.len() > 1 {
            lines.push(format!("the records are of {} different patterns", self.parts.len()));
        }
        lines.extend(self.parts.iter().map(|part| part.text(quasi, self.parts.len() > 1)));
        lines.join("\n")
    }
}

impl PartRow {
    fn text(&self, quasi: &[String], one_of_many: bool) -> String {
        let level = |name: &String| {
            let levels = self.levels.get(name).map_or(&[][..], Vec::as_slice);
            let levels: Vec<String> = levels.iter().map(usize::to_string).collect();
            format!("{name} {}", levels.join(" or "))
        };
        let levels: Vec<String> = quasi.iter().map(level).collect();
        let which = match one_of_many {
            true => format!("{}, ", count(self.records, "record")),
            false => String::new(),
        };
        format!("{which}levels: {}\n{}", listed(&levels), self.verdict())
    }

    fn verdict(&self) -> String {
        let sets: Vec<String> = self.found.sources.iter().map(|set| set.join(" + ")).collect();
        let more = if self.found.complete { "" } else { " (and more)" };
        let text = match self.found.verdict {
            Verdict::Exact => format!("{}: exactly this pattern was handed out", sets.join("")),
            Verdict::Generalized => {
                format!("{}: the only recipient who can have made it", sets.join(""))
            }
            Verdict::Coalition => {
                let size = self.found.sources.first().map_or(0, Vec::len);
                format!("{}: it takes these {size} recipients together", sets.join(""))
            }
            Verdict::Ambiguous => format!("one of: {}{more}", sets.join("; ")),
            Verdict::Nobody => {
                format!("nobody: {} finer than anyone received", listed(&self.found.finer))
            }
        };
        match self.found.also_able.as_slice() {
            [] => text,
            able => format!("{text}\nalso able, by generalizing: {}", listed(able)),
        }
    }
}

fn count(number: usize, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        n => format!("{n} {thing}s"),
    }
}
