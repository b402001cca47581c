//! The last resort for boxes that splitting does not resolve.
//!
//! Around a point where rows tie, every box, however small, keeps the same
//! undecided rows, and the fractional cover may stay below the truth: of four
//! blocks that exclude each other in pairs three are violated, but the cover
//! says two. Such boxes have few blocks that matter, so here the search
//! branches on blocks: of each conflict some block is violated.

use super::trace::{conflict, region};
use crate::BlockProblem;
use crate::certificate::{Case, Conflict};
use crate::conflict::{ConflictLp, ConflictVerdict, WeightBox};
use crate::row_table::RowTable;
use crate::solver::Clock;

/// Cap on LPs: beyond it nothing is claimed and the box is split further.
const CALLS: usize = 4000;

/// What enumeration finds out about a box.
pub(crate) enum Enumerated {
    /// At every point of the box the violated open blocks have the gain asked for.
    /// With the conflicts that rule single blocks out, and the cases of all others.
    Closed(Vec<Conflict>, Case),
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
    recorded: bool,
) -> Enumerated {
    let mut enumeration = Enumeration {
        problem,
        bounds,
        recorded,
        ruled_out: Vec::new(),
        table,
        clock,
        lp: ConflictLp::new(table, bounds).exactly(problem),
        violated: vec![false; table.blocks()],
        required: vec![false; table.blocks()],
        calls: 0,
        point: None,
    };
    let impossible = enumeration.set_impossible_blocks();
    let mut case = Case::default();
    match enumeration.proves(enough.saturating_sub(impossible), &mut case) {
        true => Enumerated::Closed(enumeration.ruled_out, case),
        false => enumeration.point.map_or(Enumerated::Unknown, Enumerated::Open),
    }
}

struct Enumeration<'a> {
    problem: &'a BlockProblem,
    bounds: &'a WeightBox,
    /// Whether conflicts are kept for a certificate.
    recorded: bool,
    /// Conflicts of single blocks.
    ruled_out: Vec<Conflict>,
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
            let impossible = matches!(self.lp.solve(), ConflictVerdict::Conflict(_));
            let noted = if impossible { self.note() } else { None };
            self.violated[b] = noted.is_some();
            self.ruled_out.extend(noted.filter(|_| self.recorded));
        }
        self.table.gain_where(|b| self.violated[b])
    }

    fn first_row(&self, block: usize) -> usize {
        self.table.ids[self.table.block(block).start] as usize
    }

    /// The last conflict, for a certificate; empty without one, none if it cannot be written.
    fn note(&self) -> Option<Conflict> {
        if !self.recorded {
            return Some(Conflict::new());
        }
        let region = region(self.table, self.bounds);
        conflict(self.problem, self.table, &region, &self.lp.evidence())
    }

    /// True only if further blocks of a gain of at least `more` are violated on this branch.
    fn proves(&mut self, more: u64, case: &mut Case) -> bool {
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
        let Some(noted) = self.note() else { return false };
        let written = |b: &usize| {
            let block = self.problem.block_of(self.first_row(*b)) as u32;
            !self.recorded || noted.iter().any(|(row, _)| row.block == block)
        };
        let blocks: Vec<usize> = blocks.into_iter().filter(written).collect();
        case.conflict = noted;
        let choices: Vec<usize> = blocks.into_iter().filter(|b| !self.required[*b]).collect();
        // Later choices keep the earlier ones satisfied: no case is visited twice.
        let proven = choices.iter().all(|b| {
            self.violated[*b] = true;
            let mut branch = Case::default();
            let proven = self.proves(more.saturating_sub(self.table.gains[*b]), &mut branch);
            case.branches.push((self.problem.block_of(self.first_row(*b)) as u32, branch));
            self.violated[*b] = false;
            self.required[*b] = true;
            proven
        });
        choices.iter().for_each(|b| self.required[*b] = false);
        proven
    }
}
