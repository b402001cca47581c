//! For each open block and weight: beyond which value is the block dead?
//!
//! A row with largest value `top` over the box and entry `r_k > 0` fails
//! wherever `p_k <= high_k - top / r_k`, whatever the other weights are; with
//! `r_k < 0` it fails wherever `p_k >= low_k + top / |r_k|`. The strictest row
//! of a block gives the block's thresholds. They serve twice: a strip of the
//! box in which blocks of too large a gain are dead is cut off without branching,
//! and the split is made where it kills most on both sides.

use super::node::BoxNode;
use crate::conflict::WeightBox;

/// Thresholds of all open blocks of a node.
pub(crate) struct Thresholds {
    blocks: usize,
    /// Block `b` is dead where `p_k <= dead_below[k * blocks + b]`.
    dead_below: Vec<f64>,
    /// Block `b` is dead where `p_k >= dead_above[k * blocks + b]`.
    dead_above: Vec<f64>,
}

impl Thresholds {
    /// Thresholds from the largest value `top` of every open row.
    ///
    /// `top` must not be below the exact value, so that "dead" is certain.
    pub fn new(node: &BoxNode, top: &[f64]) -> Self {
        let (table, bounds) = (&node.table, &node.bounds);
        let (n, blocks) = (table.dimension(), table.blocks());
        let mut thresholds = Self {
            blocks,
            dead_below: Vec::with_capacity(n * blocks),
            dead_above: Vec::with_capacity(n * blocks),
        };
        for k in 0..n {
            let (low, high) = (bounds.low[k], bounds.high[k]);
            for b in 0..blocks {
                let rows = table.block(b);
                let entries = &table.column(k)[rows.clone()];
                let (rise, fall) = reach(entries, &top[rows], high - low);
                thresholds.dead_below.push(high - rise);
                thresholds.dead_above.push(low + fall);
            }
        }
        thresholds
    }

    /// Thresholds beyond which all blocks of a group are dead, group by group.
    pub fn of_groups(&self, groups: &[Vec<usize>]) -> Self {
        let n = self.dead_below.len() / self.blocks.max(1);
        let last = |values: &[f64], group: &[usize], later: fn(f64, f64) -> f64| {
            group.iter().map(|b| values[*b]).reduce(later).unwrap_or(f64::NAN)
        };
        let each = |k: usize| groups.iter().map(move |g| (k, g));
        let below = (0..n).flat_map(each).map(|(k, g)| last(self.below(k), g, f64::min));
        let above = (0..n).flat_map(each).map(|(k, g)| last(self.above(k), g, f64::max));
        Self { blocks: groups.len(), dead_below: below.collect(), dead_above: above.collect() }
    }

    fn below(&self, k: usize) -> &[f64] {
        &self.dead_below[k * self.blocks..(k + 1) * self.blocks]
    }

    fn above(&self, k: usize) -> &[f64] {
        &self.dead_above[k * self.blocks..(k + 1) * self.blocks]
    }

    /// The part of the box where dead blocks cost less than `gap`, each what is `left` of its
    /// gain.
    ///
    /// Empty if no such part is left.
    pub fn contract(&self, bounds: &WeightBox, gap: u64, left: &[u64]) -> WeightBox {
        let mut contracted = bounds.clone();
        for k in 0..bounds.low.len() {
            let (low, high) = (bounds.low[k], bounds.high[k]);
            if high <= low {
                continue;
            }
            // Rounded outwards: the cut may keep a little too much, never too little.
            let slack = 32.0 * f64::EPSILON * high;
            let below = self.below(k).iter().copied();
            if let Some(cut) = reached(below.zip(left.iter().copied()), (low, slack), gap) {
                contracted.low[k] = low.max(bounds.coarse(k, cut - slack, f64::floor));
            }
            let above = self.above(k).iter().map(|x| -x);
            if let Some(cut) = reached(above.zip(left.iter().copied()), (-high, slack), gap) {
                contracted.high[k] = high.min(bounds.coarse(k, -cut + slack, f64::ceil));
            }
            if contracted.low[k] > contracted.high[k] {
                return contracted;
            }
        }
        contracted
    }

    /// Gain of the blocks that die in the lower and in the upper part when weight `k` is cut.
    pub fn killed(&self, k: usize, cut: f64, gains: &[u64]) -> (u64, u64) {
        let lower = self.below(k).iter().zip(gains).map(|(x, g)| g * u64::from(*x >= cut));
        let upper = self.above(k).iter().zip(gains).map(|(x, g)| g * u64::from(*x <= cut));
        (lower.sum(), upper.sum())
    }
}

/// How far below `high_k` and above `low_k` all rows can still hold, at most `width`.
fn reach(entries: &[f64], top: &[f64], width: f64) -> (f64, f64) {
    let (mut rise, mut fall) = (width, width);
    for (x, top) in entries.iter().zip(top) {
        if *x > 0.0 {
            if *top < x * rise {
                rise = top / x;
            }
        } else if *top < -x * fall {
            fall = top / -x;
        }
    }
    (rise, fall)
}

/// The largest value such that the costs of all values from it on reach `gap`; none if they do
/// not reach it more than `slack` above `floor`.
fn reached(
    costs: impl Iterator<Item = (f64, u64)>,
    (floor, slack): (f64, f64),
    gap: u64,
) -> Option<f64> {
    let above = costs.filter(|(value, cost)| value - slack > floor && *cost > 0);
    let mut above: Vec<(f64, u64)> = above.collect();
    if above.iter().map(|c| c.1).sum::<u64>() < gap {
        return None;
    }
    above.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let mut sum = 0;
    let crosses = |c: &&(f64, u64)| {
        sum += c.1;
        sum >= gap
    };
    above.iter().find(crosses).map(|c| c.0)
}
