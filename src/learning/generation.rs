//! Row generation: the worst case of files whose inequalities are too many to hold.
//!
//! A block with fewer rows is easier to satisfy, so the optimum over a few rows
//! per record is an upper bound on the worst case, while counting the weights
//! found on the whole file is a lower bound. Each round solves the problem of the
//! rows so far, links the whole file with the weights found (box tree), and adds
//! the rivals of records that the solver believed re-identified and that are not.
//! The interval is true after every round; it closes when no such record is left
//! and the solver has proven its optimum. Where the solver leaves boxes unresolved and no row is
//! left to add, another round would be the same: the interval stays open.

use super::certificate::Proof;
use super::{Count, Learner, PairRows, WorstCase};
use crate::error::{Error, Result};
use crate::listener::Until;
use rayon::prelude::*;
use std::time::{Duration, Instant};
use unmask_solvers::{
    BlockProblem, Limits, Listener, Relaxations, SolveOutcome, StopReason, check,
};

/// Share of the time left that one round may take.
const ROUND_SHARE: f64 = 0.25;

/// The least time a round gets.
const SHORTEST_ROUND: Duration = Duration::from_millis(500);

/// Solves round by round until the interval closes or a limit is reached.
pub(super) fn solve(
    rows: &PairRows<'_>,
    learner: &Learner<'_>,
    listener: &dyn Listener,
) -> Result<WorstCase> {
    let others = vec![Vec::new(); rows.blocks()];
    let started = Instant::now();
    Generation { rows, learner, others, complete: false, started }.run(listener)
}

struct Generation<'a> {
    rows: &'a PairRows<'a>,
    learner: &'a Learner<'a>,
    /// Released records each record is compared with.
    others: Vec<Vec<u32>>,
    /// True where a round added no row: the next one has the same problem, and all of the time left.
    complete: bool,
    started: Instant,
}

/// The weights counted best so far: what they gain, and whom they tell apart.
struct BestCount {
    gain: u64,
    told_apart: Vec<bool>,
}

/// The proof of the least bound so far, which speaks of all rows as it does of some.
struct BestProof<'a> {
    upper_bound: u64,
    proof: Proof<'a>,
}

impl<'a> Generation<'a> {
    fn run(mut self, asked: &dyn Listener) -> Result<WorstCase> {
        let listener = &Until::after(asked, self.learner.limits.time);
        let gains = self.rows.gains(listener)?;
        self.add_twins(listener)?;
        self.add_first_rivals(listener)?;
        let mut relaxations = Relaxations::new(self.rows.blocks());
        let mut best = BestCount { gain: 0, told_apart: vec![false; self.rows.blocks()] };
        let mut best_proof = None;
        let mut round = 0;
        loop {
            round += 1;
            let problem = self.rows.problem_of(&self.others, &())?;
            let limits = self.round_limits(relaxations.nodes());
            let mut proof = self.learner.proof()?;
            let outcome = self.learner.solve(&problem, &limits, proof.as_mut(), listener)?;
            keep_best(&mut best_proof, proof, outcome.gain_upper_bound());
            let believed = check::satisfied_blocks(&problem, outcome.weights())?;
            let rivals = uninterrupted(self.rows.rivals(outcome.weights(), listener))?;
            let ended = end_of_search(&outcome);
            let missed = rivals.as_ref().map(|rivals| self.add_rivals(&believed, rivals));
            let told_apart: Option<Vec<bool>> =
                rivals.map(|rivals| rivals.iter().map(Option::is_none).collect());
            let counted = told_apart.as_ref().map(|told| self.rows.counted(told)).transpose()?;
            let gain = counted.map_or(0, |counted| {
                (0..counted.len()).filter(|&i| counted[i]).map(|i| gains.units(i)).sum()
            });
            relaxations.add(outcome, gain)?;
            if let Some(told_apart) = told_apart.filter(|_| gain > best.gain) {
                best = BestCount { gain, told_apart };
            }
            let ended = match missed {
                None => Some(StopReason::TimeLimit),
                Some(missed) => ended.filter(|_| missed == 0),
            };
            self.complete = missed == Some(0);
            if let Some(stop) = self.stop(relaxations.nodes(), asked).or(ended) {
                let found = self.finish(relaxations, round, stop, (problem, best), listener)?;
                if let Some(BestProof { proof, .. }) = best_proof {
                    proof.add(self.rows, self.learner, &found.problem, &found.outcome)?;
                }
                return Ok(found);
            }
        }
    }

