//! The greatest risk that is allowed.

use super::{CertainValues, Gate, Verdict};
use serde::Serialize;

/// A threshold and whether it was exceeded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Threshold {
    /// The greatest share of records that may be re-identified.
    pub max_risk: f64,
    /// Where the threshold comes from.
    pub source: String,
    /// What was compared with it.
    pub gate: Gate,
    /// The same in words.
    pub judged: String,
    /// The share compared: where records or all their values are suppressed, of the other people.
    pub risk: f64,
    /// The share that the strongest attacker found.
    pub found: f64,
    /// The share that no attacker examined exceeds.
    pub upper_bound: f64,
    /// True when `risk` is above `max_risk`, or is to be a bound and there is none.
    pub exceeded: bool,
}

impl Threshold {
    /// Judges `verdict` by what `gate` says.
    pub fn judge(max_risk: f64, source: String, gate: Gate, verdict: &Verdict) -> Self {
        let (judged, risk) = match gate {
            Gate::Found => ("share found by the strongest attacker", verdict.rate),
            Gate::Bound if !verdict.bounded => {
                ("most that may be found, since not every attacker could be bounded,", 1.0)
            }
            Gate::Bound if verdict.proven => ("proven worst of all attackers", verdict.rate),
            Gate::Bound if verdict.unbounded.is_empty() => {
                ("upper bound of all attackers examined", verdict.upper_bound)
            }
            Gate::Bound => ("most that is found or bounded", verdict.upper_bound),
        };
        let risk = verdict.among_released(risk);
        let judged = match verdict.whose() {
            "" => judged.to_owned(),
            whose => format!("{judged} of the people{whose}"),
        };
        Self {
            max_risk,
            source,
            gate,
            judged,
            risk,
            found: verdict.rate,
            upper_bound: verdict.upper_bound,
            exceeded: risk > max_risk || gate == Gate::Bound && !verdict.bounded,
        }
    }
}

/// A limit of the people whose confidential value is certain, and whether it was exceeded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CertainThreshold {
    /// The greatest share of people allowed.
    pub max_certain: f64,
    /// The confidential attribute that gives away most; none where none gives anything away.
    pub attribute: Option<String>,
    /// The share of people whose value of it is certain.
    pub share: f64,
    /// True when `share` is above `max_certain`.
    pub exceeded: bool,
}

impl CertainThreshold {
    /// Judges the attribute of `found` that gives away most.
    pub fn judge(max_certain: f64, found: &[CertainValues]) -> Self {
        let telling = found.iter().filter(|values| values.certain > 0);
        let most = telling.max_by(|a, b| a.share.total_cmp(&b.share));
        let share = most.map_or(0.0, |values| values.share);
        let attribute = most.map(|values| values.attribute.clone());
        Self { max_certain, attribute, share, exceeded: share > max_certain }
    }
}
