//! How much of each released record is left for one original, given all others.
//!
//! Likelihoods w of originals i and released records j become probabilities u_i w_ij v_j: each
//! original has one released record, so that rows sum to 1, and a released record belongs to one
//! original, so that columns sum to 1 at most. Scaling rows and columns in turn finds them; where
//! every pairing of all records is equally likely beforehand, they approximate how probable each
//! pair is. Released records that belong to nobody share what originals leave of them.
//!
//! R. Sinkhorn, P. Knopp, "Concerning nonnegative matrices and doubly stochastic matrices", Pacific
//! Journal of Mathematics 21 (1967), doi:10.2140/pjm.1967.21.343.

use super::Uses;
use super::candidates::Candidates;
use crate::error::{Error, Result};
use crate::listener::Listener;
use rayon::prelude::*;

/// Rounds of scaling; on protected Census files more than twenty change a few links in a thousand.
const ROUNDS: usize = 50;

/// The factor v of each released record.
pub(super) struct Shares(Vec<f64>);

impl Shares {
    /// The factor of released record `j`.
    pub fn of(&self, j: u32) -> f64 {
        self.0[j as usize]
    }
}

/// The factors for an attacker who uses likelihoods so. Cost: O(candidates) a round.
pub(super) fn shares(
    candidates: &Candidates,
    uses: Uses,
    listener: &dyn Listener,
) -> Result<Shares> {
    let mut v = vec![1.0; candidates.released()];
    let rounds = match uses {
        Uses::EachAlone => 1,
        Uses::OneToOne => ROUNDS,
        Uses::Again => 0,
    };
    if rounds == 0 {
        return Ok(Shares(v));
    }
    let columns = candidates.columns();
    let nobodys = candidates.released().saturating_sub(candidates.originals()) as f64;
    for _ in 0..rounds {
        if listener.interrupted() {
            return Err(Error::Interrupted);
        }
        let u: Vec<f64> = (0..candidates.originals())
            .into_par_iter()
            .map(|i| candidates.row(i).map(|(j, w)| w * v[j as usize]).sum())
            .map(inverse)
            .collect();
        let nobody = nobodys * inverse(v.iter().sum());
        v = columns
            .par_iter()
            .map(|column| nobody + column.iter().map(|(i, w)| w * u[*i as usize]).sum::<f64>())
            .map(inverse)
            .collect();
    }
    Ok(Shares(v))
}

/// 1 over `sum`; 0 for what nothing is part of.
fn inverse(sum: f64) -> f64 {
    if sum > 0.0 { sum.recip() } else { 0.0 }
}
