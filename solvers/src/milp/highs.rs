//! The MILP through the C interface of HiGHS: the only unsafe code here.
//!
//! Every return code is checked and every option is read back, because HiGHS
//! answers an unknown option with a code and then runs with the default.

#![allow(unsafe_code)]

use crate::heuristic::Heuristic;
use crate::milp::MilpParameters;
use crate::milp::model::{MilpAnswer, MilpModel, OBJECTIVE_TOLERANCE, solve_from_heuristic};
use crate::milp::watched::{MilpTask, RunWatch};
use crate::{BlockProblem, Limits, Listener, SolveOutcome, Solver, SolverError, StopReason};
use good_lp::solvers::highs::HighsProblem;
use highs_sys::*;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
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
            let mut highs = Highs::new()?;
            highs.pass(&task.model)?;
            highs.solve(task, watch)
        })
    }
}

/// Optimal objective of a model file, MPS or LP by its extension.
///
/// For checking exported models; fails unless HiGHS proves optimality.
pub fn optimum_of_file(path: &Path) -> Result<f64, SolverError> {
    let mut highs = Highs::new()?;
    let name = c_string(&path.to_string_lossy())?;
    // SAFETY: the instance is alive and the name is a terminated string.
    let code = unsafe { Highs_readModel(highs.instance, name.as_ptr()) };
    highs.require("Highs_readModel", code)?;
    highs.run()?;
    // SAFETY: the instance is alive.
    match unsafe { Highs_getModelStatus(highs.instance) } {
        MODEL_STATUS_OPTIMAL => highs.double_info("objective_function_value"),
        status => Err(backend("Highs_run", format!("model status {status}"))),
    }
}

/// Solves the task as `good_lp` states it: its columns, in the same order.
pub(super) fn solve_stated(
    stated: HighsProblem,
    task: &MilpTask,
    watch: &RunWatch,
) -> Result<MilpAnswer, SolverError> {
    let mut stated =
        stated.try_into_inner().map_err(|e| backend("try_into_inner", e.to_string()))?;
    let mut highs = Highs { instance: stated.as_mut_ptr(), owned: false };
    highs.set_tolerances()?;
    highs.solve(task, watch)
}

/// A HiGHS instance, owned or lent.
struct Highs {
    instance: *mut c_void,
    owned: bool,
}

impl Drop for Highs {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: created by Highs_create and destroyed only here.
            unsafe { Highs_destroy(self.instance) }
        }
    }
}

fn backend(call: &str, reason: String) -> SolverError {
    SolverError::Backend { solver: NAME, call: call.to_owned(), reason }
}

fn c_string(text: &str) -> Result<CString, SolverError> {
    CString::new(text).map_err(|e| backend("CString::new", e.to_string()))
}

fn highs_int(value: usize) -> Result<HighsInt, SolverError> {
    HighsInt::try_from(value)
        .map_err(|_| backend("passMip", format!("{value} exceeds the index range")))
}

impl Highs {
    fn new() -> Result<Self, SolverError> {
        // SAFETY: no arguments; null is checked.
        let instance = unsafe { Highs_create() };
        if instance.is_null() {
            return Err(backend("Highs_create", "null".into()));
        }
        let mut highs = Self { instance, owned: true };
        highs.set_tolerances()?;
        Ok(highs)
    }

    fn set_tolerances(&mut self) -> Result<(), SolverError> {
        self.set_bool("output_flag", false)?;
        self.set_double("mip_rel_gap", 0.0)?;
        self.set_double("mip_abs_gap", OBJECTIVE_TOLERANCE)?;
        // The margin of the model is far above both.
        self.set_double("primal_feasibility_tolerance", 1e-9)?;
        self.set_double("mip_feasibility_tolerance", 1e-7)
    }

    fn require(&self, call: &str, code: HighsInt) -> Result<(), SolverError> {
        match code {
            STATUS_OK => Ok(()),
            code => Err(backend(call, format!("status {code}"))),
        }
    }

