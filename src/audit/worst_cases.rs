//! The worst case on each scale, and what it means for the whole file.

use super::FileCount;
use super::clock::JobClock;
use super::settings::SearchSettings;
use crate::distance::{Standardization, SuppressedReading};
use crate::error::{Error, Result};
use crate::learning::{Learner, WorstCase, worst_case};
use crate::linkage::Release;
use crate::listener::{Listener, Until};
use unmask_solvers::Limits;

/// The worst case on one scale.
pub(super) struct ScaledWorstCase {
    pub standardization: Standardization<'static>,
    /// How it reads suppressed and missing cells.
    pub reading: SuppressedReading,
    /// On the targets.
    pub found: WorstCase,
    /// On all records.
    pub on_file: FileCount,
}

/// Who searches, and for how long: until the first `share` of the time is over.
#[derive(Clone, Copy)]
pub(super) struct SearchTime<'a> {
    pub clock: &'a JobClock,
    pub share: f64,
}

/// Learned weights are counted on all records until this share of the time is over.
const COUNTED_BY: f64 = 0.95;

/// The worst case of `targets` on each scale of `settings`, and in each reading of suppressed
/// cells where the release has some.
///
/// Fails with [`Error::Interrupted`] when there was no time to count anything at all.
pub(super) fn worst_cases(
    settings: &SearchSettings<'_>,
    targets: &Release,
    names: &[String],
    time: SearchTime<'_>,
    listener: &dyn Listener,
) -> Result<Vec<ScaledWorstCase>> {
    let scales = settings.scales.list();
    let mut attackers = Vec::new();
    for reading in targets.readings(names)? {
        attackers.extend(scales.iter().map(|scale| (*scale, reading)));
    }
    let mut solved = Vec::with_capacity(attackers.len());
    for (done, (scale, reading)) in attackers.iter().enumerate() {
        let part = 1.0 / (attackers.len() - done) as f64;
        let seen = targets.read_as(*reading);
        match on_scale(settings, *scale, &seen, names, (time, part), listener) {
            Ok(found) => solved.push(found),
            Err(Error::Interrupted) if !solved.is_empty() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(solved)
}

fn on_scale(
    settings: &SearchSettings<'_>,
    standardization: Standardization<'static>,
    targets: &Release,
    names: &[String],
    (time, part): (SearchTime<'_>, f64),
    listener: &dyn Listener,
) -> Result<ScaledWorstCase> {
    let given = &settings.learner;
    let mine = time.clock.part_until(time.share, part);
    let limits = Limits { time: shorter(given.limits.time, mine), ..given.limits };
    let learner = Learner { standardization, limits, ..given.clone() };
    let until = Until::after(listener, mine);
    let found = worst_case(targets, names, &learner, &until)?;
    let until = Until::new(listener, time.clock.end_of(COUNTED_BY));
    let on_file =
        FileCount::of(&found, targets, names, (standardization, given.aggregation), &until)?;
    let reading = targets.suppressed_reading();
    Ok(ScaledWorstCase { standardization, reading, found, on_file })
}

fn shorter(
    a: Option<std::time::Duration>,
    b: Option<std::time::Duration>,
) -> Option<std::time::Duration> {
    [a, b].into_iter().flatten().min()
}

/// The one that finds the most, the first of equal ones.
pub(super) fn strongest(worst_cases: &[ScaledWorstCase]) -> Result<&ScaledWorstCase> {
    let stronger = |a: &'_ ScaledWorstCase, b: &ScaledWorstCase| b.on_file.rate > a.on_file.rate;
    let mut all = worst_cases.iter();
    let first = all.next().ok_or(Error::Interrupted)?;
    Ok(all.fold(first, |best, other| if stronger(best, other) { other } else { best }))
}
