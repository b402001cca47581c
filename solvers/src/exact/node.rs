//! One box of the search tree with the rows that are still undecided in it.

use super::thresholds::Thresholds;
use crate::conflict::WeightBox;
use crate::row_table::RowTable;

/// A box whose rows have been bounded.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub bounds: WeightBox,
    /// Blocks that no point of the box satisfies.
    pub dead: usize,
    /// Proven lower bound on violated blocks in the box; at least `dead`.
    pub bound: usize,
    /// Undecided rows of the open blocks.
    pub table: RowTable,
    /// Blocks violated at the centre of the box.
    pub violated_at_centre: usize,
}

/// Buffers for [`Node::evaluate`], reused from node to node.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    mid: Vec<f64>,
    spread: Vec<f64>,
    positions: Vec<u32>,
    starts: Vec<u32>,
}

impl Node {
    /// Bounds the rows of a containing box's `table` in `bounds`.
    ///
    /// A row is bounded by `r . centre +- |r| . radius`. Largest value below 0:
    /// its block is dead in the box. Smallest above 0: the row holds in the
    /// whole box and is dropped. The guard is the rounding error of these sums
    /// for entries and weights of at most 1, so both are certain.
    pub fn evaluate(
        bounds: WeightBox,
        table: &RowTable,
        dead: usize,
        bound: usize,
        scratch: &mut Scratch,
    ) -> Self {
        let guard = rounding_guard(table.dimension());
        table.ranges(
            &bounds.centre(),
            &bounds.radius(),
            &mut scratch.mid,
            &mut scratch.spread,
        );
        let (mid, spread) = (&scratch.mid, &scratch.spread);
        let (positions, starts) = (&mut scratch.positions, &mut scratch.starts);
        positions.clear();
        starts.clear();
        starts.push(0);
        let (mut died, mut violated) = (0, 0);
        for b in 0..table.blocks() {
            let before = positions.len();
            let mut lowest_mid = f64::INFINITY;
            let mut is_dead = false;
            for i in table.block(b) {
                if mid[i] + spread[i] < -guard {
                    is_dead = true;
                    break;
                }
                lowest_mid = lowest_mid.min(mid[i]);
                if mid[i] - spread[i] <= guard {
                    positions.push(i as u32);
                }
            }
            if is_dead {
                positions.truncate(before);
                died += 1;
                continue;
            }
            violated += usize::from(lowest_mid <= 0.0);
            if positions.len() > before {
                starts.push(positions.len() as u32);
            }
        }
        Self {
            bounds,
            dead: dead + died,
            bound: bound.max(dead + died),
            table: table.select(positions, starts),
            violated_at_centre: dead + died + violated,
        }
    }

    /// Thresholds of the open blocks, and each weight's share of the open rows.
    ///
    /// Rows spread one unit each over the weights in proportion to
    /// `|r_k| radius_k`. Scale-free: rows that live in tiny weights count as
    /// much as others.
    pub fn examine(&self, scratch: &mut Scratch) -> (Thresholds, Vec<f64>) {
        let radius = self.bounds.radius();
        let centre = self.bounds.centre();
        self.table
            .ranges(&centre, &radius, &mut scratch.mid, &mut scratch.spread);
        let mut shares = self.table.shares(&scratch.spread);
        shares.iter_mut().zip(&radius).for_each(|(s, r)| *s *= r);
        let guard = rounding_guard(radius.len());
        let tops = scratch.mid.iter_mut().zip(&scratch.spread);
        tops.for_each(|(m, s)| *m += s + guard);
        (Thresholds::new(self, &scratch.mid), shares)
    }
}

/// Rounding error of `r . centre +- |r| . radius` for entries and weights of at most 1.
fn rounding_guard(dimension: usize) -> f64 {
    ((dimension + 2) as f64).powi(2) * f64::EPSILON
}
