//! Attacks that learn nothing, on one release, by name.

use super::settings::{Target, target_setters};
use crate::dataset::DefaultAttributes;
use crate::disclosure::{Attempt, AttemptOptions, IntervalParameters};
use crate::error::{Error, Result};
use crate::linkage::registry::AttackParameters;
use crate::linkage::{AttackRow, Links, Release, TieRule, attack_notes, attack_table};
use crate::listener::Listener;
use crate::protection::Supposed;
use crate::words::{listed, unused_attributes};
use serde::Serialize;
use std::fmt;

/// Attacks of the registry to be run on a release, dbrl1 unless others are named.
///
/// ```
/// use unmask::audit::NamedAttacks;
/// use unmask::dataset::{Dataset, ReadOptions};
/// use unmask::linkage::Release;
///
/// let census = Dataset::load("census", &ReadOptions::default())?;
/// let release = Release::by_row(census.clone(), census)?;
/// let attacks = NamedAttacks::on(&release).named(["dbrl1", "gower"]).attributes(["AGI", "FICA"]);
/// let record = attacks.run(&())?;
/// assert_eq!(record.attacks[0].rate, 1.0);
/// # Ok::<(), unmask::error::Error>(())
/// ```
#[derive(Debug)]
pub struct NamedAttacks<'a> {
    target: Target<'a>,
    names: Vec<String>,
    tie: TieRule,
    parameters: AttackParameters,
    interval: IntervalParameters,
    supposed: Option<Supposed>,
}

target_setters!(NamedAttacks);

/// What the attacks found; guessing is the last.
#[derive(Debug, Clone, Serialize)]
pub struct AttacksRecord {
    /// Original records attacked.
    pub records: usize,
    /// Released records among which the attacker looks.
    pub released_records: usize,
    /// Attributes the attacker knows.
    pub attributes: Vec<String>,
    /// Attributes that could have been named and were not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes_left_out: Vec<String>,
    /// What a tie counts.
    pub tie: TieRule,
    /// How the records were drawn, where they are a sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<DrawnSample>,
    /// How the release was supposed to be made, where that was only guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supposed: Option<Supposed>,
    /// One row per attack.
    pub attacks: Vec<AttackRow>,
}

/// A random sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DrawnSample {
    /// Records in it.
    pub size: usize,
    /// Its seed.
    pub seed: u64,
}

impl<'a> NamedAttacks<'a> {
    /// Attacks on `release`, every setting at its default.
    pub fn on(release: &'a Release) -> Self {
        Self {
            target: Target::new(release),
            names: vec!["dbrl1".to_owned()],
            tie: TieRule::default(),
            parameters: AttackParameters::default(),
            interval: IntervalParameters::default(),
            supposed: None,
        }
    }

    /// The attacks by their names in [`crate::linkage::registry`].
    pub fn named<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }

    /// What a record counts whose own released record is as near as others. Default: nothing.
    pub fn tie(mut self, rule: TieRule) -> Self {
        self.tie = rule;
        self
    }

    /// Parameters of the attacks; given weights add the attack `weighted`.
    pub fn parameters(mut self, parameters: AttackParameters) -> Self {
        self.parameters = parameters;
        self
    }

    /// What was supposed of how the release was made, for the record. Default: nothing.
    pub fn supposed(mut self, supposed: impl Into<Option<Supposed>>) -> Self {
        self.supposed = supposed.into();
        self
    }

    /// The interval of interval disclosure.
    pub fn interval(mut self, interval: IntervalParameters) -> Self {
        self.interval = interval;
        self
    }

    /// Runs the attacks, one after the other.
    ///
    /// Fails on an unknown name, and when an attack does not fit the files.
    pub fn run(&self, listener: &dyn Listener) -> Result<AttacksRecord> {
        let chosen = self.target.chosen()?;
        let attempts = self.attempts(&chosen.names)?;
        Ok(self.attempted(chosen, &attempts, false, listener)?.0)
    }

    /// As [`NamedAttacks::run`], with the links and their second distances, which takes about
    /// twice as long; fails unless one attack is named and it links.
    pub fn run_with_links(&self, listener: &dyn Listener) -> Result<(AttacksRecord, Links)> {
        let chosen = self.target.chosen()?;
        let attempts = self.attempts(&chosen.names)?;
        let (record, links) = match attempts.as_slice() {
            [Attempt::Link(_)] => self.attempted(chosen, &attempts, true, listener)?,
            _ => {
                let given: Vec<String> = attempts.iter().map(Attempt::name).collect();
                let problem = "but `links` are those of one attack; name one that links, alone";
                return Err(Error::parameter("attack", given.join(","), problem));
            }
        };
        let links = links.ok_or_else(|| Error::Internal("an attack gave no links".into()))?;
        Ok((record, links))
    }

    /// What the names stand for, each once.
    fn attempts(&self, attributes: &[String]) -> Result<Vec<Attempt>> {
        let mut names = self.names.clone();
        if !self.parameters.weights.is_empty() && !names.iter().any(|name| name == "weighted") {
            names.push("weighted".to_owned());
        }
        let mut attempts: Vec<Attempt> = Vec::new();
        for name in names {
            for attempt in Attempt::named(&name, &self.parameters, self.interval, attributes)? {
                if !attempts.contains(&attempt) {
                    attempts.push(attempt);
                }
            }
        }
        Ok(attempts)
    }

    fn attempted(
        &self,
        chosen: DefaultAttributes,
        attempts: &[Attempt],
        second: bool,
        listener: &dyn Listener,
    ) -> Result<(AttacksRecord, Option<Links>)> {
        let release = self.target.drawn(self.target.release)?;
        let Target { sample, seed, .. } = self.target;
        let (mut attacks, mut links) = (Vec::new(), None);
        for attempt in attempts {
            let options = AttemptOptions { tie: self.tie, sampled: sample.is_some(), second };
            let (row, found) = attempt.run(&release, &chosen.names, options, listener)?;
            attacks.push(row);
            links = found;
        }
        attacks.push(AttackRow::random(&release));
        let record = AttacksRecord {
            records: release.records(),
            released_records: release.released().records(),
            attributes: chosen.names,
            attributes_left_out: chosen.left_out,
            tie: self.tie,
            sample: sample.map(|size| DrawnSample { size, seed }),
            supposed: self.supposed.clone(),
            attacks,
        };
        Ok((record, links))
    }
}

impl fmt::Display for AttacksRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (records, released, names) =
            (self.records, self.released_records, listed(&self.attributes));
        let count = self.attributes.len();
        write!(f, "{records} original records, {released} released ones, {count} attributes: ")?;
        writeln!(f, "{names}")?;
        if let Some(note) = unused_attributes(&self.attributes_left_out) {
            writeln!(f, "{note}")?;
        }
        write!(f, "\n{}", attack_table(&self.attacks))?;
        let supposed = self.supposed.iter().map(Supposed::sentence);
        let mut notes = attack_notes(&self.attacks).into_iter().chain(supposed);
        notes.try_for_each(|note| writeln!(f, "{note}"))
    }
}
