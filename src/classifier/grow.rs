//! Growing a tree, without recursion: a file may make it deep.

use super::sample::{Portion, Sample};
use super::selection::Selection;
use super::split::Split;
use crate::listener::Listener;

/// A node with the portions that reach it.
#[derive(Debug)]
pub(super) struct Branch {
    pub split: Option<Split>,
    pub children: Vec<usize>,
    pub class_weights: Vec<f64>,
    pub portions: Vec<Portion>,
}

impl Branch {
    fn leaf(sample: &Sample, portions: Vec<Portion>) -> Self {
        let class_weights = sample.class_weights(&portions);
        Self { split: None, children: Vec::new(), class_weights, portions }
    }

    /// The weight that reaches the node.
    pub fn weight(&self) -> f64 {
        self.class_weights.iter().sum()
    }

    /// The weight that is not of the largest class.
    pub fn errors(&self) -> f64 {
        errors(&self.class_weights)
    }

    /// Forgets the test: the node is a leaf.
    pub fn cut(&mut self) {
        self.split = None;
        self.children.clear();
    }
}

/// The weight that is not of the largest class.
pub(super) fn errors(class_weights: &[f64]) -> f64 {
    let largest = class_weights.iter().copied().fold(0.0, f64::max);
    class_weights.iter().sum::<f64>() - largest
}

/// Tells how much of the training weight has come to a leaf, in thousandths.
struct Settled<'a> {
    listener: &'a dyn Listener,
    total: f64,
    weight: f64,
    told: u64,
}

impl Settled<'_> {
    fn add(&mut self, weight: f64) {
        const STEPS: u64 = 1000;
        self.weight += weight;
        let steps = (STEPS as f64 * self.weight / self.total) as u64;
        self.listener.advance(steps.saturating_sub(self.told), STEPS);
        self.told = self.told.max(steps);
    }
}

/// The nodes of a tree, the root first, parents before their children.
pub(super) fn grow(sample: &Sample, minimum: f64, listener: &dyn Listener) -> Vec<Branch> {
    let selection = Selection::new(sample, minimum);
    let mut nodes = vec![Branch::leaf(sample, sample.portions.clone())];
    let mut settled = Settled { listener, total: nodes[0].weight(), weight: 0.0, told: 0 };
    let mut node = 0;
    while node < nodes.len() {
        if let Some(split) = selection.best(&nodes[node].portions) {
            let parts = split.divide(sample, &nodes[node].portions);
            nodes[node].split = Some(split);
            nodes[node].children = (nodes.len()..nodes.len() + parts.len()).collect();
            nodes.extend(parts.into_iter().map(|part| Branch::leaf(sample, part)));
        } else {
            settled.add(nodes[node].weight());
        }
        node += 1;
    }
    nodes
}
