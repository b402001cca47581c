//! The worst case on each scale, and what it means for the whole file.

use super::FileCount;
use super::clock::JobClock;
use super::fewer_attributes::FewerAttributes;
use super::settings::SearchSettings;
use crate::distance::{Standardization, SuppressedReading};
use crate::error::{Error, Result};
use crate::learning::{Count, Learner, PairRows, SharedGuesses, WorstCase, worst_case};
use crate::linkage::{AttackRow, Release};
use crate::listener::{Listener, Until};
use std::time::{Duration, Instant};
use unmask_solvers::Limits;

/// The worst case on one scale.
pub(super) struct ScaledWorstCase {
    pub standardization: Standardization<'static>,
    /// How it reads suppressed and missing cells.
    pub reading: SuppressedReading,
    /// On the targets.
    pub found: WorstCase,
    /// On all records; its upper end covers who ignores attributes, where he was looked for.
    pub on_file: FileCount,
    /// Who ignores attributes and guesses.
    pub fewer: Guessing,
}

/// Whether attackers are bounded who ignore attributes.
#[derive(Debug, Clone)]
pub(super) enum Guessing {
    /// Nobody asked, or guesses do not count.
    NotLookedFor,
    /// There was no time.
    Unbounded,
    /// They are.
    Bounded(FewerAttributes),
}

/// The worst cases that were solved, and the attackers whose one there was no time for.
#[derive(Default)]
pub(super) struct WorstCases {
    pub solved: Vec<ScaledWorstCase>,
    pub unsolved: Vec<(Standardization<'static>, SuppressedReading)>,
}

impl WorstCases {
    /// The strongest attacker found who ignores attributes.
    pub fn fewer_attributes(&self) -> Option<&AttackRow> {
        self.ignoring_attributes().map(|(row, _)| row)
    }

    /// The same with the scale that he compares values on.
    pub fn ignoring_attributes(&self) -> Option<(&AttackRow, Standardization<'static>)> {
        let rows = self.solved.iter().filter_map(|w| match &w.fewer {
            Guessing::Bounded(fewer) => Some((fewer.strongest.as_ref()?, w.standardization)),
            _ => None,
        });
        rows.fold(None, |best, row| match best {
            Some(best) if best.0.rate >= row.0.rate => Some(best),
            _ => Some(row),
        })
    }
}

/// Who searches, and for how long: until the first `share` of the time is over.
#[derive(Clone, Copy)]
pub(super) struct SearchTime<'a> {
    pub clock: &'a JobClock,
    pub share: f64,
    /// Whether attackers who ignore attributes are looked for, too.
    pub fewer_attributes: bool,
}

/// Learned weights are counted on all records until this share of the time is over.
const COUNTED_BY: f64 = 0.95;

/// Of the time of one scale, what is left for counting where targets are a sample.
const COUNTING: f64 = 0.25;

/// Records up to which another attacker is tried when there was no time to count for the first:
/// of more a sample is tried in that time.
pub(super) const FEW: usize = 250;

/// Of the time of one scale, what looking for records that become equal may take.
const LOOKING: f64 = 0.4;

/// Of the time left then, what the search takes where attackers who ignore attributes come next.
const SEARCHING: f64 = 0.7;

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
) -> Result<WorstCases> {
    let attackers = attackers(settings, targets, names)?;
    let mut cases = WorstCases::default();
    for (done, (scale, reading)) in attackers.iter().enumerate() {
        let left = attackers.len() - done;
        let mine = time.clock.part_until(time.share, 1.0 / left as f64);
        let ends = |part: f64| mine.map(|mine| Instant::now() + mine.mul_f64(part));
        let sampled = targets.target_places().is_some();
        let search = ScaleSearch {
            targets: &targets.read_as(*reading),
            names,
            learner: Learner { standardization: *scale, ..settings.learner.clone() },
            end: ends(if sampled && left > 1 { 1.0 - COUNTING } else { 1.0 }),
            counted_by: if left > 1 { ends(1.0) } else { time.clock.end_of(COUNTED_BY) },
            listener,
        };
        match search.run(time.fewer_attributes) {
            Ok((found, on_file, fewer)) => {
                let (standardization, reading) = (*scale, *reading);
                let solved = ScaledWorstCase { standardization, reading, found, on_file, fewer };
                cases.solved.push(solved);
            }
            Err(Error::Interrupted) if !cases.solved.is_empty() || targets.records() <= FEW => {
                cases.unsolved.push((*scale, *reading));
            }
            Err(error) => return Err(error),
        }
    }
    if cases.solved.is_empty() { Err(Error::Interrupted) } else { Ok(cases) }
}

