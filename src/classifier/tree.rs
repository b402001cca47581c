//! A trained tree: what it says about records, and how large it is.

use super::domain::UNKNOWN;
use super::grow::Branch;
use super::sample::{Predictor, Sample};
use super::split::Split;
use crate::dataset::Dataset;
use crate::error::{Error, Result};

/// A node of a [`DecisionTree`].
#[derive(Debug, Clone)]
pub struct DecisionNode {
    /// The test, `None` at a leaf.
    pub split: Option<Split>,
    /// Where each branch of the test leads, as positions in [`DecisionTree::nodes`].
    pub children: Vec<usize>,
    /// The training weight that reached the node, by class.
    pub class_weights: Vec<f64>,
    /// The part of each class; that of the parent where no training record came.
    pub probabilities: Vec<f64>,
}

impl DecisionNode {
    /// The training weight that reached the node.
    pub fn weight(&self) -> f64 {
        self.class_weights.iter().sum()
    }

    /// The training weight of other classes than the one the node stands for.
    pub fn errors(&self) -> f64 {
        super::grow::errors(&self.class_weights)
    }

    /// The most probable class, the first among equals.
    pub fn class(&self) -> usize {
        most_probable(&self.probabilities)
    }
}

/// A decision tree; [`super::C45::train`] makes one.
#[derive(Debug, Clone)]
pub struct DecisionTree {
    class: String,
    classes: Vec<String>,
    predictors: Vec<Predictor>,
    nodes: Vec<DecisionNode>,
}

impl DecisionTree {
    /// The reachable part of `branches`, parents before their children.
    pub(super) fn new(sample: Sample, class: &str, branches: &[Branch]) -> Self {
        let mut nodes = vec![node(&branches[0], &[])];
        let mut origin = vec![0];
        let mut next = 0;
        while next < nodes.len() {
            let children = &branches[origin[next]].children;
            nodes[next].children = (nodes.len()..nodes.len() + children.len()).collect();
            for &child in children {
                let child_node = node(&branches[child], &nodes[next].probabilities);
                nodes.push(child_node);
                origin.push(child);
            }
            next += 1;
        }
        let Sample { predictors, classes, .. } = sample;
        Self { class: class.to_owned(), classes, predictors, nodes }
    }

    /// Name of the class attribute.
    pub fn class(&self) -> &str {
        &self.class
    }

    /// The class labels seen in training, sorted.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The attributes the tree was trained on.
    pub fn predictors(&self) -> &[Predictor] {
        &self.predictors
    }

    /// All nodes, the root first, parents before their children.
    pub fn nodes(&self) -> &[DecisionNode] {
        &self.nodes
    }

    /// Number of nodes, leaves included.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Number of leaves, those that no training record reached included.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| node.split.is_none()).count()
    }

    /// Number of tests on the longest way from the root to a leaf.
    pub fn depth(&self) -> usize {
        let mut depths = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            node.children.iter().for_each(|&child| depths[child] = depths[i] + 1);
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// The probability of every class, in the order of [`DecisionTree::classes`], for
    /// each record of `dataset`.
    ///
    /// A record whose value at a test is missing, or was never seen in training,
    /// goes down all branches, weighted as the training records were. Fails when
    /// an attribute that the tree tests is not there or of another kind.
    pub fn probabilities(&self, dataset: &Dataset) -> Result<Vec<Vec<f64>>> {
        self.each_record(dataset, <[f64]>::to_vec)
    }

    /// The most probable class of each record of `dataset`, the first among equals, as
    /// a position in [`DecisionTree::classes`]; fails as [`DecisionTree::probabilities`].
    pub fn classify(&self, dataset: &Dataset) -> Result<Vec<usize>> {
        self.each_record(dataset, most_probable)
    }

    fn each_record<T>(&self, dataset: &Dataset, tell: impl Fn(&[f64]) -> T) -> Result<Vec<T>> {
        let columns = self.encode(dataset)?;
        let mut way = Way::default();
        let answer = |record: usize| {
            let code = |attribute: usize| columns[attribute].get(record).copied();
            tell(way.probabilities(self, code))
        };
        Ok((0..dataset.records()).map(answer).collect())
    }

    fn encode(&self, dataset: &Dataset) -> Result<Vec<Vec<u32>>> {
        let used =
            |position| self.nodes.iter().any(|n| n.split.is_some_and(|s| s.attribute == position));
        let column = |(position, predictor): (usize, &Predictor)| {
            if !used(position) {
                return Ok(Vec::new());
            }
            let attribute = &dataset.attributes()[dataset.position(&predictor.name)?];
            predictor.domain.encode(attribute).ok_or_else(|| {
                let here = if attribute.is_numeric() { "numbers" } else { "labels" };
                let problem = format!(
                    "holds {here}, in training it did not; read both files alike \
                     (`categorical` {})",
                    predictor.name
                );
                Error::input(super::sample::place(dataset, &predictor.name), problem)
            })
        };
        self.predictors.iter().enumerate().map(column).collect()
    }
}

/// Scratch space for following records through a tree.
#[derive(Default)]
struct Way {
    open: Vec<(usize, f64)>,
    sums: Vec<f64>,
}

impl Way {
    /// The probability of each class for a record with these codes by attribute.
    fn probabilities(
        &mut self,
        tree: &DecisionTree,
        codes: impl Fn(usize) -> Option<u32>,
    ) -> &[f64] {
        self.sums.clear();
        self.sums.resize(tree.classes.len(), 0.0);
        self.open.push((0, 1.0));
        while let Some((at, weight)) = self.open.pop() {
            let node = &tree.nodes[at];
            let Some(split) = node.split else {
                let parts = node.probabilities.iter();
                self.sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += weight * part);
                continue;
            };
            match split.branch(codes(split.attribute).unwrap_or(UNKNOWN)) {
                Some(branch) => self.open.push((node.children[branch], weight)),
                None => {
                    let share = |&child: &usize| tree.nodes[child].weight() / node.weight();
                    let children = node.children.iter().map(|c| (*c, weight * share(c)));
                    self.open.extend(children.filter(|(_, weight)| *weight > 0.0));
                }
            }
        }
        &self.sums
    }
}

fn node(branch: &Branch, parent: &[f64]) -> DecisionNode {
    let weight = branch.weight();
    let own = || branch.class_weights.iter().map(|w| w / weight).collect();
    let probabilities = if weight > super::criterion::TINY { own() } else { parent.to_vec() };
    let class_weights = branch.class_weights.clone();
    DecisionNode { split: branch.split, children: Vec::new(), class_weights, probabilities }
}

fn most_probable(probabilities: &[f64]) -> usize {
    let mut best = (0, 0.0);
    for (class, probability) in probabilities.iter().enumerate() {
        if *probability > best.1 + super::criterion::TINY {
            best = (class, *probability);
        }
    }
    best.0
}
