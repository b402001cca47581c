//! One outcome from problems that hold only some rows of the whole one.

use super::{ProofScope, SolveOutcome, StopReason};
use crate::sign::dot;
use crate::{BlockProblem, SolverError};
use std::time::Duration;

/// The outcomes of problems with ever more rows of a whole problem: its *relaxations*.
///
/// A block with fewer rows is easier to satisfy, so each outcome's upper bound is true of the
/// whole problem, and the least of them is kept. Bounds come from checked outcomes only; the
/// recount is the caller's, made on all rows, and must agree with the relaxations.
///
/// ```
/// use unmask_solvers::{BlockProblemBuilder, Exact, Limits, Relaxations, Solver};
/// let mut some = BlockProblemBuilder::new(2)?;
/// some.push_block(&[1.0, -2.0])?; // of the block p0 > 2 p1, p0 < 3 p1
/// let some = some.finish();
/// let mut relaxations = Relaxations::new(1);
/// relaxations.add(Exact::default().solve(&some, &Limits::default(), &())?, 1)?;
/// let outcome = relaxations.conclude(&some, &[false], None, Default::default())?;
/// assert_eq!((outcome.satisfied_gain(), outcome.gain_upper_bound()), (0, 1));
/// # Ok::<(), unmask_solvers::SolverError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Relaxations {
    blocks: usize,
    /// The outcome of the best weights, and the gain they seem to have.
    best: Option<(SolveOutcome, u64)>,
    /// Least upper bound on the gain.
    upper: u64,
    nodes: u64,
}

impl Relaxations {
    /// None yet, of a problem of so many blocks.
    pub fn new(blocks: usize) -> Self {
        Self { blocks, best: None, upper: u64::MAX, nodes: 0 }
    }

    /// Takes the outcome of one relaxation, whose weights seem to have the gain
    /// `satisfied_gain` in the whole problem; the first with the most is kept.
    ///
    /// Fails when the relaxation has not the blocks of the whole problem, or other gains than
    /// those before it.
    pub fn add(&mut self, outcome: SolveOutcome, satisfied_gain: u64) -> Result<(), SolverError> {
        self.expect_blocks(outcome.satisfied_blocks + outcome.violated_blocks)?;
        self.expect_gain(outcome.total_gain)?;
        self.nodes += outcome.nodes;
        self.upper = self.upper.min(outcome.gain_upper_bound());
        if self.best.as_ref().is_none_or(|(_, most)| satisfied_gain > *most) {
            self.best = Some((outcome, satisfied_gain));
        }
        Ok(())
    }

    /// Nodes searched in all.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The best weights so far.
    pub fn weights(&self) -> Option<&[f64]> {
        self.best.as_ref().map(|(outcome, _)| outcome.weights())
    }

    /// The outcome for the whole problem: the best weights, their recount on all rows, and
    /// the least upper bound.
    ///
    /// `last` is the relaxation with the most rows, `satisfied` says for each block whether
    /// the weights satisfy all its rows, `stop` why the rounds ended, if not of themselves.
    /// Fails when the recount satisfies a block that `last` excludes, and when weights within
    /// the scope of the proof exceed the bound. Weights beyond its margins may exceed it; the
    /// bound speaks of the others and is then their own gain.
    pub fn conclude(
        mut self,
        last: &BlockProblem,
        satisfied: &[bool],
        stop: Option<StopReason>,
        elapsed: Duration,
    ) -> Result<SolveOutcome, SolverError> {
        self.expect_blocks(satisfied.len())?;
        self.expect_gain(last.total_gain())?;
        let (mut outcome, _) =
            self.best.take().ok_or_else(|| refuse("no relaxation was solved".into()))?;
        confirm_recount(last, &outcome.weights, satisfied)?;
        self.confirm_bound(last, &outcome, satisfied)?;
        outcome.satisfied_blocks = satisfied.iter().filter(|s| **s).count();
        outcome.violated_blocks = self.blocks - outcome.satisfied_blocks;
        outcome.satisfied_gain = gain_where(last, |b| satisfied[b]);
        outcome.bound = outcome.total_gain - self.upper.max(outcome.satisfied_gain);
        outcome.nodes = self.nodes;
        outcome.elapsed = elapsed;
        // The margin of some rows says nothing about the others.
        outcome.margin = None;
        if outcome.proven_optimal() {
            outcome.stop_reason = StopReason::Optimal;
        } else if let Some(reason) = stop {
            outcome.stop_reason = reason;
        }
        Ok(outcome)
    }

