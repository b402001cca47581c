//! The ladder of attacks on the same records, weakest attacker first.

use super::clock::JobClock;
use super::least_work::least_targets;
use crate::dataset::{Dataset, Values};
use crate::disclosure::{Attempt, AttemptOptions};
use crate::error::{Error, Result};
use crate::linkage::{Attack, AttackRow, Links, Release, TieRule, registry};
use crate::listener::{Listener, Until};
use crate::words::first_three;
use serde::Serialize;

/// The attacks that learn nothing, and which records each re-identifies.
#[derive(Debug, Clone, Default)]
pub struct Ladder {
    /// One row per attack, guessing first.
    pub rungs: Vec<AttackRow>,
    /// Attacks that the data do not allow.
    pub left_out: Vec<LeftOut>,
    /// For the attacks on all attributes: which records they re-identify.
    pub identified: Vec<Identified>,
    /// Attacks that had no time for all records and looked for a sample of them.
    pub sampled: Vec<String>,
    /// Attacks that had no time at all, in some reading of suppressed cells at least.
    pub no_time: Vec<String>,
}

impl Climb<'_> {
    /// The floor: guesses count where guesses count.
    fn guessing(&self, release: &Release) -> AttackRow {
        let guessed = AttackRow::random(release);
        match self.tie {
            TieRule::Share => guessed,
            _ => AttackRow { reidentified: 0.0, rate: 0.0, ..guessed },
        }
    }

    fn has_time(&self, listener: &dyn Listener) -> bool {
        !Until::new(listener, self.clock.end_of(self.share)).interrupted()
    }

    fn attempt(
        &self,
        attack: &Attack,
        release: &Release,
        attributes: &[String],
        listener: &dyn Listener,
    ) -> Result<(AttackRow, Option<Links>)> {
        let until = Until::after(listener, self.clock.part_until(self.share, 0.5));
        if until.interrupted() {
            return Err(Error::Interrupted);
        }
        self.run(attack, release, attributes, &until)
    }

    fn run(
        &self,
        attack: &Attack,
        release: &Release,
        attributes: &[String],
        listener: &dyn Listener,
    ) -> Result<(AttackRow, Option<Links>)> {
        let options = AttemptOptions { tie: self.tie, sampled: self.sampled, second: false };
        Attempt::Link(attack.clone()).run(release, attributes, options, listener)
    }
}

/// The records that one attack re-identifies.
#[derive(Debug, Clone)]
pub struct Identified {
    /// The attack's name.
    pub attack: String,
    /// For each record whether it is re-identified, ties not counted.
    pub records: Vec<bool>,
}

/// An attack that could not be run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOut {
    /// Its name.
    pub attack: String,
    /// Why it does not apply; without values from the data.
    pub reason: String,
}

/// How the ladder is climbed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Climb<'a> {
    pub tie: TieRule,
    /// The records are a sample: rates carry an interval.
    pub sampled: bool,
    pub clock: &'a JobClock,
    /// They end when this share of the time is over.
    pub share: f64,
    pub seed: u64,
}

/// The attacks end when this share of an audit's time is over.
pub(super) const ATTACKED_BY: f64 = 0.4;

/// Targets of an attack that has no time for all records.
const FEWER: usize = 1_000;

impl Ladder {
    /// Runs the attacks on `release`, in each reading of suppressed and missing cells where it has
    /// some; of each attack the stronger reading is kept.
    pub(super) fn climb(
        release: &Release,
        attributes: &[String],
        how: Climb<'_>,
        listener: &dyn Listener,
    ) -> Result<Self> {
        let mut ladder: Option<Self> = None;
        let readings = release.readings(attributes)?;
        let count = readings.len() as f64;
        for (done, reading) in (1..).zip(readings) {
            let how = Climb { share: how.share * f64::from(done) / count, ..how };
            let other = Self::read(&release.read_as(reading), attributes, how, listener)?;
            ladder = Some(match ladder {
                None => other,
                Some(first) => first.stronger(other),
            });
        }
        Ok(ladder.unwrap_or_default())
    }

    /// Of each attack the one that finds more, with the greater of what both find at most.
    fn stronger(mut self, mut other: Self) -> Self {
        for mut row in std::mem::take(&mut other.rungs) {
            let at_most = other.at_most(&row);
            let Some(place) = self.rungs.iter().position(|known| known.attack == row.attack) else {
                self.rungs.push(row);
                continue;
            };
            let at_most = at_most.max(self.at_most(&self.rungs[place]));
            let known = &mut self.rungs[place];
            if row.rate > known.rate {
                std::mem::swap(known, &mut row);
                let is_its = |i: &&mut Identified| i.attack == row.attack;
                let found = other.identified.iter_mut().find(is_its);
                if let (Some(known), Some(found)) = (self.identified.iter_mut().find(is_its), found)
                {
                    std::mem::swap(known, found);
                }
            }
            if at_most > known.rate {
                let low = known.interval.map_or(known.rate, |[low, _]| low);
                known.interval = Some([low, at_most]);
            }
        }
        self.left_out.extend(other.left_out);
        self.left_out.retain(|left| !self.rungs.iter().any(|row| row.attack == left.attack));
        self.left_out.dedup();
        self.sampled = merged(self.sampled, other.sampled);
        self.no_time = merged(self.no_time, other.no_time);
        self
    }