    /// Where what is certain is counted, a record with twins is compared with one of them, which
    /// no weights hold against.
    fn add_twins(&mut self, listener: &dyn Listener) -> Result<()> {
        if self.rows.count() == Count::Expected {
            return Ok(());
        }
        let twins = self.rows.twins(listener)?;
        let found: Vec<(usize, u32)> = (0..self.rows.blocks())
            .into_par_iter()
            .filter(|&i| twins[i] > 1)
            .filter_map(|i| Some((i, self.rows.a_twin(i)?)))
            .collect();
        found.into_iter().for_each(|(i, j)| {
            self.add(i, j);
        });
        Ok(())
    }

    /// Rivals under equal weights and under each weight nearly alone, as far as time allows.
    fn add_first_rivals(&mut self, listener: &dyn Listener) -> Result<()> {
        let n = self.rows.dimension();
        for k in 0..=n {
            let weights: Vec<f64> =
                (0..n).map(|m| if k == n || m == k { 1.0 } else { 0.02 }).collect();
            let rivals = uninterrupted(self.rows.rivals(&weights, listener))?.unwrap_or_default();
            for (i, rival) in rivals.into_iter().enumerate() {
                if let Some(j) = rival {
                    self.add(i, j);
                }
            }
        }
        Ok(())
    }

    /// Adds a rival of each record that the solver believed re-identified and that
    /// is not; gives their number.
    fn add_rivals(&mut self, believed: &[usize], rivals: &[Option<u32>]) -> usize {
        let mut missed = 0;
        for &i in believed {
            missed += rivals[i].map_or(0, |j| usize::from(self.add(i, j)));
        }
        missed
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
            let share = if self.complete { 1.0 } else { ROUND_SHARE };
            left.mul_f64(share).max(SHORTEST_ROUND).min(left)
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

    /// The interval: the best weights as counted on all inequalities, and the least bound.
    fn finish(
        &self,
        relaxations: Relaxations,
        rounds: usize,
        stop: StopReason,
        (problem, best): (BlockProblem, BestCount),
        listener: &dyn Listener,
    ) -> Result<WorstCase> {
        let elapsed = self.started.elapsed();
        let counted = self.rows.counted(&best.told_apart)?;
        let outcome = relaxations.conclude(&problem, &counted, Some(stop), elapsed)?;
        WorstCase::counted(self.rows, outcome, rounds, problem, best.told_apart, listener)
    }
}

/// Keeps the proof if none before bounds as well.
fn keep_best<'a>(best: &mut Option<BestProof<'a>>, proof: Option<Proof<'a>>, upper_bound: u64) {
    let better = best.as_ref().is_none_or(|best| upper_bound < best.upper_bound);
    if let Some(proof) = proof.filter(|_| better) {
        *best = Some(BestProof { upper_bound, proof });
    }
}

/// Why the rounds end with a search that had no limit in its way, where no row is left to add: should
/// the interval be open even so, boxes or rows that rounding confuses are unresolved.
fn end_of_search(outcome: &SolveOutcome) -> Option<StopReason> {
    let ended = outcome.proven_optimal() || outcome.stop_reason() == StopReason::Unresolved;
    ended.then_some(StopReason::Unresolved)
}

/// None where the listener interrupted.
fn uninterrupted<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(Error::Interrupted) => Ok(None),
        other => other.map(Some),
    }
}
