//! Row generation: the worst case of files whose inequalities are too many to hold.
//!
//! A block with fewer rows is easier to satisfy, so the optimum over a few rows
//! per record is an upper bound on the worst case, while counting the weights
//! found on the whole file is a lower bound. Each round solves the problem of the
//! rows so far, links the whole file with the weights found (box tree), and adds
//! the rivals of records that the solver believed re-identified and that are not.
//! The interval is true after every round; it closes when no such record is left
//! and the solver has proven its optimum.

use super::{Aggregation, Learner, PairRows, WorstCase};
use crate::error::Result;
use crate::linkage::{NearestRecord, Release, nearest_records};
use rayon::prelude::*;
use std::time::{Duration, Instant};
use unmask_solvers::{BlockProblem, Limits, Listener, Relaxations, StopReason, check};

/// Share of the time left that one round may take.
const ROUND_SHARE: f64 = 0.25;

/// The least time a round gets.
const SHORTEST_ROUND: Duration = Duration::from_millis(500);

/// Solves round by round until the interval closes or a limit is reached.
pub(super) fn solve<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    rows: &PairRows<'_>,
    learner: &Learner<'_>,
    listener: &dyn Listener,
) -> Result<WorstCase> {
    let names = names.iter().map(AsRef::as_ref).collect();
    let others = vec![Vec::new(); rows.blocks()];
    let started = Instant::now();
    Generation { release, names, rows, learner, others, started }.run(listener)
}

struct Generation<'a> {
    release: &'a Release,
    names: Vec<&'a str>,
    rows: &'a PairRows<'a>,
    learner: &'a Learner<'a>,
    /// Released records each record is compared with.
    others: Vec<Vec<u32>>,
    started: Instant,
}

impl Generation<'_> {
    fn run(mut self, listener: &dyn Listener) -> Result<WorstCase> {
        self.add_first_rivals()?;
        let mut relaxations = Relaxations::new(self.rows.blocks());
        let mut round = 0;
        loop {
            round += 1;
            let problem = self.rows.problem_of(&self.others, &())?;
            let limits = self.round_limits(relaxations.nodes());
            let outcome = self.learner.solver.solver().solve(&problem, &limits, listener)?;
            let believed = check::satisfied_blocks(&problem, outcome.weights())?;
            let nearest = self.nearest_records(outcome.weights())?;
            let proven = outcome.proven_optimal();
            let mut missed = self.add_rivals(outcome.weights(), &believed, &nearest);
            if missed == 0 && proven {
                missed = self.add_hidden_rivals(outcome.weights(), &believed);
            }
            relaxations.add(outcome, identified(&nearest))?;
            let stop = self.stop(relaxations.nodes(), listener);
            if (missed == 0 && proven) || stop.is_some() {
                return self.finish(relaxations, round, stop, problem);
            }
        }
    }

    /// Rivals under equal weights and under each weight nearly alone.
    fn add_first_rivals(&mut self) -> Result<()> {
        let n = self.rows.dimension();
        for k in 0..=n {
            let weights: Vec<f64> =
                (0..n).map(|m| if k == n || m == k { 1.0 } else { 0.02 }).collect();
            for (i, nearest) in self.nearest_records(&weights)?.into_iter().enumerate() {
                if let NearestRecord::Other(j) = nearest {
                    self.add(i, j);
                }
            }
        }
        Ok(())
    }

    /// The record nearest to each: by the box tree, or for ordered distances by a scan.
    fn nearest_records(&self, weights: &[f64]) -> Result<Vec<NearestRecord>> {
        if self.learner.aggregation == Aggregation::WeightedMean {
            let standardization = self.learner.standardization;
            return nearest_records(self.release, &self.names, standardization, weights);
        }
        let nearest = |i: usize| match self.rows.rival(i, weights) {
            Some(rival) => NearestRecord::Other(rival),
            None => NearestRecord::Own,
        };
        Ok((0..self.rows.blocks()).into_par_iter().map(nearest).collect())
    }

    /// Adds a rival of each record that the solver believed re-identified and that
    /// is not; gives their number.
    fn add_rivals(
        &mut self,
        weights: &[f64],
        believed: &[usize],
        nearest: &[NearestRecord],
    ) -> usize {
        let rival = |&i: &usize| match nearest[i] {
            NearestRecord::Own => None,
            NearestRecord::Other(j) => Some((i, j)),
            NearestRecord::Tied => Some((i, self.rows.rival(i, weights)?)),
        };
        let found: Vec<(usize, u32)> = believed.par_iter().filter_map(rival).collect();
        found.iter().filter(|(i, j)| self.add(*i, *j)).count()
    }

    /// As [`Self::add_rivals`], for rivals that rounding hid from the tree.
    fn add_hidden_rivals(&mut self, weights: &[f64], believed: &[usize]) -> usize {
        let tied = vec![NearestRecord::Tied; self.rows.blocks()];
        self.add_rivals(weights, believed, &tied)
    }

    /// Compares record `i` with released record `j` from now on; false when it was before.
    fn add(&mut self, i: usize, j: u32) -> bool {
        let new = !self.others[i].contains(&j);
        if new {
            self.others[i].push(j);
        }
        new
    }

    fn round_limits(&self, nodes: u64) -> Limits {
        let given = &self.learner.limits;
        let share = |limit: Duration| {
            let left = limit.saturating_sub(self.started.elapsed());
            left.mul_f64(ROUND_SHARE).max(SHORTEST_ROUND).min(left)
        };
        Limits {
            time: given.time.map(share),
            nodes: given.nodes.map(|limit| limit.saturating_sub(nodes).max(1)),
            threads: given.threads,
        }
    }

    fn stop(&self, nodes: u64, listener: &dyn Listener) -> Option<StopReason> {
        let given = &self.learner.limits;
        if listener.interrupted() {
            return Some(StopReason::Interrupted);
        }
        if given.time.is_some_and(|limit| self.started.elapsed() + SHORTEST_ROUND >= limit) {
            return Some(StopReason::TimeLimit);
        }
        given.nodes.is_some_and(|limit| nodes >= limit).then_some(StopReason::NodeLimit)
    }

    /// The interval, the best weights counted anew on all inequalities.
    fn finish(
        &self,
        relaxations: Relaxations,
        rounds: usize,
        stop: Option<StopReason>,
        problem: BlockProblem,
    ) -> Result<WorstCase> {
        let reidentified = self.rows.reidentified(relaxations.weights().unwrap_or_default());
        let elapsed = self.started.elapsed();
        let outcome = relaxations.conclude(&problem, &reidentified, stop, elapsed)?;
        let rows_full = self.rows.rows_full();
        Ok(WorstCase { outcome, rows_full, rounds, reidentified, problem })
    }
}

fn identified(nearest: &[NearestRecord]) -> u64 {
    nearest.iter().filter(|n| **n == NearestRecord::Own).count() as u64
}
