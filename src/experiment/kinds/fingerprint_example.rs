//! `kind = "fingerprint-example"`: a small published example, step by step.

use super::fingerprint::GeneralizableFile;
use super::{ExperimentCell, ExperimentKind, Job};
use crate::dataset::{Dataset, Values};
use crate::error::{Error, Result};
use crate::experiment::record::{CellRecord, recorded};
use crate::experiment::results::{Findings, NamedTable};
use crate::experiment::specification::{DataDigest, KeyTable, Problems, data_file};
use crate::fingerprint::{
    Assignment, Cluster, ClusterChoice, GeneralizationPattern, Leak, Plan, PlanOptions, robustness,
};
use crate::lattice::{Criteria, LatticeMetric, NodeRecord, enumerate, generalize};
use crate::report::plots::LatticeDrawing;
use crate::table::Table;
use serde::Deserialize;

/// An example with what is published about it.
#[derive(Debug)]
struct FingerprintExample {
    citation: String,
    source: GeneralizableFile,
    options: PlanOptions,
    recipients: Vec<String>,
    nodes: Vec<PublishedNode>,
    clusters: Vec<PublishedCluster>,
    received: Vec<Assignment>,
    collusion: Collusion,
}

/// A node with its published figures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedNode {
    levels: GeneralizationPattern,
    samarati: usize,
    precision: f64,
    dm_star: u64,
    k: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedCluster {
    loss: f64,
    patterns: Vec<GeneralizationPattern>,
}

/// Recipients with their patterns, a leak, and who is published to have made it.
#[derive(Debug)]
struct Collusion {
    source: GeneralizableFile,
    received: Vec<Assignment>,
    leak: Dataset,
    leak_sha256: String,
    sources: Vec<String>,
}

/// Reads the keys of this kind.
pub(super) fn read(whole: &mut KeyTable<'_>, to: &Problems) -> Option<Box<dyn ExperimentKind>> {
    let citation = whole.needed("citation", "where the example was published");
    let source = GeneralizableFile::read(whole, to);
    let k: Option<usize> = whole.needed("k", "the size of the smallest class");
    let metric: Option<LatticeMetric> = whole.needed("metric", "samarati, precision or dm-star");
    let min_loss: Option<f64> = whole.needed("min_loss", "the least loss");
    let max_loss: Option<f64> = whole.needed("max_loss", "the greatest loss");
    let recipients = whole.needed("recipients", "a list of names");
    let nodes = whole.needed("node", "the published figures of each node");
    let clusters = whole.needed("cluster", "the published clusters");
    let received = whole.needed("received", "who is published to receive what");
    let collusion = read_collusion(whole.section("collusion"), to);
    let mut options = PlanOptions::new(k?, metric?);
    (options.min_loss, options.max_loss) = (min_loss?, max_loss?);
    Some(Box::new(FingerprintExample {
        citation: citation?,
        source: source?,
        options,
        recipients: recipients?,
        nodes: nodes?,
        clusters: clusters?,
        received: received?,
        collusion: collusion?,
    }))
}

fn read_collusion(mut section: KeyTable<'_>, to: &Problems) -> Option<Collusion> {
    let source = GeneralizableFile::read(&mut section, to);
    let place = section.key("leak");
    let leak: Option<String> = section.needed("leak", "a file with the leaked records");
    let received = section.needed("received", "who received what");
    let sources = section.needed("sources", "who is published to have leaked");
    section.finish();
    let (leak, leak_sha256) = data_file(&place, &leak?, to)?;
    Some(Collusion { source: source?, received: received?, leak, leak_sha256, sources: sources? })
}

impl ExperimentKind for FingerprintExample {
    fn data(&self) -> Vec<DataDigest> {
        let Collusion { source, leak, leak_sha256, .. } = &self.collusion;
        let leak = DataDigest::new(leak.name(), leak_sha256);
        vec![self.source.digest(), source.digest(), leak]
    }

    fn cells(&self, _quick: bool) -> Vec<ExperimentCell> {
        vec![ExperimentCell {
            name: "example".into(),
            method: "fingerprint".into(),
            parameters: format!("{{\"k\":{}}}", self.options.k),
            records: self.source.data.records(),
            runs: 1,
        }]
    }

    fn run(&self, _job: Job) -> Result<serde_json::Value> {
        recorded(&self.found()?)
    }

