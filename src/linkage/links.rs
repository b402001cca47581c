//! What an attack says about each record, and how often it is right.

use crate::error::{Error, Result};
use crate::files;
use crate::statistics::sum_of_shares;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// What a record counts whose own released record is as near as others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum TieRule {
    /// Nothing: its own record must be strictly the nearest, as in the papers
    #[default]
    Miss,
    /// 1 / number of tied records: what guessing among them gets on average
    Share,
    /// One: the attacker is taken to guess right
    Hit,
}

/// The link of one original record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The released record linked to it, the lowest of several tied.
    pub linked: u32,
    /// Their distance, on the attack's own scale.
    pub distance: f64,
    /// The distance of the next released record; equal to `distance` when tied,
    /// `None` when there is no other or it was not asked for.
    pub second: Option<f64>,
    /// Number of released records that could be linked equally well, at least 1.
    pub tied: u32,
    /// True when the record's own released record is one of them.
    pub own_among_tied: bool,
}

impl Link {
    /// What the link counts under `rule`.
    pub fn score(&self, rule: TieRule) -> f64 {
        match (self.own_among_tied, self.tied, rule) {
            (false, _, _) => 0.0,
            (true, 1, _) | (true, _, TieRule::Hit) => 1.0,
            (true, _, TieRule::Miss) => 0.0,
            (true, tied, TieRule::Share) => 1.0 / f64::from(tied),
        }
    }

    fn is_tied(&self) -> bool {
        self.own_among_tied && self.tied > 1
    }
}

/// The links of all original records, in their order; and what is not exact about them, for
/// one-to-one links of more than [`super::ASSIGNMENT_LIMIT`] released records.
#[derive(Debug, Clone, PartialEq)]
pub struct Links(pub Vec<Link>, pub Option<SparseSearch>);

/// What is not exact about one-to-one links of many records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SparseSearch {
    /// The most by which the total cost exceeds the least one, as a share of the total: 0 says
    /// that no assignment is better.
    pub gap: f64,
    /// Number of original records, drawn from all, whose agreement patterns the probabilities
    /// of [`super::FellegiSunter`] were fitted to; `None` where all of them were, or none.
    pub patterns_of: Option<usize>,
}

impl SparseSearch {
    /// In words.
    pub fn words(&self) -> String {
        let gap = match self.gap {
            0.0 => "the total is the least one".to_owned(),
            // Rounded up: at most.
            gap => {
                format!("the total is at most {}% above the least one", (1e8 * gap).ceil() / 1e6)
            }
        };
        match self.patterns_of {
            Some(records) => format!(
                "{gap}; probabilities from the patterns of {records} records drawn from all"
            ),
            None => gap,
        }
    }
}

impl Links {
    /// Number of records re-identified; a whole number except with [`TieRule::Share`].
    pub fn reidentified(&self, rule: TieRule) -> f64 {
        match rule {
            TieRule::Share => {
                let found = self.0.iter().filter(|link| link.own_among_tied);
                sum_of_shares(found.map(|link| link.tied))
            }
            _ => self.0.iter().fold(0.0, |sum, link| sum + link.score(rule)),
        }
    }

    /// Share of the records re-identified.
    pub fn rate(&self, rule: TieRule) -> f64 {
        self.reidentified(rule) / self.0.len() as f64
    }

    /// Number of records whose own released record ties with others.
    pub fn tied(&self) -> usize {
        self.0.iter().filter(|link| link.is_tied()).count()
    }

    /// How many of the tied records guessing would get on average.
    pub fn expected_ties(&self) -> f64 {
        let tied = self.0.iter().filter(|link| link.is_tied() && link.own_among_tied);
        sum_of_shares(tied.map(|link| link.tied))
    }

    /// Writes one CSV row per original record: record, linked record, distance,
    /// second distance, correct (under `rule`), tied. Records count from 1.
    pub fn save(&self, path: &Path, force: bool, rule: TieRule) -> Result<()> {
        files::write_file(path, force, |out| self.write(out, rule).map_err(|e| Error::io(path, e)))
    }

    fn write(&self, out: &mut dyn Write, rule: TieRule) -> std::io::Result<()> {
        writeln!(out, "record,linked_record,distance,second_distance,correct,tied")?;
        for (i, link) in self.0.iter().enumerate() {
            let second = link.second.map_or(String::new(), |d| d.to_string());
            let (linked, correct) = (link.linked + 1, link.score(rule));
            let (distance, tied) = (link.distance, link.tied);
            writeln!(out, "{},{linked},{distance},{second},{correct},{tied}", i + 1)?;
        }
        Ok(())
    }
}
