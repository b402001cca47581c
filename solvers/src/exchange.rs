//! Local search on sets of blocks: better weights where lines find none.
//!
//! Leave a set of blocks aside and ask the LP for a point that satisfies all
//! others. A block `b` of the set cannot come back as long as it has a
//! *witness*: a conflict whose only block in the set is `b`. Setting aside one
//! more block that several witnesses share breaks them all; if two blocks can
//! then come back, the set has shrunk. If only one can, the exchange moves to
//! another set of equal size, from which the search goes on.

use crate::conflict::{ConflictLp, ConflictVerdict, WeightBox};
use crate::row_table::RowTable;
use crate::solver::Clock;

/// A set of blocks to leave aside, with the reason for each of them.
pub(crate) struct Exchange<'a> {
    lp: ConflictLp<'a>,
    aside: Vec<bool>,
    /// For each block set aside, a conflict with the blocks that are not.
    witnesses: Vec<Vec<usize>>,
    /// Step before which a block may not be set aside again.
    barred_until: Vec<usize>,
    /// Satisfies all blocks not set aside.
    point: Vec<f64>,
}

/// Steps a block stays barred after coming back or after a failed exchange.
const BARRED: usize = 12;

impl<'a> Exchange<'a> {
    /// Starts from a point: the blocks it violates are set aside.
    pub fn new(table: &'a RowTable, everywhere: &'a WeightBox, point: &[f64]) -> Self {
        let violated = |b: usize| table.block(b).any(|i| table.dot(i, point) <= 0.0);
        let aside: Vec<bool> = (0..table.blocks()).map(violated).collect();
        Self {
            lp: ConflictLp::new(table, everywhere),
            witnesses: vec![Vec::new(); aside.len()],
            barred_until: vec![0; aside.len()],
            aside,
            point: point.to_vec(),
        }
    }

    /// The point with the fewest violated blocks met in `steps` exchanges, and their number.
    pub fn run(mut self, steps: usize, clock: &Clock<'_>) -> (Vec<f64>, usize) {
        self.bring_back(0, clock);
        let mut best = (self.point.clone(), self.size());
        for step in 1..=steps {
            let stopped = clock.stop().is_some();
            let Some(block) = self.most_shared(step).filter(|_| !stopped) else {
                break;
            };
            self.aside[block] = true;
            self.barred_until[block] = step + BARRED;
            let broken = (0..self.aside.len())
                .filter(|b| *b != block && self.witnesses[*b].contains(&block));
            broken.collect::<Vec<_>>().into_iter().for_each(|b| self.witnesses[b].clear());
            self.bring_back(step, clock);
            if self.size() < best.1 {
                best = (self.point.clone(), self.size());
            }
        }
        best
    }

    fn size(&self) -> usize {
        self.aside.iter().filter(|a| **a).count()
    }

    /// The block in most witnesses, outside the set and not barred.
    fn most_shared(&self, step: usize) -> Option<usize> {
        let mut shared = vec![0; self.aside.len()];
        for witness in self.aside.iter().zip(&self.witnesses).filter(|(a, _)| **a).map(|(_, w)| w) {
            witness.iter().for_each(|b| shared[*b] += 1);
        }
        let allowed =
            |b: &usize| !self.aside[*b] && shared[*b] > 0 && self.barred_until[*b] <= step;
        (0..shared.len()).filter(allowed).reduce(|a, b| if shared[b] > shared[a] { b } else { a })
    }

    /// Brings blocks without a witness back wherever the LP allows it.
    fn bring_back(&mut self, step: usize, clock: &Clock<'_>) {
        for b in 0..self.aside.len() {
            if !self.aside[b] || !self.witnesses[b].is_empty() || clock.stop().is_some() {
                continue;
            }
            self.aside[b] = false;
            self.lp.mask_blocks(&self.aside);
            match self.lp.solve() {
                ConflictVerdict::Feasible(point) => {
                    self.point = point;
                    self.barred_until[b] = step + BARRED;
                }
                ConflictVerdict::Conflict(blocks) => {
                    self.aside[b] = true;
                    self.witnesses[b] = blocks;
                }
                ConflictVerdict::Unknown => self.aside[b] = true,
            }
        }
    }
}
