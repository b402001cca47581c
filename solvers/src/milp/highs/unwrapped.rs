//! What the crate `highs` does not wrap: callbacks, a count of 64 bits, model files, the version.
//! The only unsafe code here.
//!
//! All instances are those that `highs` made and owns, so they are alive while a `Model` or
//! `SolvedModel` is borrowed. Every return code is checked.

#![allow(unsafe_code)]

use super::{backend, refused};
use crate::SolverError;
use crate::milp::watched::RunWatch;
use highs::{Model, SolvedModel};
use highs_sys::{
    Highs_getInt64InfoValue, Highs_readModel, Highs_setCallback, Highs_startCallback,
    Highs_versionMajor, Highs_versionMinor, Highs_versionPatch, HighsCallbackDataIn,
    HighsCallbackDataOut, HighsInt, STATUS_OK, kHighsCallbackMipImprovingSolution,
    kHighsCallbackMipInterrupt, kHighsCallbackMipLogging,
};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;

/// The version of HiGHS.
pub fn version() -> String {
    // SAFETY: they take nothing and return numbers that HiGHS was compiled with.
    let parts = unsafe { [Highs_versionMajor(), Highs_versionMinor(), Highs_versionPatch()] };
    parts.map(|part| part.to_string()).join(".")
}

/// Reads a model file in place of what `model` holds.
pub fn read_model(model: &mut Model, path: &Path) -> Result<(), SolverError> {
    let name = CString::new(path.to_string_lossy().as_ref())
        .map_err(|e| backend("Highs_readModel", e.to_string()))?;
    // SAFETY: the instance is alive, and the name is a terminated string that HiGHS copies.
    require("Highs_readModel", unsafe { Highs_readModel(model.as_mut_ptr(), name.as_ptr()) })
}

/// Nodes of the search.
pub fn node_count(solved: &SolvedModel) -> Result<u64, SolverError> {
    let mut value: i64 = -1;
    // SAFETY: the instance is alive, the name terminated, and `value`, of the type that HiGHS has for
    // that name and checks, outlives the call.
    let code = unsafe {
        Highs_getInt64InfoValue(solved.as_ptr(), c"mip_node_count".as_ptr(), &raw mut value)
    };
    require("reading mip_node_count", code)?;
    Ok(u64::try_from(value).unwrap_or(0))
}

/// Solves the model, whose first `dimension` columns are weights; tells `watch` how the run
/// stands, and ends it when that says so.
pub fn solve_watched(
    mut model: Model,
    dimension: usize,
    watch: &RunWatch,
) -> Result<SolvedModel, SolverError> {
    let watched = Watched { watch, dimension };
    let data = (&raw const watched).cast_mut().cast();
    // SAFETY: the instance is alive. HiGHS calls `listen` with `data` only while it runs, which is in the
    // next statement: an instance that fails there is destroyed by it, and one that comes out
    // forgets both before `watched` ends. `listen` only reads `watched`, which threads may share.
    unsafe {
        require("Highs_setCallback", Highs_setCallback(model.as_mut_ptr(), Some(listen), data))?;
        for kind in KINDS {
            require("Highs_startCallback", Highs_startCallback(model.as_mut_ptr(), kind))?;
        }
    }
    let mut solved = model.try_solve().map_err(|status| refused("Highs_run", status))?;
    // SAFETY: the instance is alive; without a callback all kinds are off.
    let code = unsafe { Highs_setCallback(solved.as_mut_ptr(), None, std::ptr::null_mut()) };
    require("Highs_setCallback", code)?;
    Ok(solved)
}

const KINDS: [HighsInt; 3] =
    [kHighsCallbackMipLogging, kHighsCallbackMipInterrupt, kHighsCallbackMipImprovingSolution];

/// What the callback needs while HiGHS runs.
struct Watched<'a> {
    watch: &'a RunWatch,
    dimension: usize,
}

/// Threads of HiGHS may share it.
const _: fn() = || {
    fn shared<T: Sync>() {}
    shared::<Watched<'_>>();
};

/// Passes on how the run stands, and whether to stop.
unsafe extern "C" fn listen(
    kind: c_int,
    _message: *const c_char,
    out: *const HighsCallbackDataOut,
    input: *mut HighsCallbackDataIn,
    data: *mut c_void,
) {
    // SAFETY: `data` is the `Watched` of the running `solve_watched`; HiGHS passes a valid structure,
    // or none, that nobody else writes during the call.
    let (watched, out) = unsafe { (&*data.cast::<Watched<'_>>(), out.as_ref()) };
    if let Some(out) = out {
        watched.hear(kind, out);
    }
    if !input.is_null() {
        let stops = c_int::from(watched.watch.stops());
        // SAFETY: HiGHS passes a structure to write to; its other fields may not be set, so that none
        // is read.
        unsafe { (&raw mut (*input).user_interrupt).write(stops) }
    }
}

impl Watched<'_> {
    fn hear(&self, kind: HighsInt, out: &HighsCallbackDataOut) {
        if kind == kHighsCallbackMipLogging {
            let nodes = u64::try_from(out.mip_node_count).unwrap_or(0);
            self.watch.state(out.mip_primal_bound, out.mip_dual_bound, nodes);
        }
        let size = usize::try_from(out.mip_solution_size).unwrap_or(0);
        let whole = size >= self.dimension && !out.mip_solution.is_null();
        if kind == kHighsCallbackMipImprovingSolution && whole {
            // SAFETY: HiGHS passes `size` values of the columns, the weights first, for the time of
            // the call.
            let weights = unsafe { std::slice::from_raw_parts(out.mip_solution, self.dimension) };
            self.watch.weights(weights);
        }
    }
}

fn require(call: &str, code: HighsInt) -> Result<(), SolverError> {
    if code == STATUS_OK { Ok(()) } else { Err(backend(call, format!("status {code}"))) }
}
