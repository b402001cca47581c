//! Local search: good weights fast, with no proof.
//!
//! Two searches take turns, from several seeded starts in parallel. First
//! lines: each row holds on a half-line, each block on an interval, and one
//! sweep over the interval ends finds where the blocks that overlap gain most; a random walk
//! that compares points needs hundreds of counts for what one sweep finds.
//! Then exchanges of blocks (`exchange.rs`), which find the optimum on most
//! instances where lines end one or two short.

use crate::conflict::WeightBox;
use crate::exchange::Exchange;
use crate::line_search::{Direction, LineSearch};
use crate::outcome::Claim;
use crate::row_table::RowTable;
use crate::solver::{Clock, thread_pool};
use crate::{
    BlockProblem, Limits, Listener, ProofScope, SolveOutcome, Solver, SolverError, StopReason,
    check,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Seeded local search; the same seed gives the same weights on any machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heuristic {
    /// Seed of the starts and of the random lines.
    pub seed: u64,
    /// Number of independent starts.
    pub starts: usize,
}

impl Default for Heuristic {
    fn default() -> Self {
        Self { seed: 1, starts: 4 }
    }
}

/// Smallest weight relative to the largest that searches consider.
pub const WEIGHT_FLOOR: f64 = 1e-6;

impl Solver for Heuristic {
    fn name(&self) -> &'static str {
        "heuristic"
    }

    fn solve(
        &self,
        problem: &BlockProblem,
        limits: &Limits,
        listener: &dyn Listener,
    ) -> Result<SolveOutcome, SolverError> {
        let clock = Clock::start(problem, limits, listener);
        let table = RowTable::of_problem(problem);
        let pool = thread_pool(limits)?;
        let (weights, satisfied) = pool.install(|| self.search(problem, &table, &clock))?;
        let claim = Claim {
            solver: self.name(),
            direction: weights,
            satisfied,
            bound: problem.dead_gain(),
            stop_reason: clock.stop().unwrap_or(StopReason::Heuristic),
            nodes: 0,
            scope: ProofScope::default(),
        };
        claim.confirm(problem, &clock)
    }
}

impl Heuristic {
    /// Best weights over all starts with their exact gain; of equals the first start's.
    pub(crate) fn search(
        &self,
        problem: &BlockProblem,
        table: &RowTable,
        clock: &Clock<'_>,
    ) -> Result<(Vec<f64>, u64), SolverError> {
        let results: Vec<_> = (0..self.starts.max(1) as u64)
            .into_par_iter()
            .map(|start| self.climb(problem, table, clock, start))
            .collect::<Result<_, _>>()?;
        let best = results.into_iter().reduce(|a, b| if b.1 > a.1 { b } else { a });
        let center = problem.domain().center();
        let gain = check::satisfied_gain(problem, &center)?;
        Ok(best.filter(|b| b.1 > gain).unwrap_or((center, gain)))
    }

    fn climb(
        &self,
        problem: &BlockProblem,
        table: &RowTable,
        clock: &Clock<'_>,
        start: u64,
    ) -> Result<(Vec<f64>, u64), SolverError> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(start);
        let mut weights = match start {
            0 => problem.domain().center(),
            _ => random_weights(&mut rng, problem.dimension()),
        };
        if problem.dimension() > 1 && table.len() > 0 {
            weights = improve(problem, table, &weights, &mut rng, clock);
        }
        let weights = problem.domain().normalize(&weights)?;
        let gain = check::satisfied_gain(problem, &weights)?;
        Ok((weights, gain))
    }
}

/// Line search, then exchanges of blocks.
pub(crate) fn improve(
    problem: &BlockProblem,
    table: &RowTable,
    start: &[f64],
    rng: &mut ChaCha8Rng,
    clock: &Clock<'_>,
) -> Vec<f64> {
    let mut weights = start.to_vec();
    polish(table, &mut weights, rng, clock);
    let everywhere = WeightBox::everywhere(weights.len(), WEIGHT_FLOOR);
    Exchange::new(problem, table, &everywhere, &weights).run(EXCHANGES, clock)
}

/// Exchanges of blocks per start.
const EXCHANGES: usize = 60;

/// Moves along lines until two sweeps over all lines bring nothing.
fn polish(table: &RowTable, p: &mut [f64], rng: &mut ChaCha8Rng, clock: &Clock<'_>) {
    let n = p.len();
    let mut line = LineSearch::new(table, p);
    let mut best = 0;
    let mut idle = 0;
    while idle < 2 {
        let before = best;
        for k in 0..2 * n {
            if clock.stop().is_some() {
                break;
            }
            let direction = match k < n {
                true => Direction::Axis(k),
                false => Direction::Any(random_direction(rng, line.point())),
            };
            best = line.improve(direction, best, WEIGHT_FLOOR);
        }
        idle = if best > before { 0 } else { idle + 1 };
    }
    p.copy_from_slice(line.point());
}

/// Weights whose logarithms are uniform over three decades.
fn random_weights(rng: &mut ChaCha8Rng, n: usize) -> Vec<f64> {
    (0..n).map(|_| 10f64.powf(-3.0 * rng.random::<f64>())).collect()
}

/// A step that changes every weight by up to half of itself.
fn random_direction(rng: &mut ChaCha8Rng, p: &[f64]) -> Vec<f64> {
    p.iter().map(|x| x * (rng.random::<f64>() - 0.5)).collect()
}
