//! What one run of a cell found.

use crate::disclosure::Disclosed;
use crate::experiment::record::CellRecord;
use crate::experiment::specification::Quantity;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A run with what its attacks found.
pub(super) type LinkageRun = CellRecord<AttackCounts>;

/// What the attacks on one sample found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct AttackCounts {
    /// The file was protected with this seed, the sample drawn with the next.
    pub seed: u64,
    /// Records drawn.
    pub records: usize,
    /// Records that equal weights re-identify, ties not counted.
    pub dbrl1: usize,
    /// The worst case, where it was asked for.
    pub worst_case: Option<WorstCaseRun>,
    /// Records that each known attribute alone re-identifies, where asked for.
    pub single: Vec<usize>,
    /// What each further attack re-identifies or discloses, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub further: BTreeMap<String, Disclosed>,
    /// What happens on other records, where asked for.
    pub held_out: Option<HeldOutCounts>,
}

/// The worst case of a run and what is proven about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct WorstCaseRun {
    /// Records that the weights re-identify.
    pub reidentified: usize,
    /// No weights re-identify more.
    pub upper_bound: usize,
    /// True when both are equal.
    pub proven: bool,
    /// One per known attribute.
    pub weights: Vec<f64>,
    /// Nodes searched.
    pub nodes: u64,
    /// Time of the solver on one core; goes to `timing.csv` only.
    pub seconds: f64,
}

/// Equal and learned weights on records that were not learned from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HeldOutCounts {
    /// Records drawn.
    pub records: usize,
    /// Re-identified by equal weights.
    pub dbrl1: usize,
    /// Re-identified by the learned weights.
    pub worst_case: Option<usize>,
}

impl AttackCounts {
    /// The value of `quantity`: percent, or a weight; `None` when it was not asked for.
    pub fn value(&self, quantity: &Quantity, known: &[String]) -> Option<f64> {
        let percent = |count: usize, of: usize| 100.0 * count as f64 / of as f64;
        let of_sample = |count: usize| percent(count, self.records);
        let place = |name: &String| known.iter().position(|k| k == name);
        let held_out = self.held_out.as_ref();
        match quantity {
            Quantity::Dbrl1 => Some(of_sample(self.dbrl1)),
            Quantity::WorstCase => self.worst_case.as_ref().map(|w| of_sample(w.reidentified)),
            Quantity::HeldOutDbrl1 => held_out.map(|h| percent(h.dbrl1, h.records)),
            Quantity::HeldOutWorstCase => {
                held_out.and_then(|h| h.worst_case.map(|count| percent(count, h.records)))
            }
            Quantity::Attack(name) => self.further.get(name).map(|found| 100.0 * found.rate()),
            Quantity::Single(name) => self.single.get(place(name)?).map(|c| of_sample(*c)),
            Quantity::Weight(name) => self.worst_case.as_ref()?.weights.get(place(name)?).copied(),
        }
    }
}
