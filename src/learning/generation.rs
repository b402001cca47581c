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
use crate::linkage::{Release, nearer_records};
use crate::progress::Silent;
use rayon::prelude::*;
use std::time::{Duration, Instant};
use unmask_solvers::{Control, Limits, SolveOutcome, StopReason, check};

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
    control: &dyn Control,
) -> Result<WorstCase> {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let mut state = Generation { release, names, rows, learner, others: Vec::new() };
    state.others = vec![Vec::new(); rows.blocks()];
    state.add_first_rivals()?;
    state.run(control)
}

struct Generation<'a> {
    release: &'a Release,
    names: Vec<&'a str>,
    rows: &'a PairRows<'a>,
    learner: &'a Learner<'a>,
    /// Released records each record is compared with.
    others: Vec<Vec<u32>>,
}

/// The best weights so far, and the least upper bound.
struct Interval {
    best: Option<(Vec<bool>, SolveOutcome)>,
    upper: usize,
    nodes: u64,
}

impl Generation<'_> {
    /// Rivals under equal weights and under each weight alone.
    fn add_first_rivals(&mut self) -> Result<()> {
        let n = self.rows.dimension();
        let all: Vec<usize> = (0..self.rows.blocks()).collect();
        self.add_rivals(&vec![1.0; n], &all)?;
        for k in 0..n {
            let mut weights = vec![0.02; n];
            weights[k] = 1.0;
            self.add_rivals(&weights, &all)?;
        }
        Ok(())
    }

    fn run(mut self, control: &dyn Control) -> Result<WorstCase> {
        let started = Instant::now();
        let mut interval = Interval { best: None, upper: self.rows.blocks(), nodes: 0 };
        for round in 1.. {
            let problem = self.rows.problem_of(&self.others, &Silent)?;
            let limits = self.round_limits(started.elapsed(), interval.nodes);
            let outcome = self.learner.solver.solver().solve(&problem, &limits, control)?;
            let believed = check::satisfied_blocks(&problem, &outcome.weights)?;
            let weights = outcome.weights.clone();
            let proven = outcome.proven_optimal();
            let reidentified = interval.take(self.rows, outcome);
            let missed: Vec<usize> = believed.into_iter().filter(|i| !reidentified[*i]).collect();
            self.add_rivals(&weights, &missed)?;
            let stop = self.stop(started.elapsed(), interval.nodes, control);
            if (missed.is_empty() && proven) || stop.is_some() {
                return Ok(interval.finish(self.rows, round, started, stop));
            }
        }
        unreachable!("the loop ends by a return")
    }

    /// Adds a rival under `weights` of each of `records` that has one.
    fn add_rivals(&mut self, weights: &[f64], records: &[usize]) -> Result<()> {
        for (i, j) in self.rivals(weights, records)? {
            if !self.others[i].contains(&j) {
                self.others[i].push(j);
            }
        }
        Ok(())
    }

    /// The `records` that `weights` do not re-identify, each with a rival.
    ///
    /// The tree finds the nearest; where rounding or a tie hides it, a scan does.
    fn rivals(&self, weights: &[f64], records: &[usize]) -> Result<Vec<(usize, u32)>> {
        let nearer: Vec<Option<u32>> = match self.learner.aggregation {
            Aggregation::WeightedMean => {
                let standardisation = self.learner.standardisation;
                nearer_records(self.release, &self.names, standardisation, weights)?
            }
            Aggregation::Owa => vec![None; self.rows.blocks()],
        };
        let rival = |&i: &usize| Some((i, nearer[i].or_else(|| self.rows.rival(i, weights))?));
        Ok(records.par_iter().filter_map(rival).collect())
    }

    fn round_limits(&self, elapsed: Duration, nodes: u64) -> Limits {
        let given = &self.learner.limits;
        let share = |limit: Duration| {
            let left = limit.saturating_sub(elapsed);
            left.mul_f64(ROUND_SHARE).max(SHORTEST_ROUND).min(left)
        };
        Limits {
            time: given.time.map(share),
            nodes: given.nodes.map(|limit| limit.saturating_sub(nodes).max(1)),
            threads: given.threads,
        }
    }

    fn stop(&self, elapsed: Duration, nodes: u64, control: &dyn Control) -> Option<StopReason> {
        let given = &self.learner.limits;
        if control.interrupted() {
            return Some(StopReason::Interrupted);
        }
        if given.time.is_some_and(|limit| elapsed + SHORTEST_ROUND / 5 >= limit) {
            return Some(StopReason::TimeLimit);
        }
        given.nodes.is_some_and(|limit| nodes >= limit).then_some(StopReason::NodeLimit)
    }
}

impl Interval {
    /// Counts a round's weights on the whole file and keeps the better of both
    /// ends; gives whom the weights re-identify.
    fn take(&mut self, rows: &PairRows<'_>, outcome: SolveOutcome) -> Vec<bool> {
        self.nodes += outcome.nodes;
        self.upper = self.upper.min(outcome.satisfied_upper_bound());
        let reidentified = rows.reidentified(&outcome.weights);
        let count = |r: &[bool]| r.iter().filter(|r| **r).count();
        let better = self.best.as_ref().is_none_or(|(best, _)| count(&reidentified) > count(best));
        if better {
            self.best = Some((reidentified.clone(), outcome));
        }
        reidentified
    }

    fn finish(
        self,
        rows: &PairRows<'_>,
        rounds: usize,
        started: Instant,
        stop: Option<StopReason>,
    ) -> WorstCase {
        let (reidentified, mut outcome) = self.best.expect("there was at least one round");
        let satisfied = reidentified.iter().filter(|r| **r).count();
        outcome.satisfied_blocks = satisfied;
        outcome.violated_blocks = rows.blocks() - satisfied;
        outcome.bound = rows.blocks() - self.upper;
        outcome.nodes = self.nodes;
        outcome.elapsed = started.elapsed();
        // The margin of the rows generated says nothing about the others.
        outcome.margin = None;
        outcome.stop_reason = match stop {
            _ if satisfied == self.upper => StopReason::Optimal,
            Some(reason) => reason,
            None => outcome.stop_reason,
        };
        WorstCase { outcome, rows_full: rows.rows_full(), rounds, reidentified }
    }
}
