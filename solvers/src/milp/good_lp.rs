//! The same MILP stated readably with `good_lp`, to cross-check the other
//! statement of it. HiGHS runs it as it runs the other.

use crate::heuristic::Heuristic;
use crate::milp::MilpParameters;
use crate::milp::highs::{check_size, solve};
use crate::milp::model::{MilpModel, solve_from_heuristic};
use crate::{BlockProblem, Limits, Listener, SolveOutcome, Solver, SolverError};
use good_lp::solvers::highs::HighsProblem;
use good_lp::{
    Expression, ProblemVariables, SolverModel, constraint, solvers::highs::highs, variable,
};

/// The MILP through `good_lp` and HiGHS.
///
/// Limits, interrupts and bounds are those of [`MilpHighs`](crate::MilpHighs).
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
        solve_from_heuristic(NAME, settings, (problem, limits, listener), |task, watch| {
            check_size(&task.model)?;
            let stated = statement(&task.model).try_into_inner();
            solve(stated.map_err(|e| refused(e.to_string()))?, task, watch)
        })
    }
}

fn refused(reason: String) -> SolverError {
    SolverError::Backend { solver: NAME, call: "try_into_inner".into(), reason }
}

/// The model in the words of `good_lp`: the weights first, then the binaries.
fn statement(model: &MilpModel) -> HighsProblem {
    let floor = model.parameters.weight_floor;
    let mut variables = ProblemVariables::new();
    let weights = variables.add_vector(variable().min(floor).max(1), model.dimension);
    let violated = variables.add_vector(variable().binary(), model.open_blocks.len());
    let costs = model.costs().into_iter().zip(&violated);
    let objective: Expression = costs.map(|(cost, k)| cost * *k).sum();
    let mut problem = variables.minimise(objective).using(highs);

    let total: Expression = weights.iter().sum();
    problem.add_constraint(constraint!(total == 1));
    for row in &model.rows {
        let value: Expression = row.terms.iter().map(|(k, r)| *r * weights[*k]).sum();
        let relaxed = value + row.big_m * violated[row.block];
        problem.add_constraint(constraint!(relaxed >= model.parameters.margin));
    }
    problem
}
