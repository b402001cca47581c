//! The problem as a mixed-integer linear program, in words of no solver.
//!
//! After Abril, Navarro-Arribas, Torra 2012, doi:10.1016/j.inffus.2011.05.001,
//! section 3.2: weights `p`, one binary `K` per block, and per row
//! `r . p + M K >= margin`; minimise the sum of `K`. A strict inequality needs
//! the margin, and the margin must be well above the tolerances of the MILP
//! solver: with `1e-6` and one large `M` for all rows, solvers count ties as
//! satisfied.

use crate::solver::{Claim, Clock};
use crate::{BlockProblem, ProofScope, SolveOutcome, SolverError, StopReason, WeightDomain, check};

/// Coefficients below this are left out: MILP solvers drop them with a warning.
const SMALLEST_COEFFICIENT: f64 = 1e-9;

/// The constants of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MilpParameters {
    /// Smallest `r . p` of a satisfied row.
    pub margin: f64,
    /// Smallest weight; positive, because free rows tie where weights vanish.
    pub weight_floor: f64,
    /// How `M` is chosen.
    pub big_m: BigM,
}

impl Default for MilpParameters {
    fn default() -> Self {
        Self {
            margin: 1e-4,
            weight_floor: 1e-6,
            big_m: BigM::PerRow,
        }
    }
}

impl MilpParameters {
    /// Refuses constants with which the model would be wrong or empty.
    pub fn check(&self, domain: WeightDomain) -> Result<(), SolverError> {
        let refuse = |name, value, requirement| {
            Err(SolverError::Parameter {
                name,
                value,
                requirement,
            })
        };
        if !(1e-6..=0.1).contains(&self.margin) {
            return refuse(
                "margin",
                self.margin,
                "it must be in [1e-6, 0.1]: above all tolerances",
            );
        }
        if !(0.0..=0.5 / domain.dimension() as f64).contains(&self.weight_floor) {
            return refuse(
                "weight_floor",
                self.weight_floor,
                "it must be in [0, 1 / (2 n)]",
            );
        }
        match self.big_m {
            BigM::Constant(m) if !(m.is_finite() && m > 0.0) => {
                refuse("big_m", m, "it must be positive and finite")
            }
            _ => Ok(()),
        }
    }

    /// `M` for one row.
    pub fn big_m(&self, row: &[f64]) -> f64 {
        match self.big_m {
            BigM::Constant(m) => m,
            BigM::PerRow => row.iter().fold(0.0, |m: f64, x| m.max(-x)) + self.margin,
        }
    }
}

/// How `M` in `r . p + M K >= margin` is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BigM {
    /// `max(-min_k r_k, 0) + margin`: the smallest that is valid on the simplex.
    PerRow,
    /// One constant, as published; valid only if it is at least every per-row `M`.
    Constant(f64),
}

/// Where a model's blocks come from: a reduced problem, or rows made on demand.
///
/// Writers ask for each block once per weight, so a full problem of `N^2` rows
/// is written without ever being held.
pub trait BlockSource {
    /// Number of weights.
    fn dimension(&self) -> usize;
    /// Number of blocks.
    fn blocks(&self) -> usize;
    /// Rows of a block, flat.
    fn rows(&self, block: usize) -> Vec<f64>;
    /// True when the block is known to be violated by all weights.
    fn is_dead(&self, block: usize) -> bool;
}

impl BlockSource for BlockProblem {
    fn dimension(&self) -> usize {
        self.dimension()
    }

    fn blocks(&self) -> usize {
        self.blocks()
    }

    fn rows(&self, block: usize) -> Vec<f64> {
        self.block_rows(block)
            .flat_map(|i| self.row(i).iter().copied())
            .collect()
    }

    fn is_dead(&self, block: usize) -> bool {
        self.is_dead(block)
    }
}

/// A [`BlockSource`] that makes the unreduced rows of a block when asked.
pub struct FullRows<F> {
    dimension: usize,
    blocks: usize,
    rows: F,
}

impl<F: Fn(usize) -> Vec<f64>> FullRows<F> {
    /// `rows(b)` returns the rows of block `b`, flat, `dimension` values each.
    pub fn new(dimension: usize, blocks: usize, rows: F) -> Self {
        Self {
            dimension,
            blocks,
            rows,
        }
    }
}

impl<F: Fn(usize) -> Vec<f64>> BlockSource for FullRows<F> {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn blocks(&self) -> usize {
        self.blocks
    }

    fn rows(&self, block: usize) -> Vec<f64> {
        (self.rows)(block)
    }

