//! Probabilistic record linkage: agreement patterns weighed by Fellegi and Sunter,
//! the probabilities found by expectation maximization.
//!
//! I.P. Fellegi, A.B. Sunter, "A theory for record linkage", JASA 64 (1969),
//! doi:10.1080/01621459.1969.10501049; M.A. Jaro, "Advances in record-linkage
//! methodology as applied to matching the 1985 census of Tampa, Florida", JASA
//! 84 (1989), doi:10.1080/01621459.1989.10478785.

use super::assignment::{self, Costs};
use super::{Links, Release};
use crate::distance::{AttributeDistances, Standardization};
use crate::error::{Error, Result};
use crate::listener::Listener;
use rayon::prelude::*;

/// Share of the original's standard deviation within which numbers agree, unless told otherwise.
pub const DEFAULT_TOLERANCE: f64 = 0.25;

/// The most attributes: there are 2 to this power patterns.
const MOST_ATTRIBUTES: usize = 16;

/// Probabilities stay this far from 0 and 1, so that no single attribute excludes a pair.
const MARGIN: f64 = 1e-6;

/// How likely an attribute agrees, for pairs that belong together and for others.
#[derive(Debug, Clone, PartialEq)]
pub struct FellegiSunter {
    /// P(agree | match) of each attribute.
    pub m: Vec<f64>,
    /// P(agree | no match) of each attribute.
    pub u: Vec<f64>,
    /// Share of the pairs that match.
    pub share: f64,
    /// Number of iterations until nothing moved.
    pub iterations: usize,
}

impl FellegiSunter {
    /// Fits the model to the number of pairs with each agreement pattern: bit k of
    /// a pattern is set when attribute k agrees, and `counts` has 2^attributes entries.
    ///
    /// Attributes are taken to agree independently given that a pair matches or
    /// not. With `share` given, that share of matches is kept; else it is estimated.
    /// Stops when no probability moves by more than 1e-10, or after 10,000
    /// iterations of O(2^attributes).
    pub fn fit(counts: &[u64], share: Option<f64>) -> Self {
        let attributes = counts.len().ilog2() as usize;
        let total = counts.iter().sum::<u64>() as f64;
        let agreeing = |k: usize| {
            let set = counts.iter().enumerate().filter(|(pattern, _)| pattern >> k & 1 == 1);
            set.map(|(_, c)| *c).sum::<u64>() as f64
        };
        let mut model = Self {
            m: vec![0.9; attributes],
            u: (0..attributes).map(|k| inside(agreeing(k) / total)).collect(),
            share: share.unwrap_or(0.1),
            iterations: 0,
        };
        while model.iterations < 10_000 {
            let next = model.improved(counts, share);
            let moved = model.distance(&next);
            model = next;
            if moved < 1e-10 {
                break;
            }
        }
        model
    }

    /// One expectation and one maximization step.
    fn improved(&self, counts: &[u64], share: Option<f64>) -> Self {
        let attributes = self.m.len();
        let (mut matches, mut others) = (0.0, 0.0);
        let (mut m, mut u) = (vec![0.0; attributes], vec![0.0; attributes]);
        for (pattern, &count) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
            let probability = self.match_probability(pattern);
            let expected = count as f64 * probability;
            let rest = count as f64 * (1.0 - probability);
            matches += expected;
            others += rest;
            for k in (0..attributes).filter(|k| pattern >> k & 1 == 1) {
                m[k] += expected;
                u[k] += rest;
            }
        }
        let rates = |sums: Vec<f64>, of: f64| sums.into_iter().map(|s| inside(s / of)).collect();
        Self {
            m: rates(m, matches),
            u: rates(u, others),
            share: share.unwrap_or_else(|| inside(matches / (matches + others))),
            iterations: self.iterations + 1,
        }
    }

    /// P(match | pattern).
    fn match_probability(&self, pattern: usize) -> f64 {
        let odds = self.weight(pattern) + (self.share / (1.0 - self.share)).ln();
        1.0 / (1.0 + (-odds).exp())
    }

    /// The log-likelihood ratio of a pattern: how much it speaks for a match.
    pub fn weight(&self, pattern: usize) -> f64 {
        let term = |(k, (m, u)): (usize, (&f64, &f64))| match pattern >> k & 1 {
            1 => (m / u).ln(),
            _ => ((1.0 - m) / (1.0 - u)).ln(),
        };
        self.m.iter().zip(&self.u).enumerate().map(term).sum()
    }

    fn distance(&self, other: &Self) -> f64 {
        let pairs = self.m.iter().zip(&other.m).chain(self.u.iter().zip(&other.u));
        let moved = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        moved.max((self.share - other.share).abs())
    }
}

/// `probability` kept off 0 and 1.
fn inside(probability: f64) -> f64 {
    match probability.is_nan() {
        true => 0.5,
        false => probability.clamp(MARGIN, 1.0 - MARGIN),
    }
}

/// Links by the assignment of greatest total weight.
pub(super) fn link<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    tolerance: f64,
    listener: &dyn Listener,
) -> Result<Links> {
    if !(tolerance > 0.0 && tolerance < 1.0) {
        let problem = "but it is a share of the standard deviation between 0 and 1";
        return Err(Error::parameter("tolerance", tolerance, problem));
    }
    if names.len() > MOST_ATTRIBUTES {
        let problem = format!(
            "{} attributes, but agreement patterns take at most {MOST_ATTRIBUTES}; name fewer",
            names.len()
        );
        return Err(Error::parameter("attributes", names.len(), problem));
    }
    let distances = release.distances(names, Standardization::Original)?;
    assignment::check_size(distances.records(), release)?;
    let share = 1.0 / release.released().records() as f64;
    let model = FellegiSunter::fit(&pattern_counts(&distances, tolerance), Some(share));
    let weights: Vec<f64> = (0..1usize << names.len()).map(|p| model.weight(p)).collect();
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let costs = PatternCosts {
        distances: &distances,
        tolerance,
        costs: weights.into_iter().map(|w| most - w).collect(),
    };
    assignment::link(&costs, release, |cost| cost, listener)
}

/// Number of pairs with each agreement pattern.
fn pattern_counts(distances: &AttributeDistances, tolerance: f64) -> Vec<u64> {
    let [originals, released] = distances.records();
    let patterns = 1usize << distances.len();
    let add = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let empty = || (vec![0u64; patterns], vec![0u32; released]);
    (0..originals)
        .into_par_iter()
        .fold(empty, |(mut counts, mut row), i| {
            distances.agreements(i, tolerance, &mut row);
            row.iter().for_each(|&pattern| counts[pattern as usize] += 1);
            (counts, row)
        })
        .map(|(counts, _)| counts)
        .reduce(|| vec![0; patterns], add)
}

/// The cost of a pair: how far its weight is below the greatest one.
struct PatternCosts<'a> {
    distances: &'a AttributeDistances,
    tolerance: f64,
    costs: Vec<f64>,
}

impl Costs for PatternCosts<'_> {
    fn size(&self) -> [usize; 2] {
        self.distances.records()
    }

    fn row(&self, i: usize, out: &mut [f64]) {
        let mut patterns = vec![0u32; out.len()];
        self.distances.agreements(i, self.tolerance, &mut patterns);
        for (cost, pattern) in out.iter_mut().zip(patterns) {
            *cost = self.costs[pattern as usize];
        }
    }
}
