//! The problem as a mixed-integer linear program, in words of no solver.
//!
//! After Abril, Navarro-Arribas, Torra 2012, doi:10.1016/j.inffus.2011.05.001,
//! section 3.2: weights `p`, one binary `K` per block, and per row
//! `r . p + M K >= margin`; minimize the sum of `K`, each times the gain of its
//! block (in the paper 1). A strict inequality needs
//! the margin, and the margin must be well above the tolerances of the MILP
//! solver: with `1e-6` and one large `M` for all rows, solvers count ties as
//! satisfied.

#[cfg(feature = "milp")]
mod good_lp;
#[cfg(feature = "milp")]
mod highs;
mod lp;
#[cfg(feature = "milp")]
mod model;
mod mps;
#[cfg(feature = "milp")]
mod watched;

#[cfg(feature = "milp")]
pub use good_lp::MilpGoodLp;
#[cfg(feature = "milp")]
pub use highs::{MilpHighs, optimum_of_file};
pub use lp::write_lp;
pub use mps::write_mps;

use crate::{BlockProblem, SolverError, WeightDomain};

/// The version of HiGHS; none where it is not compiled in.
pub fn highs_version() -> Option<String> {
    #[cfg(feature = "milp")]
    let version = Some(highs::version());
    #[cfg(not(feature = "milp"))]
    let version = None;
    version
}

/// The constants of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MilpParameters {
    /// Smallest `r . p` of a satisfied row.
    pub margin: f64,
    /// Smallest weight; positive, because free rows tie where weights vanish.
    pub weight_floor: f64,
    /// How `M` is chosen.
    pub big_m: BigM,
}

impl Default for MilpParameters {
    fn default() -> Self {
        Self { margin: 1e-4, weight_floor: 1e-6, big_m: BigM::PerRow }
    }
}

impl MilpParameters {
    /// Refuses constants with which the model would be wrong or empty.
    pub fn check(&self, domain: WeightDomain) -> Result<(), SolverError> {
        let refuse =
            |name, value, requirement| Err(SolverError::Parameter { name, value, requirement });
        if !(1e-6..=0.1).contains(&self.margin) {
            return refuse(
                "margin",
                self.margin,
                "it must be in [1e-6, 0.1]: above all tolerances",
            );
        }
        if !(0.0..=0.5 / domain.dimension() as f64).contains(&self.weight_floor) {
            return refuse("weight_floor", self.weight_floor, "it must be in [0, 1 / (2 n)]");
        }
        match self.big_m {
            BigM::Constant(m) if !(m.is_finite() && m > 0.0) => {
                refuse("big_m", m, "it must be positive and finite")
            }
            _ => Ok(()),
        }
    }

    /// `M` for one row.
    pub fn big_m(&self, row: &[f64]) -> f64 {
        match self.big_m {
            BigM::Constant(m) => m,
            BigM::PerRow => row.iter().fold(0.0, |m: f64, x| m.max(-x)) + self.margin,
        }
    }
}

/// How `M` in `r . p + M K >= margin` is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BigM {
    /// `max(-min_k r_k, 0) + margin`: the smallest that is valid on the simplex.
    PerRow,
    /// One constant, as published; valid only if it is at least every per-row `M`.
    Constant(f64),
}

/// Where a model's blocks come from: a reduced problem, or rows made on demand.
///
/// Writers ask for each block once per weight, so a full problem of `N^2` rows
/// is written without ever being held.
pub trait BlockSource {
    /// Number of weights.
    fn dimension(&self) -> usize;
    /// Number of blocks.
    fn blocks(&self) -> usize;
    /// Rows of a block, flat.
    fn rows(&self, block: usize) -> Vec<f64>;
    /// True when the block is known to be violated by all weights.
    fn is_dead(&self, block: usize) -> bool;
    /// What the block is worth when it is satisfied.
    fn gain(&self, block: usize) -> u64;
}

impl BlockSource for BlockProblem {
    fn dimension(&self) -> usize {
        self.dimension()
    }

    fn blocks(&self) -> usize {
        self.blocks()
    }

    fn rows(&self, block: usize) -> Vec<f64> {
        self.block_rows(block).flat_map(|i| self.row(i).iter().copied()).collect()
    }

    fn is_dead(&self, block: usize) -> bool {
        self.is_dead(block)
    }

    fn gain(&self, block: usize) -> u64 {
        self.gain(block)
    }
}

/// A [`BlockSource`] that makes the unreduced rows of a block when asked.
pub struct FullRows<F> {
    dimension: usize,
    gains: Vec<u64>,
    rows: F,
}

impl<F: Fn(usize) -> Vec<f64>> FullRows<F> {
    /// `rows(b)` returns the rows of block `b`, flat, `dimension` values each; every block
    /// gains 1.
    pub fn new(dimension: usize, blocks: usize, rows: F) -> Self {
        Self::gaining(dimension, vec![1; blocks], rows)
    }

    /// The same for blocks of the given gains.
    pub fn gaining(dimension: usize, gains: Vec<u64>, rows: F) -> Self {
        Self { dimension, gains, rows }
    }
}

impl<F: Fn(usize) -> Vec<f64>> BlockSource for FullRows<F> {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn blocks(&self) -> usize {
        self.gains.len()
    }

    fn rows(&self, block: usize) -> Vec<f64> {
        (self.rows)(block)
    }

    fn is_dead(&self, _block: usize) -> bool {
        false
    }

    fn gain(&self, block: usize) -> u64 {
        self.gains[block]
    }
}
