//! Making a grown tree smaller: collapsing, pruning, subtree raising.

use super::criterion::TINY;
use super::grow::{Branch, errors};
use super::pessimistic::Confidence;
use super::sample::{Portion, Sample};

/// A smaller tree may be expected to make this many errors more.
const MORE_ERRORS: f64 = 0.1;

/// Cuts every subtree that makes no fewer errors in training than a leaf in its place.
pub(super) fn collapse(nodes: &mut [Branch]) {
    const FEWER: f64 = 1e-3;
    let mut in_leaves = vec![0.0; nodes.len()];
    for node in (0..nodes.len()).rev() {
        in_leaves[node] = match nodes[node].children.as_slice() {
            [] => nodes[node].errors(),
            children => children.iter().map(|&child| in_leaves[child]).sum(),
        };
    }
    for (node, errors) in nodes.iter_mut().zip(in_leaves) {
        if node.split.is_some() && errors >= node.errors() - FEWER {
            node.cut();
        }
    }
}

/// Prunes from the leaves to the root: a node becomes a leaf, or its largest branch,
/// when that is not expected to make more errors than the subtree.
pub(super) fn prune(nodes: &mut [Branch], sample: &Sample, confidence: Confidence) {
    let expected = vec![0.0; nodes.len()];
    let mut pruning = Pruning { nodes, sample, confidence, expected };
    let mut open = pruning.subtree(0);
    while let Some(node) = open.pop() {
        if pruning.settle(node) {
            // Another subtree stands here now: once more, from its leaves.
            open.extend(pruning.subtree(node));
        }
    }
}

struct Pruning<'a> {
    nodes: &'a mut [Branch],
    sample: &'a Sample,
    confidence: Confidence,
    /// Expected errors of the subtrees that are settled.
    expected: Vec<f64>,
}

impl Pruning<'_> {
    /// The nodes of the subtree at `root`, parents before their children.
    fn subtree(&self, root: usize) -> Vec<usize> {
        let mut found = vec![root];
        let mut next = 0;
        while next < found.len() {
            found.extend(&self.nodes[found[next]].children);
            next += 1;
        }
        found
    }

    /// Decides on one node whose children are settled; true when a branch was raised.
    fn settle(&mut self, node: usize) -> bool {
        let as_leaf = self.leaf_errors(&self.nodes[node].class_weights);
        self.expected[node] = as_leaf;
        let Some(largest) = self.largest_child(node) else { return false };
        let children = &self.nodes[node].children;
        let as_tree: f64 = children.iter().map(|&child| self.expected[child]).sum();
        let as_branch = self.errors_with(largest, &self.nodes[node].portions);
        let no_worse = |errors: f64, than: f64| errors < than + MORE_ERRORS + TINY;
        if no_worse(as_leaf, as_tree) && no_worse(as_leaf, as_branch) {
            self.nodes[node].cut();
            return false;
        }
        self.expected[node] = as_tree;
        let raise = no_worse(as_branch, as_tree);
        if raise {
            self.raise(largest, node);
        }
        raise
    }

    fn leaf_errors(&self, class_weights: &[f64]) -> f64 {
        self.confidence.expected_errors(class_weights.iter().sum(), errors(class_weights))
    }

    /// The child that most weight reaches, the last among equals.
    fn largest_child(&self, node: usize) -> Option<usize> {
        let mut largest: Option<(usize, f64)> = None;
        for &child in &self.nodes[node].children {
            let weight = self.nodes[child].weight();
            if largest.is_none_or(|(_, most)| weight > most - TINY) {
                largest = Some((child, weight));
            }
        }
        largest.map(|(child, _)| child)
    }

    /// Errors to expect when `portions` go through the subtree at `root`.
    fn errors_with(&self, root: usize, portions: &[Portion]) -> f64 {
        let mut expected = 0.0;
        let mut open = vec![(root, portions.to_vec())];
        while let Some((node, portions)) = open.pop() {
            match self.nodes[node].split {
                None => expected += self.leaf_errors(&self.sample.class_weights(&portions)),
                Some(split) => {
                    let parts = split.divide(self.sample, &portions);
                    open.extend(self.nodes[node].children.iter().copied().zip(parts));
                }
            }
        }
        expected
    }

    /// Puts the subtree at `branch` in the place of `node`, and the records of `node` through it.
    fn raise(&mut self, branch: usize, node: usize) {
        self.nodes[node].split = self.nodes[branch].split;
        self.nodes[node].children = std::mem::take(&mut self.nodes[branch].children);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            self.nodes[node].class_weights = self.sample.class_weights(&self.nodes[node].portions);
            let Some(split) = self.nodes[node].split else { continue };
            let parts = split.divide(self.sample, &self.nodes[node].portions);
            let children = self.nodes[node].children.clone();
            for (&child, part) in children.iter().zip(parts) {
                self.nodes[child].portions = part;
            }
            open.extend(children);
        }
    }
}
