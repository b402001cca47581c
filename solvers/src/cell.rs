//! How far each weight can move while the same blocks stay satisfied.
//!
//! The weights that satisfy a given set of blocks are the interior of a convex
//! cell; the range of one weight over it is two linear programs. A cell has
//! thousands of rows and few weights, so rows are added when they turn out to be
//! violated: each program holds a handful of them.

use crate::{BlockProblem, ProofScope, SolverError};
use good_lp::solvers::highs::highs;
use good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, SolverModel, Variable, constraint,
    variable,
};

/// Rows added to the program at a time, the most violated first.
const CUTS: usize = 16;

/// A row violated by less than this counts as held.
const TOLERANCE: f64 = 1e-9;

/// The least and the greatest value of each weight over the cell in which every
/// block of `blocks` is satisfied, as far as `scope` allows.
///
/// `weights` must satisfy those blocks; they are always within the ranges. Where
/// the margins or the floor of the scope leave nothing, the closed cell without
/// them is taken. Cost: a few small linear programs per weight, each with one
/// pass over the rows of the blocks.
///
/// ```
/// use unmask_solvers::{BlockProblemBuilder, ProofScope, weight_ranges};
/// let mut builder = BlockProblemBuilder::new(2)?;
/// builder.push_block(&[1.0, -1.0, -1.0, 3.0])?; // p1 < p0 < 3 p1
/// let ranges =
///     weight_ranges(&builder.finish(), &[0], &[0.6, 0.4], ProofScope::default())?;
/// assert!((ranges[0][0] - 0.5).abs() < 1e-6 && (ranges[0][1] - 0.75).abs() < 1e-6);
/// # Ok::<(), unmask_solvers::SolverError>(())
/// ```
pub fn weight_ranges(
    problem: &BlockProblem,
    blocks: &[usize],
    weights: &[f64],
    scope: ProofScope,
) -> Result<Vec<[f64; 2]>, SolverError> {
    problem.domain().check_direction(weights)?;
    let weights = problem.domain().normalize(weights)?;
    let mut cell = Cell::new(problem, blocks, scope);
    let ranges = match cell.ranges()? {
        Some(ranges) => ranges,
        None => Cell::new(problem, blocks, ProofScope::default()).ranges()?.unwrap_or_default(),
    };
    let own = |(k, weight): (usize, &f64)| {
        let [low, high] = ranges.get(k).copied().unwrap_or([*weight; 2]);
        [low.clamp(0.0, *weight), high.clamp(*weight, 1.0)]
    };
    Ok(weights.iter().enumerate().map(own).collect())
}

/// The rows of a cell, and those that the programs hold so far.
struct Cell {
    dimension: usize,
    /// Tightened by the relative margin, flat.
    rows: Vec<f64>,
    scope: ProofScope,
    cuts: Vec<usize>,
    /// For each row whether it is one of the cuts.
    held: Vec<bool>,
}

impl Cell {
    fn new(problem: &BlockProblem, blocks: &[usize], scope: ProofScope) -> Self {
        let tighten = |x: &f64| x - scope.relative_margin * x.abs();
        let ids = blocks.iter().flat_map(|b| problem.block_rows(*b));
        let rows: Vec<f64> = ids.flat_map(|i| problem.row(i).iter().map(tighten)).collect();
        let dimension = problem.dimension();
        let held = vec![false; rows.len() / dimension];
        Self { dimension, rows, scope, cuts: Vec::new(), held }
    }

    /// None when the cell is empty.
    fn ranges(&mut self) -> Result<Option<Vec<[f64; 2]>>, SolverError> {
        let mut ranges = Vec::with_capacity(self.dimension);
        for k in 0..self.dimension {
            let (low, high) = (self.extreme(k, 1.0)?, self.extreme(k, -1.0)?);
            match (low, high) {
                (Some(low), Some(high)) => ranges.push([low, high]),
                _ => return Ok(None),
            }
        }
        Ok(Some(ranges))
    }

    /// The value of weight `k` where `sign` times it is least.
    fn extreme(&mut self, k: usize, sign: f64) -> Result<Option<f64>, SolverError> {
        loop {
            let Some(weights) = self.solve(k, sign)? else { return Ok(None) };
            let new = self.violated(&weights);
            if new.is_empty() {
                return Ok(Some(weights[k]));
            }
            new.iter().for_each(|i| self.held[*i] = true);
            self.cuts.extend(new);
        }
    }

    fn row(&self, index: usize) -> &[f64] {
        &self.rows[index * self.dimension..(index + 1) * self.dimension]
    }

    /// The most violated rows at `weights` that are not held yet.
    fn violated(&self, weights: &[f64]) -> Vec<usize> {
        let value = |r: &[f64]| r.iter().zip(weights).map(|(a, b)| a * b).sum::<f64>();
        let least = self.scope.absolute_margin - TOLERANCE;
        let mut found: Vec<(f64, usize)> = self
            .rows
            .chunks_exact(self.dimension)
            .enumerate()
            .map(|(i, r)| (value(r), i))
            .filter(|(value, i)| *value < least && !self.held[*i])
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.into_iter().take(CUTS).map(|(_, i)| i).collect()
    }

    /// Weights at which `sign` times weight `k` is least under the rows held so far.
    fn solve(&self, k: usize, sign: f64) -> Result<Option<Vec<f64>>, SolverError> {
        let mut variables = ProblemVariables::new();
        let weights = variables.add_vector(variable().min(0.0).max(1.0), self.dimension);
        let largest = variables.add(variable().min(0.0).max(1.0));
        let mut program = variables.minimise(sign * weights[k]).using(highs);
        let total: Expression = weights.iter().sum();
        program.add_constraint(constraint!(total == 1.0));
        for weight in &weights {
            program.add_constraint(constraint!(*weight <= largest));
            program.add_constraint(constraint!(*weight >= self.scope.weight_floor * largest));
        }
        for &cut in &self.cuts {
            let value = combination(self.row(cut), &weights);
            program.add_constraint(constraint!(value >= self.scope.absolute_margin));
        }
        match program.set_option("primal_feasibility_tolerance", 1e-10).solve() {
            Ok(solution) => Ok(Some(weights.iter().map(|w| solution.value(*w)).collect())),
            Err(ResolutionError::Infeasible) => Ok(None),
            Err(error) => Err(SolverError::Backend {
                solver: "the range of the weights",
                call: "solve".into(),
                reason: error.to_string(),
            }),
        }
    }
}

fn combination(row: &[f64], weights: &[Variable]) -> Expression {
    row.iter().zip(weights).map(|(r, w)| *r * *w).sum()
}
