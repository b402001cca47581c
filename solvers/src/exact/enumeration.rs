//! The last resort for boxes that splitting does not resolve.
//!
//! Around a point where rows tie, every box, however small, keeps the same
//! undecided rows, and the fractional cover may stay below the truth: of four
//! blocks that exclude each other in pairs three are violated, but the cover
//! says two. Such boxes have few blocks that matter, so here the search
//! branches on blocks: of each conflict some block is violated.

use crate::conflict::{ConflictLp, ConflictVerdict, WeightBox};
use crate::row_table::RowTable;

/// Cap on LPs: beyond it nothing is claimed and the box is split further.
const CALLS: usize = 4000;

/// True only if every point of the box violates at least `enough` open blocks.
pub(crate) fn violates_at_least(table: &RowTable, bounds: &WeightBox, enough: usize) -> bool {
    let mut enumeration = Enumeration {
        lp: ConflictLp::new(table, bounds),
        violated: vec![false; table.blocks()],
        required: vec![false; table.blocks()],
        calls: 0,
    };
    let impossible = enumeration.set_impossible_blocks();
    enumeration.proves(enough.saturating_sub(impossible))
}

struct Enumeration<'a> {
    lp: ConflictLp<'a>,
    /// Blocks given up on this branch.
    violated: Vec<bool>,
    /// Blocks that must be satisfied on this branch.
    required: Vec<bool>,
    calls: usize,
}

impl Enumeration<'_> {
    /// Gives up, once and for all, the blocks whose own rows exclude each other.
    fn set_impossible_blocks(&mut self) -> usize {
        let blocks = self.violated.len();
        let alone = |b: usize| (0..blocks).map(|other| other != b).collect::<Vec<_>>();
        for b in 0..blocks {
            self.lp.mask_blocks(&alone(b));
            self.violated[b] = matches!(self.lp.solve(), ConflictVerdict::Conflict(_));
        }
        self.violated.iter().filter(|v| **v).count()
    }

    /// True only if at least `more` further blocks are violated on this branch.
    fn proves(&mut self, more: usize) -> bool {
        if more == 0 {
            return true;
        }
        self.calls += 1;
        if self.calls > CALLS {
            return false;
        }
        self.lp.mask_blocks(&self.violated);
        let ConflictVerdict::Conflict(blocks) = self.lp.solve() else {
            return false;
        };
        let choices: Vec<usize> = blocks.into_iter().filter(|b| !self.required[*b]).collect();
        // Later choices keep the earlier ones satisfied: no case is visited twice.
        let proven = choices.iter().all(|b| {
            self.violated[*b] = true;
            let proven = self.proves(more - 1);
            self.violated[*b] = false;
            self.required[*b] = true;
            proven
        });
        choices.iter().for_each(|b| self.required[*b] = false);
        proven
    }
}
