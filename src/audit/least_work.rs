//! What an audit finds where there is no time for a search.

use super::settings::SearchSettings;
use super::worst_cases::{Guessing, ScaledWorstCase, WorstCases, attackers};
use super::{FileCount, Ladder};
use crate::error::Result;
use crate::learning::{Count, Learner, interval_at_once};
use crate::linkage::{AttackRow, Release};
use crate::listener::{Listener, Until};
use crate::statistics::wilson_interval;
use std::time::Duration;
use unmask_solvers::{GIVEN, StopReason};

impl ScaledWorstCase {
    /// True when its weights are those of [`least_worst_cases`], which nobody searched for.
    pub(super) fn is_given(&self) -> bool {
        self.found.outcome.solver() == GIVEN
    }
}

/// Targets that are always looked for, whatever the time: the fewest and the most.
const LEAST_TARGETS: [usize; 2] = [100, 500];

/// Pairs of records that are compared, at most, unless the fewest targets have more.
const LEAST_PAIRS: usize = 20_000_000;

/// As many of `targets` as can be looked for in a fraction of a second.
pub(super) fn least_targets(targets: &Release, seed: u64) -> Result<Release> {
    let [fewest, most] = LEAST_TARGETS;
    let size = (LEAST_PAIRS / targets.released().records().max(1)).clamp(fewest, most);
    match targets.records() > size {
        true => targets.targets(size, seed),
        false => Ok(targets.clone()),
    }
}

impl Ladder {
    /// Adds dbrl1 where it was not tried and equal weights were counted in place of a search.
    pub(super) fn add_given(&mut self, cases: &WorstCases) {
        let Some(given) = cases.solved.iter().find(|case| case.is_given()) else { return };
        if self.rung(EQUAL).is_some() {
            return;
        }
        let ScaledWorstCase { found, on_file, .. } = given;
        let seconds = found.outcome.elapsed().as_secs_f64();
        self.left_out.retain(|left| left.attack != EQUAL);
        let interval = on_file.sampled.then(|| wilson_interval(found.found(), found.records()));
        let row = on_file.attack_row(EQUAL, found.count, seconds);
        self.rungs.push(AttackRow { interval, ..row });
        if on_file.sampled {
            self.sampled.push(EQUAL.to_owned());
        }
    }
}

/// The attack with equal weights.
const EQUAL: &str = "dbrl1";

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
