//! Steps 1 to 8: all patterns that could be handed out, and how many recipients they serve.

use super::cluster::Clustering;
use super::collusion::Safety;
use super::levels::{Appearances, TellApart};
use super::pattern::GeneralizationPattern;
use super::release::Assignment;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::lattice::{Criteria, Hierarchy, Lattice, LatticeMetric, NodeRecord, enumerate};
use crate::listener::Listener;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a plan is to hold (step 1).
#[derive(Debug, Clone, PartialEq)]
pub struct PlanOptions {
    /// Least size of a class.
    pub k: usize,
    /// How information loss is measured.
    pub metric: LatticeMetric,
    /// Least information loss; patterns below it are left out.
    pub min_loss: f64,
    /// Greatest information loss.
    pub max_loss: f64,
    /// What counts as equal information loss.
    pub clustering: Clustering,
    /// Size of the largest coalition the patterns must withstand; 1 for none.
    pub collusion: usize,
    /// From how much of a file its recipient is to be told.
    pub tell_apart: TellApart,
    /// Questions after which the search for a largest safe family stops.
    pub effort: u64,
}

impl PlanOptions {
    /// k-anonymity, with any loss and without collusion.
    pub fn new(k: usize, metric: LatticeMetric) -> Self {
        Self {
            k,
            metric,
            min_loss: 0.0,
            max_loss: f64::INFINITY,
            clustering: Clustering::Exact,
            collusion: 1,
            tell_apart: TellApart::Record,
            effort: DEFAULT_EFFORT,
        }
    }

    fn check(&self) -> Result<()> {
        if self.k == 0 {
            return Err(Error::parameter("k", 0, "but k is at least 1"));
        }
        if !(1..=MOST_COLLUSION).contains(&self.collusion) {
            let problem = format!("but coalitions of 1 to {MOST_COLLUSION} are supported");
            return Err(Error::parameter("collusion", self.collusion, problem));
        }
        if self.min_loss.is_nan() || self.max_loss.is_nan() || self.min_loss > self.max_loss {
            let problem = format!("but max-loss = {}; the bounds must ascend", self.max_loss);
            return Err(Error::parameter("min-loss", self.min_loss, problem));
        }
        Ok(())
    }

    fn within_bounds(&self, loss: f64) -> bool {
        // Sums of fractions are rounded; a bound of 0.3 admits 0.1 + 0.2.
        let slack = 1e-9 * loss.abs().max(1.0);
        loss >= self.min_loss - slack && loss <= self.max_loss + slack
    }
}

/// Questions a search may ask by default: about a second for each cluster.
pub const DEFAULT_EFFORT: u64 = 5_000_000;

/// Larger coalitions are refused: their sets are too many to look at.
const MOST_COLLUSION: usize = 8;

/// A pattern that is k-anonymous, with what it loses (step 7).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnonymousPattern {
    /// The level of each quasi-identifier.
    pub levels: GeneralizationPattern,
    /// Information loss by the plan's metric.
    pub loss: f64,
    /// Information loss by the Precision metric, for comparing plans.
    pub precision: f64,
    /// Size of the smallest class.
    pub k: usize,
}

/// Solutions of about the same loss (step 8).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// The first of its solutions.
    pub first: usize,
    /// Number of its solutions.
    pub patterns: usize,
    /// Least loss.
    pub least_loss: f64,
    /// Greatest loss.
    pub greatest_loss: f64,
    /// The solutions that may be handed out together, as many as were found.
    pub chosen: Vec<usize>,
    /// No more can be handed out together; proven.
    pub at_most: usize,
    /// Mean Precision loss of the chosen solutions.
    pub precision: f64,
    /// What safety costs: their mean Precision loss less that of the least lossy patterns for
    /// as many recipients who do not collude, of the cheapest cluster that has so many.
    pub price: f64,
}

impl Cluster {
    /// How many recipients it serves.
    pub fn recipients(&self) -> usize {
        self.chosen.len()
    }

    /// The positions of its solutions.
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.patterns
    }
}

/// The file a plan was made for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedFile {
    /// What it was called.
    pub name: String,
    /// Number of records.
    pub records: usize,
    /// SHA-256 of its values.
    pub sha256: String,
}

