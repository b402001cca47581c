//! A tree in words: one line for each branch.

use super::domain::Domain;
use super::split::{Split, SplitKind};
use super::tree::{DecisionNode, DecisionTree};
use std::fmt;

impl DecisionTree {
    /// The attribute that `split` tests.
    pub fn attribute(&self, split: Split) -> &str {
        &self.predictors()[split.attribute].name
    }

    /// What is true on a branch of `split`: `= label`, `<= number` or `> number`.
    pub fn condition(&self, split: Split, branch: usize) -> String {
        match (&self.predictors()[split.attribute].domain, split.kind) {
            (Domain::Labels(labels), _) => format!("= {}", labels[branch]),
            (Domain::Numbers(numbers), SplitKind::Threshold(code)) => {
                format!("{} {}", if branch == 0 { "<=" } else { ">" }, numbers[code as usize])
            }
            (Domain::Numbers(_), SplitKind::Label(_)) => {
                unreachable!("labels are asked for where there are labels")
            }
        }
    }

    /// The class of a leaf, with the training weight that came there and, after a
    /// slash, how much of it was of other classes: `yes (12/3)`.
    pub fn verdict(&self, node: &DecisionNode) -> String {
        let class = &self.classes()[node.class()];
        match (rounded(node.weight()), rounded(node.errors())) {
            (weight, errors) if errors > 0.0 => format!("{class} ({weight}/{errors})"),
            (weight, _) => format!("{class} ({weight})"),
        }
    }
}

/// To two digits, as fractions of records have many; halves go up even where
/// rounding errors, which depend on the order of the records, left them just below.
fn rounded(weight: f64) -> f64 {
    (100.0 * weight + 1e-6).round() / 100.0
}

impl fmt::Display for DecisionTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = &self.nodes()[0];
        let Some(split) = root.split else { return f.write_str(&self.verdict(root)) };
        // (parent's test, branch, depth), the next one to print last.
        let branches = |node: &DecisionNode, split: Split, depth: usize| {
            let children: Vec<_> = node.children.iter().copied().enumerate().collect();
            children.into_iter().rev().map(move |(branch, child)| (split, branch, child, depth))
        };
        let mut open: Vec<_> = branches(root, split, 0).collect();
        let mut line_end = "";
        while let Some((test, branch, child, depth)) = open.pop() {
            let node = &self.nodes()[child];
            let indent = "|   ".repeat(depth);
            let condition = self.condition(test, branch);
            write!(f, "{line_end}{indent}{} {condition}", self.attribute(test))?;
            match node.split {
                None => write!(f, ": {}", self.verdict(node))?,
                Some(split) => open.extend(branches(node, split, depth + 1)),
            }
            line_end = "\n";
        }
        Ok(())
    }
}