    fn expect_blocks(&self, blocks: usize) -> Result<(), SolverError> {
        if blocks == self.blocks {
            return Ok(());
        }
        Err(refuse(format!("it is of {blocks} blocks, but the problem has {}", self.blocks)))
    }

    /// The same gains in every relaxation, as far as their sum tells.
    fn expect_gain(&self, total: u64) -> Result<(), SolverError> {
        match &self.best {
            Some((known, _)) if known.total_gain != total => Err(refuse(format!(
                "its gains sum to {total}, but those of the problem to {}",
                known.total_gain
            ))),
            _ => Ok(()),
        }
    }

    fn confirm_bound(
        &self,
        last: &BlockProblem,
        outcome: &SolveOutcome,
        satisfied: &[bool],
    ) -> Result<(), SolverError> {
        let certain = |b: usize| satisfied[b] && certainly_in_scope(last, b, outcome);
        let counted = gain_where(last, certain);
        if counted <= self.upper {
            return Ok(());
        }
        let (bound, violated) = (outcome.total_gain - self.upper, outcome.total_gain - counted);
        Err(SolverError::FalseBound { solver: outcome.solver, bound, violated })
    }
}

/// Sum of the gains of the blocks for which `counts` is true.
fn gain_where(problem: &BlockProblem, counts: impl Fn(usize) -> bool) -> u64 {
    (0..problem.blocks()).filter(|b| counts(*b)).map(|b| problem.gain(b)).sum()
}

/// Every block satisfied with all rows must be satisfied with some of them.
fn confirm_recount(
    last: &BlockProblem,
    weights: &[f64],
    satisfied: &[bool],
) -> Result<(), SolverError> {
    let mut possible = vec![false; satisfied.len()];
    for block in crate::check::satisfied_blocks(last, weights)? {
        possible[block] = true;
    }
    match (0..satisfied.len()).find(|b| satisfied[*b] && !possible[*b]) {
        None => Ok(()),
        Some(b) => Err(refuse(format!("block {b} is satisfied with all rows, but not with some"))),
    }
}

/// True when the proof speaks of these weights and this block in every relaxation.
///
/// A proof without floor and margins speaks of all of them. Rows of earlier relaxations may have
/// been left out here because a row is nowhere larger; where that one exceeds twice the relative
/// margin, they exceed it once. No such thing holds of an absolute margin.
fn certainly_in_scope(problem: &BlockProblem, block: usize, outcome: &SolveOutcome) -> bool {
    let (scope, weights) = (&outcome.scope, &outcome.weights);
    if *scope == ProofScope::default() {
        return true;
    }
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let holds = |i: usize| {
        let magnitude: f64 = problem.row(i).iter().zip(weights).map(|(r, p)| r.abs() * p).sum();
        dot(problem.row(i), weights) > 2.0 * scope.relative_margin * magnitude
    };
    scope.absolute_margin == 0.0
        && weights.iter().all(|p| *p > 0.0 && *p >= scope.weight_floor * largest)
        && problem.block_rows(block).all(holds)
}

