//! What weights that were learned on some targets mean for the whole file.

use crate::distance::Standardization;
use crate::error::{Error, Result};
use crate::learning::{Aggregation, Count, PairRows, WorstCase, expected};
use crate::linkage::{AttackRow, Release};
use crate::listener::Listener;
use crate::statistics::upper_limit_of_mean;
use crate::words::whole_where_possible;
use serde::Serialize;

/// How many records of the whole file the learned weights re-identify, and how many at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FileCount {
    /// Right guesses on average.
    #[serde(serialize_with = "whole_where_possible")]
    pub expected: f64,
    /// Records whose own released record alone is nearest.
    pub certain: usize,
    /// Records of the original file, suppressed ones included.
    pub of: usize,
    /// What was maximized, as a share of `of`.
    pub rate: f64,
    /// No weights reach a greater share: proven where all records were targets; a one-sided 97.5%
    /// limit where they were a sample.
    pub upper_bound_rate: f64,
    /// Records that the weights were counted on, suppressed ones included; where these are not all, `expected`, `certain` and
    /// `rate` are estimates.
    pub counted: usize,
    /// True when the targets were a sample, so that the upper end is a limit with an error rate.
    pub sampled: bool,
}

impl FileCount {
    /// The weights of `found`, learned on `targets`, on all records they were drawn from;
    /// `upper_bound` is what is proven for the targets.
    ///
    /// The weights that are best for the whole file reach on the sample at most what the sample's
    /// own best ones do, so that the limit of a mean, applied to the sample's proven bound, holds
    /// without any correction for having chosen them.
    pub fn of(
        found: &WorstCase,
        upper_bound: f64,
        (targets, names): (&Release, &[String]),
        attacker: (Standardization<'_>, Aggregation),
        listener: &dyn Listener,
    ) -> Result<Self> {
        let whole = &targets.whole().read_as(targets.suppressed_reading());
        let of = whole.records() + whole.absent();
        let share = |count: f64| count / of as f64;
        if targets.target_places().is_none() {
            return Ok(Self {
                expected: found.expected(),
                certain: found.certain(),
                of,
                rate: share(found.found()),
                upper_bound_rate: share(upper_bound.min(whole.records() as f64)),
                counted: of,
                sampled: false,
            });
        }
        let (guessed, certain, counted) =
            match count_all(found.outcome.weights(), whole, names, attacker, listener) {
                Err(Error::Interrupted) => estimate(found, whole),
                counted => counted?,
            };
        let rate = share(match found.count {
            Count::Expected => guessed,
            Count::Certain => certain as f64,
        });
        let mean = (upper_bound / found.records() as f64).min(1.0);
        let limit = upper_limit_of_mean(mean, found.records(), whole.records());
        let upper_bound_rate = share(limit * whole.records() as f64).max(rate);
        Ok(Self { expected: guessed, certain, of, rate, upper_bound_rate, counted, sampled: true })
    }

    /// The same with what `row`, an attack with the same weights, counted.
    pub(super) fn counted_as(self, row: &AttackRow) -> Self {
        let AttackRow { expected, certain, rate, .. } = *row;
        let upper_bound_rate = self.upper_bound_rate.max(rate);
        let counted = if row.interval.is_none() { row.of } else { self.counted };
        Self { expected, certain, rate, upper_bound_rate, counted, ..self }
    }

    /// True when the weights were counted on some records only.
    pub(super) fn is_estimate(&self) -> bool {
        self.counted < self.of
    }

    /// The same as the row of an attack.
    pub(super) fn attack_row(&self, attack: &str, count: Count, seconds: f64) -> AttackRow {
        let Self { expected, certain, of, rate, .. } = *self;
        let reidentified = match count {
            Count::Expected => expected,
            Count::Certain => certain as f64,
        };
        let interval = self.sampled.then_some([rate, self.upper_bound_rate]);
        let attack = attack.to_owned();
        let row =
            AttackRow { attack, reidentified, expected, certain, of, rate, ..Default::default() };
        AttackRow { interval, seconds, ..row }
    }
}

/// What `weights` find on all records of `whole`: on average, for certain, of how many.
fn count_all(
    weights: &[f64],
    whole: &Release,
    names: &[String],
    attacker: (Standardization<'_>, Aggregation),
    listener: &dyn Listener,
) -> Result<(f64, usize, usize)> {
    if listener.interrupted() {
        return Err(Error::Interrupted);
    }
    let rows = PairRows::new(whole, names, attacker.0, attacker.1)?;
    let twins = rows.twins(listener)?;
    let told_apart = rows.told_apart(weights, listener)?;
    let certain = told_apart.iter().zip(twins).filter(|(told, t)| **told && **t == 1).count();
    Ok((expected(&told_apart, twins), certain, whole.records() + whole.absent()))
}

/// The same, from the targets alone.
fn estimate(found: &WorstCase, whole: &Release) -> (f64, usize, usize) {
    let factor = whole.records() as f64 / found.records() as f64;
    let certain = (found.certain() as f64 * factor) as usize;
    (found.expected() * factor, certain, found.records())
}
