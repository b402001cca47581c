//! One box of the search tree with the rows that are still undecided in it.

use super::exclusion::Pairs;
use super::thresholds::Thresholds;
use super::tiers::Tiers;
use crate::conflict::WeightBox;
use crate::row_table::RowTable;
use crate::{BlockProblem, ENTRY_ERROR};
use std::cmp::Ordering;
use std::sync::Arc;

/// A box whose rows have been bounded.
#[derive(Debug, Clone)]
pub(crate) struct BoxNode {
    /// In the units of the table.
    pub bounds: WeightBox,
    /// The problems of their own that the box lies in.
    pub tiers: Tiers,
    /// Gain of the blocks that no point of the box satisfies.
    pub dead: u64,
    /// Proven lower bound on the gain of the violated blocks in the box; at least `dead`.
    pub bound: u64,
    /// Undecided rows of the open blocks.
    pub table: RowTable,
    /// Gain of the blocks violated at the center of the box.
    pub violated_at_center: u64,
    /// Levels of the tree since conflicts were packed.
    pub levels_unpacked: u32,
    /// Levels of the tree since a split last decided a row.
    pub levels_stuck: u32,
    /// Rows that killed their blocks when the box was evaluated.
    pub deaths: Vec<u32>,
    /// Blocks that exclude each other in pairs, here or in a box that contains this one.
    pub pairs: Option<Arc<Pairs>>,
}

/// Buffers for [`BoxNode::evaluate`], reused from node to node, and the problem whose exact rows
/// decide where doubles are in doubt.
#[derive(Debug)]
pub(crate) struct NodeScratch<'a> {
    problem: &'a BlockProblem,
    mid: Vec<f64>,
    spread: Vec<f64>,
    positions: Vec<u32>,
    starts: Vec<u32>,
    gains: Vec<u64>,
    deaths: Vec<u32>,
}

/// Weights that are smaller all over a box get units of their own.
const SMALL: f64 = 1.0 / 1024.0;

/// Units below these powers of two are not looked into: entries of rows within 2^500 of each other
/// stay in the normal range of doubles.
const LOWEST_EXPONENT: i32 = -420;

/// What bounding its rows says about a block.
enum Fate {
    Dead,
    Alive { at_center: bool },
}

impl<'a> NodeScratch<'a> {
    pub fn new(problem: &'a BlockProblem) -> Self {
        Self {
            problem,
            mid: Vec::new(),
            spread: Vec::new(),
            positions: Vec::new(),
            starts: Vec::new(),
            gains: Vec::new(),
            deaths: Vec::new(),
        }
    }

    /// Keeps the undecided rows of a block, unless one of them kills it.
    fn sieve(&mut self, table: &RowTable, block: usize, bounds: &WeightBox, guard: f64) -> Fate {
        let before = self.positions.len();
        let mut lowest = f64::INFINITY;
        for i in table.block(block) {
            let (mid, spread) = (self.mid[i], self.spread[i]);
            let top = mid + spread;
            if top < -guard || top <= guard && self.fails_everywhere(table, i, bounds) {
                self.positions.truncate(before);
                self.deaths.push(table.ids[i]);
                return Fate::Dead;
            }
            lowest = lowest.min(mid);
            let bottom = mid - spread;
            if bottom < -guard || bottom <= guard && self.fails_somewhere(table, i, bounds) {
                self.positions.push(i as u32);
            }
        }
        if self.positions.len() > before {
            self.starts.push(self.positions.len() as u32);
            self.gains.push(table.gains[block]);
        }
        Fate::Alive { at_center: lowest > 0.0 }
    }

    /// True when the exact row is nowhere above 0 in the box.
    fn fails_everywhere(&self, table: &RowTable, row: usize, bounds: &WeightBox) -> bool {
        self.sign_at(table, row, &bounds.high, &bounds.low).is_le()
    }

    /// True when the exact row is below 0 somewhere in the box.
    fn fails_somewhere(&self, table: &RowTable, row: usize, bounds: &WeightBox) -> bool {
        self.sign_at(table, row, &bounds.low, &bounds.high).is_lt()
    }