/// All k-anonymous patterns within bounds, clustered by loss, and who received which.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What was asked for.
    pub options: PlanOptions,
    /// The upper bound F: the number of nodes of the lattice.
    pub upper_bound: usize,
    /// Number of k-anonymous nodes, of any loss.
    pub anonymous: usize,
    /// Loss and number of patterns of the largest cluster, were there no bounds.
    pub unbounded: (f64, usize),
    /// The file.
    pub file: PlannedFile,
    /// Attributes that releases leave out.
    pub dropped: Vec<String>,
    /// The hierarchies of the quasi-identifiers.
    pub hierarchies: Vec<Hierarchy>,
    /// The k-anonymous patterns within the bounds, by loss.
    pub solutions: Vec<AnonymousPattern>,
    /// Clusters of solutions, by loss.
    pub clusters: Vec<Cluster>,
    /// Who received which pattern.
    pub assignments: Vec<Assignment>,
}

impl Plan {
    /// Plans fingerprints of `data`; `dropped` are attributes that releases leave out.
    ///
    /// Fails when no pattern is k-anonymous within the bounds of the loss, and on what
    /// [`enumerate`] refuses. Cost: that of [`enumerate`], and of one search per cluster
    /// bounded by the effort.
    pub fn make(
        data: &Dataset,
        hierarchies: &[Hierarchy],
        dropped: &[String],
        options: &PlanOptions,
        listener: &dyn Listener,
    ) -> Result<Self> {
        let nodes = enumerate(data, hierarchies, &Criteria::k(1), listener)?;
        Self::from_nodes(data, hierarchies, dropped, options, &nodes)
    }

    /// As [`Plan::make`], with the nodes that [`enumerate`] gave for any k: several plans for
    /// one file share them.
    pub fn from_nodes(
        data: &Dataset,
        hierarchies: &[Hierarchy],
        dropped: &[String],
        options: &PlanOptions,
        nodes: &[NodeRecord],
    ) -> Result<Self> {
        options.check()?;
        let anonymous: Vec<bool> = nodes.iter().map(|node| node.k >= options.k).collect();
        let all = sorted_solutions(nodes, options);
        let kept = |s: &&AnonymousPattern| options.within_bounds(s.loss);
        let solutions: Vec<AnonymousPattern> = all.iter().filter(kept).cloned().collect();
        if solutions.is_empty() {
            return Err(no_solution(nodes, &all, options));
        }
        let levels: Vec<usize> = hierarchies.iter().map(Hierarchy::levels).collect();
        let safety = Safety {
            collusion: options.collusion,
            lattice: &Lattice::new(&levels)?,
            anonymous: &anonymous,
            appearances: &Appearances::new(data, hierarchies, options.tell_apart)?,
        };
        Ok(Self {
            upper_bound: nodes.len(),
            anonymous: all.len(),
            unbounded: largest_cluster(&all, options.clustering),
            file: planned_file(data)?,
            dropped: dropped.to_vec(),
            hierarchies: hierarchies.to_vec(),
            clusters: clusters(&solutions, &safety, options),
            solutions,
            options: options.clone(),
            assignments: Vec::new(),
        })
    }

    /// Names of the quasi-identifiers.
    pub fn quasi(&self) -> Vec<String> {
        self.hierarchies.iter().map(|h| h.attribute().to_owned()).collect()
    }

    /// The most recipients that one cluster serves.
    pub fn most_recipients(&self) -> usize {
        self.clusters.iter().map(Cluster::recipients).max().unwrap_or(0)
    }

    /// The lattice the patterns are nodes of.
    pub fn lattice(&self) -> Result<Lattice> {
        let levels: Vec<usize> = self.hierarchies.iter().map(Hierarchy::levels).collect();
        Lattice::new(&levels)
    }

    /// Fails when `data` are not the records the plan was made for.
    pub fn check_file(&self, data: &Dataset) -> Result<()> {
        let given = planned_file(data)?;
        if (given.records, &given.sha256) == (self.file.records, &self.file.sha256) {
            return Ok(());
        }
        let problem = format!(
            "not the records of {} that the plan was made for ({} records, SHA-256 {}...); name \
             that file, or make a new plan",
            self.file.name,
            self.file.records,
            self.file.sha256.get(..12).unwrap_or(&self.file.sha256),
        );
        Err(Error::input(data.name(), problem))
    }
}

/// The mark of `data` by its values; the format it was stored in does not matter.
fn planned_file(data: &Dataset) -> Result<PlannedFile> {
    let bytes = data.to_bytes(std::path::Path::new("values.csv"))?;
    Ok(PlannedFile {
        name: data.name().to_owned(),
        records: data.records(),
        sha256: crate::files::sha256(&bytes),
    })
}

