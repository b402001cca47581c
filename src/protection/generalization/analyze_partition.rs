//! ANALYZE_PARTITION: rounds over what is not yet identified.

use super::analyze_set::{Found, PatternSearch, analyze_set};
use super::coded::Tuples;
use super::pattern::{Covers, UNKNOWN};
use super::{AntiUnification, Variant};
use std::collections::BTreeMap;

/// The patterns of a class, by their values, with their repetitions in the published list.
pub(super) type Patterns = BTreeMap<Vec<u32>, u64>;

/// The state of one class.
pub(super) struct Rounds<'a> {
    tuples: &'a Tuples,
    unknown_matches: bool,
    /// Whether a pattern was found for each tuple.
    pub identified: Vec<bool>,
    /// What was found.
    pub patterns: Patterns,
}

/// All phases of `method` on one class.
pub(super) fn analyze_class<'a>(method: &AntiUnification, tuples: &'a Tuples) -> Rounds<'a> {
    let identified = vec![false; tuples.len() as usize];
    let unknown_matches = method.unknown_matches();
    let mut rounds = Rounds { tuples, unknown_matches, identified, patterns: Patterns::new() };
    for search in phases(method, tuples.domains.len()) {
        while rounds.round(search) {}
    }
    rounds
}

/// Condition and least length of each call of ANALYZE_PARTITION.
///
/// The text's: one per condition. Progressive: short of one value first, then of two, and so on.
fn phases(method: &AntiUnification, attributes: usize) -> Vec<PatternSearch> {
    let most = method.indifferent;
    let missing = match method.variant {
        Variant::Literal => most..=most,
        Variant::Progressive => most.min(1)..=most,
    };
    let search = |condition, short: usize| PatternSearch {
        k: method.k,
        condition,
        length: attributes - short,
        unknown: method.unknown,
    };
    let of_condition = |&condition| missing.clone().map(move |short| search(condition, short));
    method.conditions.iter().flat_map(of_condition).collect()
}

impl Rounds<'_> {
    /// One analysis of the records not yet identified; false when it identifies none.
    fn round(&mut self, search: PatternSearch) -> bool {
        let remaining = self.remaining();
        let found = analyze_set(search, self.tuples, remaining);
        for pattern in &found {
            pattern.members.iter().for_each(|&t| self.identified[t as usize] = true);
        }
        if self.unknown_matches {
            self.identify_unknown(&found);
        }
        let any = !found.is_empty();
        for pattern in found {
            *self.patterns.entry(pattern.values).or_default() += pattern.repetitions;
        }
        any
    }

    fn remaining(&self) -> Vec<u32> {
        (0..self.tuples.len()).filter(|&t| !self.identified[t as usize]).collect()
    }

    /// Marks records with unknown values that a new pattern covers.
    fn identify_unknown(&mut self, found: &[Found]) {
        let values: Vec<&[u32]> = found.iter().map(|f| f.values.as_slice()).collect();
        let unknown = |t: &u32| self.tuples.codes(*t).contains(&UNKNOWN);
        let open: Vec<u32> = self.remaining().into_iter().filter(unknown).collect();
        let codes = |t: &u32| self.tuples.codes(*t);
        let covers = Covers::new(&values, open.iter().map(codes), true);
        for t in open {
            if !covers.of(self.tuples.codes(t)).is_empty() {
                self.identified[t as usize] = true;
            }
        }
    }
}
