//! The domain of the weights.
//!
//! Callers hand a [`WeightDomain`] to a problem and read weights back; only
//! the solvers look inside. A family with more parameters or other
//! constraints becomes a new variant here and a new arm in the solvers that
//! support it; callers stay as they are.

use crate::SolverError;
use serde::Serialize;

/// Largest supported number of weights: supports of rows are 64-bit masks.
pub const MAX_DIMENSION: usize = 64;

/// The set the weights are chosen from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum WeightDomain {
    /// `p >= 0` and `sum p = 1`.
    Simplex {
        /// Number of weights.
        dimension: usize,
    },
}

impl WeightDomain {
    /// The simplex with `dimension` weights.
    pub fn simplex(dimension: usize) -> Result<Self, SolverError> {
        if (1..=MAX_DIMENSION).contains(&dimension) {
            return Ok(Self::Simplex { dimension });
        }
        Err(SolverError::Dimension { dimension, maximum: MAX_DIMENSION })
    }

    /// Number of weights.
    pub fn dimension(self) -> usize {
        match self {
            Self::Simplex { dimension } => dimension,
        }
    }

    /// The center of the domain: equal weights.
    pub fn center(self) -> Vec<f64> {
        let n = self.dimension();
        vec![1.0 / n as f64; n]
    }

    /// Weights of the domain on the ray through `direction`.
    ///
    /// Inequalities are homogeneous, so the ray decides every sign. Fails when
    /// an entry is negative or not finite, or when all are zero.
    pub fn normalize(self, direction: &[f64]) -> Result<Vec<f64>, SolverError> {
        self.check_direction(direction)?;
        let sum: f64 = direction.iter().sum();
        Ok(direction.iter().map(|p| p / sum).collect())
    }

    /// Accepts any point on a ray of the domain, scaled or not.
    pub fn check_direction(self, direction: &[f64]) -> Result<(), SolverError> {
        let refuse = |reason| Err(SolverError::Weights { weights: direction.to_vec(), reason });
        if direction.len() != self.dimension() {
            return refuse("wrong number of weights");
        }
        if direction.iter().any(|p| !p.is_finite() || *p < 0.0) {
            return refuse("every weight must be finite and at least 0");
        }
        let sum: f64 = direction.iter().sum();
        if sum <= 0.0 || !sum.is_finite() {
            return refuse("the sum of the weights must be positive and finite");
        }
        Ok(())
    }
}
