//! What is proven of a box, and what dead blocks would add to it.

use super::thresholds::Thresholds;
use crate::conflict::WeightBox;

/// What is proven of a node, and what dead blocks would add.
pub(super) struct Proven {
    /// Gain of violated open blocks.
    pub cost: u64,
    /// What remains of the gain of each block, or of the largest of each group.
    pub left: Vec<u64>,
    /// Groups of exclusive blocks, if that is what proves it.
    pub groups: Option<Vec<Vec<usize>>>,
}

impl Proven {
    /// The part of the box where dead blocks add less than `gap`; empty if there is none.
    pub fn contract(&self, thresholds: &Thresholds, bounds: &WeightBox, gap: u64) -> WeightBox {
        match &self.groups {
            None => thresholds.contract(bounds, gap, &self.left),
            Some(groups) => thresholds.of_groups(groups).contract(bounds, gap, &self.left),
        }
    }

    /// The blocks that must be dead to add what remains of number `i`.
    pub fn blocks(&self, i: usize) -> Vec<usize> {
        self.groups.as_ref().map_or(vec![i], |groups| groups[i].clone())
    }
}
