//! A lower bound on the gain of the blocks violated in a box, from its conflicts.
//!
//! Blocks of one conflict cannot all be satisfied in the box: it costs at least
//! the smallest of their gains. Conflicts that share no gain add up: each takes
//! its cost from the gains of all its blocks, and what is left of them can pay
//! for further conflicts. With gains of 1 those have no block in common. They
//! end one to three blocks short of closing most boxes; the fractional cover of
//! overlapping conflicts then closes two of three of those.

use super::cover::Cover;
use crate::BlockProblem;
use crate::conflict::{ConflictLp, ConflictVerdict, Evidence, WeightBox};
use crate::row_table::RowTable;
use crate::solver::Clock;

/// Disjoint conflicts that stay short of the goal by more than so many blocks of the mean gain
/// are left at that.
const REFINABLE_GAP: f64 = 3.0;
/// Overlapping conflicts tried per box.
const REFINEMENTS: usize = 20;

/// Conflicts of a box, and the point that satisfies all blocks outside them.
pub(crate) struct Packing {
    /// Proven lower bound on the gain of the violated open blocks.
    pub bound: u64,
    /// Cost of the disjoint conflicts found first.
    pub disjoint: u64,
    /// What they leave of the gain of each block of the table.
    pub left: Vec<u64>,
    /// A point found by the last LP and the gain of the blocks of the table it violates.
    pub candidate: Option<(Vec<f64>, u64)>,
    /// Why the conflicts are conflicts, where a certificate is written.
    pub evidence: Vec<Evidence>,
    /// What each of them takes in the fractional packing, where there is one.
    pub shares: Vec<f64>,
}

/// When packing ends.
pub(crate) struct PackingGoal<'a> {
    /// Gain of violated blocks to prove.
    pub enough: u64,
    /// Mean gain of the blocks of the problem.
    pub mean_gain: f64,
    /// What the rows are exactly.
    pub problem: &'a BlockProblem,
    pub clock: &'a Clock<'a>,
    /// Whether evidence is kept.
    pub recorded: bool,
}

impl PackingGoal<'_> {
    fn refinable(&self, bound: u64) -> bool {
        (self.enough - bound) as f64 <= REFINABLE_GAP * self.mean_gain
    }
}

impl Packing {
    fn note(&mut self, lp: &ConflictLp<'_>, goal: &PackingGoal<'_>) {
        if goal.recorded {
            self.evidence.push(lp.evidence());
        }
    }
}

/// Collects conflicts until they prove a gain of `enough` violated.
///
/// First disjoint ones, which is fast. If they stay short by at most
/// [`REFINABLE_GAP`], overlapping ones follow: each time among the blocks
/// that the fractional cover of the known conflicts leaves at 0, so that each
/// new conflict is one that the cover misses.
pub(crate) fn pack(table: &RowTable, bounds: &WeightBox, goal: &PackingGoal<'_>) -> Packing {
    let mut lp = ConflictLp::new(table, bounds).exactly(goal.problem);
    let mut packing = Packing {
        bound: 0,
        disjoint: 0,
        left: table.gains.clone(),
        candidate: None,
        evidence: Vec::new(),
        shares: Vec::new(),
    };
    let conflicts = disjoint_conflicts(table, &mut lp, goal, &mut packing);
    if packing.candidate.is_some() && goal.refinable(packing.bound) {
        refine(table, &mut lp, &conflicts, goal, &mut packing);
    }
    packing
}

/// Takes conflicts, each among the blocks of which the earlier ones left some gain.
fn disjoint_conflicts(
    table: &RowTable,
    lp: &mut ConflictLp<'_>,
    goal: &PackingGoal<'_>,
    packing: &mut Packing,
) -> Vec<Vec<usize>> {
    let mut masked = vec![false; table.blocks()];
    let mut conflicts = Vec::new();
    while packing.disjoint < goal.enough && goal.clock.stop().is_none() {
        match lp.solve() {
            ConflictVerdict::Conflict(blocks) => {
                packing.note(lp, goal);
                packing.disjoint += spend(&blocks, &mut packing.left);
                blocks.iter().for_each(|b| masked[*b] = packing.left[*b] == 0);
                lp.mask_blocks(&masked);
                conflicts.push(blocks);
            }
            ConflictVerdict::Feasible(point) => {
                packing.candidate = Some(with_violations(table, point, &masked));
                break;
            }
            ConflictVerdict::Unknown => break,
        }
    }
    packing.bound = packing.disjoint;
    conflicts
}

/// Takes the cost of a conflict from what is left of its blocks' gains.
///
/// At least one of its blocks is violated, so it costs the smallest gain left.
fn spend(blocks: &[usize], left: &mut [u64]) -> u64 {
    let cost = blocks.iter().map(|b| left[*b]).min().unwrap_or(0);
    blocks.iter().for_each(|b| left[*b] -= cost);
    cost
}

/// Adds conflicts that the fractional cover misses.
fn refine(
    table: &RowTable,
    lp: &mut ConflictLp<'_>,
    conflicts: &[Vec<usize>],
    goal: &PackingGoal<'_>,
    packing: &mut Packing,
) {
    let mut cover = Cover::new(&table.gains);
    conflicts.iter().for_each(|c| cover.add(c));
    for _ in 0..REFINEMENTS {
        if goal.clock.stop().is_some() {
            return;
        }
        let masked: Vec<bool> = cover.weights().iter().map(|x| *x > 1e-9).collect();
        lp.mask_blocks(&masked);
        match lp.solve() {
            ConflictVerdict::Conflict(blocks) => {
                packing.note(lp, goal);
                cover.add(&blocks);
            }
            ConflictVerdict::Feasible(point) => {
                let found = with_violations(table, point, &masked);
                let better = packing.candidate.as_ref().is_none_or(|c| found.1 < c.1);
                if better {
                    packing.candidate = Some(found);
                }
                return;
            }
            ConflictVerdict::Unknown => return,
        }
        packing.bound = packing.bound.max(cover.bound());
        if goal.recorded {
            packing.shares = cover.shares();
        }
        if packing.bound >= goal.enough {
            return;
        }
    }
}

/// The point with the gain of the blocks it violates, all of them masked.
fn with_violations(table: &RowTable, point: Vec<f64>, masked: &[bool]) -> (Vec<f64>, u64) {
    let violated = table.gain_where(|b| masked[b] && table.violates(b, &point));
    (point, violated)
}