    fn set_limits(&mut self, limits: &Limits) -> Result<(), SolverError> {
        if let Some(left) = limits.time {
            self.set_double("time_limit", left.as_secs_f64())?;
        }
        if let Some(nodes) = limits.nodes {
            self.set_int("mip_max_nodes", HighsInt::try_from(nodes).unwrap_or(HighsInt::MAX))?;
        }
        if limits.threads == Some(1) {
            self.set_string("parallel", "off")?;
        }
        Ok(())
    }

    fn set_bool(&mut self, name: &str, value: bool) -> Result<(), SolverError> {
        let option = c_string(name)?;
        let (wanted, mut got) = (HighsInt::from(value), -1);
        // SAFETY: the instance is alive, the name terminated, `got` outlives the call.
        let codes = unsafe {
            let set = Highs_setBoolOptionValue(self.instance, option.as_ptr(), wanted);
            (set, Highs_getBoolOptionValue(self.instance, option.as_ptr(), &mut got))
        };
        self.verify(name, codes, got == wanted)
    }

    fn set_int(&mut self, name: &str, value: HighsInt) -> Result<(), SolverError> {
        let option = c_string(name)?;
        let mut got = -1;
        // SAFETY: as in `set_bool`.
        let codes = unsafe {
            let set = Highs_setIntOptionValue(self.instance, option.as_ptr(), value);
            (set, Highs_getIntOptionValue(self.instance, option.as_ptr(), &mut got))
        };
        self.verify(name, codes, got == value)
    }

    fn set_double(&mut self, name: &str, value: f64) -> Result<(), SolverError> {
        let option = c_string(name)?;
        let mut got = f64::NAN;
        // SAFETY: as in `set_bool`.
        let codes = unsafe {
            let set = Highs_setDoubleOptionValue(self.instance, option.as_ptr(), value);
            (set, Highs_getDoubleOptionValue(self.instance, option.as_ptr(), &mut got))
        };
        self.verify(name, codes, got == value)
    }

    fn set_string(&mut self, name: &str, value: &str) -> Result<(), SolverError> {
        let (option, wanted) = (c_string(name)?, c_string(value)?);
        let mut buffer = vec![0 as c_char; kHighsMaximumStringLength as usize + 1];
        // SAFETY: both strings are terminated and the buffer has the length HiGHS asks for.
        let codes = unsafe {
            let set = Highs_setStringOptionValue(self.instance, option.as_ptr(), wanted.as_ptr());
            (set, Highs_getStringOptionValue(self.instance, option.as_ptr(), buffer.as_mut_ptr()))
        };
        // SAFETY: the buffer ends in a zero that HiGHS has no room to overwrite.
        let got = unsafe { CStr::from_ptr(buffer.as_ptr()) };
        self.verify(name, codes, got == wanted.as_c_str())
    }

    fn verify(
        &self,
        name: &str,
        codes: (HighsInt, HighsInt),
        equal: bool,
    ) -> Result<(), SolverError> {
        self.require(&format!("setting option {name}"), codes.0)?;
        self.require(&format!("reading option {name}"), codes.1)?;
        if equal {
            return Ok(());
        }
        Err(backend(&format!("setting option {name}"), "the value did not take".into()))
    }

    fn pass(&mut self, model: &MilpModel) -> Result<(), SolverError> {
        let arrays = Arrays::new(model)?;
        // SAFETY: all arrays outlive the call and have the lengths passed with them.
        let code = unsafe {
            Highs_passMip(
                self.instance,
                highs_int(model.columns())?,
                highs_int(arrays.row_lower.len())?,
                highs_int(arrays.values.len())?,
                MATRIX_FORMAT_ROW_WISE,
                OBJECTIVE_SENSE_MINIMIZE,
                0.0,
                arrays.cost.as_ptr(),
                arrays.lower.as_ptr(),
                arrays.upper.as_ptr(),
                arrays.row_lower.as_ptr(),
                arrays.row_upper.as_ptr(),
                arrays.starts.as_ptr(),
                arrays.indices.as_ptr(),
                arrays.values.as_ptr(),
                arrays.integrality.as_ptr(),
            )
        };
        self.require("Highs_passMip", code)
    }

