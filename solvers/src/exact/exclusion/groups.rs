//! Partition of blocks into groups of which at most one member can be satisfied.

use super::pairs::{BitMatrix, Pairs, ones};
use crate::conflict::{Basis, ConflictLp, ConflictVerdict, WeightBox};
use crate::exact::trace::Trace;
use crate::row_table::RowTable;
use crate::solver::Clock;
use std::cmp::Reverse;

/// A partition of the open blocks of a box.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// Blocks of each group; they exclude each other in pairs.
    pub members: Vec<Vec<usize>>,
    /// What the death of all its members would add to the cost of each group.
    pub left: Vec<u64>,
    /// Gain of violated blocks that the groups prove.
    pub cost: u64,
}

/// Tests of pairs after which testing ends unless one in [`WORTHWHILE`] excluded.
const TRIED: u64 = 256;
const WORTHWHILE: u64 = 12;

/// Makes groups, testing pairs by the LP where it matters.
pub(super) struct Grouping<'a, 't> {
    table: &'a RowTable,
    bounds: &'a WeightBox,
    clock: &'a Clock<'a>,
    lp: ConflictLp<'a>,
    pairs: Pairs,
    /// Pairs not to be tested: a point satisfies both, or a test was in vain.
    compatible: BitMatrix,
    bases: Vec<Basis>,
    tests: u64,
    successes: u64,
    trace: &'a mut Trace<'t>,
}

impl<'a, 't> Grouping<'a, 't> {
    pub fn new(
        (table, bounds): (&'a RowTable, &'a WeightBox),
        lp: ConflictLp<'a>,
        pairs: Pairs,
        compatible: BitMatrix,
        bases: Vec<Basis>,
        clock: &'a Clock<'a>,
        trace: &'a mut Trace<'t>,
    ) -> Self {
        let (tests, successes) = (0, 0);
        Self { table, bounds, clock, lp, pairs, compatible, bases, tests, successes, trace }
    }

    /// The exclusive pairs that are known by now.
    pub fn into_pairs(self) -> Pairs {
        self.pairs
    }

    /// Lets each block join the first group all of whose blocks it excludes.
    ///
    /// Blocks of large gain come first, so that they share groups, and then those compatible
    /// with many others, which find a group hardest.
    pub fn group(&mut self) -> Groups {
        let mut order: Vec<usize> = (0..self.table.blocks()).collect();
        order.sort_by_cached_key(|b| Reverse((self.table.gains[*b], self.compatible.degree(*b))));
        let mut groups = Groups::default();
        let mut sets: Vec<Vec<u64>> = Vec::new();
        for b in order {
            let gain = self.table.gains[b];
            let place = (0..sets.len()).find(|g| self.excludes_all(b, &sets[*g]));
            let place = place.unwrap_or_else(|| {
                sets.push(vec![0; self.table.blocks().div_ceil(64)]);
                groups.members.push(Vec::new());
                groups.left.push(gain);
                sets.len() - 1
            });
            sets[place][b / 64] |= 1 << (b % 64);
            groups.members[place].push(b);
        }
        groups.cost = self.table.gains.iter().sum::<u64>() - groups.left.iter().sum::<u64>();
        groups
    }

    /// Whether block `b` and each block of the set exclude each other.
    fn excludes_all(&mut self, b: usize, set: &[u64]) -> bool {
        let compatible = self.compatible.row(b).iter().zip(set).any(|(c, s)| c & s != 0);
        if compatible {
            return false;
        }
        let known = self.pairs.exclusive.row(b).iter().zip(set);
        let open: Vec<u64> = known.map(|(e, s)| s & !e).collect();
        ones(&open).all(|other| self.test(b, other))
    }

    fn test(&mut self, a: usize, b: usize) -> bool {
        let in_vain = self.tests >= TRIED && self.successes * WORTHWHILE < self.tests;
        if in_vain || self.clock.stop().is_some() {
            return false;
        }
        let bases = [&self.bases[a], &self.bases[b]];
        let verdict = self.lp.decide(&[a, b], &bases);
        let exclusive = self.noted(verdict).is_some();
        self.tests += 1;
        self.successes += u64::from(exclusive);
        match exclusive {
            true => self.pairs.exclusive.join(a, b),
            false => self.compatible.join(a, b),
        }
        exclusive
    }

    /// The blocks of a conflict, if it is one and can be noted.
    fn noted(&mut self, verdict: ConflictVerdict) -> Option<Vec<usize>> {
        let ConflictVerdict::Conflict(blocks) = verdict else { return None };
        self.trace.note(self.table, self.bounds, &self.lp, blocks)
    }

    /// Adds the cost of disjoint conflicts among the blocks that are alone in their groups.
    pub fn add_conflicts(&mut self, groups: &mut Groups) {
        let mut group_of = vec![None; self.table.blocks()];
        for (g, members) in groups.members.iter().enumerate() {
            if let [single] = members[..] {
                group_of[single] = Some(g);
            }
        }
        while self.clock.stop().is_none() {
            let open = |g: &Option<usize>| g.is_some_and(|g| groups.left[g] > 0);
            let masked: Vec<bool> = group_of.iter().map(|g| !open(g)).collect();
            self.lp.mask_blocks(&masked);
            let verdict = self.lp.solve();
            let Some(blocks) = self.noted(verdict) else { return };
            let spent: Vec<usize> = blocks.iter().filter_map(|b| group_of[*b]).collect();
            let cost = spent.iter().map(|g| groups.left[*g]).min().unwrap_or(0);
            spent.iter().for_each(|g| groups.left[*g] -= cost);
            groups.cost += cost;
        }
    }
}
