//! `unmask fingerprint plan`.

use super::super::reading::{Reading, files_in};
use super::super::terminal::Terminal;
use super::super::{Format, print, print_json};
use super::{shown, shown_loss};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::{Path, PathBuf};
use unmask::dataset::{Dataset, Role};
use unmask::error::{Error, Result};
use unmask::files;
use unmask::fingerprint::{
    AnonymousPattern, Cluster, Clustering, Plan, PlanOptions, TellApart, identifying_attributes,
};
use unmask::lattice::{LatticeMetric, load_hierarchies};
use unmask::table::Table;
use unmask::words::listed;

/// Finds all k-anonymous patterns within bounds of the loss, and whom they serve.
///
/// A pattern is a level of its hierarchy for each quasi-identifier. Quasi-identifiers are
/// those of --quasi or the project, else every column with a hierarchy in the folder. The
/// plan is private: it is written readable by its owner alone.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask fingerprint plan patients.csv --hierarchies hierarchies --k 2 --metric samarati \
    --min-loss 1 --max-loss 2 -o plan.toml\n  \
    unmask fingerprint plan patients.csv --hierarchies hierarchies --k 2 --metric precision \
    --cluster width:0.5 --collusion 2 -o plan.toml")]
pub struct PlanCommand {
    /// The file to release, or the name of a built-in data set
    input: String,

    /// Folder with <attribute>.csv or <attribute>.toml for each quasi-identifier
    #[arg(long, value_name = "DIR")]
    hierarchies: PathBuf,

    /// Least size of a class of records that look the same
    #[arg(long, value_name = "K")]
    k: usize,

    /// How information loss is measured
    #[arg(long, value_enum, default_value_t = LossMetric::Samarati)]
    metric: LossMetric,

    /// Least information loss of a pattern
    #[arg(long, value_name = "LOSS", default_value_t = 0.0)]
    min_loss: f64,

    /// Greatest information loss of a pattern [default: no bound]
    #[arg(long, value_name = "LOSS")]
    max_loss: Option<f64>,

    /// What counts as the same loss: exact, width:W or count:C
    #[arg(long, value_name = "RULE", default_value = "exact")]
    cluster: Clustering,

    /// Withstand coalitions of up to C recipients: their files together stay k-anonymous,
    /// and still name them
    #[arg(long, value_name = "C", default_value_t = 1)]
    collusion: usize,

    /// From how much of a file its recipient is told
    #[arg(long, value_enum, default_value_t = Telling::Record)]
    tell_apart: Telling,

    /// Questions after which the search for most recipients stops, with an interval
    #[arg(long, value_name = "N", default_value_t = unmask::fingerprint::DEFAULT_EFFORT)]
    effort: u64,

    /// Columns that releases leave out, beside identifiers and text that differs in every
    /// record
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    drop: Vec<String>,

    /// Columns that releases keep though their text differs in every record
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    keep: Vec<String>,

    /// Where the plan goes
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the plan when it exists
    #[arg(long)]
    force: bool,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    files: Reading,
}

#[derive(Clone, Copy, ValueEnum)]
enum LossMetric {
    /// Sum of the levels
    Samarati,
    /// Sum of level / highest level
    Precision,
    /// Sum of the squared sizes of classes
    DmStar,
}

#[derive(Clone, Copy, ValueEnum)]
enum Telling {
    /// From any single record
    Record,
    /// From the whole file: serves more where values exist on several levels
    File,
}

/// What `--format json` prints; the text is made from the same record.
#[derive(Serialize)]
struct PlanSummary<'a> {
    plan: String,
    quasi: Vec<String>,
    dropped: &'a [String],
    k: usize,
    metric: LatticeMetric,
    collusion: usize,
    upper_bound: usize,
    anonymous: usize,
    most_recipients: usize,
    solutions: &'a [AnonymousPattern],
    clusters: Vec<ClusterRow<'a>>,
}

#[derive(Serialize)]
struct ClusterRow<'a> {
    cluster: usize,
    #[serde(flatten)]
    figures: &'a Cluster,
    recipients: usize,
    proven: bool,
}

impl PlanCommand {
    /// Plans, writes the plan, prints what it serves.
    pub fn run(&self) -> Result<()> {
        let inputs = self.files.inputs([&self.input]);
        let inputs = [inputs, files_in(&self.hierarchies)].concat();
        files::check_outputs(&[&self.output], self.force, &inputs)?;
        let data = self.files.load(&self.input)?;
        let quasi = self.quasi(&data)?;
        let hierarchies = load_hierarchies(&self.hierarchies, &data, &quasi)?;
        let dropped = self.dropped(&data, &quasi)?;
        let plan = Plan::make(&data, &hierarchies, &dropped, &self.options(), &Terminal::new())?;
        plan.save(&self.output, self.force)?;
        let report = self.report(&plan);
        match self.format {
            Format::Text => print(report.text(&plan)),
            Format::Json => print_json(&report),
        }
    }

