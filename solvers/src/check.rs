//! The independent checker: counts satisfied blocks and their gains from weights alone.
//!
//! It knows nothing of any solver. Signs are exact (modules `sign` and `exact_rows`): a tie is
//! never counted as satisfied. Every solver's answer passes through
//! [`confirm`]; a claim that the re-count does not confirm is an error.

use crate::sign::{certain_sign, dot, dot_sign, dyadic_sign};
use crate::{BlockProblem, Dyadic, ENTRY_ERROR, SolverError, reduce::support};
use std::cmp::Ordering;

/// Number of blocks whose every inequality holds strictly at `weights`.
///
/// Weights may be scaled by any positive factor and may contain zeros: the
/// count is that of the unreduced problem. Cost: one pass over the rows.
pub fn count_satisfied(problem: &BlockProblem, weights: &[f64]) -> Result<usize, SolverError> {
    problem.domain().check_direction(weights)?;
    let satisfied = |b: &usize| is_satisfied(problem, *b, weights);
    Ok((0..problem.blocks()).filter(satisfied).count())
}

/// Indices of the blocks counted by [`count_satisfied`].
pub fn satisfied_blocks(
    problem: &BlockProblem,
    weights: &[f64],
) -> Result<Vec<usize>, SolverError> {
    problem.domain().check_direction(weights)?;
    let satisfied = |b: &usize| is_satisfied(problem, *b, weights);
    Ok((0..problem.blocks()).filter(satisfied).collect())
}

/// Sum of the gains of the blocks counted by [`count_satisfied`].
pub fn satisfied_gain(problem: &BlockProblem, weights: &[f64]) -> Result<u64, SolverError> {
    Ok(satisfied_blocks(problem, weights)?.into_iter().map(|b| problem.gain(b)).sum())
}

fn is_satisfied(problem: &BlockProblem, block: usize, weights: &[f64]) -> bool {
    let positive = support(weights);
    !problem.is_dead(block)
        && problem.supports(block).iter().all(|s| s & positive != 0)
        && problem.block_rows(block).all(|i| problem.row_sign(i, weights) == Ordering::Greater)
}

/// True when the inequality `row . weights > 0` holds, by its exact sign.
pub fn row_holds(row: &[f64], weights: &[f64]) -> bool {
    dot_sign(row, weights) == Ordering::Greater
}

/// The same for a row whose entries are rounded, each by at most [`ENTRY_ERROR`]; `exact` gives
/// what they are exactly, where that is in doubt.
pub fn rounded_row_holds(
    row: &[f64],
    weights: &[f64],
    exact: impl FnOnce() -> Vec<Dyadic>,
) -> bool {
    rounded_row_sign(row, weights, exact) == Ordering::Greater
}

/// The exact sign of `row . weights` for such a row.
pub fn rounded_row_sign(
    row: &[f64],
    weights: &[f64],
    exact: impl FnOnce() -> Vec<Dyadic>,
) -> Ordering {
    certain_sign(row, weights, ENTRY_ERROR).unwrap_or_else(|| {
        let weights: Vec<Dyadic> = weights.iter().copied().map(Dyadic::from).collect();
        dyadic_sign(&exact(), &weights)
    })
}

/// Smallest `r . p` over the reduced, scaled rows of a block.
///
/// Infinite for a block without rows, negative infinity for a dead one. Rounded:
/// for display and tie-breaking, never for counting.
pub fn block_margin(problem: &BlockProblem, block: usize, weights: &[f64]) -> f64 {
    if problem.is_dead(block) {
        return f64::NEG_INFINITY;
    }
    let margins = problem.block_rows(block).map(|i| dot(problem.row(i), weights));
    margins.fold(f64::INFINITY, f64::min)
}

/// Smallest [`block_margin`] over the satisfied blocks that have rows.
pub fn margin(problem: &BlockProblem, weights: &[f64]) -> Result<Option<f64>, SolverError> {
    let margins = satisfied_blocks(problem, weights)?
        .into_iter()
        .map(|b| block_margin(problem, b, weights))
        .filter(|m| m.is_finite());
    Ok(margins.reduce(f64::min))
}

/// Accepts the gain that a solver claims only if the re-count gives the same.
pub fn confirm(
    problem: &BlockProblem,
    solver: &'static str,
    weights: &[f64],
    claimed: u64,
) -> Result<u64, SolverError> {
    let counted = satisfied_gain(problem, weights)?;
    if counted == claimed {
        return Ok(counted);
    }
    Err(SolverError::FalseClaim { solver, claimed, counted })
}
