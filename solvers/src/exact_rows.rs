//! Rows that doubles only come close to, and what they are exactly.

use crate::sign::{certain_sign, dot_sign, dyadic_sign};
use crate::{BlockProblem, Dyadic};
use std::cmp::Ordering;

/// How far an entry of a row may be from the exact one, as a share of it.
///
/// An entry that is exactly 0 is 0, and every other one has the sign of the exact one.
pub const ENTRY_ERROR: f64 = 4.0 * f64::EPSILON;

/// Whoever knows the rows exactly whose rounded entries a [`BlockProblem`] holds.
pub trait ExactRows: std::fmt::Debug + Send + Sync {
    /// The entries of the row called `name` of a block, all times a positive number.
    fn row(&self, block: usize, name: u32) -> Vec<Dyadic>;
}

impl BlockProblem {
    /// Exact entries of row `index`, all times a positive number.
    pub(crate) fn exact_row(&self, index: usize) -> Vec<Dyadic> {
        match self.exact_rows() {
            Some(rows) => rows.row(self.block_of(index), self.row_name(index)),
            None => self.row(index).iter().copied().map(Dyadic::from).collect(),
        }
    }

    /// The exact sign of row `index` at `weights`.
    pub(crate) fn row_sign(&self, index: usize, weights: &[f64]) -> Ordering {
        if self.exact_rows().is_none() {
            return dot_sign(self.row(index), weights);
        }
        certain_sign(self.row(index), weights, ENTRY_ERROR).unwrap_or_else(|| {
            let weights: Vec<Dyadic> = weights.iter().copied().map(Dyadic::from).collect();
            dyadic_sign(&self.exact_row(index), &weights)
        })
    }
}