    fn options(&self) -> PlanOptions {
        PlanOptions {
            k: self.k,
            metric: match self.metric {
                LossMetric::Samarati => LatticeMetric::Samarati,
                LossMetric::Precision => LatticeMetric::Precision,
                LossMetric::DmStar => LatticeMetric::DmStar,
            },
            min_loss: self.min_loss,
            max_loss: self.max_loss.unwrap_or(f64::INFINITY),
            clustering: self.cluster,
            collusion: self.collusion,
            tell_apart: match self.tell_apart {
                Telling::Record => TellApart::Record,
                Telling::File => TellApart::File,
            },
            effort: self.effort,
        }
    }

    /// As named, by role, or the columns that have a hierarchy.
    fn quasi(&self, data: &Dataset) -> Result<Vec<String>> {
        let named = self.files.quasi_identifiers(data);
        if !named.is_empty() {
            return Ok(named);
        }
        let found = names(data, |a| has_hierarchy(&self.hierarchies, &a.name));
        match found.is_empty() {
            false => Ok(found),
            true => {
                let problem = format!(
                    "no hierarchy for any column of {}; write <column>.csv with a row per value",
                    data.name()
                );
                Err(Error::input(self.hierarchies.display().to_string(), problem))
            }
        }
    }

    /// Identifiers, what --drop names, and what looks like an identifier.
    fn dropped(&self, data: &Dataset, quasi: &[String]) -> Result<Vec<String>> {
        data.positions(&self.drop)?;
        data.positions(&self.keep)?;
        if let Some(both) = self.drop.iter().find(|name| quasi.contains(name)) {
            let problem = "is a quasi-identifier, whose levels are the fingerprint";
            return Err(Error::parameter("drop", both, problem));
        }
        let likely = identifying_attributes(data);
        Ok(names(data, |a| {
            let is_likely = likely.contains(&a.name) && !self.keep.contains(&a.name);
            let asked = a.role == Role::Identifier || self.drop.contains(&a.name);
            !quasi.contains(&a.name) && (asked || is_likely)
        }))
    }

    fn report<'a>(&self, plan: &'a Plan) -> PlanSummary<'a> {
        let row = |(i, figures): (usize, &'a Cluster)| ClusterRow {
            cluster: i + 1,
            figures,
            recipients: figures.recipients(),
            proven: figures.recipients() == figures.at_most,
        };
        PlanSummary {
            plan: self.output.display().to_string(),
            quasi: plan.quasi(),
            dropped: &plan.dropped,
            k: plan.options.k,
            metric: plan.options.metric,
            collusion: plan.options.collusion,
            upper_bound: plan.upper_bound,
            anonymous: plan.anonymous,
            most_recipients: plan.most_recipients(),
            solutions: &plan.solutions,
            clusters: plan.clusters.iter().enumerate().map(row).collect(),
        }
    }
}

fn names(data: &Dataset, keep: impl Fn(&unmask::dataset::Attribute) -> bool) -> Vec<String> {
    data.attributes().iter().filter(|a| keep(a)).map(|a| a.name.clone()).collect()
}

fn has_hierarchy(folder: &Path, attribute: &str) -> bool {
    ["csv", "toml"].iter().any(|e| folder.join(format!("{attribute}.{e}")).is_file())
}

/// Solutions that are printed; the plan has all.
const MOST_SHOWN: usize = 40;

impl PlanSummary<'_> {
    fn text(&self, plan: &Plan) -> String {
        let mut lines = vec![format!(
            "{}: {} of F = {} patterns of {} are {}-anonymous, {} within the loss bounds",
            self.plan,
            self.anonymous,
            self.upper_bound,
            listed(&self.quasi),
            self.k,
            self.solutions.len(),
        )];
        if !self.dropped.is_empty() {
            lines.push(format!("left out of every release: {}", listed(self.dropped)));
        }
        if self.solutions.len() <= MOST_SHOWN {
            lines.push(format!("\n{}", self.solution_table(plan)));
        }
        lines.push(format!("\n{}", self.cluster_table()));
        lines.join("\n")
    }

    fn solution_table(&self, plan: &Plan) -> Table {
        let mut table = Table::new(["pattern", "loss", "k", "cluster"]);
        for (i, solution) in self.solutions.iter().enumerate() {
            let cluster = plan.clusters.iter().position(|c| c.range().contains(&i));
            table.row([
                shown(&solution.levels),
                shown_loss(solution.loss),
                solution.k.to_string(),
                cluster.map_or_else(String::new, |c| (c + 1).to_string()),
            ]);
        }
        table
    }

    fn cluster_table(&self) -> Table {
        let header = ["cluster", "loss", "patterns", "recipients", "precision loss", "price"];
        let mut table = Table::new(header);
        for row in &self.clusters {
            let (low, high) = (row.figures.least_loss, row.figures.greatest_loss);
            let loss = match shown_loss(low) == shown_loss(high) {
                true => shown_loss(low),
                false => format!("{} to {}", shown_loss(low), shown_loss(high)),
            };
            let recipients = match row.proven {
                true => row.recipients.to_string(),
                false => format!("{} (at most {})", row.recipients, row.figures.at_most),
            };
            table.row([
                row.cluster.to_string(),
                loss,
                row.figures.patterns.to_string(),
                recipients,
                format!("{:.3}", row.figures.precision),
                format!("{:.3}", row.figures.price),
            ]);
        }
        table
    }
}
