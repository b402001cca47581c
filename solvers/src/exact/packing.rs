//! Disjoint conflicts: a lower bound on the blocks violated in a box.
//!
//! Blocks of one conflict cannot all be satisfied in the box. Conflicts
//! without a common block therefore add up: at least one violated block each.

use super::conflict::{ConflictLp, Verdict};
use super::cover::Cover;
use super::weight_box::WeightBox;
use crate::row_table::RowTable;

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
    let mut packing = Packing {
        bound: 0,
        disjoint: 0,
        outside: vec![true; table.blocks()],
        candidate: None,
    };
    let mut conflicts: Vec<Vec<usize>> = Vec::new();
    while packing.bound < enough {
        match lp.solve() {
            Verdict::Conflict(rows) => {
                let blocks = blocks_of(table, &rows);
                for b in &blocks {
                    lp.mask_rows(table.block(*b));
                    packing.outside[*b] = false;
                }
                conflicts.push(blocks);
                packing.bound += 1;
            }
            Verdict::Feasible(point) => {
                packing.candidate = Some(with_violations(table, point, &packing.outside));
                break;
            }
            Verdict::Unknown => break,
        }
    }
    packing.disjoint = packing.bound;
    if packing.candidate.is_some() && enough - packing.bound <= refinable_gap() {
        refine(table, &mut lp, &conflicts, enough, &mut packing);
    }
    packing
}

fn refinable_gap() -> usize {
    std::env::var("GAP")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(2)
}
fn refine_rounds() -> usize {
    std::env::var("ROUNDS")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(20)
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
    for _ in 0..refine_rounds() {
        let free: Vec<bool> = cover.weights().iter().map(|x| *x < 1e-9).collect();
        lp.unmask();
        for b in (0..free.len()).filter(|b| !free[*b]) {
            lp.mask_rows(table.block(b));
        }
        match lp.solve() {
            Verdict::Conflict(rows) => cover.add(&blocks_of(table, &rows)),
            Verdict::Feasible(point) => {
                let found = with_violations(table, point, &free);
                let better = packing.candidate.as_ref().is_none_or(|c| found.1 < c.1);
                if better {
                    packing.candidate = Some(found);
                }
                return;
            }
            Verdict::Unknown => return,
        }
        packing.bound = packing.bound.max(cover.bound());
        if packing.bound >= enough {
            return;
        }
    }
}

fn blocks_of(table: &RowTable, rows: &[usize]) -> Vec<usize> {
    let mut blocks: Vec<usize> = rows.iter().map(|r| block_of(table, *r)).collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}

/// The point with the number of blocks it violates, all of them not `satisfied`.
fn with_violations(table: &RowTable, point: Vec<f64>, satisfied: &[bool]) -> (Vec<f64>, usize) {
    let doubtful = (0..satisfied.len()).filter(|b| !satisfied[*b]);
    let violated = doubtful.filter(|b| violates(table, *b, &point)).count();
    (point, violated)
}

fn block_of(table: &RowTable, row: usize) -> usize {
    table.starts.partition_point(|s| *s as usize <= row) - 1
}

fn violates(table: &RowTable, block: usize, point: &[f64]) -> bool {
    table.block(block).any(|i| table.dot(i, point) <= 0.0)
}
