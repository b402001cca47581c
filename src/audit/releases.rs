//! Several releases of the same file: risk beside utility.

use super::Verdict;
use crate::error::Result;
use crate::learning::Bounds;
use crate::linkage::Release;
use crate::utility::{Utility, is_measurable, with_middles};
use serde::Serialize;

/// What a release still says, in two numbers and by attribute.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UtilitySummary {
    /// SSE/SST in percent.
    pub il_percent: f64,
    /// IL1s in percent.
    pub il1s_percent: f64,
    /// The same for each numeric attribute.
    pub attributes: Vec<AttributeLossSummary>,
    /// Attributes that hold labels, are constant or have no values left: not measured.
    pub left_out: Vec<String>,
}

/// What one attribute lost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttributeLossSummary {
    /// The attribute.
    pub attribute: String,
    /// SSE/SST in percent.
    pub il_percent: f64,
    /// IL1s in percent.
    pub il1s_percent: f64,
}

impl UtilitySummary {
    /// Measures those of `attributes` that are numeric in both files, not constant, and not wholly
    /// suppressed; none when there is none.
    pub fn measure(release: &Release, attributes: &[String]) -> Result<Option<Self>> {
        let original = release.original();
        let released = release.released_in_order()?;
        let released = with_middles(original, &released);
        let usable = |name: &&String| is_measurable(original, &released, name);
        let (measured, left_out): (Vec<&String>, Vec<&String>) =
            attributes.iter().partition(usable);
        if measured.is_empty() {
            return Ok(None);
        }
        let found = Utility::measure(original, &released, &measured)?;
        let loss = |a: &crate::utility::AttributeUtility| AttributeLossSummary {
            attribute: a.attribute.clone(),
            il_percent: a.il_percent,
            il1s_percent: a.il1s_percent,
        };
        Ok(Some(Self {
            il_percent: found.il_percent,
            il1s_percent: found.il1s_percent,
            attributes: found.attributes.iter().map(loss).collect(),
            left_out: left_out.into_iter().cloned().collect(),
        }))
    }
}

/// One release on the map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReleaseRecord {
    /// A letter for the map.
    pub name: String,
    /// The file as it was typed.
    pub file: String,
    /// Share that dbrl1 re-identifies.
    pub dbrl1_rate: Option<f64>,
    /// The worst case.
    pub worst_case: Bounds,
    /// The strongest attacker.
    pub verdict: Verdict,
    /// What the release still says; none without a numeric attribute.
    pub utility: Option<UtilitySummary>,
    /// No other release loses less at no more risk.
    pub frontier: bool,
    /// True when a limit is not kept, or there is one and a column identifies by itself; none
    /// without a limit.
    pub exceeded: Option<bool>,
    /// Columns that identify by themselves.
    pub direct_identifiers: Vec<String>,
}

impl ReleaseRecord {
    /// The share of the people whose values were released that no attacker examined exceeds.
    pub fn risk(&self) -> f64 {
        self.verdict.among_released(self.verdict.upper_bound)
    }
}

/// Names the releases A, B, ... and marks the frontier: those than which no other
/// has less risk and no more loss, or less loss and no more risk. Risk is what no
/// attacker examined exceeds, among the people whose values were released. A release without measured utility is not on it, nor is one that holds
/// what identifies by itself.
pub fn mark_frontier(releases: &mut [ReleaseRecord]) {
    let places: Vec<Option<(f64, f64)>> = releases
        .iter()
        .map(|r| {
            let utility = r.utility.as_ref().filter(|_| r.direct_identifiers.is_empty())?;
            Some((r.risk(), utility.il_percent))
        })
        .collect();
    let better = |a: &(f64, f64), b: &(f64, f64)| a.0 <= b.0 && a.1 <= b.1 && a != b;
    for (i, release) in releases.iter_mut().enumerate() {
        release.name = letters(i);
        release.frontier =
            places[i].is_some_and(|own| !places.iter().flatten().any(|p| better(p, &own)));
    }
}

/// A, B, ..., Z, A1, B1, ...
fn letters(i: usize) -> String {
    let letter = char::from(b'A' + (i % 26) as u8);
    if i < 26 { letter.to_string() } else { format!("{letter}{}", i / 26) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(risk: f64, loss: Option<f64>) -> ReleaseRecord {
        let worst_case = Bounds::new(0.0, 0.0, true, 1);
        let verdict = Verdict { upper_bound: risk, ..Verdict::nothing() };
        let utility = loss.map(|il_percent| UtilitySummary {
            il_percent,
            il1s_percent: 0.0,
            attributes: Vec::new(),
            left_out: Vec::new(),
        });
        let (name, file) = Default::default();
        ReleaseRecord {
            name,
            file,
            dbrl1_rate: None,
            worst_case,
            verdict,
            utility,
            frontier: false,
            exceeded: None,
            direct_identifiers: Vec::new(),
        }
    }

    #[test]
    fn the_frontier_holds_what_no_other_release_beats() {
        let mut releases = [
            release(0.9, Some(1.0)),
            release(0.5, Some(5.0)),
            release(0.6, Some(5.0)),
            release(0.9, Some(1.0)),
            release(0.1, None),
        ];
        mark_frontier(&mut releases);
        let marked: Vec<bool> = releases.iter().map(|r| r.frontier).collect();
        assert_eq!(marked, [true, true, false, true, false]);
        releases[1].direct_identifiers.push("id".into());
        mark_frontier(&mut releases);
        assert!(!releases[1].frontier && releases[2].frontier);
        assert_eq!(releases[4].name, "E");
        assert_eq!(letters(27), "B1");
    }
}
