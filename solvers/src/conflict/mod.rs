//! Which blocks exclude each other within a box of weights.

mod dense;
mod evidence;
mod exact_conflict;
mod exact_lp;
mod lp;
mod pricing_pool;
mod weight_box;

pub(crate) use dense::Dense;
pub(crate) use evidence::Evidence;
pub(crate) use exact_lp::{ExactLp, Together};
pub(crate) use lp::{Basis, ConflictLp, ConflictVerdict};
pub(crate) use weight_box::WeightBox;
