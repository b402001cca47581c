//! `kind = "fingerprint"`: how many recipients a file serves, with and without collusion.

use super::{ListedCell, Study};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::experiment::check::{Problems, Section};
use crate::experiment::results::{Findings, NamedTable};
use crate::experiment::specification::data_file;
use crate::fingerprint::{Cluster, Clustering, Plan, PlanOptions};
use crate::lattice::{Criteria, Hierarchy, LatticeMetric, NodeRecord, enumerate, load_hierarchies};
use crate::listener::Listener;
use crate::report::plots::{Chart, Mark, Series, panels};
use crate::table::Table;
use std::path::Path;
use std::time::Instant;

/// Plans for every k and every size of coalition.
#[derive(Debug)]
struct Fingerprints {
    source: Source,
    metric: LatticeMetric,
    clustering: Clustering,
    k: Vec<usize>,
    collusion: Vec<usize>,
    effort: u64,
}

/// A file with its hierarchies.
#[derive(Debug)]
pub(super) struct Source {
    pub data: Dataset,
    pub sha256: String,
    pub hierarchies: Vec<Hierarchy>,
}

impl Source {
    /// Reads `data`, `hierarchies`, `quasi` and `complete`.
    pub fn read(section: &mut Section<'_>, to: &Problems) -> Option<Self> {
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
        let hierarchies = load_hierarchies(Path::new(&folder), &data, &quasi?);
        let hierarchies = noted(hierarchies, &places[1], &folder, to)?;
        Some(Self { data, sha256, hierarchies })
    }
}

/// The value, or a note of why `key = value` gives none.
fn noted<T>(result: Result<T>, key: &str, value: &str, to: &Problems) -> Option<T> {
    result.map_err(|e| to.add(key, format!("{value:?}"), format!("but {e}"))).ok()
}

/// Reads the keys of this kind.
pub(super) fn read(whole: &mut Section<'_>, to: &Problems) -> Option<Box<dyn Study>> {
    let source = Source::read(whole, to);
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
    Some(Box::new(Fingerprints { source, metric, clustering, k, collusion, effort }))
}

impl Study for Fingerprints {
    fn cells(&self) -> Vec<ListedCell> {
        let cell = |(k, c): (usize, usize)| ListedCell {
            name: cell_name(k, c),
            method: "fingerprint".into(),
            parameters: format!("{{\"k\":{k},\"collusion\":{c}}}"),
            records: self.source.data.records(),
            runs: 1,
        };
        self.settings(false).into_iter().map(cell).collect()
    }

    fn run(&self, quick: bool, listener: &dyn Listener) -> Result<Findings> {
        let (mut plans, mut timing) = (Vec::new(), Vec::new());
        let settings = self.settings(quick);
        let started = Instant::now();
        let Source { data, hierarchies, .. } = &self.source;
        let nodes = enumerate(data, hierarchies, &Criteria::k(1), &())?;
        timing.push(("enumerate".to_owned(), started.elapsed().as_secs_f64()));
        for &(k, c) in &settings {
            let started = Instant::now();
            plans.push(self.plan(k, c, quick, &nodes)?);
            timing.push((cell_name(k, c), started.elapsed().as_secs_f64()));
            listener.advance(1, settings.len() as u64);
        }
        let by_k: Vec<&[Plan]> = plans.chunks(self.collusion.len().max(1)).collect();
        let table = |name: &str, title: &str, grid| NamedTable {
            name: name.into(),
            title: title.into(),
            grid,
        };
        Ok(Findings {
            citation: None,
            summary: self.summary(&by_k),
            tables: vec![
                table("patterns", "k-anonymous patterns", patterns(&by_k)),
                table("collusion", "Most recipients of one cluster", collusion(&plans)),
                table("clusters", "Recipients by cluster", self.clusters(&by_k)),
            ],
            files: vec![("recipients.svg".into(), self.plot(&by_k))],
            data: vec![(self.source.data.name().to_owned(), self.source.sha256.clone())],
            timing,
        })
    }
}

fn cell_name(k: usize, c: usize) -> String {
    format!("k{k}-c{c}")
}

impl Fingerprints {
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
        let Source { data, hierarchies, .. } = &self.source;
        Plan::from_nodes(data, hierarchies, &[], &options, nodes)
    }

    fn summary(&self, by_k: &[&[Plan]]) -> Vec<String> {
        let mut lines = vec![format!(
            "{} records, {} quasi-identifiers, F = {} patterns",
            self.source.data.records(),
            self.source.hierarchies.len(),
            by_k.first().and_then(|p| p.first()).map_or(0, |p| p.upper_bound),
        )];
        for plans in by_k {
            let most = |plan: &Plan| format!("{} at c = {}", served(plan), plan.options.collusion);
            let all: Vec<String> = plans.iter().map(most).collect();
            if let Some(plan) = plans.first() {
                let (k, anonymous) = (plan.options.k, plan.anonymous);
                let recipients = all.join(", ");
                lines.push(format!("k = {k}: {anonymous} patterns; recipients: {recipients}"));
            }
        }
        lines
    }

    /// A row for each k and cluster, a column for each size of coalition.
    fn clusters(&self, by_k: &[&[Plan]]) -> Table {
        let sizes = self.collusion.iter().map(|c| format!("c = {c}"));
        let fixed = ["k", "loss", "patterns"].map(String::from);
        let mut grid = Table::new(fixed.into_iter().chain(sizes));
        for plans in by_k {
            let Some(first) = plans.first() else { continue };
            for (i, cluster) in first.clusters.iter().enumerate() {
                let mut row = vec![
                    first.options.k.to_string(),
                    shown_loss(cluster),
                    cluster.patterns.to_string(),
                ];
                row.extend(plans.iter().map(|plan| interval(&plan.clusters[i])));
                grid.row(row);
            }
        }
        grid
    }

    fn plot(&self, by_k: &[&[Plan]]) -> String {
        let line = |plan: &Plan| {
            let points = plan.clusters.iter().map(|c| (c.least_loss, c.recipients() as f64));
            let name = format!("c = {}", plan.options.collusion);
            (Series { name, points: points.collect() }, Mark::Line)
        };
        let chart = |plans: &&[Plan]| Chart {
            title: format!("k = {}", plans.first().map_or(0, |p| p.options.k)),
            x_label: format!("loss ({})", self.metric.name()),
            y_label: "recipients".into(),
            log_y: true,
            x_names: Vec::new(),
            series: plans.iter().map(line).collect(),
        };
        panels(&by_k.iter().map(chart).collect::<Vec<Chart>>())
    }
}

fn patterns(by_k: &[&[Plan]]) -> Table {
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
            plan.options.k.to_string(),
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
fn collusion(plans: &[Plan]) -> Table {
    let header =
        ["k", "c", "recipients", "at most", "loss", "precision loss", "price", "proven clusters"];
    let mut grid = Table::new(header);
    for plan in plans {
        let best = plan.clusters.iter().find(|c| c.recipients() == plan.most_recipients());
        let Some(best) = best else { continue };
        let proven = plan.clusters.iter().filter(|c| c.recipients() == c.at_most).count();
        grid.row([
            plan.options.k.to_string(),
            plan.options.collusion.to_string(),
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
fn served(plan: &Plan) -> String {
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
