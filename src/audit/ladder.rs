//! The ladder of attacks on the same records, weakest attacker first.

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::linkage::{Alignment, Attack, DEFAULT_TOLERANCE, Links, Release, TieRule};
use crate::listener::Listener;
use crate::report::AttackRow;
use serde::Serialize;

/// The attacks that learn nothing, and which records each re-identifies.
#[derive(Debug, Clone)]
pub struct Ladder {
    /// One row per attack, guessing first.
    pub rungs: Vec<AttackRow>,
    /// Attacks that the data do not allow.
    pub left_out: Vec<LeftOut>,
    /// For the attacks on all attributes: which records they re-identify.
    pub identified: Vec<Identified>,
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

impl Ladder {
    /// Runs the attacks on `release`; `sampled` says that rates carry an interval.
    ///
    /// An attack that the data do not allow, for labels, a singular covariance or
    /// too many records, is left out with the reason.
    pub fn climb(
        release: &Release,
        attributes: &[String],
        sampled: bool,
        listener: impl Fn() -> Box<dyn Listener>,
    ) -> Result<Self> {
        let labels = categorical(release.original(), attributes)?;
        let mut ladder = Self {
            rungs: vec![AttackRow::random(release)],
            left_out: Vec::new(),
            identified: Vec::new(),
        };
        for attack in attacks(attributes, !labels.is_empty()) {
            if needs_numbers(&attack) && !labels.is_empty() {
                let verb = if labels.len() == 1 { "holds" } else { "hold" };
                let reason = format!("needs numbers, but {} {verb} labels", list(&labels));
                ladder.leave_out(&attack, reason);
                continue;
            }
            let (tie, bar) = (TieRule::Miss, listener());
            match AttackRow::run_with_links(&attack, release, attributes, tie, sampled, &*bar) {
                Ok((row, links)) => ladder.take(&attack, row, &links),
                Err(error) => ladder.leave_out(&attack, shareable(error)?),
            }
        }
        ladder.tell_gains();
        Ok(ladder)
    }

    fn take(&mut self, attack: &Attack, row: AttackRow, links: &Links) {
        if !matches!(attack, Attack::Single { .. }) {
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

    fn tell_gains(&mut self) {
        let equal = self.rung("dbrl1").map(|row| row.rate);
        self.rungs.iter_mut().for_each(|row| row.gain = equal.map(|rate| row.rate - rate));
    }
}

/// The attacks of the ladder; Gower's distance belongs to data with labels.
fn attacks(attributes: &[String], mixed: bool) -> Vec<Attack> {
    let single = |attribute: &String| Attack::Single { attribute: attribute.clone() };
    let mahalanobis = |alignment| Attack::Mahalanobis { alignment, pseudo_inverse: false };
    let mut attacks: Vec<Attack> = attributes.iter().map(single).collect();
    attacks.extend([Attack::Dbrl1, Attack::Dbrl2]);
    attacks.extend(mixed.then_some(Attack::Gower));
    attacks.extend([
        mahalanobis(Alignment::Cov0),
        mahalanobis(Alignment::Cov),
        Attack::Kernel { degree: 2 },
        Attack::Probabilistic { tolerance: DEFAULT_TOLERANCE },
        Attack::Assignment,
    ]);
    attacks
}

fn needs_numbers(attack: &Attack) -> bool {
    matches!(attack, Attack::Mahalanobis { .. } | Attack::Kernel { .. })
}

/// Those of `attributes` that hold labels.
fn categorical(dataset: &Dataset, attributes: &[String]) -> Result<Vec<String>> {
    let positions = dataset.positions(attributes)?;
    let labels = positions.into_iter().filter(|&i| !dataset.attributes()[i].is_numeric());
    Ok(labels.map(|i| dataset.attributes()[i].name.clone()).collect())
}

/// At most three names.
fn list(names: &[String]) -> String {
    match names {
        [first, second, third, _, ..] => {
            format!("{first}, {second}, {third} and {} others", names.len() - 3)
        }
        _ => names.join(", "),
    }
}

/// The reason of an error, without the value it quotes; a defect of ours stays one.
fn shareable(error: Error) -> Result<String> {
    match error {
        Error::Internal(_) => Err(error),
        Error::Cell { column, .. } => Ok(format!("column {column} does not fit it")),
        Error::Input { problem, .. } => Ok(problem),
        other => Ok(other.to_string()),
    }
}
