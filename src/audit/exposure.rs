//! Which records are at risk, in numbers that name nobody.

use super::Identified;
use crate::dataset::{Dataset, Values};
use crate::error::Result;
use crate::linkage::Release;
use serde::Serialize;

/// The records at risk: how many, by how much, and the most exposed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordsAtRisk {
    /// Records that the worst case re-identifies.
    pub reidentified: usize,
    /// Records attacked.
    pub of: usize,
    /// How many records there are at each margin.
    pub margins: Vec<MarginBin>,
    /// The attacks on all attributes that were compared, the worst case among them.
    pub attacks: Vec<String>,
    /// Records that every one of those attacks re-identifies.
    pub by_every_attack: usize,
    /// `by_every_attack` as a share of the records.
    pub by_every_attack_rate: f64,
    /// Records that at least one of them re-identifies.
    pub by_any_attack: usize,
    /// `by_any_attack` as a share of the records.
    pub by_any_attack_rate: f64,
    /// The records with the greatest margins, at most ten.
    pub most_exposed: Vec<Exposed>,
}

/// The records with a margin between two values.
///
/// The margin of a record is (d - o) / (d + o), o being its distance to its own
/// released record and d that to the nearest other one, under the worst-case
/// weights: above 0 when it is re-identified.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MarginBin {
    /// The least margin; not in the bin itself, except -1.
    pub from: f64,
    /// The greatest margin, in the bin.
    pub to: f64,
    /// Records in it.
    pub records: usize,
}

/// One exposed record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exposed {
    /// Its row in the original file, from 1, the header not counted; in internal reports only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// Its key, where records belong together by key; in internal reports only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Its margin.
    pub margin: f64,
    /// How many of the attacks re-identify it.
    pub attacks: usize,
    /// Its values, in internal reports only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<ExposedValue>>,
}

impl Exposed {
    /// Its key, or its row; none in a report for sharing.
    pub fn name(&self) -> Option<String> {
        self.key.clone().or_else(|| Some(self.row?.to_string()))
    }
}

/// One value of an exposed record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExposedValue {
    /// The attribute.
    pub attribute: String,
    /// The original value; none when missing.
    pub original: Option<String>,
    /// The released value; none when missing.
    pub released: Option<String>,
}

/// How the most exposed records are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Naming<'a> {
    /// The column that names records, instead of row numbers.
    pub key: Option<&'a str>,
    /// Show their rows, keys and values.
    pub internal: bool,
}

const BINS: usize = 20;
const MOST_EXPOSED: usize = 10;

impl RecordsAtRisk {
    /// Nothing is known of `records` records: there was no time to look at each.
    pub(super) fn unmeasured(records: usize) -> Self {
        Self {
            reidentified: 0,
            of: records,
            margins: Vec::new(),
            attacks: Vec::new(),
            by_every_attack: 0,
            by_every_attack_rate: 0.0,
            by_any_attack: 0,
            by_any_attack_rate: 0.0,
            most_exposed: Vec::new(),
        }
    }

    /// The records of `release`; `identified` are the attacks on all attributes, the
    /// last being the worst case, under whose weights `margins` were measured.
    pub fn new(
        release: &Release,
        attributes: &[String],
        identified: &[Identified],
        margins: &[f64],
        naming: Naming<'_>,
    ) -> Result<Self> {
        let hits = hits(identified, release.records());
        let worst: &[bool] = identified.last().map_or(&[], |attack| &attack.records);
        let margins: Vec<f64> = margins.iter().zip(worst).map(|(m, w)| signed(*m, *w)).collect();
        let count = |wanted: &dyn Fn(usize) -> bool| hits.iter().filter(|h| wanted(**h)).count();
        let (every, any) = (count(&|h| h == identified.len()), count(&|h| h > 0));
        let share = |records: usize| records as f64 / release.records().max(1) as f64;
        Ok(Self {
            reidentified: worst.iter().filter(|w| **w).count(),
            of: release.records(),
            margins: bins(&margins),
            attacks: identified.iter().map(|attack| attack.attack.clone()).collect(),
            by_every_attack: every,
            by_every_attack_rate: share(every),
            by_any_attack: any,
            by_any_attack_rate: share(any),
            most_exposed: most_exposed(release, attributes, &hits, &margins, naming)?,
        })
    }
}

