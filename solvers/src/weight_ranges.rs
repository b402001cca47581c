//! How far each weight can move while the same blocks stay satisfied.
//!
//! The weights that satisfy a given set of blocks are the interior of a convex
//! cell; the range of one weight over it is two linear programs. A cell has
//! thousands of rows and few weights, so rows are added when they turn out to be
//! violated: each program holds a handful of them.

use crate::linear_program::{LinearOptimum, LinearProgram};
use crate::sign::dot;
use crate::{BlockProblem, Listener, ProofScope, SolverError};

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
    Ok(weight_ranges_until(problem, blocks, weights, scope, &())?.unwrap_or_default())
}

/// The same; none when `listener` interrupts.
pub fn weight_ranges_until(
    problem: &BlockProblem,
    blocks: &[usize],
    weights: &[f64],
    scope: ProofScope,
    listener: &dyn Listener,
) -> Result<Option<Vec<[f64; 2]>>, SolverError> {
    problem.domain().check_direction(weights)?;
    let weights = problem.domain().normalize(weights)?;
    let cell = |scope| WeightCell::new(problem, blocks, scope).ranges(listener);
    let ranges = match cell(scope)? {
        Some(ranges) => ranges,
        None if listener.interrupted() => return Ok(None),
        None => cell(ProofScope::default())?.unwrap_or_default(),
    };
    if listener.interrupted() {
        return Ok(None);
    }
    let own = |(k, weight): (usize, &f64)| {
        let [low, high] = ranges.get(k).copied().unwrap_or([*weight; 2]);
        [low.clamp(0.0, *weight), high.clamp(*weight, 1.0)]
    };
    Ok(Some(weights.iter().enumerate().map(own).collect()))
}

/// The rows of a cell, and the program that holds some of them.
struct WeightCell {
    dimension: usize,
    /// Tightened by the relative margin, flat.
    rows: Vec<f64>,
    scope: ProofScope,
    /// For each row whether the program holds it.
    held: Vec<bool>,
    program: LinearProgram,
}

impl WeightCell {
    fn new(problem: &BlockProblem, blocks: &[usize], scope: ProofScope) -> Self {
        let tighten = |x: &f64| x - scope.relative_margin * x.abs();
        let ids = blocks.iter().flat_map(|b| problem.block_rows(*b));
        let rows: Vec<f64> = ids.flat_map(|i| problem.row(i).iter().map(tighten)).collect();
        let dimension = problem.dimension();
        let held = vec![false; rows.len() / dimension];
        let program = simplex(dimension, scope.weight_floor);
        Self { dimension, rows, scope, held, program }
    }

    /// None when the cell is empty, or `listener` interrupts.
    fn ranges(&mut self, listener: &dyn Listener) -> Result<Option<Vec<[f64; 2]>>, SolverError> {
        if self.scope.weight_floor > 1.0 {
            return Ok(None);
        }
        let mut ranges = Vec::with_capacity(self.dimension);
        for k in 0..self.dimension {
            let ends = (self.extreme(k, 1.0, listener)?, self.extreme(k, -1.0, listener)?);
            match ends {
                (Some(low), Some(high)) => ranges.push([low, high]),
                _ => return Ok(None),
            }
        }
        Ok(Some(ranges))
    }

    /// The value of weight `k` where `sign` times it is least.
    fn extreme(
        &mut self,
        k: usize,
        sign: f64,
        listener: &dyn Listener,
    ) -> Result<Option<f64>, SolverError> {
        let mut cost = vec![0.0; self.dimension + 1];
        cost[k] = sign;
        while !listener.interrupted() {
            let weights = match self.program.minimize(&cost) {
                LinearOptimum::At(point) => point,
                LinearOptimum::Infeasible => return Ok(None),
                LinearOptimum::Unknown => return Err(SolverError::WeightRange { weight: k }),
            };
            let new = self.violated(&weights);
            if new.is_empty() {
                return Ok(Some(weights[k]));
            }
            new.into_iter().for_each(|row| self.hold(row));
        }
        Ok(None)
    }

    fn hold(&mut self, row: usize) {
        self.held[row] = true;
        let entries = &self.rows[row * self.dimension..(row + 1) * self.dimension];
        self.program.add(entries, self.scope.absolute_margin);
    }

    /// The most violated rows at `weights` that are not held yet.
    fn violated(&self, weights: &[f64]) -> Vec<usize> {
        let least = self.scope.absolute_margin - TOLERANCE;
        let mut found: Vec<(f64, usize)> = self
            .rows
            .chunks_exact(self.dimension)
            .enumerate()
            .map(|(i, r)| (dot(r, weights), i))
            .filter(|(value, i)| *value < least && !self.held[*i])
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.into_iter().take(CUTS).map(|(_, i)| i).collect()
    }
}

/// Weights of sum 1 and, after them, the largest of them, of which each weight is at least the
/// share `floor`; starts at equal weights.
fn simplex(dimension: usize, floor: f64) -> LinearProgram {
    let sum = (0..=dimension).map(|k| f64::from(u8::from(k < dimension))).collect();
    let row = |k: usize, weight: f64, largest: f64| {
        let mut row = vec![0.0; dimension + 1];
        (row[k], row[dimension]) = (weight, largest);
        (row, 0.0)
    };
    let below_largest = (0..dimension).map(|k| row(k, -1.0, 1.0));
    let above_floor = (0..dimension).map(|k| row(k, 1.0, -floor));
    let rows: Vec<(Vec<f64>, f64)> =
        [(sum, 1.0)].into_iter().chain(below_largest).chain(above_floor).collect();
    LinearProgram::new(dimension + 1, &rows)
}
