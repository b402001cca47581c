//! Maximum satisfiable blocks of homogeneous linear inequalities over the simplex.
//!
//! A [`BlockProblem`] holds blocks of strict inequalities `r . p > 0`; a
//! [`Solver`] looks for the weights `p` that satisfy every inequality of as
//! many blocks as possible; one independent checker ([`check`]) re-counts
//! every answer from its weights.
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
#![deny(unsafe_code)]

mod block_problem;
#[cfg(feature = "milp")]
mod cell;
pub mod check;
mod conflict;
mod error;
mod exact;
mod exchange;
mod heuristic;
mod largest_family;
mod line_search;
mod listener;
mod milp;
mod outcome;
mod reduce;
mod row_table;
#[cfg(feature = "milp")]
mod set_cover;
mod sign;
mod solver;
#[doc(hidden)]
pub mod vector;
mod weights;

pub use block_problem::{BlockProblem, BlockProblemBuilder};
#[cfg(feature = "milp")]
pub use cell::weight_ranges;
pub use error::SolverError;
pub use exact::{Exact, RELATIVE_MARGIN};
pub use heuristic::{Heuristic, WEIGHT_FLOOR};
pub use largest_family::{FamilyRule, LargestFamily, largest_family};
pub use listener::{Interrupt, Listener, SearchState};
pub use milp::{BigM, BlockSource, FullRows, MilpParameters, write_lp, write_mps};
#[cfg(feature = "milp")]
pub use milp::{MilpGoodLp, MilpHighs, optimum_of_file};
pub use outcome::{ProofScope, Relaxations, SolveOutcome, StopReason};
pub use reduce::{ReducedBlock, Reductions, reduce_block};
#[cfg(feature = "milp")]
pub use set_cover::{MinimumCovers, SetCover};
pub use solver::{Limits, Solver};
pub use weights::{MAX_DIMENSION, WeightDomain};
