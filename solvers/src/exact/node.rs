//! One box of the search tree with the rows that are still undecided in it.

use super::thresholds::Thresholds;
use crate::conflict::WeightBox;
use crate::row_table::RowTable;

/// A box whose rows have been bounded.
#[derive(Debug, Clone)]
pub(crate) struct BoxNode {
    pub bounds: WeightBox,
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
}

/// Buffers for [`BoxNode::evaluate`], reused from node to node.
#[derive(Debug, Default)]
pub(crate) struct NodeScratch {
    mid: Vec<f64>,
    spread: Vec<f64>,
    positions: Vec<u32>,
    starts: Vec<u32>,
    gains: Vec<u64>,
}

/// What bounding its rows says about a block.
enum Fate {
    Dead,
    Alive { at_center: bool },
}

impl NodeScratch {
    /// Keeps the undecided rows of a block, unless one of them kills it.
    fn sieve(&mut self, rows: std::ops::Range<usize>, gain: u64, guard: f64) -> Fate {
        let before = self.positions.len();
        let mut lowest = f64::INFINITY;
        for i in rows {
            let (mid, spread) = (self.mid[i], self.spread[i]);
            if mid + spread < -guard {
                self.positions.truncate(before);
                return Fate::Dead;
            }
            lowest = lowest.min(mid);
            if mid - spread <= guard {
                self.positions.push(i as u32);
            }
        }
        if self.positions.len() > before {
            self.starts.push(self.positions.len() as u32);
            self.gains.push(gain);
        }
        Fate::Alive { at_center: lowest > 0.0 }
    }
}

impl BoxNode {
    /// Bounds the rows of a containing box's `table` in `bounds`.
    ///
    /// A row is bounded by `r . center +- |r| . radius`. Largest value below 0:
    /// its block is dead in the box. Smallest above 0: the row holds in the
    /// whole box and is dropped. The guard covers the rounding error of these
    /// sums, so both are certain.
    pub fn evaluate(
        bounds: WeightBox,
        table: &RowTable,
        dead: u64,
        bound: u64,
        scratch: &mut NodeScratch,
    ) -> Self {
        let (center, radius) = (bounds.center(), bounds.radius());
        table.ranges(&center, &radius, &mut scratch.mid, &mut scratch.spread);
        let guard = rounding_guard(table.dimension());
        scratch.positions.clear();
        scratch.starts.clear();
        scratch.starts.push(0);
        scratch.gains.clear();
        let (mut dead, mut violated) = (dead, 0);
        for (b, gain) in table.gains.iter().enumerate() {
            match scratch.sieve(table.block(b), *gain, guard) {
                Fate::Dead => dead += gain,
                Fate::Alive { at_center } => violated += gain * u64::from(!at_center),
            }
        }
        Self {
            bounds,
            dead,
            bound: bound.max(dead),
            table: table.select(&scratch.positions, &scratch.starts, &scratch.gains),
            violated_at_center: dead + violated,
            levels_unpacked: 0,
            levels_stuck: 0,
        }
    }

    /// Thresholds of the open blocks, and each weight's share of the open rows.
    ///
    /// Rows spread one unit each over the weights in proportion to
    /// `|r_k| radius_k`. Scale-free: rows that live in tiny weights count as
    /// much as others.
    pub fn examine(&self, scratch: &mut NodeScratch) -> (Thresholds, Vec<f64>) {
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

/// Rounding error of `r . center +- |r| . radius` for entries and weights of at most 1.
fn rounding_guard(dimension: usize) -> f64 {
    ((dimension + 2) as f64).powi(2) * f64::EPSILON
}
