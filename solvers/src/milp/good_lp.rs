//! The same MILP stated readably with `good_lp`, to cross-check the other
//! statement of it. `good_lp` reports neither bound nor nodes: short of
//! optimality only dead blocks are proven.

use crate::heuristic::Heuristic;
use crate::milp::MilpParameters;
use crate::milp::model::{MilpAnswer, MilpModel, solve_from_heuristic};
use crate::solver::Clock;
use crate::{BlockProblem, Limits, Listener, SolveOutcome, Solver, SolverError, StopReason};
use good_lp::solvers::highs::{HighsProblem, HighsSolution};
use good_lp::{
    Expression, ProblemVariables, Solution, SolutionStatus, SolverModel, Variable,
    WithInitialSolution, constraint, solvers::highs::highs, variable,
};

/// The MILP through `good_lp` and HiGHS.
///
/// The time and node limits are passed on; an interrupt is only seen before
/// HiGHS starts, because `good_lp` has no callback.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MilpGoodLp {
    /// Constants of the model.
    pub parameters: MilpParameters,
    /// The local search that provides the MIP start.
    pub heuristic: Heuristic,
}

const NAME: &str = "milp-good-lp";

impl Solver for MilpGoodLp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn solve(
        &self,
        problem: &BlockProblem,
        limits: &Limits,
        listener: &dyn Listener,
    ) -> Result<SolveOutcome, SolverError> {
        let settings = (self.parameters, self.heuristic);
        solve_from_heuristic(NAME, settings, (problem, limits, listener), |model, start, clock| {
            let statement = Statement::new(model);
            let (weights, violated) = (statement.weights.clone(), statement.violated.clone());
            let solution = statement.solve(start, limits, clock)?;
            let stop_reason = stop_reason(&solution, limits);
            let values = weights.iter().chain(&violated).map(|v| solution.value(*v));
            let point: Vec<f64> = values.collect();
            let objective: f64 = point[model.dimension..].iter().sum();
            let bound = if stop_reason == StopReason::Optimal { objective } else { 0.0 };
            Ok(MilpAnswer { solver: NAME, point, bound, stop_reason, nodes: 0 })
        })
    }
}

/// The model in the words of `good_lp`.
struct Statement {
    weights: Vec<Variable>,
    violated: Vec<Variable>,
    problem: HighsProblem,
}

impl Statement {
    fn new(model: &MilpModel) -> Self {
        let floor = model.parameters.weight_floor;
        let mut variables = ProblemVariables::new();
        let weights = variables.add_vector(variable().min(floor).max(1), model.dimension);
        let violated = variables.add_vector(variable().binary(), model.open_blocks.len());
        let objective: Expression = violated.iter().sum();
        let mut problem = variables.minimise(objective).using(highs);

        let total: Expression = weights.iter().sum();
        problem.add_constraint(constraint!(total == 1));
        for row in &model.rows {
            let value: Expression = row.terms.iter().map(|(k, r)| *r * weights[*k]).sum();
            let relaxed = value + row.big_m * violated[row.block];
            problem.add_constraint(constraint!(relaxed >= model.parameters.margin));
        }
        Self { weights, violated, problem }
    }

    fn solve(
        self,
        start: &[f64],
        limits: &Limits,
        clock: &Clock<'_>,
    ) -> Result<HighsSolution, SolverError> {
        let variables = self.weights.iter().chain(&self.violated).copied();
        let mut problem = self
            .problem
            .set_option("mip_rel_gap", 0.0)
            .set_option("mip_abs_gap", 1e-6)
            .set_option("primal_feasibility_tolerance", 1e-9)
            .set_option("mip_feasibility_tolerance", 1e-7)
            .with_initial_solution(variables.zip(start.iter().copied()));
        if let Some(left) = clock.remaining() {
            problem = problem.set_time_limit(left.as_secs_f64());
        }
        if let Some(nodes) = limits.nodes {
            problem = problem.set_option("mip_max_nodes", i32::try_from(nodes).unwrap_or(i32::MAX));
        }
        problem.solve().map_err(|e| SolverError::Backend {
            solver: NAME,
            call: "solve".into(),
            reason: e.to_string(),
        })
    }
}

/// The gaps are set so small that stopping at one is a proof.
fn stop_reason(solution: &HighsSolution, limits: &Limits) -> StopReason {
    match solution.status() {
        SolutionStatus::Optimal | SolutionStatus::GapLimit => StopReason::Optimal,
        // good_lp calls every limit a time limit.
        SolutionStatus::TimeLimit if limits.nodes.is_some() && limits.time.is_none() => {
            StopReason::NodeLimit
        }
        SolutionStatus::TimeLimit => StopReason::TimeLimit,
    }
}
