//! The worst case: the weights with which linkage re-identifies the most records.
//!
//! Record i is re-identified by weights p when its own released record is
//! strictly nearer than every other one: for all j, p·(d(i,j) - d(i,i)) > 0,
//! where d(i,j) are the distances of the pair on each attribute. One inequality
//! per pair, one block per record: the *block problem* that the `solvers` crate
//! solves, to proven optimality. Released records that no weights tell apart from
//! the own one are its *twins*: an attacker guesses among them. Section 3 of D. Abril, G. Navarro-Arribas,
//! V. Torra, "Improving record linkage with supervised learning for disclosure
//! risk assessment", Information Fusion 13 (2012),
//! doi:10.1016/j.inffus.2011.05.001.
//!
//! - [`PairRows`] turns a release into that problem, block by block.
//! - [`worst_case()`] solves it, by generating rows for files whose inequalities are
//!   too many to hold.
//! - [`interval_at_once`] gives an interval where there is no time to.
//! - [`SharedGuesses`] bounds who ignores attributes and guesses among what is left equal.
//! - [`WeightRange`] and [`FurtherSearches`] tell which attributes carry it.
//! - [`certificate`] writes down why it is the worst, and checks such proofs.
//! - [`HeldOut`] tests the learned weights on records they were not learned from.

mod aggregation;
mod at_once;
pub mod certificate;
mod count;
mod equal_numbers;
mod fewer_attributes;
mod generation;
mod held_out;
mod key_attributes;
mod margins;
mod pair_rows;
mod worst_case;

pub use aggregation::Aggregation;
pub use at_once::interval_at_once;
pub use count::{Count, Gains, expected};
pub use fewer_attributes::{AttributeSubset, SharedGuesses};
pub use held_out::HeldOut;
pub use key_attributes::{Bounds, FurtherSearches, WeightRange};
pub use margins::margins;
pub use pair_rows::PairRows;
pub use worst_case::{Learner, RowSet, SolverChoice, WorstCase, worst_case};

use crate::error::Error;
use unmask_solvers::SolverError;

impl From<SolverError> for Error {
    fn from(error: SolverError) -> Self {
        match error {
            SolverError::Dimension { .. } | SolverError::Coefficient { .. } => {
                Self::input("the release", error.to_string())
            }
            SolverError::Certificate { reason } => {
                let remedy = "make room for temporary files, or leave `certificate` out";
                Self::input("the certificate", format!("cannot be written: {reason}; {remedy}"))
            }
            other => Self::Internal(other.to_string()),
        }
    }
}
