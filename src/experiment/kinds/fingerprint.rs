//! `kind = "fingerprint"`: how many recipients a file serves, with and without collusion.

use super::{ExperimentCell, ExperimentKind, Job};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::experiment::record::{CellRecord, recorded, typed};
use crate::experiment::results::{Findings, NamedTable, seconds_table};
use crate::experiment::specification::{DataDigest, KeyTable, Problems, data_file};
use crate::fingerprint::{Cluster, Clustering, Plan, PlanOptions};
use crate::lattice::{Criteria, Hierarchy, LatticeMetric, NodeRecord, enumerate, load_hierarchies};
use crate::report::plots::{Chart, Mark, Series, panels};
use crate::table::Table;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Plans for every k and every size of coalition.
#[derive(Debug)]
struct FingerprintExperiment {
    source: GeneralizableFile,
    /// The lattice, from the first cell on.
    nodes: Mutex<Option<Arc<[NodeRecord]>>>,
    metric: LatticeMetric,
    clustering: Clustering,
    k: Vec<usize>,
    collusion: Vec<usize>,
    effort: u64,
}

/// A file with its hierarchies.
#[derive(Debug)]
pub(super) struct GeneralizableFile {
    pub data: Dataset,
    pub sha256: String,
    pub hierarchies: Vec<Hierarchy>,
}

impl GeneralizableFile {
    /// Reads `data`, `hierarchies`, `quasi` and `complete`.
    pub fn read(section: &mut KeyTable<'_>, to: &Problems) -> Option<Self> {
        let places = ["data", "hierarchies", "complete"].map(|key| section.key(key));
        let name: Option<String> = section.needed("data", "a file, or the name of a built-in one");
        let folder: Option<String> = section.needed("hierarchies", "a folder");
        let quasi: Option<Vec<String>> = section.needed("quasi", "a list of quasi-identifiers");
        let complete: bool = section.take("complete").unwrap_or(false);
        let (data, sha256) = data_file(&places[0], &name?, to)?;
        let data = match complete {
            true => noted(data.complete_records(), &places[2], "true", to)?,
            false => data,
        };
        let folder = folder?;
        let hierarchies = load_hierarchies(Path::new(&to.resolved(&folder)), &data, &quasi?);
        let hierarchies = noted(hierarchies, &places[1], &folder, to)?;
        Some(Self { data, sha256, hierarchies })
    }

    /// Name and SHA-256.
    pub fn digest(&self) -> DataDigest {
        DataDigest::new(self.data.name(), &self.sha256)
    }
}

/// The value, or a note of why `key = value` gives none.
fn noted<T>(result: Result<T>, key: &str, value: &str, to: &Problems) -> Option<T> {
    result.map_err(|e| to.add(key, format!("{value:?}"), format!("but {e}"))).ok()
}

/// Reads the keys of this kind.
pub(super) fn read(whole: &mut KeyTable<'_>, to: &Problems) -> Option<Box<dyn ExperimentKind>> {
    let source = GeneralizableFile::read(whole, to);
    let metric: Option<LatticeMetric> = whole.needed("metric", "samarati, precision or dm-star");
    let clustering = whole.take("cluster").unwrap_or(Clustering::Exact);
    let k: Option<Vec<usize>> = whole.needed("k", "a list of class sizes");
    let collusion: Option<Vec<usize>> = whole.needed("collusion", "a list of coalition sizes");
    let effort = whole.take("effort").unwrap_or(crate::fingerprint::DEFAULT_EFFORT);
    let (k, collusion) = (k?, collusion?);
    if k.contains(&0) {
        to.add("k", 0, "but k is at least 1");
    }
    if collusion.iter().any(|c| !(1..=8).contains(c)) {
        to.add("collusion", format!("{collusion:?}"), "but coalitions of 1 to 8 are supported");
    }
    let (source, metric) = (source?, metric?);
    let nodes = Mutex::default();
    Some(Box::new(FingerprintExperiment {
        source,
        nodes,
        metric,
        clustering,
        k,
        collusion,
        effort,
    }))
}

impl ExperimentKind for FingerprintExperiment {
    fn data(&self) -> Vec<DataDigest> {
        vec![self.source.digest()]
    }

