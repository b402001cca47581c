//! The MILP of a reduced problem in memory, and the way back from its solution.

use crate::heuristic::Heuristic;
use crate::milp::MilpParameters;
use crate::milp::watched::{MilpRun, MilpTask, watched};
use crate::outcome::Claim;
use crate::solver::Clock;
use crate::{
    BlockProblem, Limits, Listener, ProofScope, SolveOutcome, Solver, SolverError, StopReason,
    check,
};
use std::sync::Arc;

/// Solves `problem` as MILP: the local search first, then `run` on the model from there,
/// unless nothing is open or a limit is reached.
pub(crate) fn solve_from_heuristic(
    solver: &'static str,
    (parameters, heuristic): (MilpParameters, Heuristic),
    (problem, limits, listener): (&BlockProblem, &Limits, &dyn Listener),
    run: MilpRun,
) -> Result<SolveOutcome, SolverError> {
    let clock = Clock::start(problem, limits, listener);
    let model = MilpModel::new(problem, parameters)?;
    let quick = heuristic.solve(problem, limits, listener)?;
    let settled = model.open_blocks.is_empty().then_some(StopReason::Optimal);
    if let Some(reason) = settled.or_else(|| clock.stop()) {
        let claim = Claim::without_search(solver, &quick, reason, model.scope());
        return claim.confirm(problem, &clock);
    }
    let task = MilpTask {
        solver,
        start: model.start_from(quick.weights()),
        limits: Limits { time: clock.remaining(), ..limits.clone() },
        model: Arc::new(model),
    };
    let model = Arc::clone(&task.model);
    let answer = watched(task, run, &clock)?;
    answer.confirm(problem, &model, &clock)
}

/// Coefficients below this are left out: MILP solvers drop them with a warning.
const SMALLEST_COEFFICIENT: f64 = 1e-9;

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
    /// Gains of the open blocks.
    gains: Vec<u64>,
    /// The largest of them, which costs 1 in the objective.
    largest_gain: u64,
    /// Divides all of them.
    gain_unit: u64,
    /// Gain of the blocks that all weights violate; to be added to the objective.
    dead_gain: u64,
}

/// Difference of objectives that does not count: the gap at which HiGHS stops, and what is taken
/// off its bounds.
pub(crate) const OBJECTIVE_TOLERANCE: f64 = 1e-6;

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
                    terms: entries.filter(|e| e.1.abs() >= SMALLEST_COEFFICIENT).collect(),
                    big_m: parameters.big_m(row),
                });
            }
        }
        let gains: Vec<u64> = open_blocks.iter().map(|b| problem.gain(*b)).collect();
        Ok(Self {
            dimension: problem.dimension(),
            parameters,
            open_blocks,
            rows,
            largest_gain: gains.iter().copied().max().unwrap_or(1),
            gains,
            gain_unit: problem.gain_unit(),
            dead_gain: problem.dead_gain(),
        })
    }

    /// What each violated open block costs in the objective: its gain over the largest, so that
    /// tolerances mean the same whatever the gains.
    pub fn costs(&self) -> Vec<f64> {
        self.gains.iter().map(|g| *g as f64 / self.largest_gain as f64).collect()
    }

    /// Gain of the blocks violated at a point of the model, dead ones included.
    pub fn violated_gain(&self, point: &[f64]) -> u64 {
        let open = point[self.dimension..].iter().zip(&self.gains);
        self.dead_gain + open.filter(|(k, _)| **k > 0.5).map(|(_, gain)| *gain).sum::<u64>()
    }

    /// Least gain of violated blocks, dead ones included, where the objective is proven to be at
    /// least `bound`.
    ///
    /// A multiple of the unit of gains, after the tolerance is taken off. Where the largest gain
    /// is above half a million units, that loses some of them.
    pub fn least_violated_gain(&self, bound: f64) -> u64 {
        let units = (self.largest_gain / self.gain_unit) as f64;
        let proven = ((bound - OBJECTIVE_TOLERANCE) * units).ceil().max(0.0);
        let most: u64 = self.gains.iter().sum();
        let open = if bound.is_finite() { self.gain_unit.saturating_mul(proven as u64) } else { 0 };
        self.dead_gain + open.min(most)
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
    /// Re-counts the answer; a smaller gain than claimed is an error.
    ///
    /// More are possible: rows between 0 and the margin.
    pub fn confirm(
        self,
        problem: &BlockProblem,
        model: &MilpModel,
        clock: &Clock<'_>,
    ) -> Result<SolveOutcome, SolverError> {
        let weights = self.point[..model.dimension].iter();
        let positive: Vec<f64> = weights.map(|p| p.max(0.0)).collect();
        let direction = problem.domain().normalize(&positive)?;
        let claimed = problem.total_gain() - model.violated_gain(&self.point);
        let counted = check::satisfied_gain(problem, &direction)?;
        if counted < claimed {
            return Err(SolverError::FalseClaim { solver: self.solver, claimed, counted });
        }
        let bound = model.least_violated_gain(self.bound);
        let claim = Claim {
            solver: self.solver,
            direction,
            satisfied: counted,
            bound: bound.min(problem.total_gain() - counted),
            stop_reason: self.stop_reason,
            nodes: self.nodes,
            scope: model.scope(),
        };
        claim.confirm(problem, clock)
    }
}
