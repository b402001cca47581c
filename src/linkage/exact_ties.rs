//! Which released records are nearest, without rounding.
//!
//! The index measures rounded distances. Where they leave more than one record that may be
//! nearest, exact differences of distances decide, the same that the worst case is proven
//! with: else an attack with fixed weights could count a tie that the proof excludes.

use super::nearest::{Gatherer, Index, Nearest, Pairs, Slack};
use super::weighted::rounding_slack;
use crate::distance::{AttributeDistances, Metric, OwnDistance};
use crate::error::Result;
use crate::listener::Listener;
use std::cmp::Ordering;
use unmask_solvers::check;

/// The distances on single attributes, their weights, and how far the index may be off.
#[derive(Debug)]
pub(super) struct ExactTies {
    distances: AttributeDistances,
    weights: Vec<f64>,
    slack: Slack,
}

impl ExactTies {
    pub fn new(
        distances: AttributeDistances,
        weights: Option<&[f64]>,
        metrics: &[Metric],
        coordinates: [&[Vec<f64>]; 2],
    ) -> Self {
        let weights = weights.map_or_else(|| vec![1.0; distances.len()], <[f64]>::to_vec);
        Self { distances, weights, slack: rounding_slack(metrics, coordinates) }
    }

    /// The nearest record of each query and the number of those as near, by exact distances; the
    /// distances themselves are rounded. Where a record ties, `own` is the least distance exactly
    /// if the own record is among the nearest.
    ///
    /// Fails when `listener` interrupts. Cost: as without, and a second search for each query that
    /// is in doubt.
    pub fn nearest(
        &self,
        index: &Index,
        pairs: Pairs<'_>,
        second: bool,
        listener: &dyn Listener,
    ) -> Result<Vec<Nearest>> {
        let mut found = index.nearest_within(pairs, second, self.slack, listener)?;
        let doubtful: Vec<u32> =
            (0..).zip(&found).filter(|(_, n)| n.is_doubtful()).map(|(q, _)| q).collect();
        let at = |column: &Vec<f64>| doubtful.iter().map(|&q| column[q as usize]).collect();
        let queries: Vec<Vec<f64>> = pairs.queries.iter().map(at).collect();
        let own: Vec<u32> = doubtful.iter().map(|&q| pairs.own[q as usize]).collect();
        let radius =
            |q: u32, _: &[f64]| self.slack.limit(found[doubtful[q as usize] as usize].distance);
        let gatherer = |q: u32| Closest::starting_at(self, doubtful[q as usize], own[q as usize]);
        let asked = Pairs { points: pairs.points, queries: &queries, own: &own };
        let closest = index.gather_within(asked, radius, gatherer, listener)?;
        for (closest, &q) in closest.iter().zip(&doubtful) {
            closest.correct(&mut found[q as usize]);
        }
        Ok(found)
    }
}

/// The nearest of the records seen so far, of which the own one is the first.
struct Closest<'a> {
    ties: &'a ExactTies,
    query: u32,
    record: u32,
    /// The distances of `record`.
    distances: Vec<OwnDistance>,
    tied: u32,
    own_tied: bool,
    /// Records that are not nearest, and may seem to be.
    others: bool,
    row: Vec<f64>,
}

impl<'a> Closest<'a> {
    fn starting_at(ties: &'a ExactTies, query: u32, own: u32) -> Self {
        let distances = ties.distances.own(query as usize, own as usize);
        let row = vec![0.0; distances.len()];
        Self { ties, query, record: own, distances, tied: 1, own_tied: true, others: false, row }
    }

    /// How the distance of `record` compares to the least so far.
    fn compare(&mut self, record: u32) -> Ordering {
        let (i, j) = (self.query as usize, record as usize);
        let ExactTies { distances, weights, .. } = self.ties;
        distances.differences(i, j, &self.distances, &mut self.row);
        if self.row.iter().all(|r| *r == 0.0) {
            return Ordering::Equal;
        }
        let exact = || distances.exact_differences(i, j, &self.distances);
        check::rounded_row_sign(&self.row, weights, exact)
    }

    /// Puts what is exactly true into what the index found.
    fn correct(&self, nearest: &mut Nearest) {
        let apart = self.tied == 1 && !self.others;
        nearest.next = if apart { nearest.next } else { nearest.distance };
        nearest.record = self.record;
        nearest.tied = self.tied;
        nearest.own = match self.own_tied {
            true => nearest.distance,
            false => nearest.own.max(nearest.distance.next_up()),
        };
    }
}

impl Gatherer for Closest<'_> {
    fn see(&mut self, record: u32, _: f64, radius: f64) -> f64 {
        match self.compare(record) {
            Ordering::Less => {
                self.others = true;
                (self.record, self.tied, self.own_tied) = (record, 1, false);
                self.distances = self.ties.distances.own(self.query as usize, record as usize);
            }
            Ordering::Equal => {
                self.tied += 1;
                self.record = self.record.min(record);
            }
            Ordering::Greater => self.others = true,
        }
        radius
    }
}
