//! `unmask lattice`.

use super::reading::{Reading, files_in};
use super::terminal::Terminal;
use super::{Format, print, print_json};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::path::{Path, PathBuf};
use unmask::anonymity::{ClassSize, Diversity, LevelRule, Levels};
use unmask::dataset::{Dataset, FileFormat, Role};
use unmask::error::{Error, Result};
use unmask::files::{self, OutputFile};
use unmask::lattice::{
    Criteria, Hierarchy, Lattice, LatticeMetric, LeastDiversity, NodeRecord, Optimum, class_sizes,
    enumerate, load_hierarchies, nodes_table, release, search,
};
use unmask::report::plots::LatticeDrawing;
use unmask::table::Table;
use unmask::words::listed;

/// Generalizes by value hierarchies: every node of the lattice, or the best one.
///
/// DIR has a hierarchy for each quasi-identifier: NAME.csv without header, one row per value
/// (the value itself, then its name on level 1, 2, ...; comma or semicolon), or NAME.toml with
/// a rule. A node of the lattice picks a level for each quasi-identifier; records with the same
/// names form a class.
///
/// Rules, one key to a line (every one takes `suppress = true`, which puts `*` on top):
///
///   rule = "date"; format = "dd.mm.yyyy"; levels = ["month", "year"]
///   rule = "number"; widths = [5, 10, 20]; start = 0
///   rule = "zip"; masked = [1, 2]; mask = "X"
///   rule = "list"; [[levels]] tables of NAME = ["value", ...]
///   rule = "suppress"
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
    unmask lattice enumerate patients.csv --hierarchies hierarchies --quasi sex,birthdate --k 2 \
    -o nodes.csv\n  \
    unmask lattice search patients.csv --hierarchies hierarchies --quasi sex,birthdate --k 2 \
    --metric precision -o release.csv"
)]
pub struct LatticeCommand {
    #[command(subcommand)]
    action: LatticeAction,
}

#[derive(Subcommand)]
enum LatticeAction {
    /// Writes every node, one row each: levels, k, classes and metrics
    #[command(after_help = "Example:\n  unmask lattice enumerate adult-train \
        --hierarchies experiments/schrittwieser/adult --quasi age,sex,race --k 5 -o nodes.csv")]
    Enumerate(Box<Enumerate>),
    /// Finds the node with the least loss that satisfies the criteria
    ///
    /// Nodes are tagged without counting where that is valid: a node that satisfies the
    /// criteria makes all above it satisfy them, a node that fails makes all below it fail.
    #[command(after_help = "Example:\n  unmask lattice search adult-train \
        --hierarchies experiments/schrittwieser/adult --quasi age,sex,race --k 5 \
        --metric dm-star --suppression-limit 0.01 -o release.csv")]
    Search(Box<LatticeSearch>),
}

#[derive(Args)]
struct Enumerate {
    #[command(flatten)]
    input: Input,

    /// The file to write, by its extension: .csv, .tsv, .parquet, .arrow or .dta
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the output file when it exists
    #[arg(long)]
    force: bool,

    /// Write also: largest class, suppressed records, discernibility, entropy, and whether
    /// all criteria are satisfied
    #[arg(long)]
    details: bool,

    /// Draw the lattice as SVG, k-anonymous nodes filled; up to 500 nodes
    #[arg(long, value_name = "FILE")]
    drawing: Option<PathBuf>,
}

#[derive(Args)]
struct LatticeSearch {
    #[command(flatten)]
    input: Input,

    /// The loss to minimize
    #[arg(long, value_enum, default_value_t = LatticeMetric::Precision)]
    metric: LatticeMetric,

    /// The release to write, by its extension: .csv, .tsv, .parquet, .arrow or .dta; suppressed
    /// records have `*` as quasi-identifiers, identifiers are left out
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the output file when it exists
    #[arg(long)]
    force: bool,
}

/// What both commands take.
#[derive(Args)]
struct Input {
    /// The file to generalize, or the name of a built-in data set
    data: String,

    /// Folder with a hierarchy for each quasi-identifier [default: the files that the project
    /// names]
    #[arg(long, value_name = "DIR")]
    hierarchies: Option<PathBuf>,

    #[command(flatten)]
    criteria: CriteriaFlags,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    files: Reading,
}

#[derive(Args)]
#[command(next_help_heading = "Criteria")]
struct CriteriaFlags {
    /// Least number of records in a class
    #[arg(long, value_name = "K")]
    k: usize,

    /// Attributes an attacker wants to learn, for --l and --t
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    sensitive: Vec<String>,

