//! Why blocks exclude each other: the rows of a conflict and their multipliers.

use super::exact_conflict::vanishing;
use crate::{BlockProblem, Dyadic};
use num_bigint::BigInt;

/// The rows of a conflict as the LP has them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evidence {
    /// Rows of the problem.
    pub rows: Vec<usize>,
    /// Their multipliers, rounded.
    pub multipliers: Vec<f64>,
    /// Their entries in the units of the LP.
    pub entries: Vec<Vec<f64>>,
    /// Weights on which the exact mixture vanishes.
    pub basic: Vec<usize>,
    /// Multipliers of the exact rows, where they are known, in place of all but `rows`.
    pub whole: Option<Vec<BigInt>>,
}

impl Evidence {
    /// The multipliers of `rows` that are each a positive multiple of these, for weights in units
    /// of `2^exponents`.
    pub fn scaled(&self, exponents: &[i32], rows: &[&[f64]]) -> Vec<f64> {
        let largest = |entries: &[f64]| {
            let larger =
                |a: usize, b: usize| if entries[b].abs() > entries[a].abs() { b } else { a };
            (0..entries.len()).reduce(larger).unwrap_or(0)
        };
        let terms = self.multipliers.iter().zip(&self.entries).zip(rows);
        terms
            .map(|((multiplier, entries), row)| {
                let k = largest(entries);
                multiplier * entries[k] / row[k] * 2f64.powi(-exponents[k])
            })
            .collect()
    }

    /// Multipliers of the exact rows, as [`Dyadic::whole`] has them: those known, or those whose
    /// mixture vanishes on the basic weights.
    pub fn exact(&self, problem: &BlockProblem) -> Option<Vec<BigInt>> {
        if self.whole.is_some() {
            return self.whole.clone();
        }
        let exact: Vec<Vec<BigInt>> =
            self.rows.iter().map(|i| Dyadic::whole(&problem.exact_row(*i))).collect();
        let equation = |k: &usize| exact.iter().map(|r| r[*k].clone()).collect();
        vanishing(self.basic.iter().map(equation).collect(), self.rows.len())
    }
}