fn refuse(reason: String) -> SolverError {
    SolverError::FalseRecount { reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Claim;
    use crate::solver::Clock;
    use crate::{BlockProblemBuilder, Limits};

    /// Two blocks that hold together at equal weights, and not at `[0.9, 0.1]`.
    fn problem() -> BlockProblem {
        let mut builder = BlockProblemBuilder::new(2).unwrap();
        builder.push_block(&[1.0, -0.5]).unwrap();
        builder.push_block(&[-0.5, 1.0]).unwrap();
        builder.finish()
    }

    fn claim(weights: [f64; 2], satisfied: u64, bound: u64) -> SolveOutcome {
        let problem = problem();
        let claim = Claim {
            solver: "test",
            direction: weights.to_vec(),
            satisfied,
            bound,
            stop_reason: StopReason::NodeLimit,
            nodes: 1,
            scope: ProofScope { relative_margin: 1e-9, ..ProofScope::default() },
        };
        claim.confirm(&problem, &Clock::start(&problem, &Limits::default(), &())).unwrap()
    }

    fn conclude(
        outcomes: &[SolveOutcome],
        satisfied: &[bool],
    ) -> Result<SolveOutcome, SolverError> {
        let mut relaxations = Relaxations::new(2);
        for outcome in outcomes {
            relaxations.add(outcome.clone(), outcome.satisfied_gain())?;
        }
        relaxations.conclude(&problem(), satisfied, None, Duration::ZERO)
    }

    #[test]
    fn the_best_weights_and_the_least_bound_are_kept() {
        let open = claim([0.9, 0.1], 1, 0);
        let best = claim([0.5, 0.5], 2, 0);
        let outcome = conclude(&[open.clone(), best], &[true, false]).unwrap();
        assert_eq!((outcome.satisfied_gain(), outcome.gain_upper_bound()), (1, 2));
        assert_eq!((outcome.weights(), outcome.nodes()), (&[0.5, 0.5][..], 2));
        assert!(!outcome.proven_optimal());
        assert_eq!(outcome.stop_reason(), StopReason::NodeLimit);
        let proven = conclude(&[open, claim([0.9, 0.1], 1, 1)], &[true, false]).unwrap();
        assert!(proven.proven_optimal());
        assert_eq!(proven.stop_reason(), StopReason::Optimal);
    }

    #[test]
    fn a_recount_beyond_a_relaxation_is_refused() {
        let outcome = claim([0.9, 0.1], 1, 0);
        for recount in [&[true, true][..], &[false, true], &[true], &[true, false, false]] {
            let refused = conclude(std::slice::from_ref(&outcome), recount);
            assert!(matches!(refused, Err(SolverError::FalseRecount { .. })), "{recount:?}");
        }
        assert!(matches!(conclude(&[], &[true, true]), Err(SolverError::FalseRecount { .. })));
    }

    #[test]
    fn a_bound_that_the_recount_contradicts_is_refused() {
        let liar = claim([0.9, 0.1], 1, 1);
        let refused = conclude(&[liar, claim([0.5, 0.5], 2, 0)], &[true, true]);
        assert!(matches!(refused, Err(SolverError::FalseBound { bound: 1, violated: 0, .. })));
    }

    #[test]
    fn a_proof_without_margins_is_contradicted_by_any_recount_above_it() {
        let unlimited =
            |outcome: SolveOutcome| SolveOutcome { scope: ProofScope::default(), ..outcome };
        let outcomes = [claim([0.9, 0.1], 1, 1), claim([0.5, 0.5], 2, 0)].map(unlimited);
        let refused = conclude(&outcomes, &[true, true]);
        assert!(matches!(refused, Err(SolverError::FalseBound { bound: 1, violated: 0, .. })));
    }

    #[test]
    fn weights_beyond_the_margins_of_a_proof_do_not_contradict_it() {
        let beyond = |outcome: SolveOutcome| SolveOutcome {
            scope: ProofScope { relative_margin: 0.9, ..ProofScope::default() },
            ..outcome
        };
        let outcomes = [claim([0.9, 0.1], 1, 1), claim([0.5, 0.5], 2, 0)].map(beyond);
        let outcome = conclude(&outcomes, &[true, true]).unwrap();
        assert_eq!((outcome.satisfied_blocks(), outcome.bound()), (2, 0));
    }

    #[test]
    fn a_relaxation_of_another_problem_is_refused() {
        let mut relaxations = Relaxations::new(3);
        assert!(relaxations.add(claim([0.5, 0.5], 2, 0), 2).is_err());
    }
}