    fn cells(&self, quick: bool) -> Vec<ExperimentCell> {
        let cell = |(k, c): (usize, usize)| ExperimentCell {
            name: cell_name(k, c),
            method: "fingerprint".into(),
            parameters: format!("{{\"k\":{k},\"collusion\":{c}}}"),
            records: self.source.data.records(),
            runs: 1,
        };
        self.settings(quick).into_iter().map(cell).collect()
    }

    fn run(&self, job: Job) -> Result<serde_json::Value> {
        let (k, collusion) = self.settings(job.quick)[job.cell];
        let nodes = self.nodes()?;
        let started = Instant::now();
        let plan = self.plan(k, collusion, job.quick, &nodes)?;
        recorded(&PlanRecord::new(plan, started.elapsed().as_secs_f64()))
    }

    fn findings(&self, records: &[CellRecord], _quick: bool) -> Result<Findings> {
        let records = typed::<PlanRecord>(records)?;
        let timing = seconds_table(records.iter().map(|r| (r.cell.clone(), r.found.seconds)));
        let plans: Vec<PlanRecord> = records.into_iter().map(|record| record.found).collect();
        let by_k: Vec<&[PlanRecord]> = plans.chunks(self.collusion.len().max(1)).collect();
        Ok(Findings {
            summary: self.summary(&by_k),
            tables: vec![
                NamedTable::new("patterns", "k-anonymous patterns", patterns(&by_k)),
                NamedTable::new("collusion", "Most recipients of one cluster", collusion(&plans)),
                NamedTable::new("clusters", "Recipients by cluster", self.clusters(&by_k)),
            ],
            files: vec![("recipients.svg".into(), self.plot(&by_k))],
            timing: Some(timing),
            ..Findings::default()
        })
    }
}

/// What results say of a plan.
#[derive(Debug, Serialize, Deserialize)]
struct PlanRecord {
    k: usize,
    collusion: usize,
    upper_bound: usize,
    anonymous: usize,
    unbounded: (f64, usize),
    clusters: Vec<Cluster>,
    /// Without the enumeration of the lattice, which all cells share.
    seconds: f64,
}

impl PlanRecord {
    fn new(plan: Plan, seconds: f64) -> Self {
        let (k, collusion) = (plan.options.k, plan.options.collusion);
        let Plan { upper_bound, anonymous, unbounded, clusters, .. } = plan;
        Self { k, collusion, upper_bound, anonymous, unbounded, clusters, seconds }
    }

    fn most_recipients(&self) -> usize {
        self.clusters.iter().map(Cluster::recipients).max().unwrap_or(0)
    }
}

fn cell_name(k: usize, c: usize) -> String {
    format!("k{k}-c{c}")
}

impl FingerprintExperiment {
    /// The lattice of the file; enumerated once for all cells.
    fn nodes(&self) -> Result<Arc<[NodeRecord]>> {
        let mut nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(nodes) = &*nodes {
            return Ok(nodes.clone());
        }
        let GeneralizableFile { data, hierarchies, .. } = &self.source;
        let all = enumerate(data, hierarchies, &Criteria::k(1), &())?;
        Ok(nodes.insert(all.into()).clone())
    }

    /// Every k with every size of coalition; the first k alone when it is to be quick.
    fn settings(&self, quick: bool) -> Vec<(usize, usize)> {
        let some = if quick { 1 } else { self.k.len() };
        self.k
            .iter()
            .take(some)
            .flat_map(|&k| self.collusion.iter().map(move |&c| (k, c)))
            .collect()
    }

    fn plan(&self, k: usize, collusion: usize, quick: bool, nodes: &[NodeRecord]) -> Result<Plan> {
        let mut options = PlanOptions::new(k, self.metric);
        options.clustering = self.clustering;
        options.collusion = collusion;
        options.effort = if quick { self.effort / 20 } else { self.effort };
        let GeneralizableFile { data, hierarchies, .. } = &self.source;
        Plan::from_nodes(data, hierarchies, &[], &options, nodes)
    }

