//! The last resort for boxes that splitting does not resolve.
//!
//! Around a point where rows tie, every box, however small, keeps the same
//! undecided rows, and the fractional cover may stay below the truth: of four
//! blocks that exclude each other in pairs three are violated, but the cover
//! says two. Such boxes have few blocks that matter, so here the search
//! branches on blocks: of each conflict some block is violated.

use crate::BlockProblem;
use crate::conflict::{ConflictLp, ConflictVerdict, WeightBox};
use crate::row_table::RowTable;
use crate::solver::Clock;

/// Cap on LPs: beyond it nothing is claimed and the box is split further.
const CALLS: usize = 4000;

/// What enumeration finds out about a box.
pub(crate) enum Enumerated {
    /// At every point of the box the violated open blocks have the gain asked for.
    Closed,
    /// They seem to have less at this point.
    Open(Vec<f64>),
    /// Neither was found.
    Unknown,
}

/// Asks whether the open blocks that are violated have a gain of at least `enough` at every point
/// of the box.
pub(crate) fn enumerate(
    problem: &BlockProblem,
    table: &RowTable,
    bounds: &WeightBox,
    enough: u64,
    clock: &Clock<'_>,
) -> Enumerated {
    let mut enumeration = Enumeration {
        table,
        clock,
        lp: ConflictLp::new(table, bounds).exactly(problem),
        violated: vec![false; table.blocks()],
        required: vec![false; table.blocks()],
        calls: 0,
        point: None,
    };
    let impossible = enumeration.set_impossible_blocks();
    match enumeration.proves(enough.saturating_sub(impossible)) {
        true => Enumerated::Closed,
        false => enumeration.point.map_or(Enumerated::Unknown, Enumerated::Open),
    }
}

struct Enumeration<'a> {
    table: &'a RowTable,
    clock: &'a Clock<'a>,
    lp: ConflictLp<'a>,
    /// Blocks given up on this branch.
    violated: Vec<bool>,
    /// Blocks that must be satisfied on this branch.
    required: Vec<bool>,
    calls: usize,
    /// Satisfies all blocks that were not given up when the proof failed.
    point: Option<Vec<f64>>,
}

impl Enumeration<'_> {
    /// Gives up, once and for all, the blocks whose own rows exclude each other: their gain.
    fn set_impossible_blocks(&mut self) -> u64 {
        let blocks = self.violated.len();
        let alone = |b: usize| (0..blocks).map(|other| other != b).collect::<Vec<_>>();
        for b in 0..blocks {
            if self.clock.stop().is_some() {
                break;
            }
            self.lp.mask_blocks(&alone(b));
            self.violated[b] = matches!(self.lp.solve(), ConflictVerdict::Conflict(_));
        }
        self.table.gain_where(|b| self.violated[b])
    }

    /// True only if further blocks of a gain of at least `more` are violated on this branch.
    fn proves(&mut self, more: u64) -> bool {
        if more == 0 {
            return true;
        }
        self.calls += 1;
        if self.calls > CALLS || self.clock.stop().is_some() {
            return false;
        }
        self.lp.mask_blocks(&self.violated);
        let blocks = match self.lp.solve() {
            ConflictVerdict::Conflict(blocks) => blocks,
            ConflictVerdict::Feasible(point) => {
                self.point = Some(point);
                return false;
            }
            ConflictVerdict::Unknown => return false,
        };
        let choices: Vec<usize> = blocks.into_iter().filter(|b| !self.required[*b]).collect();
        // Later choices keep the earlier ones satisfied: no case is visited twice.
        let proven = choices.iter().all(|b| {
            self.violated[*b] = true;
            let proven = self.proves(more.saturating_sub(self.table.gains[*b]));
            self.violated[*b] = false;
            self.required[*b] = true;
            proven
        });
        choices.iter().for_each(|b| self.required[*b] = false);
        proven
    }
}