    /// There is one cell, and its record is all that was found.
    fn findings(&self, records: &[CellRecord], _quick: bool) -> Result<Findings> {
        let missing = || Error::Internal("the example has no record".into());
        Ok(records.first().ok_or_else(missing)?.typed()?.found)
    }
}

/// How many published statements there are, and how many are ours too.
#[derive(Default)]
struct Statements {
    all: usize,
    same: usize,
}

impl Statements {
    fn check(&mut self, same: bool) -> String {
        self.all += 1;
        self.same += usize::from(same);
        if same { "yes" } else { "no" }.into()
    }
}

/// Levels as the paper writes them: (a0, b1).
fn shown(levels: &[usize]) -> String {
    let letters = ('a'..='z').cycle();
    let levels: Vec<String> = levels.iter().zip(letters).map(|(l, c)| format!("{c}{l}")).collect();
    format!("({})", levels.join(", "))
}

impl FingerprintExample {
    fn found(&self) -> Result<Findings> {
        let GeneralizableFile { data, hierarchies, .. } = &self.source;
        let nodes = enumerate(data, hierarchies, &Criteria::k(self.options.k), &())?;
        let mut plan = Plan::make(data, hierarchies, &[], &self.options, &())?;
        plan.assign(&self.recipients, &ClusterChoice::default())?;
        let mut statements = Statements::default();
        let tables = vec![
            self.node_table(&plan, &nodes, &mut statements)?,
            self.solution_table(&plan, &nodes),
            self.record_table(&plan)?,
            self.cluster_table(&plan, &mut statements),
            self.assignment_table(&plan, &mut statements),
            self.collusion_table(&mut statements)?,
            self.robustness_table(&plan, &nodes)?,
        ];
        let Statements { same, all } = statements;
        Ok(Findings {
            citation: Some(self.citation.clone()),
            summary: vec![format!("{same} of {all} published statements reproduce")],
            tables,
            files: vec![("lattice.svg".into(), self.drawing(&plan, &nodes)?)],
            ..Findings::default()
        })
    }

    fn node_table(
        &self,
        plan: &Plan,
        nodes: &[NodeRecord],
        statements: &mut Statements,
    ) -> Result<NamedTable> {
        let lattice = plan.lattice()?;
        let header = ["node", "Sam", "Prec", "DM*", "k", "published", "same"];
        let mut grid = Table::new(header);
        for published in &self.nodes {
            let Some(node) = lattice.index(&published.levels).and_then(|i| nodes.get(i)) else {
                grid.row([&shown(&published.levels), "", "", "", "", "", &statements.check(false)]);
                continue;
            };
            let PublishedNode { samarati, precision, dm_star, k, .. } = published;
            let same = (node.samarati, node.dm_star, node.k) == (*samarati, *dm_star, *k)
                && (node.precision - precision).abs() < 1e-9;
            grid.row([
                shown(&node.levels),
                node.samarati.to_string(),
                node.precision.to_string(),
                node.dm_star.to_string(),
                node.k.to_string(),
                format!("{samarati}, {precision}, {dm_star}, {k}"),
                statements.check(same),
            ]);
        }
        Ok(NamedTable::new("table2", "Table 2: impact of different metrics", grid))
    }

    fn solution_table(&self, plan: &Plan, nodes: &[NodeRecord]) -> NamedTable {
        let mut grid = Table::new(["node", "data loss", "k", "within the bounds"]);
        for node in nodes.iter().filter(|node| node.k >= self.options.k) {
            let kept = plan.solutions.iter().any(|s| s.levels == node.levels);
            grid.row([
                shown(&node.levels),
                node.loss(self.options.metric).to_string(),
                node.k.to_string(),
                if kept { "yes" } else { "no" }.into(),
            ]);
        }
        NamedTable::new("table4", "Table 4: data loss and k for solutions", grid)
    }

    fn record_table(&self, plan: &Plan) -> Result<NamedTable> {
        let quasi = plan.quasi();
        let fixed = ["node".to_owned(), "record".to_owned()];
        let mut grid = Table::new(fixed.into_iter().chain(quasi.clone()));
        for solution in &plan.solutions {
            let GeneralizableFile { data, hierarchies, .. } = &self.source;
            let file = generalize(data, hierarchies, &solution.levels)?;
            for record in 0..file.records() {
                let mut row = vec![shown(&solution.levels), (record + 1).to_string()];
                for name in &quasi {
                    row.push(text(&file, file.position(name)?, record));
                }
                grid.row(row);
            }
        }
        Ok(NamedTable::new("table5", "Table 5: generalization results", grid))
    }

