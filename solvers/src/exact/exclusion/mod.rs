//! A bound from blocks that exclude each other in pairs.
//!
//! Of blocks that pairwise exclude each other in a box at most one is
//! satisfied. A partition of the open blocks into such *groups* bounds the gain
//! of the satisfied ones by the sum of the groups' largest gains, where disjoint
//! conflicts can never tell that more than half of the blocks are violated: a
//! pair costs one of two. Where few of many blocks can be satisfied, groups
//! close boxes many levels earlier. Each exclusion is a conflict that the LP
//! certifies, and a partition of blocks adds up whatever its groups are, so
//! the bound is as certain as conflicts are.

mod dominance;
mod groups;
mod pairs;
#[cfg(test)]
mod tests;

pub(crate) use groups::Groups;
pub(crate) use pairs::Pairs;

use super::node::BoxNode;
use super::trace::Trace;
use crate::BlockProblem;
use crate::conflict::{Basis, ConflictLp, ConflictVerdict};
use crate::row_table::RowTable;
use crate::solver::Clock;
use dominance::strongest_rows;
use groups::Grouping;
use pairs::BitMatrix;
use std::sync::Arc;

/// Points that satisfy some block at which all others are tried.
const POINTS: usize = 256;

/// Raises the bound of a node by groups; its table loses rows and blocks that cannot matter in
/// the box, and it keeps the pairs found.
///
/// Cost: an LP for each block and for some pairs, of microseconds each.
pub(crate) fn exclude(
    node: &mut BoxNode,
    problem: &BlockProblem,
    root: &RowTable,
    clock: &Clock<'_>,
    trace: &mut Trace<'_>,
) -> Groups {
    node.table = strongest_rows(&node.table, &node.bounds);
    let alone = drop_impossible_blocks(node, problem, clock, trace);
    let table = &node.table;
    let blocks = (0..table.blocks()).map(|b| root_block(root, table, b)).collect();
    let pairs = match &node.pairs {
        Some(known) => known.among(blocks),
        None => Pairs::unknown(blocks),
    };
    let compatible = compatible_pairs(table, &alone.points);
    let lp = ConflictLp::new(table, &node.bounds).exactly(problem);
    let place = (table, &node.bounds);
    let mut grouping = Grouping::new(place, lp, pairs, compatible, alone.bases, clock, trace);
    let mut groups = grouping.group();
    grouping.add_conflicts(&mut groups);
    node.bound = node.bound.max(node.dead + groups.cost);
    node.pairs = Some(Arc::new(grouping.into_pairs()));
    groups
}

/// Number of block `b` of `table` in the root table.
fn root_block(root: &RowTable, table: &RowTable, b: usize) -> u32 {
    let row = table.ids[table.starts[b] as usize];
    let block = |start: &u32| root.ids.get(*start as usize).is_some_and(|first| *first <= row);
    root.starts.partition_point(block) as u32 - 1
}

/// What the LPs of single blocks found.
#[derive(Default)]
struct Alone {
    points: Vec<Vec<f64>>,
    bases: Vec<Basis>,
}

/// Removes the blocks that no point of the box satisfies.
fn drop_impossible_blocks(
    node: &mut BoxNode,
    problem: &BlockProblem,
    clock: &Clock<'_>,
    trace: &mut Trace<'_>,
) -> Alone {
    let mut alone = Alone { points: vec![node.bounds.center()], ..Alone::default() };
    let mut possible = vec![true; node.table.blocks()];
    let (table, bounds) = (&node.table, &node.bounds);
    let mut lp = ConflictLp::new(table, bounds).exactly(problem);
    for (b, possible) in possible.iter_mut().enumerate() {
        let stopped = clock.stop().is_some();
        match if stopped { ConflictVerdict::Unknown } else { lp.decide(&[b], &[]) } {
            ConflictVerdict::Conflict(blocks) => {
                *possible = trace.note(table, bounds, &lp, blocks).is_none();
                alone.bases.extend(possible.then(Basis::default));
            }
            ConflictVerdict::Feasible(point) => {
                alone.points.push(point);
                alone.bases.push(lp.basis());
            }
            ConflictVerdict::Unknown => alone.bases.push(Basis::default()),
        }
    }
    if possible.contains(&false) {
        node.dead += node.table.gain_where(|b| !possible[b]);
        node.bound = node.bound.max(node.dead);
        node.table = node.table.of_some_blocks(|b| possible[b]);
    }
    alone
}

/// Pairs that some point satisfies both of, up to rounding: no LP need try them.
fn compatible_pairs(table: &RowTable, points: &[Vec<f64>]) -> BitMatrix {
    let mut compatible = BitMatrix::new(table.blocks());
    let mut values = vec![0.0; table.len()];
    for point in points.iter().step_by(points.len().div_ceil(POINTS)) {
        values.fill(0.0);
        table.add_dots(point, &mut values);
        let mut satisfied = vec![0; table.blocks().div_ceil(64)];
        for b in 0..table.blocks() {
            let holds = values[table.block(b)].iter().all(|v| *v > 0.0);
            satisfied[b / 64] |= u64::from(holds) << (b % 64);
        }
        compatible.join_all(&satisfied);
    }
    compatible
}
