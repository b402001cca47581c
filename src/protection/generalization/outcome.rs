//! From patterns to a pattern for each record, verified.

use super::AntiUnification;
use super::analyze_partition::Rounds;
use super::choice::choose;
use super::coded::{Coded, Tuples};
use super::pattern::{Covers, indifferent};
use crate::error::{Error, Result};

/// A pattern in codes.
pub(super) struct CodedPattern {
    /// Its class.
    pub class: usize,
    /// Its values.
    pub values: Vec<u32>,
    /// How often the published list has it.
    pub repetitions: u64,
    /// Records of its class that it covers.
    pub covered: usize,
    /// Records released as this pattern.
    pub released: usize,
}

/// Everything that was found, in codes.
pub(super) struct Outcome {
    /// By class, then by values.
    pub patterns: Vec<CodedPattern>,
    /// For each class and tuple, the patterns of any class that cover it.
    pub covering: Vec<Vec<Vec<u32>>>,
    /// For each class and tuple, the pattern it is released as.
    pub chosen: Vec<Vec<Option<u32>>>,
    /// The smallest size asked for.
    pub k: usize,
}

impl Outcome {
    /// Counts what each pattern covers, chooses, and verifies; the counts come from
    /// the records and not from the search.
    pub fn new(method: &AntiUnification, coded: &Coded, rounds: Vec<Rounds<'_>>) -> Result<Self> {
        let identified: Vec<Vec<bool>> = rounds.iter().map(|r| r.identified.clone()).collect();
        let patterns = in_order(rounds);
        let values: Vec<&[u32]> = patterns.iter().map(|p| p.values.as_slice()).collect();
        let tuples: Vec<&Tuples> = coded.classes.iter().map(|c| &c.tuples).collect();
        let records = tuples.iter().flat_map(|tuples| tuples.iter());
        let covers = Covers::new(&values, records, method.unknown_matches());
        let covering = tuples.iter().map(|tuples| covers.of_all(tuples)).collect();
        let mut outcome = Self { patterns, covering, chosen: Vec::new(), k: method.k };
        outcome.count_covered(&tuples);
        outcome.verify(method, &identified)?;
        outcome.choose(&tuples);
        Ok(outcome)
    }

    /// The patterns of its own class that cover tuple `t`.
    pub fn own(&self, class: usize, t: u32) -> impl Iterator<Item = u32> + '_ {
        let covering = self.covering[class][t as usize].iter().copied();
        covering.filter(move |&p| self.patterns[p as usize].class == class)
    }

    fn count_covered(&mut self, tuples: &[&Tuples]) {
        for (class, tuples) in tuples.iter().enumerate() {
            for t in 0..tuples.len() {
                let own: Vec<u32> = self.own(class, t).collect();
                let weight = tuples.weights[t as usize] as usize;
                own.iter().for_each(|&p| self.patterns[p as usize].covered += weight);
            }
        }
    }

    /// Fails when a pattern is not what was asked for, or a record was identified
    /// without one.
    fn verify(&self, method: &AntiUnification, identified: &[Vec<bool>]) -> Result<()> {
        for pattern in &self.patterns {
            let free = indifferent(&pattern.values);
            if pattern.covered < method.k || free > method.indifferent {
                return Err(Error::Internal(format!(
                    "a pattern covers {} records and has {free} indifferent values, but k = {} \
                     and indifferent = {} were asked for; nothing was written",
                    pattern.covered, method.k, method.indifferent
                )));
            }
        }
        for (class, identified) in identified.iter().enumerate() {
            let lost = |t: &u32| identified[*t as usize] != self.own(class, *t).next().is_some();
            if (0..identified.len() as u32).any(|t| lost(&t)) {
                let problem = "a record was identified without a pattern, or has one and was not; \
                               nothing was written";
                return Err(Error::Internal(problem.into()));
            }
        }
        Ok(())
    }

    /// A pattern for each tuple that has one.
    fn choose(&mut self, tuples: &[&Tuples]) {
        let choice = choose(self.k, &self.patterns, &self.covering, tuples);
        let rows = choice.rows;
        let mut chosen = choice.chosen.into_iter();
        self.chosen =
            tuples.iter().map(|t| chosen.by_ref().take(t.len() as usize).collect()).collect();
        self.patterns.iter_mut().zip(rows).for_each(|(pattern, rows)| pattern.released = rows);
    }
}

fn in_order(rounds: Vec<Rounds<'_>>) -> Vec<CodedPattern> {
    let of_class = |(class, rounds): (usize, Rounds<'_>)| {
        rounds.patterns.into_iter().map(move |(values, repetitions)| CodedPattern {
            class,
            values,
            repetitions,
            covered: 0,
            released: 0,
        })
    };
    rounds.into_iter().enumerate().flat_map(of_class).collect()
}
