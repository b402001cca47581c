//! Which attributes carry the worst case.
//!
//! The weights alone do not say: a weight may be free to move, and another
//! attribute may carry the same information. So the worst case is also solved
//! without each attribute, and with a release in which its protection is
//! stronger. Section 4.4 of D. Abril, G. Navarro-Arribas, V. Torra (2012),
//! doi:10.1016/j.inffus.2011.05.001, reads key attributes from the weights.

use super::{Learner, SolverChoice, WorstCase, worst_case};
use crate::error::{Error, Result};
use crate::linkage::Release;
use crate::words::whole_where_possible;
use serde::Serialize;
use std::time::Duration;
use unmask_solvers::{Limits, Listener};

/// How many records the best weights re-identify, and how many at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Records that the weights found re-identify, as the search counted them.
    #[serde(serialize_with = "whole_where_possible")]
    pub reidentified: f64,
    /// Proven: no weights re-identify more.
    #[serde(serialize_with = "whole_where_possible")]
    pub upper_bound: f64,
    /// True when both are equal.
    pub proven_optimal: bool,
    /// `reidentified` as a share of the records.
    pub rate: f64,
    /// `upper_bound` as a share of the records.
    pub upper_bound_rate: f64,
}

impl Bounds {
    /// What `found` says.
    pub fn of(found: &WorstCase) -> Self {
        Self::new(found.found(), found.upper_bound(), found.proven_optimal(), found.records())
    }

    /// So many found, and so many at most, of `records`.
    pub fn new(reidentified: f64, upper_bound: f64, proven_optimal: bool, records: usize) -> Self {
        let share = |count: f64| count / records.max(1) as f64;
        Self {
            reidentified,
            upper_bound,
            proven_optimal,
            rate: share(reidentified),
            upper_bound_rate: share(upper_bound),
        }
    }
}

/// A weight and how far it can move while the same records stay re-identified.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeightRange {
    /// What the weight belongs to.
    pub name: String,
    /// The weight found.
    pub weight: f64,
    /// Its least value; none where the range was not found.
    pub low: Option<f64>,
    /// Its greatest value; none where the range was not found.
    pub high: Option<f64>,
}

impl WeightRange {
    /// The weights of `found`, called `names`, with their ranges.
    ///
    /// A linear program that fails leaves the ranges out: the weights, which may have
    /// taken long to find, are not lost.
    pub fn of(found: &WorstCase, names: Vec<String>) -> Vec<Self> {
        Self::until(found, names, &())
    }

    /// The same; the ranges are left out when `listener` interrupts.
    pub fn until(found: &WorstCase, names: Vec<String>, listener: &dyn Listener) -> Vec<Self> {
        let ranges = found.weight_ranges_until(listener).ok().flatten();
        let range = |k: usize| ranges.as_ref().and_then(|ranges| ranges.get(k));
        let weight = |(k, (name, weight)): (usize, (String, &f64))| Self {
            name,
            weight: *weight,
            low: range(k).map(|r| r[0]),
            high: range(k).map(|r| r[1]),
        };
        names.into_iter().zip(found.outcome.weights()).enumerate().map(weight).collect()
    }

    /// True when the weight can more than double within its range, or its range is not known: it
    /// then tells nothing about its attribute.
    pub fn tells_nothing(&self) -> bool {
        match (self.low, self.high) {
            (Some(low), Some(high)) => low < high / 2.0,
            _ => true,
        }
    }

    /// The ends of the range; the weight itself where the range was not found.
    pub fn ends(&self) -> [f64; 2] {
        [self.low.unwrap_or(self.weight), self.high.unwrap_or(self.weight)]
    }
}

/// The least number of nodes a further search may use.
const FEWEST_NODES: u64 = 10_000;

/// A further search may use this many times the nodes of the first.
const MORE_NODES: u64 = 4;

/// Further searches for the worst case, on other attributes or another release.
#[derive(Debug)]
pub struct FurtherSearches<'a> {
    attributes: &'a [String],
    learner: Learner<'a>,
}

impl<'a> FurtherSearches<'a> {
    /// Prepares searches like the one that gave `first`.
    ///
    /// Where `learner` has no limit of nodes each gets four times as many as the first
    /// needed, at least 10,000. A MILP is replaced by the exact search.
    pub fn new(attributes: &'a [String], learner: &Learner<'a>, first: &WorstCase) -> Self {
        let solver = match learner.solver {
            SolverChoice::Heuristic => SolverChoice::Heuristic,
            _ => SolverChoice::Exact,
        };
        let most = first.outcome.nodes().saturating_mul(MORE_NODES).max(FEWEST_NODES);
        let limits = Limits {
            time: learner.limits.time,
            nodes: learner.limits.nodes.or(Some(most)),
            threads: learner.limits.threads,
        };
        Self { attributes, learner: Learner { solver, limits, ..learner.clone() } }
    }

    /// Searches from now on take at most `time`.
    pub fn take_at_most(&mut self, time: Option<Duration>) {
        self.learner.limits.time = time;
    }

    /// The worst case of `release` without `attribute`; none when it is the only one, or when
    /// there was no time to count anything.
    pub fn without(
        &self,
        release: &Release,
        attribute: &str,
        listener: &dyn Listener,
    ) -> Result<Option<Bounds>> {
        let others: Vec<&String> =
            self.attributes.iter().filter(|name| *name != attribute).collect();
        match others.is_empty() {
            true => Ok(None),
            false => self.search(release, &others, listener),
        }
    }

    /// The worst case of another release; none when there was no time to count anything.
    pub fn on(&self, release: &Release, listener: &dyn Listener) -> Result<Option<Bounds>> {
        self.search(release, self.attributes, listener)
    }

    fn search<S: AsRef<str>>(
        &self,
        release: &Release,
        names: &[S],
        listener: &dyn Listener,
    ) -> Result<Option<Bounds>> {
        if listener.interrupted() {
            return Ok(None);
        }
        match worst_case(release, names, &self.learner, listener) {
            Err(Error::Interrupted) => Ok(None),
            found => Ok(Some(Bounds::of(&found?))),
        }
    }
}
