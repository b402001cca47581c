//! Which of its patterns a record is released as.
//!
//! An attacker who knows a person's values is left with the released rows whose
//! pattern covers them. A pattern covers k records, but where some of these
//! carry another pattern, fewer rows may be left. The choice keeps such records
//! few; none at all is not always possible: of three records of which the first
//! two share a pattern and the last two another, one stands alone for k = 2.

use super::coded::Tuples;
use super::outcome::CodedPattern;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// How often all records that fall short are looked at again.
const PASSES: usize = 8;

/// The tuples of all classes, one after the other, and their patterns.
pub(super) struct Choice<'a> {
    k: usize,
    /// The patterns that cover each tuple: those of any class, and those of its own.
    covering: Vec<&'a [u32]>,
    own: Vec<Vec<u32>>,
    weights: Vec<usize>,
    /// The tuples that each pattern covers, in its class and in others.
    members: Vec<Vec<u32>>,
    covered: Vec<usize>,
    /// The pattern of each tuple.
    pub chosen: Vec<Option<u32>>,
    /// Records released as each pattern.
    pub rows: Vec<usize>,
}

/// Chooses a pattern for each tuple that one of its class covers; equal records get the same.
///
/// Tuples that one pattern covers have no choice. Patterns that these leave with
/// less than k records take others that they cover until they have k, those that
/// cover few records first. What is left goes where most records are. Last,
/// tuples move where that helps a record with less than k rows and harms none.
pub(super) fn choose<'a>(
    k: usize,
    patterns: &[CodedPattern],
    covering: &'a [Vec<Vec<u32>>],
    tuples: &[&Tuples],
) -> Choice<'a> {
    let mut choice = Choice::new(k, patterns, covering, tuples);
    choice.without_choice();
    choice.fill();
    choice.join_the_largest();
    for _ in 0..PASSES {
        if !choice.repair() {
            break;
        }
    }
    choice
}

impl<'a> Choice<'a> {
    fn new(
        k: usize,
        patterns: &[CodedPattern],
        covering: &'a [Vec<Vec<u32>>],
        tuples: &[&Tuples],
    ) -> Self {
        let (mut flat, mut own, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let mut members = vec![Vec::new(); patterns.len()];
        for (class, (covering, tuples)) in covering.iter().zip(tuples).enumerate() {
            for (patterns_of, &weight) in covering.iter().zip(&tuples.weights) {
                let of_class = |p: &u32| patterns[*p as usize].class == class;
                let t = flat.len() as u32;
                patterns_of.iter().for_each(|&p| members[p as usize].push(t));
                own.push(patterns_of.iter().copied().filter(of_class).collect());
                flat.push(patterns_of.as_slice());
                weights.push(weight as usize);
            }
        }
        Self {
            k,
            chosen: vec![None; flat.len()],
            covering: flat,
            own,
            weights,
            members,
            covered: patterns.iter().map(|p| p.covered).collect(),
            rows: vec![0; patterns.len()],
        }
    }

    /// Released rows that cover each tuple.
    pub fn candidates(&self, t: usize) -> usize {
        self.covering[t].iter().map(|&p| self.rows[p as usize]).sum()
    }

    fn assign(&mut self, t: usize, pattern: u32) {
        if let Some(before) = self.chosen[t].replace(pattern) {
            self.rows[before as usize] -= self.weights[t];
        }
        self.rows[pattern as usize] += self.weights[t];
    }

    fn without_choice(&mut self) {
        for t in 0..self.own.len() {
            if let &[only] = self.own[t].as_slice() {
                self.assign(t, only);
            }
        }
    }

    fn fill(&mut self) {
        let short = |p: &usize| (1..self.k).contains(&self.rows[*p]);
        let needy: BTreeSet<(usize, usize)> =
            (0..self.rows.len()).filter(short).map(|p| (self.covered[p], p)).collect();
        for (_, pattern) in needy {
            for t in self.members[pattern].clone() {
                let t = t as usize;
                let free = self.chosen[t].is_none() && self.own[t].contains(&(pattern as u32));
                if free && self.rows[pattern] < self.k {
                    self.assign(t, pattern as u32);
                }
            }
        }
    }

    fn join_the_largest(&mut self) {
        for t in 0..self.own.len() {
            let size =
                |p: &&u32| (self.rows[**p as usize], self.covered[**p as usize], Reverse(**p));
            match self.own[t].iter().max_by_key(size) {
                Some(&largest) if self.chosen[t].is_none() => self.assign(t, largest),
                _ => {}
            }
        }
    }

    /// Moves tuples to patterns of records that have less than k rows; false when nothing moved.
    fn repair(&mut self) -> bool {
        let mut moved = false;
        let short = |t: &usize| self.chosen[*t].is_some() && self.candidates(*t) < self.k;
        for t in (0..self.own.len()).filter(short).collect::<Vec<_>>() {
            for pattern in self.own[t].clone() {
                for u in self.members[pattern as usize].clone() {
                    if self.candidates(t) >= self.k {
                        break;
                    }
                    if self.can_move(u as usize, pattern, t) {
                        self.assign(u as usize, pattern);
                        moved = true;
                    }
                }
            }
        }
        moved
    }

    /// True when releasing `u` as `pattern` gives `t` a row and leaves no other with less than k.
    fn can_move(&self, u: usize, pattern: u32, t: usize) -> bool {
        let Some(before) = self.chosen[u] else { return false };
        let helps = self.own[u].contains(&pattern) && !self.covering[t].contains(&before);
        helps
            && self.members[before as usize].iter().all(|&v| {
                let v = v as usize;
                let unreleased = self.chosen[v].is_none();
                let kept = self.covering[v].contains(&pattern);
                unreleased || kept || self.candidates(v) >= self.k + self.weights[u]
            })
    }
}
