//! Exact search: branch and bound over the weights.
//!
//! There are few weights and many blocks, so the search branches on the
//! weights: boxes in which some rows certainly hold, some blocks certainly
//! fail, and the rest is bounded by packing conflicts found by a small LP.
//! Bounds hold for all weights and for the exact rows: what doubles leave in doubt is decided in
//! exact arithmetic, and a box that cannot be closed keeps the interval open
//! ([`StopReason::Unresolved`](crate::StopReason::Unresolved)).

mod cover;
mod dive;
mod enumeration;
mod exclusion;
mod margin;
mod node;
mod packing;
mod proven;
mod record;
mod rounds;
mod thresholds;
mod tiers;
mod trace;

use crate::heuristic::Heuristic;
use crate::outcome::Claim;
use crate::row_table::RowTable;
use crate::solver::{Clock, thread_pool};
use crate::{BlockProblem, Limits, Listener, ProofScope, SolveOutcome, Solver, SolverError, check};
use dive::Incumbent;
use record::Record;
use rounds::BoxSearch;
use std::io::Write;

/// Branch and bound over the weights, in parallel, with a deterministic result.
///
/// The same problem gives the same weights and the same number of nodes for
/// any number of threads, also under a node limit. Among the weights of the
/// first optimal cell found (the order is fixed) the reported ones have the
/// largest smallest margin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exact {
    /// The local search that provides the first incumbent.
    pub heuristic: Heuristic,
}

impl Solver for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn solve(
        &self,
        problem: &BlockProblem,
        limits: &Limits,
        listener: &dyn Listener,
    ) -> Result<SolveOutcome, SolverError> {
        self.run(problem, limits, listener, Record::default())
    }
}

impl Exact {
    /// Solves a problem as [`Solver::solve`] does, and writes the proof of its bound to `proof`:
    /// what follows the claim in a certificate ([`crate::certificate`]).
    ///
    /// Memory: that of the search, and the nodes of one round.
    pub fn solve_with_proof(
        &self,
        problem: &BlockProblem,
        limits: &Limits,
        listener: &dyn Listener,
        proof: &mut (dyn Write + Send),
    ) -> Result<SolveOutcome, SolverError> {
        self.run(problem, limits, listener, Record::to(proof))
    }

    fn run(
        &self,
        problem: &BlockProblem,
        limits: &Limits,
        listener: &dyn Listener,
        record: Record<'_>,
    ) -> Result<SolveOutcome, SolverError> {
        let clock = Clock::start(problem, limits, listener);
        let pool = thread_pool(limits)?;
        let claim = pool.install(|| self.search(problem, limits, &clock, record))?;
        claim.confirm(problem, &clock)
    }

    fn search(
        &self,
        problem: &BlockProblem,
        limits: &Limits,
        clock: &Clock<'_>,
        record: Record<'_>,
    ) -> Result<Claim, SolverError> {
        let root = RowTable::of_problem(problem);
        let (weights, satisfied) = self.heuristic.search(problem, &root, clock)?;
        let first = Incumbent::known(problem, weights, satisfied);
        let mut search = BoxSearch::new(problem, &root, clock, limits.nodes, first, record)?;
        let stop_reason = search.run()?;
        search.finish()?;
        Ok(Claim {
            solver: self.name(),
            direction: centered(problem, &search.incumbent, clock)?,
            satisfied: problem.total_gain() - search.missed(search.incumbent.violated),
            bound: search.proven(),
            stop_reason,
            nodes: search.nodes,
            scope: ProofScope::default(),
        })
    }
}

/// Weights that satisfy the same blocks with the largest smallest margin.
///
/// The LP may end on the boundary of the domain, where free rows tie; then it
/// is mixed with the interior point it started from.
fn centered(
    problem: &BlockProblem,
    incumbent: &Incumbent,
    clock: &Clock<'_>,
) -> Result<Vec<f64>, SolverError> {
    let kept = check::satisfied_blocks(problem, &incumbent.weights)?;
    let table = RowTable::of_blocks(problem, &kept);
    let Some(direction) = margin::widest_margin(&table, clock) else {
        return Ok(incumbent.weights.clone());
    };
    let Ok(widest) = problem.domain().normalize(&direction) else {
        return Ok(incumbent.weights.clone());
    };
    for share in [0.0, 1e-6, 1e-3] {
        let mix = widest.iter().zip(&incumbent.weights).map(|(w, p)| (1.0 - share) * w + share * p);
        let mixed = problem.domain().normalize(&mix.collect::<Vec<_>>())?;
        let inside = mixed.iter().all(|p| *p > 0.0);
        if inside && check::satisfied_blocks(problem, &mixed)?.len() == kept.len() {
            return Ok(mixed);
        }
    }
    Ok(incumbent.weights.clone())
}
