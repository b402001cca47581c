//! `unmask fingerprint release`.

use super::super::reading::Reading;
use super::super::terminal::Terminal;
use super::super::{Format, print, print_json, tell};
use super::{shown, shown_loss, warn_if_open};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use unmask::dataset::{Dataset, Role};
use unmask::error::{Error, Result};
use unmask::files;
use unmask::fingerprint::{
    Assignment, ClusterChoice, Delivery, Escape, Plan, PlanOptions, check_recipients, robustness,
};
use unmask::lattice::{Criteria, NodeRecord, enumerate};
use unmask::listener::Listener;
use unmask::table::Table;
use unmask::words::listed;

/// Writes one file for each recipient, and the list of who received which pattern.
///
/// The files are DIR/<recipient>.csv. Who received which pattern goes into the plan itself
/// before any file appears, and to a list beside it, both readable by their owner alone;
/// `identify` takes either, and neither may lie in DIR. All of it happens or nothing does; two
/// releases of one plan wait for each other. Recipients of an earlier release keep their
/// patterns; new ones get free patterns of the same cluster.
#[derive(Args)]
#[command(after_help = "Example:\n  \
    unmask fingerprint release plan.toml patients.csv --recipients graz,tokyo -o files")]
pub struct ReleaseCommand {
    /// The plan
    plan: PathBuf,

    /// The file the plan was made for, or the name of a built-in data set
    input: String,

    /// Who receives a file; the names become file names
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', required = true)]
    recipients: Vec<String>,

    /// Take this cluster of the plan [default: the least loss that serves all]
    #[arg(long, value_name = "NUMBER", conflicts_with = "cluster_loss")]
    cluster_index: Option<usize>,

    /// Take the cluster with this loss
    #[arg(long, value_name = "LOSS")]
    cluster_loss: Option<f64>,

    /// Withstand coalitions of up to C recipients [default: what the plan was made for]
    #[arg(long, value_name = "C")]
    collusion: Option<usize>,

    /// Deal the patterns in a random order, the same for the same seed [default: the order
    /// of the plan]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// Put an apostrophe before texts (and names of columns) that a spreadsheet would calculate:
    /// those that start with =, +, -, @, a tab or a carriage return and are no numbers
    #[arg(long)]
    escape_formulas: bool,

    /// The folder for the files
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// Where the list of who received which pattern goes, outside DIR
    /// [default: PLAN.patterns.toml beside the plan, for PLAN.toml]
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,

    /// Write into a folder that has files already, replacing those of the same name
    #[arg(long)]
    force: bool,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    files: Reading,
}

/// What `--format json` prints; the text is made from the same record.
#[derive(Serialize)]
struct ReleaseSummary {
    folder: String,
    list: String,
    quasi: Vec<String>,
    dropped: Vec<String>,
    cluster: usize,
    releases: Vec<ReleaseRow>,
    robustness: Vec<Escape>,
}

#[derive(Serialize)]
struct ReleaseRow {
    recipient: String,
    file: String,
    pattern: Vec<usize>,
    loss: f64,
    k: usize,
}

impl ReleaseCommand {
    /// Assigns, records it in the plan and delivers, prints who received what.
    pub fn run(&self) -> Result<()> {
        check_recipients(&self.recipients)?;
        let list = self.list();
        let delivery = Delivery { folder: &self.output, list: &list, force: self.force };
        self.check_inputs(&list)?;
        delivery.check(&self.plan)?;
        warn_if_open(&self.plan);
        let (mut plan, held) = Plan::hold(&self.plan, || self.tell_waiting())?;
        let data = self.files.load(&self.input)?.escaping_formulas(self.escape_formulas);
        plan.check_file(&data)?;
        let bar = Terminal::new();
        self.replan(&mut plan, &data, &bar)?;
        self.drop_more(&mut plan, &data)?;
        let cluster = plan.assign(&self.recipients, &self.choice())?;
        let nodes = nodes(&plan, &data, &bar)?;
        let report = self.report(&plan, cluster, &nodes, &list)?;
        delivery.deliver(&held, &plan, &data, &self.recipients)?;
        match self.format {
            Format::Text => print(report.text(plan.options.collusion)),
            Format::Json => print_json(&report),
        }
    }

    fn list(&self) -> PathBuf {
        self.list.clone().unwrap_or_else(|| self.plan.with_extension("patterns.toml"))
    }

    /// Fails when a file that is read would be written.
    fn check_inputs(&self, list: &Path) -> Result<()> {
        let deliveries = self.recipients.iter().map(|r| self.output.join(format!("{r}.csv")));
        let outputs: Vec<PathBuf> = deliveries.chain([list.to_owned()]).collect();
        let outputs: Vec<&Path> = outputs.iter().map(PathBuf::as_path).collect();
        files::check_apart(&outputs, &self.files.inputs([&self.input]))
    }

    fn tell_waiting(&self) {
        tell(&format!("waiting for another run that works on {}", self.plan.display()));
    }