/// The k-anonymous nodes by loss; those of one loss by the level of the last quasi-identifier,
/// then the last but one, as the paper lists its clusters.
fn sorted_solutions(nodes: &[NodeRecord], options: &PlanOptions) -> Vec<AnonymousPattern> {
    let solution = |node: &NodeRecord| AnonymousPattern {
        levels: node.levels.clone(),
        loss: node.loss(options.metric),
        precision: node.precision,
        k: node.k,
    };
    let mut all: Vec<AnonymousPattern> =
        nodes.iter().filter(|node| node.k >= options.k).map(solution).collect();
    all.sort_by(|a, b| {
        let levels = || a.levels.iter().rev().cmp(b.levels.iter().rev());
        a.loss.total_cmp(&b.loss).then_with(levels)
    });
    all
}

fn largest_cluster(all: &[AnonymousPattern], clustering: Clustering) -> (f64, usize) {
    let losses: Vec<f64> = all.iter().map(|s| s.loss).collect();
    let ranges = clustering.ranges(&losses, 0.0);
    // The least loss among the largest.
    let largest = ranges.iter().rev().max_by_key(|range| range.len());
    largest.map_or((0.0, 0), |range| (losses[range.start], range.len()))
}

fn clusters(
    solutions: &[AnonymousPattern],
    safety: &Safety<'_>,
    options: &PlanOptions,
) -> Vec<Cluster> {
    let losses: Vec<f64> = solutions.iter().map(|s| s.loss).collect();
    let ranges = options.clustering.ranges(&losses, options.min_loss);
    let cluster = |range: &Range<usize>| {
        let found = safety.largest(&solutions[range.clone()], options.effort);
        let chosen: Vec<usize> = found.members.iter().map(|i| range.start + i).collect();
        let mean = mean_precision(chosen.iter().map(|&i| &solutions[i]));
        Cluster {
            first: range.start,
            patterns: range.len(),
            least_loss: losses[range.start],
            greatest_loss: losses[range.end - 1],
            price: difference(mean, cheapest_precision(solutions, &ranges, chosen.len())),
            precision: mean,
            at_most: found.bound,
            chosen,
        }
    };
    ranges.iter().map(cluster).collect()
}

/// `a - b`, without the rounding of sums in another order.
fn difference(a: f64, b: f64) -> f64 {
    let difference = a - b;
    if difference.abs() < 1e-9 { 0.0 } else { difference }
}

fn mean_precision<'a>(solutions: impl ExactSizeIterator<Item = &'a AnonymousPattern>) -> f64 {
    let count = solutions.len() as f64;
    solutions.map(|s| s.precision).sum::<f64>() / count
}

/// Mean Precision loss of the `count` least lossy patterns of the cheapest cluster with so many.
fn cheapest_precision(
    solutions: &[AnonymousPattern],
    ranges: &[Range<usize>],
    count: usize,
) -> f64 {
    let Some(range) = ranges.iter().find(|range| range.len() >= count) else { return f64::NAN };
    let mut precise: Vec<&AnonymousPattern> = solutions[range.clone()].iter().collect();
    precise.sort_by(|a, b| a.precision.total_cmp(&b.precision));
    mean_precision(precise.into_iter().take(count))
}

fn no_solution(nodes: &[NodeRecord], all: &[AnonymousPattern], options: &PlanOptions) -> Error {
    if all.is_empty() {
        let most = nodes.iter().map(|node| node.k).max().unwrap_or(0);
        let problem = format!(
            "but no generalization is so anonymous: the largest k is {most}; lower k, leave a \
             quasi-identifier out, or put `*` on top of the hierarchies"
        );
        return Error::parameter("k", options.k, problem);
    }
    let below = all.iter().rev().find(|s| s.loss < options.min_loss);
    let above = all.iter().find(|s| s.loss > options.max_loss);
    let nearest: Vec<String> = [(below, "below", "`min_loss`"), (above, "above", "`max_loss`")]
        .iter()
        .filter_map(|(solution, side, flag)| {
            solution.map(|s| format!("{side} them {} at {:?} (set {flag} to it)", s.loss, s.levels))
        })
        .collect();
    let problem = format!(
        "but none of the {} {}-anonymous generalizations is within the bounds; the nearest \
         losses are {}",
        all.len(),
        options.k,
        nearest.join(" and "),
    );
    let bounds = format!("{}..{}", options.min_loss, options.max_loss);
    Error::parameter("loss", bounds, problem)
}
