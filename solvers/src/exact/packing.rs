//! Disjoint conflicts: a lower bound on the blocks violated in a box.
//!
//! Blocks of one conflict cannot all be satisfied in the box. Conflicts
//! without a common block therefore add up: at least one violated block each.

use super::conflict::{ConflictLp, Verdict};
use super::weight_box::WeightBox;
use crate::row_table::RowTable;

/// A packing, and the point that satisfies all blocks outside it, if reached.
pub(crate) struct Packing {
    /// Number of disjoint conflicts.
    pub conflicts: usize,
    /// A point found by the last LP and the blocks of the table it violates.
    pub candidate: Option<(Vec<f64>, usize)>,
}

/// Collects disjoint conflicts until there are `enough` or the rest is feasible.
pub(crate) fn pack(table: &RowTable, bounds: &WeightBox, enough: usize) -> Packing {
    let mut lp = ConflictLp::new(table, bounds);
    let mut removed: Vec<usize> = Vec::new();
    let mut packing = Packing { conflicts: 0, candidate: None };
    while packing.conflicts < enough && table.blocks() - removed.len() >= enough - packing.conflicts
    {
        match lp.solve() {
            Verdict::Conflict(rows) => {
                let mut blocks: Vec<usize> = rows.iter().map(|r| block_of(table, *r)).collect();
                blocks.sort_unstable();
                blocks.dedup();
                blocks.iter().for_each(|b| lp.mask_rows(table.block(*b)));
                removed.extend(blocks);
                packing.conflicts += 1;
            }
            Verdict::Feasible(point) => {
                let violated = removed.iter().filter(|b| violates(table, **b, &point)).count();
                packing.candidate = Some((point, violated));
                break;
            }
            Verdict::Unknown => break,
        }
    }
    packing
}

fn block_of(table: &RowTable, row: usize) -> usize {
    table.starts.partition_point(|s| *s as usize <= row) - 1
}

fn violates(table: &RowTable, block: usize, point: &[f64]) -> bool {
    table.block(block).any(|i| table.dot(i, point) <= 0.0)
}
