//! Local search on sets of blocks: better weights where lines find none.
//!
//! Leave a set of blocks aside and ask the LP for a point that satisfies all
//! others. A block `b` of the set cannot come back as long as it has a
//! *witness*: a conflict whose only block in the set is `b`. Setting aside one
//! more block that several witnesses share breaks them all; if two blocks can
//! then come back, the set has shrunk. If only one can, the exchange moves to
//! another set of equal size, from which the search goes on. Blocks count by
//! their gains.

use crate::BlockProblem;
use crate::conflict::{ConflictLp, ConflictVerdict, WeightBox};
use crate::row_table::RowTable;
use crate::solver::Clock;

/// A set of blocks to leave aside, with the reason for each of them.
pub(crate) struct Exchange<'a> {
    table: &'a RowTable,
    lp: ConflictLp<'a>,
    /// The blocks, largest gain first.
    order: Vec<usize>,
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
    pub fn new(
        problem: &'a BlockProblem,
        table: &'a RowTable,
        everywhere: &'a WeightBox,
        point: &[f64],
    ) -> Self {
        let aside: Vec<bool> = (0..table.blocks()).map(|b| table.violates(b, point)).collect();
        let mut order: Vec<usize> = (0..table.blocks()).collect();
        order.sort_by_key(|b| std::cmp::Reverse(table.gains[*b]));
        Self {
            table,
            order,
            lp: ConflictLp::new(table, everywhere).exactly(problem),
            witnesses: vec![Vec::new(); aside.len()],
            barred_until: vec![0; aside.len()],
            aside,
            point: point.to_vec(),
        }
    }

    /// The point with the least gain of violated blocks met in `steps` exchanges.
    pub fn run(mut self, steps: usize, clock: &Clock<'_>) -> Vec<f64> {
        self.bring_back(0, clock);
        let mut best = (self.point.clone(), self.gain_aside());
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
            if self.gain_aside() < best.1 {
                best = (self.point.clone(), self.gain_aside());
            }
        }
        best.0
    }

    fn gain_aside(&self) -> u64 {
        self.table.gain_where(|b| self.aside[b])
    }

    /// The block whose witnesses gain most beyond itself, outside the set and not barred.
    fn most_shared(&self, step: usize) -> Option<usize> {
        let gain = |b: usize| self.table.gains[b] as i64;
        let mut shared = vec![0; self.aside.len()];
        for aside in (0..self.aside.len()).filter(|b| self.aside[*b]) {
            self.witnesses[aside].iter().for_each(|b| shared[*b] += gain(aside));
        }
        let allowed =
            |b: &usize| !self.aside[*b] && shared[*b] > 0 && self.barred_until[*b] <= step;
        let more = |b: usize| shared[b] - gain(b);
        (0..shared.len()).filter(allowed).reduce(|a, b| if more(b) > more(a) { b } else { a })
    }

    /// Brings blocks without a witness back wherever the LP allows it.
    fn bring_back(&mut self, step: usize, clock: &Clock<'_>) {
        for i in 0..self.order.len() {
            let b = self.order[i];
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