    fn start_from(&mut self, point: &[f64]) -> Result<(), SolverError> {
        let none = std::ptr::null();
        // SAFETY: `point` has one value per column; null means "not given".
        let code = unsafe { Highs_setSolution(self.instance, point.as_ptr(), none, none, none) };
        self.require("Highs_setSolution", code)
    }

    fn solve(&mut self, task: &MilpTask, watch: &RunWatch) -> Result<MilpAnswer, SolverError> {
        self.set_limits(&task.limits)?;
        self.start_from(&task.start)?;
        self.listen_to(&CallbackState { watch, dimension: task.model.dimension })?;
        Ok(MilpAnswer {
            solver: task.solver,
            point: self.solution(&task.model)?,
            bound: self.double_info("mip_dual_bound")?,
            stop_reason: self.stop_reason()?,
            nodes: self.node_count()?,
        })
    }

    /// Runs with callbacks.
    fn listen_to(&mut self, state: &CallbackState<'_>) -> Result<(), SolverError> {
        let data = (&raw const *state).cast_mut().cast();
        // SAFETY: `state` outlives the run, which ends here, and the callback only reads it.
        let code = unsafe { Highs_setCallback(self.instance, Some(listen), data) };
        self.require("Highs_setCallback", code)?;
        let improved = kHighsCallbackMipImprovingSolution;
        for kind in [kHighsCallbackMipLogging, kHighsCallbackMipInterrupt, improved] {
            // SAFETY: the instance is alive.
            let code = unsafe { Highs_startCallback(self.instance, kind) };
            self.require("Highs_startCallback", code)?;
        }
        self.run()
    }

    /// Runs; a warning is how HiGHS reports a limit, and the model status says which.
    fn run(&mut self) -> Result<(), SolverError> {
        // SAFETY: the instance is alive and holds a model.
        match unsafe { Highs_run(self.instance) } {
            STATUS_OK | STATUS_WARNING => Ok(()),
            code => Err(backend("Highs_run", format!("status {code}"))),
        }
    }

    fn stop_reason(&self) -> Result<StopReason, SolverError> {
        // SAFETY: the instance is alive.
        match unsafe { Highs_getModelStatus(self.instance) } {
            MODEL_STATUS_OPTIMAL => Ok(StopReason::Optimal),
            MODEL_STATUS_REACHED_TIME_LIMIT => Ok(StopReason::TimeLimit),
            // Nodes are among what HiGHS calls the solution limit.
            MODEL_STATUS_REACHED_SOLUTION_LIMIT => Ok(StopReason::NodeLimit),
            MODEL_STATUS_REACHED_INTERRUPT => Ok(StopReason::Interrupted),
            status => Err(backend("Highs_run", format!("model status {status}"))),
        }
    }

    fn solution(&self, model: &MilpModel) -> Result<Vec<f64>, SolverError> {
        if self.int_info("primal_solution_status")? != SOLUTION_STATUS_FEASIBLE {
            return Err(backend("Highs_run", "no feasible point, though one was given".into()));
        }
        let mut point = vec![0.0; model.columns()];
        let none = std::ptr::null_mut();
        // SAFETY: `point` has one place per column; null means "not wanted".
        let code =
            unsafe { Highs_getSolution(self.instance, point.as_mut_ptr(), none, none, none) };
        self.require("Highs_getSolution", code)?;
        Ok(point)
    }

    fn double_info(&self, name: &str) -> Result<f64, SolverError> {
        let info = c_string(name)?;
        let mut value = f64::NAN;
        // SAFETY: the instance is alive, the name terminated, `value` outlives the call.
        let code = unsafe { Highs_getDoubleInfoValue(self.instance, info.as_ptr(), &mut value) };
        self.require(&format!("reading {name}"), code)?;
        Ok(value)
    }

    fn int_info(&self, name: &str) -> Result<HighsInt, SolverError> {
        let info = c_string(name)?;
        let mut value = -1;
        // SAFETY: as in `double_info`.
        let code = unsafe { Highs_getIntInfoValue(self.instance, info.as_ptr(), &mut value) };
        self.require(&format!("reading {name}"), code)?;
        Ok(value)
    }

