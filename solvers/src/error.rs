//! Everything that can go wrong in this crate, said so that it can be acted on.

use thiserror::Error;

/// Why a problem could not be built, or why a solver refused to answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SolverError {
    /// The number of weights is outside what the solvers support.
    #[error("dimension = {dimension}, but a block problem needs 1 to {maximum} weights")]
    Dimension {
        /// The dimension that was asked for.
        dimension: usize,
        /// The largest supported dimension.
        maximum: usize,
    },
    /// A flat slice of rows whose length is no multiple of the dimension.
    #[error(
        "block of {values} values, but rows have {dimension} entries: {values} is no multiple of {dimension}"
    )]
    RaggedRows {
        /// Number of values passed.
        values: usize,
        /// Entries per row.
        dimension: usize,
    },
    /// A coefficient that is not a finite number, or too small beside its row's largest.
    #[error(
        "row {row} of a block holds {value}, but coefficients must be finite and within 2^500 of each other"
    )]
    Coefficient {
        /// Index of the row inside its block.
        row: usize,
        /// The offending coefficient.
        value: f64,
    },
    /// A block reduced for another dimension than the problem's.
    #[error("block reduced for {block} weights pushed to a problem of {problem} weights")]
    BlockDimension {
        /// Dimension of the reduced block.
        block: usize,
        /// Dimension of the problem.
        problem: usize,
    },
    /// A gain that is 0, or that makes the sum of all gains too large to be exact.
    #[error(
        "gain = {gain} on top of {total}, but a gain must be at least 1 and all gains together at most 2^53; choose a larger unit"
    )]
    Gain {
        /// The gain of the block.
        gain: u64,
        /// Sum of the gains of the blocks before it.
        total: u64,
    },
    /// A certificate could not be written.
    #[error("the certificate cannot be written: {reason}")]
    Certificate {
        /// What went wrong.
        reason: String,
    },
    /// Weights outside the domain of the problem.
    #[error("weights {weights:?} are not in the domain: {reason}")]
    Weights {
        /// The weights that were passed.
        weights: Vec<f64>,
        /// Which condition of the domain they break.
        reason: &'static str,
    },
    /// The independent re-count does not confirm a solver's claim.
    #[error("{solver} claims satisfied blocks of gain {claimed}, but its weights gain {counted}")]
    FalseClaim {
        /// Name of the solver.
        solver: &'static str,
        /// Gain of the blocks the solver says its weights satisfy.
        claimed: u64,
        /// Gain the checker counted.
        counted: u64,
    },
    /// A proven bound that its own weights contradict.
    #[error(
        "{solver} claims that violated blocks have a gain of at least {bound}, but those of its weights have {violated}"
    )]
    FalseBound {
        /// Name of the solver.
        solver: &'static str,
        /// The claimed lower bound on the gain of the violated blocks.
        bound: u64,
        /// Gain of the blocks that the checker found violated.
        violated: u64,
    },
    /// A recount on all rows that the problems with some of them exclude.
    #[error("the recount on all rows cannot be true: {reason}")]
    FalseRecount {
        /// What contradicts it.
        reason: String,
    },
    /// A parameter of a solver or model outside its range.
    #[error("{name} = {value}, but {requirement}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// The value passed.
        value: f64,
        /// What is required of it.
        requirement: &'static str,
    },
    /// A library call of a MILP solver failed.
    #[error("{solver}: {call} failed: {reason}")]
    Backend {
        /// Name of the solver.
        solver: &'static str,
        /// The call that failed.
        call: String,
        /// What it returned.
        reason: String,
    },
    /// A linear program that rounding spoiled.
    #[error(
        "the range of weight {weight} was not found: its linear program is too close to singular"
    )]
    WeightRange {
        /// Index of the weight.
        weight: usize,
    },
    /// The worker threads could not be started.
    #[error("cannot start {threads} worker threads: {reason}")]
    Threads {
        /// Number of threads asked for.
        threads: usize,
        /// What the operating system or the pool said.
        reason: String,
    },
    /// A model could not be written.
    #[error("cannot write the model: {0}")]
    Write(#[from] std::io::Error),
}
