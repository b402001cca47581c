//! The MILP of a reduced problem in memory, and the way back from its solution.

use crate::heuristic::Heuristic;
use crate::milp::MilpParameters;
use crate::outcome::Claim;
use crate::solver::Clock;
use crate::{
    BlockProblem, Limits, Listener, ProofScope, SolveOutcome, Solver, SolverError, StopReason,
    check,
};

/// Solves `problem` as MILP: the local search first, then `run` on the model from there,
/// unless nothing is open or a limit is reached.
pub(crate) fn solve_from_heuristic(
    solver: &'static str,
    (parameters, heuristic): (MilpParameters, Heuristic),
    (problem, limits, listener): (&BlockProblem, &Limits, &dyn Listener),
    run: impl FnOnce(&MilpModel, &[f64], &Clock<'_>) -> Result<MilpAnswer, SolverError>,
) -> Result<SolveOutcome, SolverError> {
    let clock = Clock::start(problem, limits, listener);
    let model = MilpModel::new(problem, parameters)?;
    let quick = heuristic.solve(problem, limits, listener)?;
    let settled = model.open_blocks.is_empty().then_some(StopReason::Optimal);
    if let Some(reason) = settled.or_else(|| clock.stop()) {
        let claim = Claim::without_search(solver, &quick, reason, model.scope());
        return claim.confirm(problem, &clock);
    }
    let answer = run(&model, &model.start_from(quick.weights()), &clock)?;
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
                    terms: entries.filter(|e| e.1.abs() >= SMALLEST_COEFFICIENT).collect(),
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
        let direction = problem.domain().normalize(&positive)?;
        let claimed_violated = violated.iter().filter(|k| **k > 0.5).count() + model.dead;
        let claimed = problem.blocks() - claimed_violated;
        let counted = check::count_satisfied(problem, &direction)?;
        if counted < claimed {
            return Err(SolverError::FalseClaim { solver: self.solver, claimed, counted });
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