    fn is_dead(&self, _block: usize) -> bool {
        false
    }
}

/// One constraint `weights . p + big_m K >= margin`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelRow {
    /// Index into [`MilpModel::open_blocks`].
    pub block: usize,
    /// Weight and coefficient, zeros left out.
    pub terms: Vec<(usize, f64)>,
    pub big_m: f64,
}

/// The model of a reduced problem in memory: open blocks only.
#[derive(Debug, Clone)]
pub(crate) struct MilpModel {
    pub dimension: usize,
    pub parameters: MilpParameters,
    pub open_blocks: Vec<usize>,
    pub rows: Vec<ModelRow>,
    /// Violated by all weights; to be added to the objective.
    pub dead: usize,
}

impl MilpModel {
    pub fn new(problem: &BlockProblem, parameters: MilpParameters) -> Result<Self, SolverError> {
        parameters.check(problem.domain())?;
        let open_blocks: Vec<usize> = problem.open_blocks().collect();
        let mut rows = Vec::with_capacity(problem.row_count());
        for (block, b) in open_blocks.iter().enumerate() {
            for i in problem.block_rows(*b) {
                let row = problem.row(i);
                let entries = row.iter().copied().enumerate();
                rows.push(ModelRow {
                    block,
                    terms: entries
                        .filter(|e| e.1.abs() >= SMALLEST_COEFFICIENT)
                        .collect(),
                    big_m: parameters.big_m(row),
                });
            }
        }
        Ok(Self {
            dimension: problem.dimension(),
            parameters,
            open_blocks,
            rows,
            dead: problem.reductions().blocks_dead,
        })
    }

    /// Number of variables: the weights, then one binary per open block.
    pub fn columns(&self) -> usize {
        self.dimension + self.open_blocks.len()
    }

    /// A feasible point of the model at the given weights.
    pub fn start_from(&self, weights: &[f64]) -> Vec<f64> {
        let floor = self.parameters.weight_floor;
        let lifted: Vec<f64> = weights.iter().map(|p| p.max(floor)).collect();
        let sum: f64 = lifted.iter().sum();
        let mut point: Vec<f64> = lifted.iter().map(|p| p / sum).collect();
        let mut violated = vec![0.0; self.open_blocks.len()];
        for row in &self.rows {
            let value: f64 = row.terms.iter().map(|(k, x)| x * point[*k]).sum();
            if value < self.parameters.margin {
                violated[row.block] = 1.0;
            }
        }
        point.extend(violated);
        point
    }

    /// What a bound proven on this model speaks of.
    pub fn scope(&self) -> ProofScope {
        ProofScope {
            // Weights sum to 1, so the largest is at least 1 / n.
            weight_floor: self.parameters.weight_floor * self.dimension as f64,
            relative_margin: 0.0,
            absolute_margin: self.parameters.margin,
        }
    }
}

/// A MILP solver's answer in the words of the model.
pub(crate) struct MilpAnswer {
    pub solver: &'static str,
    /// Values of all variables.
    pub point: Vec<f64>,
    /// Proven lower bound on the objective, without dead blocks.
    pub bound: f64,
    pub stop_reason: StopReason,
    pub nodes: u64,
}

impl MilpAnswer {
    /// Re-counts the answer; fewer satisfied blocks than claimed is an error.
    ///
    /// More are possible: rows between 0 and the margin.
    pub fn confirm(
        self,
        problem: &BlockProblem,
        model: &MilpModel,
        clock: &Clock<'_>,
    ) -> Result<SolveOutcome, SolverError> {
        let (weights, violated) = self.point.split_at(model.dimension);
        let positive: Vec<f64> = weights.iter().map(|p| p.max(0.0)).collect();
        let direction = problem.domain().normalise(&positive)?;
        let claimed_violated = violated.iter().filter(|k| **k > 0.5).count() + model.dead;
        let claimed = problem.blocks() - claimed_violated;
        let counted = check::count_satisfied(problem, &direction)?;
        if counted < claimed {
            return Err(SolverError::FalseClaim {
                solver: self.solver,
                claimed,
                counted,
            });
        }
        let bound = model.dead + (self.bound - 1e-6).ceil().max(0.0) as usize;
        let claim = Claim {
            solver: self.solver,
            direction,
            satisfied: counted,
            bound: bound.min(problem.blocks() - counted),
            stop_reason: self.stop_reason,
            nodes: self.nodes,
            scope: model.scope(),
        };
        claim.confirm(problem, clock)
    }
}