    /// Chooses patterns anew when another size of coalition is asked for than planned.
    fn replan(&self, plan: &mut Plan, data: &Dataset, listener: &dyn Listener) -> Result<()> {
        let Some(collusion) = self.collusion.filter(|c| *c != plan.options.collusion) else {
            return Ok(());
        };
        if !plan.assignments.is_empty() {
            let problem = format!(
                "but patterns for coalitions of up to {} have been given out; make a new plan",
                plan.options.collusion
            );
            return Err(Error::parameter("collusion", collusion, problem));
        }
        let options = PlanOptions { collusion, ..plan.options.clone() };
        *plan = Plan::make(data, &plan.hierarchies, &plan.dropped, &options, listener)?;
        Ok(())
    }

    fn choice(&self) -> ClusterChoice {
        ClusterChoice { cluster: self.cluster_index, loss: self.cluster_loss, seed: self.seed }
    }

    /// Identifiers named here, or by a project, are left out too.
    fn drop_more(&self, plan: &mut Plan, data: &Dataset) -> Result<()> {
        let quasi = plan.quasi();
        for attribute in data.attributes().iter().filter(|a| a.role == Role::Identifier) {
            if quasi.contains(&attribute.name) {
                let problem = "is a quasi-identifier of the plan; an attribute has one role";
                return Err(Error::parameter("identifiers", &attribute.name, problem));
            }
            if !plan.dropped.contains(&attribute.name) {
                plan.dropped.push(attribute.name.clone());
            }
        }
        Ok(())
    }

    fn report(
        &self,
        plan: &Plan,
        cluster: usize,
        nodes: &[NodeRecord],
        list: &Path,
    ) -> Result<ReleaseSummary> {
        let lattice = plan.lattice()?;
        let row = |a: &Assignment| {
            let node = lattice.index(&a.levels).and_then(|i| nodes.get(i));
            let node = node.filter(|n| n.k >= plan.options.k).ok_or_else(|| not_anonymous(plan))?;
            Ok(ReleaseRow {
                recipient: a.recipient.clone(),
                file: a.file_name(),
                pattern: a.levels.clone(),
                loss: node.loss(plan.options.metric),
                k: node.k,
            })
        };
        let released = self.released(plan);
        let releases: Vec<ReleaseRow> = released.into_iter().map(row).collect::<Result<_>>()?;
        Ok(ReleaseSummary {
            folder: self.output.display().to_string(),
            list: list.display().to_string(),
            quasi: plan.quasi(),
            dropped: plan.dropped.clone(),
            cluster,
            releases,
            robustness: robustness(&plan.assignments, &lattice, nodes, plan.options.metric),
        })
    }

    /// What the recipients of this command received.
    fn released<'a>(&self, plan: &'a Plan) -> Vec<&'a Assignment> {
        self.recipients.iter().filter_map(|name| plan.assignment(name)).collect()
    }
}

/// The nodes of the plan's lattice, counted anew: what is written is checked, not believed.
fn nodes(plan: &Plan, data: &Dataset, listener: &dyn Listener) -> Result<Vec<NodeRecord>> {
    enumerate(data, &plan.hierarchies, &Criteria::k(plan.options.k), listener)
}

fn not_anonymous(plan: &Plan) -> Error {
    let problem = format!("a pattern is not {}-anonymous; the plan was changed", plan.options.k);
    Error::input("plan", problem)
}

impl ReleaseSummary {
    fn text(&self, collusion: usize) -> String {
        let mut lines = vec![format!(
            "{}: {} files of cluster {}; levels of {}",
            self.folder,
            self.releases.len(),
            self.cluster,
            listed(&self.quasi)
        )];
        if !self.dropped.is_empty() {
            lines.push(format!("left out: {}", listed(&self.dropped)));
        }
        if collusion > 1 {
            let safe = "up to {} recipients together stay k-anonymous and are named";
            lines.push(safe.replace("{}", &collusion.to_string()));
        }
        lines.push(format!("who received what: {} and the plan; do not hand them out", self.list));
        lines.push(format!("\n{}", self.release_table()));
        lines.push("\nleast further generalization that does not name its maker alone:".into());
        lines.push(self.robustness_table().to_string());
        lines.join("\n")
    }

    fn release_table(&self) -> Table {
        let mut table = Table::new(["recipient", "file", "pattern", "loss", "k"]);
        for row in &self.releases {
            table.row([
                row.recipient.clone(),
                row.file.clone(),
                shown(&row.pattern),
                shown_loss(row.loss),
                row.k.to_string(),
            ]);
        }
        table
    }

    fn robustness_table(&self) -> Table {
        let mut table = Table::new(["recipient", "to", "loss", "further loss", "shared with"]);
        for row in &self.robustness {
            let loss = |loss: Option<f64>| loss.map_or_else(|| "-".into(), shown_loss);
            table.row([
                row.recipient.clone(),
                row.escape.as_ref().map_or_else(|| "none".into(), |p| shown(p)),
                loss(row.escape_loss),
                loss(row.further_loss),
                row.shared_with.join(", "),
            ]);
        }
        table
    }
}