    /// Sign of the exact row at the corner with weights `up` where its entries are above 0 and
    /// `down` elsewhere.
    fn sign_at(&self, table: &RowTable, row: usize, up: &[f64], down: &[f64]) -> Ordering {
        let weight = |k: usize| if table.entry(row, k) > 0.0 { up[k] } else { down[k] };
        let corner: Vec<f64> = (0..table.dimension()).map(weight).collect();
        self.problem.row_sign(table.ids[row] as usize, &table.weights(&corner))
    }
}

impl BoxNode {
    /// Bounds the rows of a containing box's `table` in `bounds`.
    ///
    /// A row is bounded by `r . center +- |r| . radius`. Largest value at most 0: its block is
    /// dead in the box. Smallest value at least 0: the row holds all over the box, or all but the
    /// places where it is 0, and is dropped. Within the guard, which covers the rounding of the
    /// entries and of these sums, the exact row decides.
    pub fn evaluate(
        bounds: WeightBox,
        table: &RowTable,
        dead: u64,
        bound: u64,
        scratch: &mut NodeScratch<'_>,
    ) -> Self {
        let (center, radius) = (bounds.center(), bounds.radius());
        table.ranges(&center, &radius, &mut scratch.mid, &mut scratch.spread);
        let guard = rounding_guard(table.dimension());
        scratch.positions.clear();
        scratch.starts.clear();
        scratch.starts.push(0);
        scratch.gains.clear();
        scratch.deaths.clear();
        let (mut dead, mut violated) = (dead, 0);
        for (b, gain) in table.gains.iter().enumerate() {
            match scratch.sieve(table, b, &bounds, guard) {
                Fate::Dead => dead += gain,
                Fate::Alive { at_center } => violated += gain * u64::from(!at_center),
            }
        }
        Self {
            bounds,
            tiers: Tiers::default(),
            dead,
            bound: bound.max(dead),
            table: table.select(&scratch.positions, &scratch.starts, &scratch.gains),
            violated_at_center: dead + violated,
            levels_unpacked: 0,
            levels_stuck: 0,
            deaths: scratch.deaths.clone(),
            pairs: None,
        }
    }

    /// Puts weights that are small in the box into smaller units, so that rounding is small beside
    /// what rows come to.
    pub fn rescale(&mut self) {
        if self.bounds.high.iter().all(|high| *high >= SMALL) {
            return;
        }
        let shift = |high: &f64| (high.to_bits() >> 52) as i32 - 1022;
        let shifts: Vec<i32> = self.bounds.high.iter().map(|high| shift(high).min(0)).collect();
        self.table.rescale(&shifts);
        for (k, shift) in shifts.iter().enumerate() {
            let factor = 2f64.powi(-shift);
            self.bounds.low[k] *= factor;
            self.bounds.high[k] *= factor;
        }
    }

    /// True when some weight is so small beside others that rounding might lose it.
    pub fn is_too_deep(&self) -> bool {
        self.table.exponents.iter().any(|e| *e < LOWEST_EXPONENT)
    }

    /// Thresholds of the open blocks, and each weight's share of the open rows.
    ///
    /// Rows spread one unit each over the weights in proportion to
    /// `|r_k| radius_k`. Scale-free: rows that live in tiny weights count as
    /// much as others.
    pub fn examine(&self, scratch: &mut NodeScratch<'_>) -> (Thresholds, Vec<f64>) {
        let radius = self.bounds.radius();
        let center = self.bounds.center();
        self.table.ranges(&center, &radius, &mut scratch.mid, &mut scratch.spread);
        let mut shares = self.table.shares(&scratch.spread);
        shares.iter_mut().zip(&radius).for_each(|(s, r)| *s *= r);
        let guard = rounding_guard(radius.len());
        let tops = scratch.mid.iter_mut().zip(&scratch.spread);
        tops.for_each(|(m, s)| *m += s + guard);
        (Thresholds::new(self, &scratch.mid), shares)
    }
}

/// Rounding error of `r . center +- |r| . radius` for entries, themselves rounded, and weights of
/// at most 1.
pub(super) fn rounding_guard(dimension: usize) -> f64 {
    ((dimension + 2) as f64).powi(2) * f64::EPSILON + dimension as f64 * ENTRY_ERROR
}
