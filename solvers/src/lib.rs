//! Maximum satisfiable blocks of homogeneous linear inequalities over the simplex.
//!
//! A [`BlockProblem`] holds blocks of strict inequalities `r . p > 0`; a
//! [`Solver`] looks for the weights `p` that satisfy every inequality of as
//! many blocks as possible; one independent checker ([`check`]) re-counts
//! every answer from its weights. Only what the checker confirms becomes a [`SolveOutcome`].
//!
//! ```
//! use unmask_solvers::{BlockProblemBuilder, Exact, Limits, Solver};
//! let mut builder = BlockProblemBuilder::new(2)?;
//! builder.push_block(&[1.0, -2.0])?; // p0 > 2 p1
//! builder.push_block(&[-1.0, 3.0])?; // p0 < 3 p1
//! builder.push_block(&[-1.0, 1.0])?; // p0 < p1: excludes the first
//! let outcome = Exact::default().solve(&builder.finish(), &Limits::default(), &())?;
//! assert!(outcome.proven_optimal());
//! assert_eq!(outcome.satisfied_blocks(), 2);
//! # Ok::<(), unmask_solvers::SolverError>(())
//! ```
//!
//! The rooms, from the problem to the proof:
//!
//! - `block_problem`, `reduce`, `weights`: blocks of rows without those that can never matter, and
//!   where the weights live ([`BlockProblem`], [`reduce_block`], [`WeightDomain`]);
//! - `sign`, [`Dyadic`], [`ExactRows`], [`check`]: exact signs, also of rows that doubles only
//!   come close to, and the count that every answer must pass;
//! - `solver`, `outcome`: what a solver is asked and what it answers ([`Solver`], [`SolveOutcome`]);
//!   [`Relaxations`] makes one outcome of problems that hold only some of the rows;
//! - `heuristic`, with `line_search` and `exchange`: good weights, no proof ([`Heuristic`]);
//! - `exact`: branch and bound over the weights, with proof ([`Exact`]); `conflict` tells which
//!   blocks exclude each other in a box of weights;
//! - `milp`: the published program, written as MPS or LP ([`write_mps`], [`write_lp`]) and, with
//!   the feature `milp`, solved by HiGHS;
//! - `weight_ranges`, `linear_program`: how far the weights found can move ([`weight_ranges()`]).
//!
//! Without the feature `milp` all of it is plain Rust and needs neither cmake nor libclang.
#![deny(unsafe_code)]

mod block_problem;
pub mod certificate;
pub mod check;
mod conflict;
mod dyadic;
mod error;
mod exact;
mod exact_rows;
mod exchange;
mod given;
mod heuristic;
mod line_search;
mod linear_program;
mod listener;
mod milp;
mod outcome;
mod reduce;
mod row_table;
mod sign;
mod solver;
#[doc(hidden)]
pub mod vector;
mod weight_ranges;
mod weights;

pub use block_problem::{BlockProblem, BlockProblemBuilder};
pub use dyadic::Dyadic;
pub use error::SolverError;
pub use exact::Exact;
pub use exact_rows::{ENTRY_ERROR, ExactRows};
pub use given::{GIVEN, Given};
pub use heuristic::{Heuristic, WEIGHT_FLOOR};
pub use listener::{Interrupt, Listener, SearchState};
pub use milp::{BigM, BlockSource, FullRows, MilpParameters, highs_version, write_lp, write_mps};
#[cfg(feature = "milp")]
pub use milp::{MilpGoodLp, MilpHighs, optimum_of_file};
pub use outcome::{ProofScope, Relaxations, SolveOutcome, StopReason};
pub use reduce::{ReducedBlock, Reductions, reduce_block};
pub use solver::{Limits, Solver};
pub use weight_ranges::{weight_ranges, weight_ranges_until};
pub use weights::{MAX_DIMENSION, WeightDomain};
