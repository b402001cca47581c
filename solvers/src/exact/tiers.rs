//! Weights that matter only in proportion to each other.
//!
//! Where some weights may all be 0 and the open rows have entries for no others, only the
//! proportions of these weights matter, however small they are beside the rest: the box is a
//! problem of its own in them. One box for each of them, with that one at its upper bound, has
//! a point of every proportion. Without this, boxes that reach down to 0 would be split for
//! ever: rows that live in such weights alone are 0 where all of them are.

use super::node::BoxNode;
use crate::conflict::WeightBox;

/// The weights of each problem of its own that a box lies in, as bits; each is part of the one
/// before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tiers(Vec<u64>);

impl Tiers {
    /// The boxes of a problem of its own, with the weights of which it is one.
    ///
    /// None unless the open rows have entries only for weights that may be 0.
    pub fn below(node: &BoxNode) -> Option<(Self, Vec<WeightBox>)> {
        let may_vanish = |k: &usize| node.bounds.low[*k] == 0.0;
        let has_entries = |k: &usize| node.table.column(*k).iter().any(|x| *x != 0.0);
        let all = 0..node.bounds.low.len();
        if all.clone().any(|k| !may_vanish(&k) && has_entries(&k)) {
            return None;
        }
        let own: Vec<usize> = all.filter(has_entries).collect();
        let mut tiers = node.tiers.clone();
        tiers.0.push(own.iter().map(|k| 1 << k).sum());
        let faces = own.iter().map(|k| node.bounds.face(*k)).collect();
        (!own.is_empty()).then_some((tiers, faces))
    }

    /// The boxes of a problem of its own in the small weights, of the rows that have entries for no
    /// others; the node with these rows alone. Small are those that may be 0 and are much smaller
    /// than others all over the box; where none are, all that may be 0.
    ///
    /// Where other rows meet in a box they are undecided in all its parts next to that place, and
    /// [`Tiers::below`] never comes to hold there. To leave rows out only weakens a bound. None
    /// where no row is left.
    pub fn of_small_weights(node: &BoxNode) -> Option<(BoxNode, Vec<WeightBox>)> {
        let large = large_weights(node);
        let small = |row: usize| large.iter().all(|k| node.table.entry(row, *k) == 0.0);
        let mut inner = BoxNode { table: node.table.of_some_rows(small), ..node.clone() };
        let (tiers, faces) = Self::below(&inner)?;
        inner.tiers = tiers;
        Some((inner, faces))
    }

    /// The weights of the innermost problem, as bits.
    pub fn innermost(&self) -> u64 {
        self.0.last().copied().unwrap_or(0)
    }

    /// True when the box is part of a problem of its own.
    pub fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// How many of the problems weight `k` belongs to.
    fn depth(&self, k: usize) -> usize {
        self.0.iter().filter(|mask| *mask >> k & 1 == 1).count()
    }

    /// True when the box has weights in the proportions of `weights`, those of each problem in
    /// their own; bounds are in units of `2^exponents`.
    pub fn meet(&self, bounds: &WeightBox, exponents: &[i32], weights: &[f64]) -> bool {
        (0..=self.0.len()).all(|depth| {
            let own: Vec<usize> = (0..weights.len()).filter(|k| self.depth(*k) == depth).collect();
            let fixed = own.iter().find(|k| bounds.low[**k] == bounds.high[**k]);
            let vanish = own.iter().all(|k| weights[*k] == 0.0);
            vanish || fixed.is_none_or(|f| fits(bounds, exponents, weights, &own, *f))
        })
    }
}

/// A weight this many powers of two below the largest is much smaller.
const MUCH_SMALLER: i32 = 9;

/// The weights of a box that are not small.
fn large_weights(node: &BoxNode) -> Vec<usize> {
    let size = |k: usize| (node.bounds.high[k].to_bits() >> 52) as i32 + node.table.exponents[k];
    let all = 0..node.bounds.low.len();
    let largest = all.clone().map(size).max().unwrap_or(0);
    let vanish = |k: usize| node.bounds.low[k] == 0.0;
    let much_smaller = |k: usize| vanish(k) && size(k) + MUCH_SMALLER <= largest;
    match all.clone().any(much_smaller) {
        true => all.filter(|k| !much_smaller(*k)).collect(),
        false => all.filter(|k| !vanish(*k)).collect(),
    }
}

/// Bounds are met to this share.
const SLACK: f64 = 1e-9;

/// True when `weights`, times what brings that of `fixed` to its bound, are in the box.
fn fits(
    bounds: &WeightBox,
    exponents: &[i32],
    weights: &[f64],
    own: &[usize],
    fixed: usize,
) -> bool {
    let unit = |k: usize| 2f64.powi(exponents[k]);
    let factor = bounds.high[fixed] * unit(fixed) / weights[fixed];
    let inside = |k: &usize| {
        let value = factor * weights[*k] / unit(*k);
        value >= bounds.low[*k] * (1.0 - SLACK) && value <= bounds.high[*k] * (1.0 + SLACK)
    };
    weights[fixed] > 0.0 && own.iter().all(inside)
}
