//! What a generalization did, in numbers.

use super::coded::{Coded, Tuples};
use super::outcome::Outcome;
use serde::Serialize;
use std::collections::HashMap;

/// Counts of a generalization; no value of the file is in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GeneralizationSummary {
    /// Records in the original file.
    pub records: usize,
    /// Different combinations of confidential values.
    pub classes: usize,
    /// Classes of less than k records, which are discarded.
    pub small_classes: usize,
    /// Different patterns.
    pub patterns: usize,
    /// Patterns with repetitions, as the published recursion lists them.
    pub patterns_with_repetitions: u64,
    /// Records released as a pattern.
    pub released: usize,
    /// Records discarded: those that no pattern of their class covers.
    pub rest: usize,
    /// Released records that several patterns of their class cover.
    pub covered_by_several: usize,
    /// By which rule such a record gets its pattern.
    pub choice_rule: &'static str,
    /// Records of its class that a pattern covers.
    pub records_per_pattern: Spread,
    /// Per released record, the records of its class that share a pattern with it: larger
    /// than any of its patterns where it has several.
    pub anonymity_sets: Spread,
    /// Per released record, the rows of the released file whose pattern covers it: what an
    /// attacker who knows the quasi-identifiers is left with. A pattern may be
    /// released for fewer than k records when others that it covers carry another.
    pub candidate_rows: Spread,
    /// Released records with less than k candidate rows.
    pub records_below_k_rows: usize,
}

/// Smallest, middle and largest of some counts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Spread {
    /// The smallest.
    pub smallest: usize,
    /// The middle one, the lower of two.
    pub median: usize,
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub largest: usize,
}

const CHOICE_RULE: &str = "patterns with less than k records of their own take others they cover \
                           until they have k, then the covering pattern with the most records, \
                           then moves that leave fewer records with less than k rows; equal \
                           records get the same pattern";

impl Spread {
    /// Of counts that each occur some times.
    fn new(mut counts: Vec<(usize, usize)>) -> Self {
        counts.sort_unstable();
        let total: usize = counts.iter().map(|(_, times)| times).sum();
        let sum: f64 = counts.iter().map(|(count, times)| *count as f64 * *times as f64).sum();
        let mut before = 0;
        let median = counts.iter().find(|(_, times)| {
            before += times;
            2 * before >= total
        });
        Self {
            smallest: counts.first().map_or(0, |c| c.0),
            median: median.map_or(0, |c| c.0),
            mean: if total == 0 { 0.0 } else { sum / total as f64 },
            largest: counts.last().map_or(0, |c| c.0),
        }
    }
}

impl GeneralizationSummary {
    pub(super) fn new(coded: &Coded, outcome: &Outcome) -> Self {
        let patterns = &outcome.patterns;
        let sets = released_tuples(coded, outcome, anonymity_sets);
        let rows = released_tuples(coded, outcome, candidate_rows);
        let released = sets.iter().map(|(_, weight)| weight).sum();
        let records = coded.classes.iter().map(|c| c.len()).sum();
        let below = rows.iter().filter(|(count, _)| *count < outcome.k);
        Self {
            records,
            classes: coded.classes.len(),
            small_classes: coded.classes.iter().filter(|c| c.len() < outcome.k).count(),
            patterns: patterns.len(),
            patterns_with_repetitions: patterns
                .iter()
                .fold(0, |sum, p| sum.saturating_add(p.repetitions)),
            released,
            rest: records - released,
            covered_by_several: covered_by_several(coded, outcome),
            choice_rule: CHOICE_RULE,
            records_per_pattern: Spread::new(patterns.iter().map(|p| (p.covered, 1)).collect()),
            records_below_k_rows: below.map(|(_, weight)| weight).sum(),
            anonymity_sets: Spread::new(sets),
            candidate_rows: Spread::new(rows),
        }
    }
}

/// A count for each released tuple, with the tuple's weight.
fn released_tuples(
    coded: &Coded,
    outcome: &Outcome,
    count: fn(&Tuples, &Outcome, usize) -> Vec<usize>,
) -> Vec<(usize, usize)> {
    let of_class = |class: usize| {
        let tuples = &coded.classes[class].tuples;
        let counts = count(tuples, outcome, class).into_iter().enumerate();
        let released = counts.filter(move |(t, _)| outcome.chosen[class][*t].is_some());
        released.map(|(t, count)| (count, tuples.weights[t] as usize))
    };
    (0..coded.classes.len()).flat_map(of_class).collect()
}

/// Records covered by the patterns of each tuple, counted once.
fn anonymity_sets(tuples: &Tuples, outcome: &Outcome, class: usize) -> Vec<usize> {
    let own: Vec<Vec<u32>> = (0..tuples.len()).map(|t| outcome.own(class, t).collect()).collect();
    let mut members: HashMap<u32, Vec<u32>> = HashMap::new();
    for (t, patterns) in own.iter().enumerate() {
        patterns.iter().for_each(|p| members.entry(*p).or_default().push(t as u32));
    }
    let mut sizes: HashMap<&[u32], usize> = HashMap::new();
    let mut seen = vec![0u32; own.len()];
    let mut now = 0;
    for patterns in &own {
        sizes.entry(patterns).or_insert_with(|| {
            now += 1;
            let mut size = 0;
            for &t in patterns.iter().flat_map(|p| &members[p]) {
                if std::mem::replace(&mut seen[t as usize], now) != now {
                    size += tuples.weights[t as usize] as usize;
                }
            }
            size
        });
    }
    own.iter().map(|patterns| sizes[patterns.as_slice()]).collect()
}

/// Released rows that cover each tuple.
fn candidate_rows(_: &Tuples, outcome: &Outcome, class: usize) -> Vec<usize> {
    let rows = |p: &u32| outcome.patterns[*p as usize].released;
    outcome.covering[class].iter().map(|covering| covering.iter().map(rows).sum()).collect()
}

fn covered_by_several(coded: &Coded, outcome: &Outcome) -> usize {
    let of_class = |(class, c): (usize, &super::coded::Class)| -> usize {
        let several = |t: &u32| outcome.own(class, *t).nth(1).is_some();
        c.tuples.weight(&(0..c.tuples.len()).filter(several).collect::<Vec<_>>())
    };
    coded.classes.iter().enumerate().map(of_class).sum()
}
