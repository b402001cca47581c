//! What one run of a cell found.

use super::published::Measure;
use serde::{Deserialize, Serialize};

/// One run of one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The cell's name.
    pub cell: String,
    /// The run, counted from 1.
    pub run: usize,
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
    /// What happens on other records, where asked for.
    pub held_out: Option<HeldOutRecord>,
    /// Time of the whole run on one core; goes to `timing.csv` only.
    pub seconds: f64,
}

/// The worst case of a run and what is proven about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstCaseRun {
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
pub struct HeldOutRecord {
    /// Records drawn.
    pub records: usize,
    /// Re-identified by equal weights.
    pub dbrl1: usize,
    /// Re-identified by the learned weights.
    pub worst_case: Option<usize>,
}

impl RunRecord {
    /// The value of `measure`: percent, or a weight; `None` when it was not asked for.
    pub fn value(&self, measure: &Measure, known: &[String]) -> Option<f64> {
        let percent = |count: usize, of: usize| 100.0 * count as f64 / of as f64;
        let place = |name: &String| known.iter().position(|k| k == name);
        let held_out = self.held_out.as_ref();
        match measure {
            Measure::Dbrl1 => Some(percent(self.dbrl1, self.records)),
            Measure::WorstCase => {
                self.worst_case.as_ref().map(|w| percent(w.reidentified, self.records))
            }
            Measure::HeldOutDbrl1 => held_out.map(|h| percent(h.dbrl1, h.records)),
            Measure::HeldOutWorstCase => {
                held_out.and_then(|h| h.worst_case.map(|count| percent(count, h.records)))
            }
            Measure::Single(name) => {
                self.single.get(place(name)?).map(|count| percent(*count, self.records))
            }
            Measure::Weight(name) => self.worst_case.as_ref()?.weights.get(place(name)?).copied(),
        }
    }
}
