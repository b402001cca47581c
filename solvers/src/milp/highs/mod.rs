//! The MILP solved by HiGHS, through the safe crate `highs`; what that crate does not wrap is
//! in `unwrapped.rs`.

mod unwrapped;

pub(super) use unwrapped::version;

use crate::heuristic::Heuristic;
use crate::milp::MilpParameters;
use crate::milp::model::{MilpAnswer, MilpModel, OBJECTIVE_TOLERANCE, solve_from_heuristic};
use crate::milp::watched::{MilpTask, RunWatch};
use crate::{BlockProblem, Limits, Listener, SolveOutcome, Solver, SolverError, StopReason};
use highs::{
    HighsModelStatus, HighsOptionValue, HighsSolutionStatus, Model, RowProblem, Sense, SolvedModel,
};
use std::fmt::Debug;
use std::path::Path;

/// The MILP solved by HiGHS, started from the local search.
///
/// Honors time limit, node limit and interrupt, and streams incumbent and
/// bound. Where HiGHS takes more than a second to end, the call ends without
/// it, with the best weights and bound so far. HiGHS shares one scheduler per process, so a number of threads other
/// than 1 means "as HiGHS chooses".
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MilpHighs {
    /// Constants of the model.
    pub parameters: MilpParameters,
    /// The local search that provides the MIP start.
    pub heuristic: Heuristic,
}

const NAME: &str = "milp-highs";

impl Solver for MilpHighs {
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
            solve(passed(stated(&task.model))?, task, watch)
        })
    }
}

/// Optimal objective of a model file, MPS or LP by its extension.
///
/// For checking exported models; fails unless HiGHS proves optimality.
pub fn optimum_of_file(path: &Path) -> Result<f64, SolverError> {
    let mut model = passed(RowProblem::new())?;
    set_tolerances(&mut model)?;
    unwrapped::read_model(&mut model, path)?;
    let solved = model.try_solve().map_err(|status| refused("Highs_run", status))?;
    match solved.status() {
        HighsModelStatus::Optimal => Ok(solved.objective_value()),
        status => Err(refused("Highs_run", status)),
    }
}

/// Solves the model of the task, however it was stated: its columns, in the same order.
pub(super) fn solve(
    mut model: Model,
    task: &MilpTask,
    watch: &RunWatch,
) -> Result<MilpAnswer, SolverError> {
    set_tolerances(&mut model)?;
    set_limits(&mut model, &task.limits)?;
    let started = model.try_set_solution(Some(&task.start), None, None, None);
    started.map_err(|status| refused("Highs_setSolution", status))?;
    let solved = unwrapped::solve_watched(model, task.model.dimension, watch)?;
    let bound = solved.double_info_value(c"mip_dual_bound");
    Ok(MilpAnswer {
        solver: task.solver,
        point: solution(&solved)?,
        bound: bound.map_err(|status| refused("reading mip_dual_bound", status))?,
        stop_reason: stop_reason(&solved)?,
        nodes: unwrapped::node_count(&solved)?,
    })
}

/// Fails when a model has more rows, columns or entries than HiGHS can number.
pub(super) fn check_size(model: &MilpModel) -> Result<(), SolverError> {
    let entries: usize = model.rows.iter().map(|row| row.terms.len() + 1).sum();
    let largest = (model.dimension + entries).max(model.rows.len() + 1).max(model.columns());
    i32::try_from(largest).map(drop).map_err(|_| {
        backend("Highs_passMip", format!("{largest} entries are more than it can number"))
    })
}

fn backend(call: &str, reason: String) -> SolverError {
    SolverError::Backend { solver: NAME, call: call.to_owned(), reason }
}

fn refused(call: &str, status: impl Debug) -> SolverError {
    backend(call, format!("status {status:?}"))
}

fn passed(problem: RowProblem) -> Result<Model, SolverError> {
    problem.try_optimise(Sense::Minimise).map_err(|status| refused("Highs_passMip", status))
}

/// The model: `sum p = 1` first, then one row after the other.
fn stated(model: &MilpModel) -> RowProblem {
    let mut problem = RowProblem::new();
    let floor = model.parameters.weight_floor;
    let weights: Vec<_> =
        (0..model.dimension).map(|_| problem.add_column(0.0, floor..=1.0)).collect();
    let binary = |cost: f64| problem.add_integer_column(cost, 0.0..=1.0);
    let violated: Vec<_> = model.costs().into_iter().map(binary).collect();
    problem.add_row(1.0..=1.0, weights.iter().map(|weight| (*weight, 1.0)));
    for row in &model.rows {
        let terms = row.terms.iter().map(|(k, coefficient)| (weights[*k], *coefficient));
        let relaxed = terms.chain([(violated[row.block], row.big_m)]);
        problem.add_row(model.parameters.margin.., relaxed);
    }
    problem
}

fn set_tolerances(model: &mut Model) -> Result<(), SolverError> {
    set(model, "mip_rel_gap", 0.0)?;
    set(model, "mip_abs_gap", OBJECTIVE_TOLERANCE)?;
    // The margin of the model is far above both.
    set(model, "primal_feasibility_tolerance", 1e-9)?;
    set(model, "mip_feasibility_tolerance", 1e-7)
}

fn set_limits(model: &mut Model, limits: &Limits) -> Result<(), SolverError> {
    if let Some(left) = limits.time {
        set(model, "time_limit", left.as_secs_f64())?;
    }
    if let Some(nodes) = limits.nodes {
        set(model, "mip_max_nodes", i32::try_from(nodes).unwrap_or(i32::MAX))?;
    }
    if limits.threads == Some(1) {
        set(model, "parallel", "off")?;
    }
    Ok(())
}

/// Fails on names and values that HiGHS does not know, with which it would run by its defaults.
fn set(model: &mut Model, name: &str, value: impl HighsOptionValue) -> Result<(), SolverError> {
    let call = || format!("setting option {name}");
    model.try_set_option(name, value).map_err(|error| backend(&call(), error.to_string()))
}

fn stop_reason(solved: &SolvedModel) -> Result<StopReason, SolverError> {
    match solved.status() {
        HighsModelStatus::Optimal => Ok(StopReason::Optimal),
        HighsModelStatus::ReachedTimeLimit => Ok(StopReason::TimeLimit),
        // Nodes are among what HiGHS calls the solution limit.
        HighsModelStatus::ReachedSolutionLimit => Ok(StopReason::NodeLimit),
        HighsModelStatus::ReachedInterrupt => Ok(StopReason::Interrupted),
        status => Err(refused("Highs_run", status)),
    }
}

fn solution(solved: &SolvedModel) -> Result<Vec<f64>, SolverError> {
    match solved.primal_solution_status() {
        HighsSolutionStatus::Feasible => Ok(solved.get_solution().columns().to_vec()),
        _ => Err(backend("Highs_run", "no feasible point, though one was given".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_highs_does_not_know_or_take_is_an_error() {
        let mut model = passed(RowProblem::new()).unwrap();
        set(&mut model, "mip_rel_gap", 0.5).unwrap();
        assert!(set(&mut model, "mip_relative_gap", 0.5).is_err(), "no such name");
        assert!(set(&mut model, "mip_rel_gap", "half").is_err(), "another type");
        assert!(set(&mut model, "mip_rel_gap", -1.0).is_err(), "out of range");
    }
}