    fn node_count(&self) -> Result<u64, SolverError> {
        let info = c_string("mip_node_count")?;
        let mut value = -1;
        // SAFETY: as in `double_info`.
        let code = unsafe { Highs_getInt64InfoValue(self.instance, info.as_ptr(), &mut value) };
        self.require("reading mip_node_count", code)?;
        Ok(value.max(0) as u64)
    }
}

/// What the callback needs while HiGHS runs.
struct CallbackState<'a> {
    watch: &'a RunWatch,
    dimension: usize,
}

impl CallbackState<'_> {
    fn tell(&self, kind: HighsInt, out: &HighsCallbackDataOut) {
        if kind == kHighsCallbackMipLogging {
            let nodes = out.mip_node_count.max(0) as u64;
            self.watch.state(out.mip_primal_bound, out.mip_dual_bound, nodes);
        }
        let whole = out.mip_solution_size as usize >= self.dimension;
        if kind == kHighsCallbackMipImprovingSolution && whole && !out.mip_solution.is_null() {
            // SAFETY: HiGHS passes so many values of the columns, the weights first.
            let weights = unsafe { std::slice::from_raw_parts(out.mip_solution, self.dimension) };
            self.watch.weights(weights);
        }
    }
}

/// Passes on how the run stands, and whether to stop.
unsafe extern "C" fn listen(
    kind: c_int,
    _message: *const c_char,
    out: *const HighsCallbackDataOut,
    input: *mut HighsCallbackDataIn,
    data: *mut c_void,
) {
    // SAFETY: `data` is the state of the running `listen_to`; HiGHS passes valid or null structures.
    let (state, out, input) =
        unsafe { (&*data.cast::<CallbackState<'_>>(), out.as_ref(), input.as_mut()) };
    if let Some(out) = out {
        state.tell(kind as HighsInt, out);
    }
    if let Some(input) = input {
        input.user_interrupt = c_int::from(state.watch.stops());
    }
}

/// The model as the arrays of `Highs_passMip`: `sum p = 1` first, then one per row.
struct Arrays {
    cost: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    integrality: Vec<HighsInt>,
    row_lower: Vec<f64>,
    row_upper: Vec<f64>,
    starts: Vec<HighsInt>,
    indices: Vec<HighsInt>,
    values: Vec<f64>,
}

impl Arrays {
    fn new(model: &MilpModel) -> Result<Self, SolverError> {
        let (n, blocks) = (model.dimension, model.open_blocks.len());
        let per_kind = |weight: f64, binary: f64| [vec![weight; n], vec![binary; blocks]].concat();
        let mut arrays = Self {
            cost: [vec![0.0; n], model.costs()].concat(),
            lower: per_kind(model.parameters.weight_floor, 0.0),
            upper: per_kind(1.0, 1.0),
            integrality: [vec![VAR_TYPE_CONTINUOUS; n], vec![VAR_TYPE_INTEGER; blocks]].concat(),
            row_lower: Vec::new(),
            row_upper: Vec::new(),
            starts: Vec::new(),
            indices: Vec::new(),
            values: Vec::new(),
        };
        arrays.push((0..n).map(|k| (k, 1.0)), 1.0, 1.0)?;
        for row in &model.rows {
            let violated = (n + row.block, row.big_m);
            let terms = row.terms.iter().copied().chain([violated]);
            arrays.push(terms, model.parameters.margin, f64::INFINITY)?;
        }
        Ok(arrays)
    }

    fn push(
        &mut self,
        terms: impl Iterator<Item = (usize, f64)>,
        lower: f64,
        upper: f64,
    ) -> Result<(), SolverError> {
        self.starts.push(highs_int(self.values.len())?);
        for (column, value) in terms {
            self.indices.push(highs_int(column)?);
            self.values.push(value);
        }
        self.row_lower.push(lower);
        self.row_upper.push(upper);
        Ok(())
    }
}