    /// Runs the attacks on `release` as it is read.
    ///
    /// An attack that the data do not allow, for labels, a singular covariance or
    /// too many records, is left out with the reason. One that would take more than half of the
    /// time left looks for a sample of the records.
    fn read(
        release: &Release,
        attributes: &[String],
        how: Climb<'_>,
        listener: &dyn Listener,
    ) -> Result<Self> {
        let mut labels = categorical(release.original(), attributes)?;
        let in_release = categorical(release.released(), attributes)?;
        labels.extend(in_release.into_iter().filter(|name| is_numeric(release.original(), name)));
        let mut ladder = Self { rungs: vec![how.guessing(release)], ..Self::default() };
        let names: Vec<&str> = attributes.iter().map(String::as_str).collect();
        let draws = release.recipe().map(|recipe| !recipe.gives_the_same_again());
        for attack in registry::ladder(&names, !labels.is_empty(), draws) {
            if needs_numbers(&attack) && !labels.is_empty() {
                let verb = if labels.len() == 1 { "holds" } else { "hold" };
                let reason = format!("needs numbers, but {} {verb} labels", first_three(&labels));
                ladder.leave_out(&attack, reason);
                continue;
            }
            match how.attempt(&attack, release, attributes, listener) {
                Ok((row, links)) => ladder.take(&attack, row, links),
                Err(Error::Interrupted) => {
                    ladder.try_fewer(&attack, release, attributes, how, listener)?;
                }
                Err(error) => ladder.leave_out(&attack, shareable(error)?),
            }
        }
        Ok(ladder)
    }

    /// The attack on a sample of the records; dbrl1 on a small one, whatever the time, unless
    /// `listener` interrupts.
    fn try_fewer(
        &mut self,
        attack: &Attack,
        release: &Release,
        attributes: &[String],
        how: Climb<'_>,
        listener: &dyn Listener,
    ) -> Result<()> {
        let sample = Climb { sampled: true, ..how };
        let tells_of_all = !attack.links_all_together();
        if tells_of_all && release.records() > FEWER && how.has_time(listener) {
            let targets = release.targets(FEWER, how.seed)?;
            if let Ok((row, _)) = sample.attempt(attack, &targets, attributes, listener) {
                self.take_estimate(row, release);
                return Ok(());
            }
        }
        if *attack == Attack::Dbrl1 && !listener.interrupted() {
            let targets = least_targets(release, how.seed)?;
            let is_sample = targets.records() < release.records();
            let how = if is_sample { sample } else { how };
            let (row, links) = how.run(attack, &targets, attributes, &())?;
            match is_sample {
                true => self.take_estimate(row, release),
                false => self.take(attack, row, links),
            }
            return Ok(());
        }
        self.leave_out(attack, "there was no time for it".to_owned());
        self.no_time.push(attack.name());
        Ok(())
    }

    /// Takes what was found of a sample, as it is to be expected of all records of `release`.
    fn take_estimate(&mut self, row: AttackRow, release: &Release) {
        self.sampled.push(row.attack.clone());
        self.rungs.push(row.scaled_to(release.records(), release.absent()));
    }

    fn take(&mut self, attack: &Attack, row: AttackRow, links: Option<Links>) {
        if let (Some(links), false) = (links, matches!(attack, Attack::Single { .. })) {
            let records = links.0.iter().map(|link| link.score(TieRule::Miss) == 1.0).collect();
            self.identified.push(Identified { attack: attack.name(), records });
        }
        self.rungs.push(row);
    }

    fn leave_out(&mut self, attack: &Attack, reason: String) {
        self.left_out.push(LeftOut { attack: attack.name(), reason });
    }

    /// The rung called `attack`.
    pub fn rung(&self, attack: &str) -> Option<&AttackRow> {
        self.rungs.iter().find(|row| row.attack == attack)
    }

    /// The share of all records that the attack of `row` finds: counted, or where it looked for a
    /// sample of them the upper end of its interval.
    pub(super) fn at_most(&self, row: &AttackRow) -> f64 {
        let high = row.interval.filter(|_| self.sampled.contains(&row.attack));
        high.map_or(row.rate, |[_, high]| high.max(row.rate))
    }

    /// What each attack finds beyond dbrl1.
    pub(super) fn tell_gains(&mut self) {
        let equal = self.rung("dbrl1").map(|row| row.rate);
        self.rungs.iter_mut().for_each(|row| row.gain = equal.map(|rate| row.rate - rate));
    }
}

/// Both lists as one, in the order of the names.
fn merged(mut some: Vec<String>, others: Vec<String>) -> Vec<String> {
    some.extend(others);
    some.sort();
    some.dedup();
    some
}

fn needs_numbers(attack: &Attack) -> bool {
    registry::find(&attack.name()).is_some_and(|entry| entry.needs.numbers)
}

/// Those of `attributes` that hold labels.
fn categorical(dataset: &Dataset, attributes: &[String]) -> Result<Vec<String>> {
    let positions = dataset.positions(attributes)?;
    let labels = positions.into_iter().filter(|&i| !dataset.attributes()[i].is_numeric());
    Ok(labels.map(|i| dataset.attributes()[i].name.clone()).collect())
}

fn is_numeric(dataset: &Dataset, name: &str) -> bool {
    matches!(dataset.values(name), Ok(Values::Numeric(_)))
}

/// The reason of an error, without the value it quotes; a defect of ours stays one.
fn shareable(error: Error) -> Result<String> {
    match error {
        Error::Internal(_) => Err(error),
        Error::Cell { column, .. } => Ok(format!("column {column} does not fit it")),
        // The remedy is for who asks for this attack alone.
        Error::Input { problem, .. } => Ok(problem.split("; ").next().unwrap_or_default().into()),
        other => Ok(other.to_string()),
    }
}