    fn summary(&self, by_k: &[&[PlanRecord]]) -> Vec<String> {
        let mut lines = vec![format!(
            "{} records, {} quasi-identifiers, F = {} patterns",
            self.source.data.records(),
            self.source.hierarchies.len(),
            by_k.first().and_then(|p| p.first()).map_or(0, |p| p.upper_bound),
        )];
        for plans in by_k {
            let most = |plan: &PlanRecord| format!("{} at c = {}", served(plan), plan.collusion);
            let all: Vec<String> = plans.iter().map(most).collect();
            if let Some(plan) = plans.first() {
                let (k, anonymous) = (plan.k, plan.anonymous);
                let recipients = all.join(", ");
                lines.push(format!("k = {k}: {anonymous} patterns; recipients: {recipients}"));
            }
        }
        lines
    }

    /// A row for each k and cluster, a column for each size of coalition.
    fn clusters(&self, by_k: &[&[PlanRecord]]) -> Table {
        let sizes = self.collusion.iter().map(|c| format!("c = {c}"));
        let fixed = ["k", "loss", "patterns"].map(String::from);
        let mut grid = Table::new(fixed.into_iter().chain(sizes));
        for plans in by_k {
            let Some(first) = plans.first() else { continue };
            for (i, cluster) in first.clusters.iter().enumerate() {
                let mut row =
                    vec![first.k.to_string(), shown_loss(cluster), cluster.patterns.to_string()];
                row.extend(plans.iter().map(|plan| interval(&plan.clusters[i])));
                grid.row(row);
            }
        }
        grid
    }

    fn plot(&self, by_k: &[&[PlanRecord]]) -> String {
        let line = |plan: &PlanRecord| {
            let points = plan.clusters.iter().map(|c| (c.least_loss, c.recipients() as f64));
            let name = format!("c = {}", plan.collusion);
            (Series { name, points: points.collect() }, Mark::Line)
        };
        let chart = |plans: &&[PlanRecord]| Chart {
            title: format!("k = {}", plans.first().map_or(0, |p| p.k)),
            x_label: format!("loss ({})", self.metric.name()),
            y_label: "recipients".into(),
            log_y: true,
            x_names: Vec::new(),
            series: plans.iter().map(line).collect(),
        };
        panels(&by_k.iter().map(chart).collect::<Vec<Chart>>())
    }
}

fn patterns(by_k: &[&[PlanRecord]]) -> Table {
    let mut grid = Table::new([
        "k",
        "k-anonymous",
        "of F",
        "least loss",
        "clusters",
        "largest cluster",
        "its loss",
    ]);
    for plan in by_k.iter().filter_map(|plans| plans.first()) {
        grid.row([
            plan.k.to_string(),
            plan.anonymous.to_string(),
            plan.upper_bound.to_string(),
            plan.clusters.first().map_or_else(String::new, shown_loss),
            plan.clusters.len().to_string(),
            plan.unbounded.1.to_string(),
            plan.unbounded.0.to_string(),
        ]);
    }
    grid
}

/// A row for each plan: its cluster that serves most, the cheapest of them.
fn collusion(plans: &[PlanRecord]) -> Table {
    let header =
        ["k", "c", "recipients", "at most", "loss", "precision loss", "price", "proven clusters"];
    let mut grid = Table::new(header);
    for plan in plans {
        let best = plan.clusters.iter().find(|c| c.recipients() == plan.most_recipients());
        let Some(best) = best else { continue };
        let proven = plan.clusters.iter().filter(|c| c.recipients() == c.at_most).count();
        grid.row([
            plan.k.to_string(),
            plan.collusion.to_string(),
            best.recipients().to_string(),
            plan.clusters.iter().map(|c| c.at_most).max().unwrap_or(0).to_string(),
            shown_loss(best),
            format!("{:.3}", best.precision),
            format!("{:.3}", best.price),
            format!("{proven} of {}", plan.clusters.len()),
        ]);
    }
    grid
}

/// The most recipients of one cluster, or the interval where that is not proven.
fn served(plan: &PlanRecord) -> String {
    let found = plan.most_recipients();
    let at_most = plan.clusters.iter().map(|c| c.at_most).max().unwrap_or(0);
    if found == at_most { found.to_string() } else { format!("{found} to {at_most}") }
}

fn interval(cluster: &Cluster) -> String {
    match cluster.recipients() == cluster.at_most {
        true => cluster.at_most.to_string(),
        false => format!("{} to {}", cluster.recipients(), cluster.at_most),
    }
}

fn shown_loss(cluster: &Cluster) -> String {
    let text = format!("{:.4}", cluster.least_loss);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
