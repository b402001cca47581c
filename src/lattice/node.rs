//! The nodes of the lattice and how they lie.

use crate::error::{Error, Result};

/// All combinations of a level for each quasi-identifier.
///
/// A node is a list of levels, or its index: nodes are numbered in lexicographic order of
/// their levels. A node is *above* another when no level is lower and one is higher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lattice {
    levels: Vec<usize>,
    /// What one level more of each quasi-identifier adds to the index.
    strides: Vec<usize>,
    nodes: usize,
}

/// More nodes than this are refused: each takes memory, and none of them can be told apart.
const MOST_NODES: usize = 1 << 24;

impl Lattice {
    /// The lattice of quasi-identifiers with these numbers of levels.
    ///
    /// Fails on none, on one without a level, and on more than 2^24 nodes.
    pub fn new(levels: &[usize]) -> Result<Self> {
        let shown = || format!("{levels:?}");
        if levels.is_empty() || levels.contains(&0) {
            let problem = "but a lattice needs quasi-identifiers with at least one level each";
            return Err(Error::parameter("levels", shown(), problem));
        }
        let product = |nodes: usize, level: &usize| nodes.checked_mul(*level);
        let nodes = levels.iter().try_fold(1, product).filter(|nodes| *nodes <= MOST_NODES);
        let nodes = nodes.ok_or_else(|| {
            let problem = format!(
                "a lattice of more than {MOST_NODES} nodes; leave quasi-identifiers or levels out"
            );
            Error::parameter("levels", shown(), problem)
        })?;
        let mut strides = vec![1; levels.len()];
        (1..levels.len()).rev().for_each(|i| strides[i - 1] = strides[i] * levels[i]);
        Ok(Self { levels: levels.to_vec(), strides, nodes })
    }

    /// Number of nodes: the product of the numbers of levels, an upper bound on fingerprints.
    pub fn len(&self) -> usize {
        self.nodes
    }

    /// Never true: a lattice has a bottom.
    pub fn is_empty(&self) -> bool {
        self.nodes == 0
    }

    /// Number of levels of each quasi-identifier.
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// The levels of the node with this index.
    pub fn node(&self, index: usize) -> Vec<usize> {
        self.strides.iter().zip(&self.levels).map(|(s, levels)| index / s % levels).collect()
    }

    /// The level of one quasi-identifier in the node with this index.
    pub fn level(&self, index: usize, attribute: usize) -> usize {
        index / self.strides[attribute] % self.levels[attribute]
    }

    /// The index of the node with these levels; `None` where there is no such node.
    pub fn index(&self, node: &[usize]) -> Option<usize> {
        let exists = node.len() == self.levels.len()
            && node.iter().zip(&self.levels).all(|(level, levels)| level < levels);
        exists.then(|| node.iter().zip(&self.strides).map(|(level, stride)| level * stride).sum())
    }

    /// Sum of the levels of a node.
    pub fn height(&self, index: usize) -> usize {
        (0..self.levels.len()).map(|i| self.level(index, i)).sum()
    }

    /// The nodes one step above.
    pub fn above(&self, index: usize) -> impl Iterator<Item = usize> {
        let can = move |i: &usize| self.level(index, *i) + 1 < self.levels[*i];
        (0..self.levels.len()).filter(can).map(move |i| index + self.strides[i])
    }

    /// The nodes one step below.
    pub fn below(&self, index: usize) -> impl Iterator<Item = usize> {
        let can = move |i: &usize| self.level(index, *i) > 0;
        (0..self.levels.len()).filter(can).map(move |i| index - self.strides[i])
    }

    /// What one level more of `attribute` adds to an index.
    pub(super) fn stride(&self, attribute: usize) -> usize {
        self.strides[attribute]
    }
}