/// The scales of `settings`, each in every reading of suppressed cells.
pub(super) fn attackers(
    settings: &SearchSettings<'_>,
    targets: &Release,
    names: &[String],
) -> Result<Vec<(Standardization<'static>, SuppressedReading)>> {
    let scales = settings.scales.list();
    let readings = targets.readings(names)?.into_iter();
    let of = |reading| scales.iter().map(move |scale| (*scale, reading));
    Ok(readings.flat_map(of).collect())
}

/// The search on one scale, in one reading.
pub(super) struct ScaleSearch<'a> {
    targets: &'a Release,
    pub names: &'a [String],
    pub learner: Learner<'a>,
    /// When it must be over.
    end: Option<Instant>,
    /// When counting on the whole file must be.
    counted_by: Option<Instant>,
    listener: &'a dyn Listener,
}

impl ScaleSearch<'_> {
    fn run(&self, fewer: bool) -> Result<(WorstCase, FileCount, Guessing)> {
        let (guesses, fewer) = match fewer && self.learner.count == Count::Expected {
            false => (None, Guessing::NotLookedFor),
            true => (self.guesses()?, Guessing::Unbounded),
        };
        let ignoring_helps = guesses.as_ref().is_some_and(SharedGuesses::any);
        let part = if ignoring_helps { SEARCHING } else { 1.0 };
        let found = self.solve(self.names, part, &self.until(1.0))?;
        let fewer = match guesses {
            None => fewer,
            Some(guesses) => Guessing::Bounded(FewerAttributes::search(&guesses, &found, self)?),
        };
        let upper_bound = match &fewer {
            Guessing::Bounded(fewer) => found.upper_bound().max(fewer.upper_bound),
            _ => found.upper_bound(),
        };
        let on_file = self.on_file(&found, upper_bound, self.names)?;
        Ok((found, on_file, fewer))
    }

    /// Who becomes equal when attributes are ignored; none where there is no time to tell.
    fn guesses(&self) -> Result<Option<SharedGuesses>> {
        let Learner { standardization, aggregation, .. } = self.learner;
        if self.until(LOOKING).interrupted() {
            return Ok(None);
        }
        let rows = PairRows::new(self.targets, self.names, standardization, aggregation)?;
        match SharedGuesses::of(&rows, &self.until(LOOKING)) {
            Err(Error::Interrupted) => Ok(None),
            guesses => guesses.map(Some),
        }
    }

    /// The worst case on the attributes `names`, in a `part` of the time left.
    pub fn solve(&self, names: &[String], part: f64, until: &Until<'_>) -> Result<WorstCase> {
        let given = &self.learner.limits;
        let time = [given.time, self.left(part)].into_iter().flatten().min();
        let learner = Learner { limits: Limits { time, ..given.clone() }, ..self.learner.clone() };
        if until.interrupted() {
            return Err(Error::Interrupted);
        }
        let mut found = worst_case(self.targets, names, &learner, until)?;
        if !self.listener.interrupted() {
            found.outcome = found.outcome.stopped_by_time();
        }
        Ok(found)
    }

    /// What the weights of `found`, on the attributes `names`, do on all records.
    pub fn on_file(
        &self,
        found: &WorstCase,
        upper_bound: f64,
        names: &[String],
    ) -> Result<FileCount> {
        let attacker = (self.learner.standardization, self.learner.aggregation);
        let until = Until::new(self.listener, self.counted_by);
        FileCount::of(found, upper_bound, (self.targets, names), attacker, &until)
    }

    /// Listens for a `part` of the time left.
    pub fn until(&self, part: f64) -> Until<'_> {
        Until::after(self.listener, self.left(part))
    }

    fn left(&self, part: f64) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()).mul_f64(part))
    }
}

/// The one that finds the most, the first of equal ones.
pub(super) fn strongest(worst_cases: &[ScaledWorstCase]) -> Result<&ScaledWorstCase> {
    let stronger = |a: &'_ ScaledWorstCase, b: &ScaledWorstCase| b.on_file.rate > a.on_file.rate;
    let mut all = worst_cases.iter();
    let first = all.next().ok_or(Error::Interrupted)?;
    Ok(all.fold(first, |best, other| if stronger(best, other) { other } else { best }))
}