/// How many attacks re-identify each record.
fn hits(identified: &[Identified], records: usize) -> Vec<usize> {
    let mut hits = vec![0; records];
    for attack in identified {
        hits.iter_mut().zip(&attack.records).for_each(|(h, hit)| *h += usize::from(*hit));
    }
    hits
}

/// Margins are rounded and re-identification is not: the sign follows the latter.
fn signed(margin: f64, reidentified: bool) -> f64 {
    if reidentified { margin.clamp(f64::MIN_POSITIVE, 1.0) } else { margin.clamp(-1.0, 0.0) }
}

fn bins(margins: &[f64]) -> Vec<MarginBin> {
    let half = (BINS / 2) as f64;
    let mut counts = [0; BINS];
    for margin in margins {
        // Up to and including the upper end: a tie, margin 0, lies below zero.
        let bin = ((margin + 1.0) * half).ceil() as usize;
        // A margin just above 0 vanishes in the sum above; it belongs above zero.
        let bin = if *margin > 0.0 { bin.max(BINS / 2 + 1) } else { bin };
        counts[bin.clamp(1, BINS) - 1] += 1;
    }
    let edge = |i: usize| (i as f64 - half) / half;
    let bin = |(i, records): (usize, &usize)| MarginBin {
        from: edge(i),
        to: edge(i + 1),
        records: *records,
    };
    counts.iter().enumerate().map(bin).collect()
}

/// The records that most attacks re-identify, those with the greatest margin first.
fn most_exposed(
    release: &Release,
    attributes: &[String],
    hits: &[usize],
    margins: &[f64],
    naming: Naming<'_>,
) -> Result<Vec<Exposed>> {
    let mut order: Vec<usize> = (0..margins.len()).filter(|&i| margins[i] > 0.0).collect();
    order.sort_by(|&a, &b| {
        hits[b].cmp(&hits[a]).then(margins[b].total_cmp(&margins[a])).then(a.cmp(&b))
    });
    let key = naming.key.filter(|_| naming.internal);
    let keys = key.map(|key| release.keys(key)).transpose()?;
    let exposed = |&i: &usize| {
        let values = || values(release, attributes, i);
        Ok(Exposed {
            row: naming.internal.then(|| release.rows()[i] as usize + 1),
            key: keys.as_ref().map(|keys| keys[i].clone()),
            margin: margins[i],
            attacks: hits[i],
            values: naming.internal.then(values).transpose()?,
        })
    };
    order.iter().take(MOST_EXPOSED).map(exposed).collect()
}

fn values(release: &Release, attributes: &[String], i: usize) -> Result<Vec<ExposedValue>> {
    let value = |name: &String| {
        let own = release.own()[i] as usize;
        Ok(ExposedValue {
            attribute: name.clone(),
            original: cell(release.original(), name, i)?,
            released: cell(release.released(), name, own)?,
        })
    };
    attributes.iter().map(value).collect()
}

fn cell(dataset: &Dataset, name: &str, row: usize) -> Result<Option<String>> {
    Ok(match &dataset.attributes()[dataset.position(name)?].values {
        Values::Numeric(column) => column.text(row),
        Values::Categorical(column) => column.get(row).map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_margin_falls_into_one_bin_and_its_sign_decides_the_side() {
        let margins = [-1.0, -0.95, -0.1, 0.0, f64::MIN_POSITIVE, 0.1, 0.100001, 1.0];
        let found = bins(&margins);
        assert_eq!(found.iter().map(|b| b.records).sum::<usize>(), margins.len());
        let above: usize = found.iter().filter(|b| b.from >= 0.0).map(|b| b.records).sum();
        assert_eq!(above, margins.iter().filter(|m| **m > 0.0).count());
        assert_eq!((found[10].records, found[11].records), (2, 1));
        assert_eq!((found[0].from, found[19].to), (-1.0, 1.0));
    }
}
