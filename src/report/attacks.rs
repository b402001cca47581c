//! The result of an attack, and the ladder of attacks as a table.

use super::document::{count, percent};
use crate::disclosure::Disclosed;
use crate::error::Result;
use crate::linkage::{Attack, Links, Release, TieRule};
use crate::listener::Listener;
use crate::statistics::wilson_interval;
use crate::table::Table;
use serde::{Serialize, Serializer};
use std::time::Instant;

/// The result of one attack on a release: so many of so many records, or values
/// for interval disclosure.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AttackRow {
    /// The attack's name.
    pub attack: String,
    /// Records re-identified; fractional only where ties are shared or guessed.
    #[serde(serialize_with = "whole_where_possible")]
    pub reidentified: f64,
    /// Records attacked.
    pub of: usize,
    /// `reidentified` as a share of `of`.
    pub rate: f64,
    /// 95% Wilson interval of the rate, where the records are a sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Records whose own released record ties with others.
    pub tied: usize,
    /// How many of those guessing would get on average.
    pub expected_ties: f64,
    /// Time the attack took.
    pub seconds: f64,
    /// `rate` minus that of dbrl1 on the same records, on a ladder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
}

/// 379 rather than 379.0.
fn whole_where_possible<S: Serializer>(value: &f64, to: S) -> std::result::Result<S::Ok, S::Error> {
    if value.fract() == 0.0 { to.serialize_u64(*value as u64) } else { to.serialize_f64(*value) }
}

impl AttackRow {
    /// Runs `attack` on `release`; `sampled` says that rates carry an interval.
    pub fn run<S: AsRef<str>>(
        attack: &Attack,
        release: &Release,
        names: &[S],
        tie: TieRule,
        sampled: bool,
        listener: &dyn Listener,
    ) -> Result<Self> {
        Self::run_with_links(attack, release, names, tie, sampled, listener).map(|(row, _)| row)
    }

    /// As [`AttackRow::run`], with the links.
    pub fn run_with_links<S: AsRef<str>>(
        attack: &Attack,
        release: &Release,
        names: &[S],
        tie: TieRule,
        sampled: bool,
        listener: &dyn Listener,
    ) -> Result<(Self, Links)> {
        let started = Instant::now();
        let links = attack.link(release, names, listener)?;
        let seconds = started.elapsed().as_secs_f64();
        let row = Self::linked(&links, tie);
        let interval = sampled.then(|| wilson_interval(row.reidentified, row.of));
        Ok((Self { attack: attack.name(), interval, seconds, ..row }, links))
    }

    /// What `links` re-identify, not yet named.
    pub fn linked(links: &Links, tie: TieRule) -> Self {
        Self {
            reidentified: links.reidentified(tie),
            of: links.0.len(),
            rate: links.rate(tie),
            tied: links.tied(),
            expected_ties: links.expected_ties(),
            ..Self::default()
        }
    }

    /// What a disclosure measure counts, not yet named.
    pub fn disclosed(found: Disclosed) -> Self {
        let reidentified = found.disclosed as f64;
        Self { reidentified, of: found.of, rate: found.rate(), ..Self::default() }
    }

    /// The floor of every ladder: guessing a released record for each original one.
    pub fn random(release: &Release) -> Self {
        let released = release.released().records() as f64;
        Self {
            attack: "random".into(),
            reidentified: release.records() as f64 / released,
            of: release.records(),
            rate: released.recip(),
            ..Self::default()
        }
    }
}

/// The ladder of attacks as a table; without times, so that the same attack
/// prints the same text.
pub fn attack_table(rows: &[AttackRow]) -> Table {
    let mut table = Table::new(["attack", "re-identified", "of", "rate", "95% interval", "tied"]);
    for row in rows {
        table.row([
            row.attack.clone(),
            count(row.reidentified),
            row.of.to_string(),
            percent(row.rate),
            interval(row.interval),
            row.tied.to_string(),
        ]);
    }
    table
}

/// The ends of an interval, or a dash.
pub(super) fn interval(ends: Option<[f64; 2]>) -> String {
    let words = |[low, high]: [f64; 2]| format!("{} to {}", percent(low), percent(high));
    ends.map_or_else(|| "-".to_owned(), words)
}
