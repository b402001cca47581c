//! Probabilistic record linkage: agreement patterns weighed by Fellegi and Sunter,
//! the probabilities found by expectation maximization.
//!
//! I.P. Fellegi, A.B. Sunter, "A theory for record linkage", JASA 64 (1969),
//! doi:10.1080/01621459.1969.10501049; M.A. Jaro, "Advances in record-linkage
//! methodology as applied to matching the 1985 census of Tampa, Florida", JASA
//! 84 (1989), doi:10.1080/01621459.1989.10478785.

use super::assignment::{self, ASSIGNMENT_LIMIT, Costs};
use super::distance_based::{DistanceScale, Space};
use super::{Links, Release, SparseSearch, sparse};
use crate::distance::{AttributeDistances, Standardization};
use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::random::generator;
use crate::spatial::leaves::{AttributeAgreement, Geometry};
use rand::seq::index;
use rayon::prelude::*;

/// Share of the original's standard deviation within which numbers agree, unless told otherwise.
pub const DEFAULT_TOLERANCE: f64 = 0.25;

/// The most attributes: there are 2 to this power patterns.
const MOST_ATTRIBUTES: usize = 16;

/// Probabilities stay this far from 0 and 1, so that no single attribute excludes a pair.
const MARGIN: f64 = 1e-6;

/// The most pairs whose agreement patterns are counted; of more, those of a sample of the
/// original records with all released ones.
const MOST_PAIRS: usize = 1_000_000_000;

/// The seed of that sample.
const SAMPLE_SEED: u64 = 17;

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
        let (model, _) = Self::fit_until(counts, share, || false);
        model
    }

    /// As [`FellegiSunter::fit`], unless `stop` says so before; true when it did.
    fn fit_until(counts: &[u64], share: Option<f64>, stop: impl Fn() -> bool) -> (Self, bool) {
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
            if stop() {
                return (model, true);
            }
            let next = model.improved(counts, share);
            let moved = model.distance(&next);
            model = next;
            if moved < 1e-10 {
                break;
            }
        }
        (model, false)
    }

    /// One expectation and one maximization step.
    fn improved(&self, counts: &[u64], share: Option<f64>) -> Self {
        let attributes = self.m.len();
        let (mut matches, mut others) = (0.0, 0.0);
        let (mut m, mut u) = (vec![0.0; attributes], vec![0.0; attributes]);
        let terms = self.terms();
        let prior = (self.share / (1.0 - self.share)).ln();
        for (pattern, &count) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
            // P(match | pattern).
            let probability = 1.0 / (1.0 + (-(weight(&terms, pattern) + prior)).exp());
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

    /// The log-likelihood ratio of a pattern: how much it speaks for a match.
    pub fn weight(&self, pattern: usize) -> f64 {
        weight(&self.terms(), pattern)
    }

    /// What differing and agreeing on each attribute adds to a weight.
    fn terms(&self) -> Vec<[f64; 2]> {
        let term = |(m, u): (&f64, &f64)| [((1.0 - m) / (1.0 - u)).ln(), (m / u).ln()];
        self.m.iter().zip(&self.u).map(term).collect()
    }

    fn distance(&self, other: &Self) -> f64 {
        let pairs = self.m.iter().zip(&other.m).chain(self.u.iter().zip(&other.u));
        let moved = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        moved.max((self.share - other.share).abs())
    }
}

fn weight(terms: &[[f64; 2]], pattern: usize) -> f64 {
    terms.iter().enumerate().map(|(k, term)| term[pattern >> k & 1]).sum()
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
    let sample = sampled_originals(distances.records());
    let counts =
        pattern_counts(&distances, &sample, tolerance, listener).ok_or(Error::Interrupted)?;
    let (model, stop) = FellegiSunter::fit_until(&counts, Some(share), || listener.interrupted());
    if stop {
        return Err(Error::Interrupted);
    }
    if distances.records()[1] > ASSIGNMENT_LIMIT {
        let space = agreement_space(&distances, tolerance, &model);
        let Links(links, search) = sparse::link(&space, release, listener)?;
        let patterns_of = (sample.len() < distances.records()[0]).then_some(sample.len());
        return Ok(Links(links, search.map(|search| SparseSearch { patterns_of, ..search })));
    }
    let weights: Vec<f64> = (0..1usize << names.len()).map(|p| model.weight(p)).collect();
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let costs = PatternCosts {
        distances: &distances,
        tolerance,
        costs: weights.into_iter().map(|w| most - w).collect(),
    };
    assignment::link(&costs, release, |cost| cost, listener)
}

/// The original records whose patterns are counted: all of them, or a sample.
fn sampled_originals([originals, released]: [usize; 2]) -> Vec<usize> {
    let most = (MOST_PAIRS / released).max(1);
    if originals <= most {
        return (0..originals).collect();
    }
    let mut rows = index::sample(&mut generator(SAMPLE_SEED, 0), originals, most).into_vec();
    rows.sort_unstable();
    rows
}

