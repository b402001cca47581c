//! Which blocks exclude each other within a box of weights.

mod dense;
mod exact_conflict;
mod lp;
mod pricing_pool;
mod weight_box;

pub(crate) use dense::Dense;
pub(crate) use lp::{ConflictLp, ConflictVerdict};
pub(crate) use weight_box::WeightBox;