    /// Least diversity of the sensitive values of a class
    #[arg(long, value_name = "L")]
    l: Option<f64>,

    /// How --l counts
    #[arg(long, value_enum, default_value_t = Diversity::Distinct)]
    diversity: Diversity,

    /// Greatest distance of a class's sensitive values from the file's
    #[arg(long, value_name = "T")]
    t: Option<f64>,

    /// Cut numeric sensitive attributes into N levels [default: every number is a value of its own]
    #[arg(long, value_name = "N")]
    levels: Option<u32>,

    /// Where levels are cut
    #[arg(long, value_enum, value_name = "RULE", default_value_t, requires = "levels")]
    level_rule: LevelRule,

    /// Greatest share of the records, 0 to 1, that may be suppressed
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    suppression_limit: f64,
}

impl CriteriaFlags {
    fn criteria(&self) -> Result<Criteria> {
        Ok(Criteria {
            k: self.k,
            sensitive: self.sensitive.clone(),
            diversity: self.l.map(|l| self.diversity(l)).transpose()?,
            closeness: self.t,
            sensitive_levels: self.levels.map(|count| Levels { count, rule: self.level_rule }),
            suppression_limit: self.suppression_limit,
        })
    }

    fn diversity(&self, l: f64) -> Result<LeastDiversity> {
        match self.diversity {
            Diversity::Entropy => Ok(LeastDiversity::Entropy(l)),
            Diversity::Distinct if l >= 1.0 && l.fract() == 0.0 => {
                Ok(LeastDiversity::Distinct(l as usize))
            }
            Diversity::Distinct => {
                Err(Error::parameter("l", l, "but distinct values are counted: 1, 2, ..."))
            }
        }
    }
}

impl LatticeCommand {
    /// Runs the action.
    pub fn run(&self) -> Result<()> {
        match &self.action {
            LatticeAction::Enumerate(command) => command.run(),
            LatticeAction::Search(command) => command.run(),
        }
    }
}

impl Input {
    /// The files that are read.
    fn files(&self) -> Vec<PathBuf> {
        let folder = self.hierarchies.as_deref().map(files_in).unwrap_or_default();
        [self.files.inputs([&self.data]), folder].concat()
    }

    fn load(&self) -> Result<(Dataset, Vec<Hierarchy>)> {
        let data = self.files.load(&self.data)?;
        let quasi = self.files.quasi_identifiers(&data);
        let hierarchies = match &self.hierarchies {
            Some(folder) => load_hierarchies(folder, &data, &quasi)?,
            None => self.files.hierarchies_of(&self.data, &data, &quasi)?,
        };
        Ok((data, hierarchies))
    }
}

/// What `lattice enumerate` prints.
#[derive(Serialize)]
struct EnumerateSummary {
    records: usize,
    quasi_identifiers: Vec<String>,
    levels: Vec<usize>,
    nodes: usize,
    k: usize,
    k_anonymous: usize,
    satisfied: usize,
    output: String,
}

impl Enumerate {
    fn run(&self) -> Result<()> {
        let outputs = std::iter::once(&self.output).chain(&self.drawing);
        let outputs: Vec<&Path> = outputs.map(PathBuf::as_path).collect();
        FileFormat::to_write(&self.output)?;
        files::check_outputs(&outputs, self.force, &self.input.files())?;
        let criteria = self.input.criteria.criteria()?;
        let (data, hierarchies) = self.input.load()?;
        let nodes = enumerate(&data, &hierarchies, &criteria, &Terminal::new())?;
        let drawing = match &self.drawing {
            Some(path) => Some((path, draw(&hierarchies, &nodes, &criteria)?)),
            None => None,
        };
        let table = nodes_table(&hierarchies, &nodes, criteria.k, self.details)?;
        let bytes = table.to_bytes(&self.output)?;
        let drawing = drawing.as_ref().map(|(path, svg)| public(path, svg.as_bytes()));
        let outputs = drawing.into_iter().chain([public(&self.output, &bytes)]);
        files::write_files(&outputs.collect::<Vec<_>>(), self.force)?;
        let summary = EnumerateSummary {
            records: data.records(),
            quasi_identifiers: hierarchies.iter().map(|h| h.attribute().to_owned()).collect(),
            levels: hierarchies.iter().map(Hierarchy::levels).collect(),
            nodes: nodes.len(),
            k: criteria.k,
            k_anonymous: nodes.iter().filter(|node| node.k >= criteria.k).count(),
            satisfied: nodes.iter().filter(|node| node.satisfied).count(),
            output: self.output.display().to_string(),
        };
        match self.input.format {
            Format::Text => print(summary.text()),
            Format::Json => print_json(&summary),
        }
    }
}

