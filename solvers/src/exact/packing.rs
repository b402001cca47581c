//! A lower bound on the blocks violated in a box, from its conflicts.
//!
//! Blocks of one conflict cannot all be satisfied in the box. Conflicts
//! without a common block add up: at least one violated block each. They end
//! one to three short of closing most boxes; the fractional cover of
//! overlapping conflicts then closes two of three of those.

use super::cover::Cover;
use crate::conflict::{ConflictLp, ConflictVerdict, WeightBox};
use crate::row_table::RowTable;

/// Disjoint conflicts that stay short of the goal by more than this are left at that.
const REFINABLE_GAP: usize = 3;
/// Overlapping conflicts tried per box.
const REFINEMENTS: usize = 20;

/// Conflicts of a box, and the point that satisfies all blocks outside them.
pub(crate) struct Packing {
    /// Proven lower bound on violated open blocks.
    pub bound: usize,
    /// Number of disjoint conflicts found first.
    pub disjoint: usize,
    /// The blocks of the table that no disjoint conflict contains.
    pub outside: Vec<bool>,
    /// A point found by the last LP and the blocks of the table it violates.
    pub candidate: Option<(Vec<f64>, usize)>,
}

/// Collects conflicts until they prove `enough` violated blocks.
///
/// First disjoint ones, which is fast. If they stay short by at most
/// [`REFINABLE_GAP`], overlapping ones follow: each time among the blocks
/// that the fractional cover of the known conflicts leaves at 0, so that each
/// new conflict is one that the cover misses.
pub(crate) fn pack(table: &RowTable, bounds: &WeightBox, enough: usize) -> Packing {
    let mut lp = ConflictLp::new(table, bounds);
    let mut packing =
        Packing { bound: 0, disjoint: 0, outside: vec![true; table.blocks()], candidate: None };
    let conflicts = disjoint_conflicts(table, &mut lp, enough, &mut packing);
    if packing.candidate.is_some() && enough - packing.bound <= REFINABLE_GAP {
        refine(table, &mut lp, &conflicts, enough, &mut packing);
    }
    packing
}

/// Takes conflicts, each among the blocks outside all earlier ones.
fn disjoint_conflicts(
    table: &RowTable,
    lp: &mut ConflictLp<'_>,
    enough: usize,
    packing: &mut Packing,
) -> Vec<Vec<usize>> {
    let mut masked = vec![false; table.blocks()];
    let mut conflicts = Vec::new();
    while conflicts.len() < enough {
        match lp.solve() {
            ConflictVerdict::Conflict(blocks) => {
                blocks.iter().for_each(|b| masked[*b] = true);
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
    packing.bound = conflicts.len();
    packing.disjoint = conflicts.len();
    packing.outside = masked.iter().map(|m| !m).collect();
    conflicts
}

/// Adds conflicts that the fractional cover misses.
fn refine(
    table: &RowTable,
    lp: &mut ConflictLp<'_>,
    conflicts: &[Vec<usize>],
    enough: usize,
    packing: &mut Packing,
) {
    let mut cover = Cover::new(table.blocks());
    conflicts.iter().for_each(|c| cover.add(c));
    for _ in 0..REFINEMENTS {
        let masked: Vec<bool> = cover.weights().iter().map(|x| *x > 1e-9).collect();
        lp.mask_blocks(&masked);
        match lp.solve() {
            ConflictVerdict::Conflict(blocks) => cover.add(&blocks),
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
        if packing.bound >= enough {
            return;
        }
    }
}

/// The point with the number of blocks it violates, all of them masked.
fn with_violations(table: &RowTable, point: Vec<f64>, masked: &[bool]) -> (Vec<f64>, usize) {
    let doubtful = (0..masked.len()).filter(|b| masked[*b]);
    let violated = doubtful.filter(|b| violates(table, *b, &point)).count();
    (point, violated)
}

fn violates(table: &RowTable, block: usize, point: &[f64]) -> bool {
    table.block(block).any(|i| table.dot(i, point) <= 0.0)
}
