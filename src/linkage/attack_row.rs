//! The result of an attack, and the results of several as a table.

use super::{Links, Release, TieRule};
use crate::anonymity::Disclosed;
use crate::table::Table;
use crate::words::{count, interval, percent};
use serde::{Serialize, Serializer};

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

/// The results as a table; without times, so that the same attack prints the same text.
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
