//! The test of a node, and how records go through it.

use super::criterion::TINY;
use super::domain::UNKNOWN;
use super::sample::{Portion, Sample};

/// A test on one attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// Position among the tree's attributes.
    pub attribute: usize,
    /// What is asked.
    pub kind: SplitKind,
}

/// What a test asks about its attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitKind {
    /// Which label? One branch for each of so many.
    Label(usize),
    /// At most the number with this code? Yes is branch 0, no is branch 1.
    Threshold(u32),
}

impl Split {
    /// Number of outcomes.
    pub fn branches(self) -> usize {
        match self.kind {
            SplitKind::Label(labels) => labels,
            SplitKind::Threshold(_) => 2,
        }
    }

    /// The branch of a value, `None` when it is not known.
    pub(super) fn branch(self, code: u32) -> Option<usize> {
        match self.kind {
            _ if code == UNKNOWN => None,
            SplitKind::Label(_) => Some(code as usize),
            SplitKind::Threshold(limit) => Some(usize::from(code > limit)),
        }
    }

    /// The portions that go down each branch. A record whose value is not known goes
    /// down every branch, its weight shared as the known ones are (equally when
    /// none is known).
    pub(super) fn divide(self, sample: &Sample, portions: &[Portion]) -> Vec<Vec<Portion>> {
        let column = &sample.columns[self.attribute];
        let branch = |portion: &Portion| self.branch(column[portion.record as usize]);
        let shares = self.shares(portions.iter().map(|p| (branch(p), p.weight)));
        let mut parts = vec![Vec::new(); self.branches()];
        for portion in portions {
            match branch(portion) {
                Some(known) => parts[known].push(*portion),
                None => {
                    let parts = parts.iter_mut().zip(&shares).filter(|(_, share)| **share > TINY);
                    parts.for_each(|(part, share)| {
                        part.push(Portion { weight: portion.weight * share, ..*portion });
                    });
                }
            }
        }
        parts
    }

    /// The part of the known weight in each branch.
    fn shares(self, known: impl Iterator<Item = (Option<usize>, f64)>) -> Vec<f64> {
        let mut weights = vec![0.0; self.branches()];
        for (branch, weight) in known {
            branch.into_iter().for_each(|branch| weights[branch] += weight);
        }
        let total: f64 = weights.iter().sum();
        let equal = 1.0 / self.branches() as f64;
        weights.into_iter().map(|w| if total > TINY { w / total } else { equal }).collect()
    }
}
