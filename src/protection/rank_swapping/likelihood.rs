//! How likely swapped values are, given those that were swapped.

use super::{RankSwapping, SwapVariant, per_attribute, window};
use crate::dataset::Numeric;
use crate::error::{Error, Result};
use crate::protection::likelihood::{Likelihood, MadeFile};
use rayon::prelude::*;
use std::f64::consts::LN_2;

impl RankSwapping {
    /// The parts of the likelihood, one an attribute.
    ///
    /// Fails where a released column holds other values than the original's: ranks are then lost.
    pub(super) fn parts(&self, made: &MadeFile<'_>) -> Result<Vec<Box<dyn Likelihood>>> {
        let p = per_attribute(&self.p, made.protected.len(), "p")?;
        let part = |(place, columns): (usize, [&Numeric; 2])| -> Result<Box<dyn Likelihood>> {
            let [known, sorted] = columns.map(sorted_values);
            if known != sorted {
                let problem = format!(
                    "whose values of {} are not those of the original, so that ranks are lost",
                    made.protected[place]
                );
                return Err(Error::input(made.released.name(), problem));
            }
            let window = window(p[place], columns[0])?;
            Ok(Box::new(SwappedRanks::new(columns, &sorted, window, self.swap)))
        };
        made.columns("rank swapping")?.into_iter().map(part).collect()
    }
}

impl RankSwapping {
    /// The smallest p that leaves every original a released record within the window on all
    /// attributes. The true p is seldom much greater, and never smaller. Cost: O(n²).
    pub(super) fn estimated_p(&self, made: &MadeFile<'_>) -> Result<Option<f64>> {
        let columns = made.columns("rank swapping")?;
        let ranks: Vec<SwappedRanks> = columns
            .iter()
            .map(|(_, columns)| {
                SwappedRanks::new(*columns, &sorted_values(columns[1]), 1, self.swap)
            })
            .collect();
        let counts: Vec<f64> =
            columns.iter().map(|(_, [known, _])| known.present().count().max(1) as f64).collect();
        let share = |i: usize, j: usize| {
            let parts = ranks.iter().zip(&counts);
            parts.map(|(r, n)| r.apart(i, j) / n).fold(0.0, f64::max)
        };
        let nearest = |i: usize| {
            (0..made.released.records()).map(|j| share(i, j)).fold(f64::INFINITY, f64::min)
        };
        let needed: Vec<f64> = (0..made.original.records()).into_par_iter().map(nearest).collect();
        let least = needed.into_iter().filter(|share| share.is_finite()).fold(0.0, f64::max);
        // Upwards, so that the window of so many percent reaches as far.
        Ok((least > 0.0).then(|| (100.0 * least * (1.0 + 1e-12)).min(100.0)))
    }
}

fn sorted_values(column: &Numeric) -> Vec<f64> {
    let mut values: Vec<f64> = column.present().map(|value| value + 0.0).collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The ranks that a value may have, the first and the last; equal values share theirs.
type Ranks = Option<(u32, u32)>;

/// Ranks of one attribute, swapped within a window.
///
/// Among ranks that are at most `window` apart, those far apart are a little likelier in the upward
/// variant: a rank that is still free near the one that looks for a partner was passed over by all
/// before it. In the long run a share of 2^(d/window - 1) of the ranks d ahead is free: with c taken
/// from each by every step, free(d) = exp(-c (window - d)), half of the ranks being free when their
/// turn comes, since every swap takes two. The symmetric variant draws alike to both sides and is
/// taken for uniform.
struct SwappedRanks {
    original: Vec<Ranks>,
    released: Vec<Ranks>,
    window: u32,
    /// What one rank more takes from the cost.
    slope: f64,
}

impl SwappedRanks {
    fn new(columns: [&Numeric; 2], sorted: &[f64], window: usize, swap: SwapVariant) -> Self {
        let ranks = |value: f64| {
            let first = sorted.partition_point(|other| *other < value);
            let after = sorted.partition_point(|other| *other <= value);
            (first as u32, after.max(first + 1) as u32 - 1)
        };
        let [original, released] =
            columns.map(|column| column.iter().map(|value| value.map(ranks)).collect());
        let slope = match swap {
            SwapVariant::Upward => LN_2 / window as f64,
            SwapVariant::Symmetric => 0.0,
        };
        Self { original, released, window: window as u32, slope }
    }
}

impl SwappedRanks {
    /// How many ranks original `i` and released record `j` are apart at least; infinite where one
    /// is missing.
    fn apart(&self, i: usize, j: usize) -> f64 {
        match (self.original[i], self.released[j]) {
            (Some(own), Some(other)) => f64::from(apart(own, other)),
            (None, None) => 0.0,
            _ => f64::INFINITY,
        }
    }
}

/// Between the nearest ranks of both.
fn apart((low, high): (u32, u32), (first, last): (u32, u32)) -> u32 {
    first.saturating_sub(high).max(low.saturating_sub(last))
}

impl Likelihood for SwappedRanks {
    fn add_costs(&self, i: usize, out: &mut [f64]) {
        let own = self.original[i];
        for (cost, released) in out.iter_mut().zip(&self.released) {
            *cost += match (own, released) {
                (Some((low, high)), Some((first, last))) => {
                    // Between the middles of both, no further than the window reaches.
                    let middle = f64::from((low + high).abs_diff(first + last)) / 2.0;
                    match apart((low, high), (*first, *last)) <= self.window {
                        true => -self.slope * middle.min(f64::from(self.window)),
                        false => f64::INFINITY,
                    }
                }
                (None, None) => 0.0,
                _ => f64::INFINITY,
            };
        }
    }
}