/// The space in which a pair is as far apart as its weight is below the greatest one.
fn agreement_space(distances: &AttributeDistances, tolerance: f64, model: &FellegiSunter) -> Space {
    let mut attributes = Vec::new();
    let (mut original, mut released) = (Vec::new(), Vec::new());
    let coordinates = distances.agreement_coordinates(tolerance);
    for ((own, limit), [differs, agrees]) in coordinates.into_iter().zip(model.terms()) {
        let most = agrees.max(differs);
        attributes.push(AttributeAgreement {
            metrics: own.metrics,
            limit,
            agreeing: most - agrees,
            differing: most - differs,
        });
        original.extend(own.original);
        released.extend(own.released);
    }
    let geometry = Geometry::Agreement(attributes);
    Space { geometry, original, released, scale: DistanceScale::MeanOf(1.0), ties: None }
}

/// Number of pairs of the `rows` of the original with each agreement pattern; `None` when the
/// listener interrupts.
fn pattern_counts(
    distances: &AttributeDistances,
    rows: &[usize],
    tolerance: f64,
    listener: &dyn Listener,
) -> Option<Vec<u64>> {
    let released = distances.records()[1];
    let patterns = 1usize << distances.len();
    let add = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let empty = || (vec![0u64; patterns], vec![0u32; released]);
    let counts = rows
        .par_iter()
        .take_any_while(|_| !listener.interrupted())
        .fold(empty, |(mut counts, mut row), &i| {
            distances.agreements(i, tolerance, &mut row);
            row.iter().for_each(|&pattern| counts[pattern as usize] += 1);
            (counts, row)
        })
        .map(|(counts, _)| counts)
        .reduce(|| vec![0; patterns], add);
    (!listener.interrupted()).then_some(counts)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Dataset, ReadOptions};

    /// Numbers, labels, missing and generalized values, a few of each.
    fn mixed(records: usize, stream: u64) -> Dataset {
        use rand::RngExt;
        let mut random = generator(3, stream);
        let mut text = String::from("x,y,town\n");
        for _ in 0..records {
            let number = |n: u32| if n == 0 { "?".to_owned() } else { (n * n).to_string() };
            let x = number(random.random_range(0..40));
            let y = number(random.random_range(1..30));
            let town = ["a", "b", "c", "?", "*"][random.random_range(0..5)];
            text.push_str(&format!("{x},{y},{town}\n"));
        }
        Dataset::from_csv("mixed", text.as_bytes(), &ReadOptions::default()).expect("well-formed")
    }

    #[test]
    fn pairs_are_as_far_apart_in_the_agreement_space_as_their_weight_is_below_the_greatest() {
        let release = Release::by_row(mixed(60, 0), mixed(60, 1)).expect("as many rows");
        let names = ["x", "y", "town"];
        let distances = release.distances(&names, Standardization::Original).expect("compares");
        // The second attribute speaks against a match where it agrees.
        let m = vec![0.9, 0.2, 0.8];
        let model = FellegiSunter { m, u: vec![0.1, 0.3, 0.25], share: 0.1, iterations: 0 };
        let Space { geometry, original, released, .. } = agreement_space(&distances, 0.3, &model);
        let most = (0..8).map(|p| model.weight(p)).fold(f64::NEG_INFINITY, f64::max);
        let mut patterns = vec![0; 60];
        let point = |columns: &[Vec<f64>], i: usize| -> Vec<f64> {
            columns.iter().map(|column| column[i]).collect()
        };
        for i in 0..60 {
            distances.agreements(i, 0.3, &mut patterns);
            for (j, &pattern) in patterns.iter().enumerate() {
                let cost = geometry.distance(&point(&original, i), &point(&released, j));
                let expected = most - model.weight(pattern as usize);
                assert!((cost - expected).abs() < 1e-12, "{i}, {j}: {cost}, not {expected}");
            }
        }
    }

    #[test]
    fn links_of_sparse_candidates_weigh_as_much_as_those_of_all_pairs() {
        let release = Release::by_row(mixed(300, 2), mixed(300, 3)).expect("as many rows");
        let names = ["x", "y", "town"];
        let distances = release.distances(&names, Standardization::Original).expect("compares");
        let m = vec![0.9, 0.7, 0.8];
        let model = FellegiSunter { m, u: vec![0.1, 0.3, 0.25], share: 0.1, iterations: 0 };
        let space = || agreement_space(&distances, 0.3, &model);
        let best = assignment::link_all_pairs(space(), &release, &()).expect("links");
        let found = sparse::link(&space(), &release, &()).expect("links");
        let [least, total] = [&best, &found].map(|l| l.0.iter().map(|k| k.distance).sum::<f64>());
        let gap = found.1.expect("sparse").gap;
        assert!(total >= least - 1e-9 && total <= least + gap * total + 1e-9, "{total}, {least}");
    }

    #[test]
    fn a_sample_of_the_originals_is_drawn_where_there_are_too_many_pairs() {
        assert_eq!(sampled_originals([20_000, 20_000]).len(), 20_000);
        assert_eq!(sampled_originals([100_000, 100_000]).len(), 10_000);
    }
}
