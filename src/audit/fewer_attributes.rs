//! Attackers who ignore attributes and guess among the released records that are left equal.

use super::FileCount;
use super::worst_cases::ScaleSearch;
use crate::error::{Error, Result};
use crate::learning::{Aggregation, AttributeSubset, Count, SharedGuesses, WorstCase};
use crate::linkage::AttackRow;
use crate::words::first_three;
use std::time::Instant;

/// The name of the attacker.
pub(super) const FEWER: &str = "fewer attributes";

/// What is found at most by ignoring attributes, and the strongest attacker found who does.
#[derive(Debug, Clone)]
pub(super) struct FewerAttributes {
    /// Right guesses on average, among the targets, that nobody who ignores attributes exceeds; 0
    /// where no records become equal.
    pub upper_bound: f64,
    /// The strongest, on the whole file.
    pub strongest: Option<AttackRow>,
}

/// Of the time left, what one subset may take.
const PART: f64 = 0.5;

impl FewerAttributes {
    /// Solves the worst case on the subsets of attributes on which more might be guessed than
    /// `found` is proven to bound, as long as there is time; the others keep the bound that
    /// `guesses` give.
    pub fn search(
        guesses: &SharedGuesses,
        found: &WorstCase,
        search: &ScaleSearch<'_>,
    ) -> Result<Self> {
        let mut fewer = Self { upper_bound: 0.0, strongest: None };
        let told_apart = found.upper_bound();
        for subset in guesses.subsets(told_apart) {
            if subset.upper_bound <= told_apart.max(fewer.upper_bound) + guesses.rounding() {
                break;
            }
            let proven = match solve(&subset, search)? {
                None => subset.upper_bound,
                Some((row, proven)) => {
                    fewer.take(row);
                    proven.min(subset.upper_bound)
                }
            };
            fewer.upper_bound = fewer.upper_bound.max(proven);
        }
        Ok(fewer)
    }

    fn take(&mut self, row: AttackRow) {
        if self.strongest.as_ref().is_none_or(|known| row.rate > known.rate) {
            self.strongest = Some(row);
        }
    }
}

/// The attacker on `subset` and his proven bound among the targets; none without time or where
/// weights belong to ranks of distances rather than to attributes.
fn solve(subset: &AttributeSubset, search: &ScaleSearch<'_>) -> Result<Option<(AttackRow, f64)>> {
    let all = subset.attributes.len() == search.names.len();
    if all || search.learner.aggregation == Aggregation::Owa {
        return Ok(None);
    }
    let names: Vec<String> = subset.attributes.iter().map(|&k| search.names[k].clone()).collect();
    let (started, until) = (Instant::now(), search.until(PART));
    match search.solve(&names, PART, &until) {
        Ok(found) => {
            let on_file = search.on_file(&found, found.upper_bound(), &names)?;
            let seconds = started.elapsed().as_secs_f64();
            Ok(Some((row(&names, &on_file, found.count, seconds), found.upper_bound())))
        }
        Err(Error::Interrupted) => Ok(None),
        Err(error) => Err(error),
    }
}

fn row(names: &[String], on_file: &FileCount, count: Count, seconds: f64) -> AttackRow {
    let shown = first_three(names);
    let note = format!("looks at {shown} alone and guesses among records that are equal there");
    AttackRow { note: Some(note), ..on_file.attack_row(FEWER, count, seconds) }
}