fn public<'a>(path: &'a Path, bytes: &'a [u8]) -> OutputFile<'a> {
    OutputFile { path, bytes, private: false }
}

fn draw(hierarchies: &[Hierarchy], nodes: &[NodeRecord], criteria: &Criteria) -> Result<String> {
    let names: Vec<&str> = hierarchies.iter().map(Hierarchy::attribute).collect();
    let levels: Vec<usize> = hierarchies.iter().map(Hierarchy::levels).collect();
    let drawing = LatticeDrawing {
        title: format!("Levels of {}; filled: k is at least {}", names.join(", "), criteria.k),
        lattice: &Lattice::new(&levels)?,
        marked: nodes.iter().map(|node| node.k >= criteria.k).collect(),
        notes: nodes.iter().map(|node| format!("k = {}", node.k)).collect(),
    };
    drawing.svg()
}

impl EnumerateSummary {
    fn text(&self) -> String {
        let levels: Vec<String> = self
            .quasi_identifiers
            .iter()
            .zip(&self.levels)
            .map(|(name, levels)| format!("{name} ({levels} levels)"))
            .collect();
        let lines = [
            format!("records            {}", self.records),
            format!("quasi-identifiers  {}: {}", levels.len(), listed(&levels)),
            format!("nodes              {}", self.nodes),
            format!("k >= {:<14}{}", self.k, self.k_anonymous),
            format!("all criteria       {}", self.satisfied),
            format!("written            {}", self.output),
        ];
        lines.join("\n")
    }
}

/// What `lattice search` prints.
#[derive(Serialize)]
struct SearchSummary {
    records: usize,
    quasi_identifiers: Vec<String>,
    metric: LatticeMetric,
    loss: f64,
    #[serde(flatten)]
    optimum: Optimum,
    class_sizes: Vec<ClassSize>,
    output: Option<String>,
}

impl LatticeSearch {
    fn run(&self) -> Result<()> {
        if let Some(path) = &self.output {
            FileFormat::to_write(path)?;
            files::check_outputs(&[path], self.force, &self.input.files())?;
        }
        let criteria = self.input.criteria.criteria()?;
        let (data, hierarchies) = self.input.load()?;
        let optimum = search(&data, &hierarchies, &criteria, self.metric, &Terminal::new())?;
        if let Some(path) = &self.output {
            release(&data, &hierarchies, &optimum.node.levels, &criteria)?
                .without_role(Role::Identifier)?
                .save(path, self.force)?;
        }
        let summary = SearchSummary {
            records: data.records(),
            quasi_identifiers: hierarchies.iter().map(|h| h.attribute().to_owned()).collect(),
            metric: self.metric,
            loss: optimum.node.loss(self.metric),
            class_sizes: class_sizes(&data, &hierarchies, &optimum.node.levels)?,
            optimum,
            output: self.output.as_ref().map(|path| path.display().to_string()),
        };
        match self.input.format {
            Format::Text => print(summary.text(&hierarchies)),
            Format::Json => print_json(&summary),
        }
    }
}

impl SearchSummary {
    fn text(&self, hierarchies: &[Hierarchy]) -> String {
        let Optimum { node, nodes, counted } = &self.optimum;
        let mut lines = vec![
            format!("records          {}", self.records),
            format!("nodes            {nodes}, {counted} of them counted"),
            format!("loss             {} {}", self.metric.name(), self.loss),
            format!("k                {}", node.k),
            format!("classes          {}, the largest of {} records", node.classes, node.largest),
            format!("suppressed       {}", node.suppressed),
            format!("samarati         {}", node.samarati),
            format!("precision        {}", node.precision),
            format!("DM*              {}", node.dm_star),
            format!("discernibility   {}", node.discernibility),
            format!("entropy          {:.3} bits", node.entropy),
        ];
        lines.extend(self.output.iter().map(|path| format!("written          {path}")));
        format!("{}\n\n{}", lines.join("\n"), level_table(hierarchies, node))
    }
}

fn level_table(hierarchies: &[Hierarchy], node: &NodeRecord) -> Table {
    let mut table = Table::new(["quasi-identifier", "level", "highest", "names"]);
    for (hierarchy, &level) in hierarchies.iter().zip(&node.levels) {
        table.row([
            hierarchy.attribute().to_owned(),
            level.to_string(),
            (hierarchy.levels() - 1).to_string(),
            hierarchy.names(level).len().to_string(),
        ]);
    }
    table
}
