//! What an audit finds where there is no time for a search.

use super::FileCount;
use super::settings::SearchSettings;
use super::worst_cases::{Guessing, ScaledWorstCase, WorstCases, attackers};
use crate::error::Result;
use crate::learning::{Count, Learner, interval_at_once};
use crate::linkage::{AttackRow, Release};
use crate::listener::{Listener, Until};
use std::time::Duration;
use unmask_solvers::StopReason;

/// Targets that are always looked for, whatever the time.
pub(super) const LEAST_TARGETS: usize = 500;

/// At most [`LEAST_TARGETS`] of `targets`.
pub(super) fn least_targets(targets: &Release, seed: u64) -> Result<Release> {
    match targets.records() > LEAST_TARGETS {
        true => targets.targets(LEAST_TARGETS, seed),
        false => Ok(targets.clone()),
    }
}

/// Equal weights on the first scale, on a few of `targets`, whatever the time; `counted` is what
/// dbrl1 found, the same attacker where cells are read in one way. All others are unsolved, and who ignores attributes is not
/// bounded.
pub(super) fn least_worst_cases(
    settings: &SearchSettings<'_>,
    targets: &Release,
    names: &[String],
    counted: Option<&AttackRow>,
    seed: u64,
    listener: &dyn Listener,
) -> Result<(Release, WorstCases)> {
    let targets = least_targets(targets, seed)?;
    let one_reading = targets.readings(names)?.len() == 1;
    let mut attackers = attackers(settings, &targets, names)?.into_iter();
    let mut cases = WorstCases::default();
    if let Some((standardization, reading)) = attackers.next() {
        let learner = Learner { standardization, ..settings.learner.clone() };
        let read = targets.read_as(reading);
        let stop = match listener.interrupted() {
            true => StopReason::Interrupted,
            false => StopReason::TimeLimit,
        };
        let found = interval_at_once(&read, names, &learner, stop)?;
        let attacker = (standardization, learner.aggregation);
        let over = Until::after(&(), Some(Duration::ZERO));
        let on_file = FileCount::of(&found, found.upper_bound(), (&read, names), attacker, &over)?;
        let same = counted.filter(|_| one_reading);
        let on_file = same.map_or(on_file, |row| on_file.counted_as(row));
        let fewer = match found.count {
            Count::Expected => Guessing::Unbounded,
            Count::Certain => Guessing::NotLookedFor,
        };
        cases.solved.push(ScaledWorstCase { standardization, reading, found, on_file, fewer });
    }
    cases.unsolved = attackers.collect();
    Ok((targets, cases))
}