    fn cluster_table(&self, plan: &Plan, statements: &mut Statements) -> NamedTable {
        let mut grid = Table::new(["cluster", "loss", "patterns", "recipients", "same"]);
        for (i, cluster) in plan.clusters.iter().enumerate() {
            let patterns: Vec<&GeneralizationPattern> = self.patterns(plan, cluster);
            let published = self.clusters.get(i);
            let same = published.is_some_and(|p| {
                p.loss == cluster.least_loss && p.patterns.iter().collect::<Vec<_>>() == patterns
            });
            let shown: Vec<String> = patterns.iter().map(|p| shown(p)).collect();
            grid.row([
                format!("C{}", i + 1),
                cluster.least_loss.to_string(),
                shown.join(" "),
                cluster.recipients().to_string(),
                statements.check(same),
            ]);
        }
        NamedTable::new("clusters", "Clusters", grid)
    }

    fn patterns<'a>(&self, plan: &'a Plan, cluster: &Cluster) -> Vec<&'a GeneralizationPattern> {
        plan.solutions[cluster.range()].iter().map(|s| &s.levels).collect()
    }

    fn assignment_table(&self, plan: &Plan, statements: &mut Statements) -> NamedTable {
        let mut grid = Table::new(["recipient", "pattern", "same"]);
        for own in &plan.assignments {
            let same = self.received.contains(own);
            grid.row([own.recipient.clone(), shown(&own.levels), statements.check(same)]);
        }
        NamedTable::new("assignment", "Who receives what", grid)
    }

    fn collusion_table(&self, statements: &mut Statements) -> Result<NamedTable> {
        let Collusion { source, received, leak, sources, .. } = &self.collusion;
        let quasi: Vec<String> =
            source.hierarchies.iter().map(|h| h.attribute().to_owned()).collect();
        let mut grid = Table::new(["leaked levels", "sources", "published", "same"]);
        for part in Leak::read(leak, &source.hierarchies)?.parts {
            let found = part.identify(received, &quasi)?;
            let levels: Vec<usize> = (0..quasi.len()).map(|a| part.highest(a)).collect();
            let sets: Vec<String> = found.sources.iter().map(|set| set.join(" + ")).collect();
            grid.row([
                shown(&levels),
                sets.join("; "),
                sources.join(" + "),
                statements.check(found.sources == [sources.clone()]),
            ]);
        }
        Ok(NamedTable::new("table6", "Table 6: who can have made the leaked record", grid))
    }

    /// The lattice with the k-anonymous nodes marked.
    fn drawing(&self, plan: &Plan, nodes: &[NodeRecord]) -> Result<String> {
        let lattice = plan.lattice()?;
        let note = |n: &NodeRecord| format!("k = {}, loss {}", n.k, n.loss(self.options.metric));
        let drawing = LatticeDrawing {
            title: format!("{}-anonymous nodes of {}", self.options.k, plan.quasi().join(", ")),
            lattice: &lattice,
            marked: nodes.iter().map(|node| node.k >= self.options.k).collect(),
            notes: nodes.iter().map(note).collect(),
        };
        drawing.svg()
    }

    fn robustness_table(&self, plan: &Plan, nodes: &[NodeRecord]) -> Result<NamedTable> {
        let escapes = robustness(&plan.assignments, &plan.lattice()?, nodes, self.options.metric);
        let header =
            ["recipient", "pattern", "loss", "least unattributable", "its loss", "further"];
        let mut grid = Table::new(header);
        for escape in escapes {
            let loss = |loss: Option<f64>| loss.map_or_else(String::new, |l| l.to_string());
            grid.row([
                escape.recipient.clone(),
                shown(&escape.pattern),
                escape.loss.to_string(),
                escape.escape.as_ref().map_or_else(String::new, |p| shown(p)),
                loss(escape.escape_loss),
                loss(escape.further_loss),
            ]);
        }
        Ok(NamedTable::new("robustness", "Section 4: what hiding costs each recipient", grid))
    }
}

fn text(file: &Dataset, position: usize, record: usize) -> String {
    match &file.attributes()[position].values {
        Values::Numeric(column) => column.get(record).map_or_else(String::new, |v| v.to_string()),
        Values::Categorical(column) => column.get(record).unwrap_or_default().to_owned(),
    }
}
