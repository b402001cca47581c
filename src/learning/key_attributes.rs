//! Which attributes carry the worst case.
//!
//! The weights alone do not say: a weight may be free to move, and another
//! attribute may carry the same information. So the worst case is also solved
//! without each attribute, and with a release in which its protection is
//! stronger. Section 4.4 of D. Abril, G. Navarro-Arribas, V. Torra (2012),
//! doi:10.1016/j.inffus.2011.05.001, reads key attributes from the weights.

use super::{Learner, SolverChoice, WorstCase, worst_case};
use crate::error::Result;
use crate::linkage::Release;
use serde::Serialize;
use unmask_solvers::{Limits, Listener};

/// How many records the best weights re-identify, and how many at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Records that the weights found re-identify.
    pub reidentified: usize,
    /// Proven: no weights re-identify more.
    pub upper_bound: usize,
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
        let records = found.reidentified.len().max(1) as f64;
        let (reidentified, upper_bound) = (found.count(), found.upper_bound());
        Self {
            reidentified,
            upper_bound,
            proven_optimal: found.outcome.proven_optimal(),
            rate: reidentified as f64 / records,
            upper_bound_rate: upper_bound as f64 / records,
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
        let ranges = found.weight_ranges().ok();
        let range = |k: usize| ranges.as_ref().and_then(|ranges| ranges.get(k));
        let weight = |(k, (name, weight)): (usize, (String, &f64))| Self {
            name,
            weight: *weight,
            low: range(k).map(|r| r[0]),
            high: range(k).map(|r| r[1]),
        };
        names.into_iter().zip(found.outcome.weights()).enumerate().map(weight).collect()
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
    /// Prepares `searches` searches like the one that gave `first`.
    ///
    /// They share `learner`'s time; where it has no limit of nodes each gets four
    /// times as many as the first needed, at least 10,000. A MILP is replaced by
    /// the exact search.
    pub fn new(
        attributes: &'a [String],
        learner: &Learner<'a>,
        first: &WorstCase,
        searches: usize,
    ) -> Self {
        let solver = match learner.solver {
            SolverChoice::Heuristic => SolverChoice::Heuristic,
            _ => SolverChoice::Exact,
        };
        let most = first.outcome.nodes().saturating_mul(MORE_NODES).max(FEWEST_NODES);
        let limits = Limits {
            time: learner.limits.time.map(|time| time / searches.max(1) as u32),
            nodes: learner.limits.nodes.or(Some(most)),
            threads: learner.limits.threads,
        };
        Self { attributes, learner: Learner { solver, limits, ..learner.clone() } }
    }

    /// The worst case of `release` without `attribute`; none when it is the only one.
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
            false => self.search(release, &others, listener).map(Some),
        }
    }

    /// The worst case of another release.
    pub fn on(&self, release: &Release, listener: &dyn Listener) -> Result<Bounds> {
        self.search(release, self.attributes, listener)
    }

    fn search<S: AsRef<str>>(
        &self,
        release: &Release,
        names: &[S],
        listener: &dyn Listener,
    ) -> Result<Bounds> {
        Ok(Bounds::of(&worst_case(release, names, &self.learner, listener)?))
    }
}
