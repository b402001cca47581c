//! The last resort for boxes that splitting does not resolve.
//!
//! Around a point where rows tie, every box, however small, keeps the same
//! undecided rows, and the fractional cover may stay below the truth: of four
//! blocks that exclude each other in pairs three are violated, but the cover
//! says two. Such boxes have few blocks that matter, so here the search
//! branches on blocks: of each conflict some block is violated. Where doubles cannot tell whether
//! blocks exclude each other, whole numbers do, so every box of few enough blocks is decided.

use super::trace::{conflict, region};
use crate::certificate::{Case, Conflict};
use crate::conflict::{ConflictLp, ConflictVerdict, Evidence, ExactLp, Together, WeightBox};
use crate::row_table::RowTable;
use crate::solver::Clock;
use crate::{BlockProblem, Dyadic};
use num_bigint::BigInt;

/// Cap on LPs: beyond it nothing is claimed and the box is split further.
///
/// Where enumeration runs in vain it is given less and less, and more again where it closes boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Calls(usize);

impl Calls {
    const MOST: usize = 4000;
    const LEAST: usize = 64;

    /// After a round in which so many boxes were closed, and so many looked at in vain.
    pub fn after(self, closed: u64, in_vain: u64) -> Self {
        let calls = match (closed, in_vain) {
            (0, 0) => self.0,
            (0, _) => self.0 / 2,
            (_, _) => 2 * self.0,
        };
        Self(calls.clamp(Self::LEAST, Self::MOST))
    }
}

impl Default for Calls {
    fn default() -> Self {
        Self(Self::MOST)
    }
}

/// Tables with more rows are not looked at in whole numbers.
const EXACT_ROWS: usize = 4096;

/// What enumeration finds out about a box.
pub(crate) enum Enumerated {
    /// At every point of the box the violated open blocks have the gain asked for.
    /// With the conflicts that rule single blocks out, and the cases of all others.
    Closed(Vec<Conflict>, Case),
    /// They seem to have less at these weights.
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
    (calls, clock): (Calls, &Clock<'_>),
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
        exact: None,
        evidence: Evidence::default(),
        violated: vec![false; table.blocks()],
        required: vec![false; table.blocks()],
        calls: 0,
        most_calls: calls.0,
        weights: None,
    };
    let more = enough.saturating_sub(enumeration.set_impossible_blocks());
    let mut case = Case::default();
    match enumeration.proves(more, &mut case) {
        true => Enumerated::Closed(enumeration.ruled_out, case),
        false => enumeration.weights.map_or(Enumerated::Unknown, Enumerated::Open),
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
    /// The same in whole numbers, once doubles were in doubt.
    exact: Option<ExactLp>,
    /// Why the last conflict is one.
    evidence: Evidence,
    /// Blocks given up on this branch.
    violated: Vec<bool>,
    /// Blocks that must be satisfied on this branch.
    required: Vec<bool>,
    calls: usize,
    most_calls: usize,
    /// Satisfy all blocks that were not given up when the proof failed.
    weights: Option<Vec<f64>>,
}

/// What is known of the blocks that are not masked.
enum Verdict {
    Conflict(Vec<usize>),
    Feasible(Vec<f64>),
    Unknown,
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
            let impossible = matches!(self.solve(&alone(b)), Verdict::Conflict(_));
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
        conflict(self.problem, self.table, &region, &self.evidence)
    }

    /// Whether all blocks that are not masked can be satisfied together.
    fn solve(&mut self, masked: &[bool]) -> Verdict {
        self.lp.mask_blocks(masked);
        match self.lp.solve() {
            ConflictVerdict::Conflict(blocks) => {
                self.evidence = self.lp.evidence();
                Verdict::Conflict(blocks)
            }
            ConflictVerdict::Feasible(point) if !self.lp.in_doubt() => {
                Verdict::Feasible(self.table.weights(&point))
            }
            _ => self.solve_exactly(masked),
        }
    }

    /// The same in whole numbers.
    fn solve_exactly(&mut self, masked: &[bool]) -> Verdict {
        let Self { problem, table, bounds, .. } = *self;
        if table.len() > EXACT_ROWS {
            return Verdict::Unknown;
        }
        let ids = table.ids.iter().map(|id| *id as usize);
        let exact =
            self.exact.get_or_insert_with(|| ExactLp::new(problem, ids, bounds, &table.exponents));
        let open = (0..table.blocks()).filter(|b| !masked[*b]);
        match exact.decide(&open.flat_map(|b| table.block(b)).collect::<Vec<_>>()) {
            Together::At(weights) => Verdict::Feasible(rounded(&weights)),
            Together::Never(mixed) => {
                let (rows, whole): (Vec<usize>, Vec<BigInt>) = mixed.into_iter().unzip();
                let block = |row: &usize| table.starts.partition_point(|s| *s as usize <= *row) - 1;
                let mut blocks: Vec<usize> = rows.iter().map(block).collect();
                blocks.sort_unstable();
                blocks.dedup();
                let ids = rows.iter().map(|row| table.ids[*row] as usize).collect();
                self.evidence = Evidence { rows: ids, whole: Some(whole), ..Evidence::default() };
                Verdict::Conflict(blocks)
            }
        }
    }

    /// True only if further blocks of a gain of at least `more` are violated on this branch.
    fn proves(&mut self, more: u64, case: &mut Case) -> bool {
        if more == 0 {
            return true;
        }
        self.calls += 1;
        if self.calls > self.most_calls || self.clock.stop().is_some() {
            return false;
        }
        let blocks = match self.solve(&self.violated.clone()) {
            Verdict::Conflict(blocks) => blocks,
            Verdict::Feasible(weights) => {
                self.weights = Some(weights);
                return false;
            }
            Verdict::Unknown => return false,
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

/// Doubles in about these proportions, the largest about 1.
fn rounded(weights: &[BigInt]) -> Vec<f64> {
    let size = weights.iter().map(BigInt::bits).max().unwrap_or(0) as i64;
    let double = |w: &BigInt| Dyadic::from(w.clone()).scaled(-size).rounded();
    weights.iter().map(double).collect()
}
