//! The result of an attack, and the results of several as a table.

use super::{Links, Release, TieRule};
use crate::anonymity::Disclosed;
use crate::table::Table;
use crate::words::{count, interval, percent, whole_where_possible};
use serde::Serialize;

/// The result of one attack on a release: so many of so many records, or values
/// for interval disclosure.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AttackRow {
    /// The attack's name.
    pub attack: String,
    /// Records re-identified; fractional only where ties are shared or guessed.
    #[serde(serialize_with = "whole_where_possible")]
    pub reidentified: f64,
    /// Right guesses on average: a record that ties counts 1 / number of tied ones.
    #[serde(serialize_with = "whole_where_possible")]
    pub expected: f64,
    /// Records whose own released record alone is the nearest.
    pub certain: usize,
    /// Records attacked, suppressed ones included.
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
    /// For one-to-one links of many records the most by which their total exceeds the least
    /// one, as a share: [`super::SparseSearch::gap`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// What is not exact about the result, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl AttackRow {
    /// What `links` re-identify, not yet named; `absent` records have no released one and count
    /// as not re-identified.
    pub fn linked(links: &Links, tie: TieRule, absent: usize) -> Self {
        let of = links.0.len() + absent;
        let reidentified = links.reidentified(tie);
        Self {
            reidentified,
            expected: links.reidentified(TieRule::Share),
            certain: links.reidentified(TieRule::Miss) as usize,
            of,
            rate: if absent == 0 { links.rate(tie) } else { reidentified / of as f64 },
            tied: links.tied(),
            expected_ties: links.expected_ties(),
            gap: links.1.map(|search| search.gap),
            note: links.1.map(|search| search.words()),
            ..Self::default()
        }
    }

    /// What the attack on a sample makes expect of all `records`; `absent` ones count as not
    /// re-identified. Its interval stays that of the sample's rate.
    pub(crate) fn scaled_to(self, records: usize, absent: usize) -> Self {
        let factor = records as f64 / self.of.max(1) as f64;
        let of = records + absent;
        let present = records as f64 / of.max(1) as f64;
        let whole = |count: usize| (count as f64 * factor).round() as usize;
        Self {
            reidentified: self.reidentified * factor,
            expected: self.expected * factor,
            certain: whole(self.certain),
            of,
            rate: self.rate * present,
            interval: self.interval.map(|ends| ends.map(|end| end * present)),
            tied: whole(self.tied),
            expected_ties: self.expected_ties * factor,
            ..self
        }
    }

    /// What a disclosure measure counts, not yet named.
    pub fn disclosed(found: Disclosed) -> Self {
        let reidentified = found.disclosed as f64;
        Self {
            reidentified,
            expected: reidentified,
            certain: found.disclosed,
            of: found.of,
            rate: found.rate(),
            ..Self::default()
        }
    }

    /// The floor of every ladder: guessing a released record for each original one.
    pub fn random(release: &Release) -> Self {
        let released = release.released().records() as f64;
        let (records, of) = (release.records(), release.records() + release.absent());
        let expected = records as f64 / released;
        let rate = if records == of { released.recip() } else { expected / of as f64 };
        Self {
            attack: "random".into(),
            reidentified: expected,
            expected,
            of,
            rate,
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

/// What is not exact about the results, one sentence for each attack that says so.
pub fn attack_notes(rows: &[AttackRow]) -> Vec<String> {
    let note = |row: &AttackRow| Some(format!("{}: {}", row.attack, row.note.as_ref()?));
    rows.iter().filter_map(note).collect()
}
