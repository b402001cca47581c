//! A decision tree in the manner of C4.5 release 8: what a file still teaches about a class.
//!
//! Records are told apart by tests on one attribute each: nominal attributes have
//! a branch for every label, numeric ones a threshold. Values that are not known
//! are followed by fractions: the record goes down every branch with a part of its
//! weight, in training and in classification. The tree is grown by gain ratio and
//! made smaller by pessimistic pruning with subtree raising. Sources: J. R.
//! Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann 1993; J. R.
//! Quinlan, *Improved Use of Continuous Attributes in C4.5*, Journal of Artificial
//! Intelligence Research 4, 1996, doi:10.1613/jair.279. Where C4.5 and Weka's J48
//! (`-C 0.25 -M 2`) differ, this is J48, whose numbers studies report.
//!
//! This is ours because the crates for decision trees take neither categorical
//! nor missing values: coding labels as numbers or filling gaps would measure the
//! coding, not the file.
//!
//! Two things differ from J48 on purpose. A record of weight w counts as w equal
//! records everywhere (J48 counts rows in one place). And numbers are equal only
//! when they are the same: J48 takes numbers closer than 0.00001 for one, whatever
//! the unit.
//!
//! ```
//! use unmask::classifier::C45;
//! use unmask::dataset::{Dataset, ReadOptions};
//!
//! let csv = b"sky,wind,play\nsun,no,yes\nsun,yes,yes\nrain,no,no\nrain,yes,no\n?,no,yes\n";
//! let days = Dataset::from_csv("days.csv", csv, &ReadOptions::default())?;
//! let tree = C45::default().train(&days, "play", &["sky", "wind"])?;
//! assert_eq!((tree.size(), tree.leaves()), (3, 2));
//! assert_eq!(tree.evaluate(&days)?.correct, 5);
//! # Ok::<(), unmask::error::Error>(())
//! ```

mod criterion;
mod domain;
mod evaluation;
mod grow;
mod pessimistic;
mod prune;
mod sample;
mod selection;
mod split;
mod text;
mod tree;

pub use domain::Domain;
pub use evaluation::Evaluation;
pub use sample::Predictor;
pub use split::{Split, SplitKind};
pub use tree::{DecisionNode, DecisionTree};

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::listener::Listener;
use pessimistic::Confidence;
use sample::Sample;

/// How a tree is trained. The defaults are those of C4.5.
#[derive(Debug, Clone, PartialEq)]
pub struct C45 {
    /// Confidence of pruning, above 0 and at most 0.5: the smaller, the smaller the tree.
    pub confidence: f64,
    /// Weight that at least two branches of a test must have.
    pub minimum: f64,
    /// False to keep what was grown (subtrees that correct no training error go all the same).
    pub pruning: bool,
    /// Labels that stand for an unknown value, beside the missing values of the file.
    pub unknown: Vec<String>,
}

impl Default for C45 {
    /// Confidence 0.25, minimum 2, pruning; `*` (generalized away) and `?` are unknown.
    fn default() -> Self {
        let unknown = ["*", "?"].map(String::from).to_vec();
        Self { confidence: 0.25, minimum: 2.0, pruning: true, unknown }
    }
}

impl C45 {
    /// A tree that tells the attribute `class` of `dataset` from `attributes`.
    ///
    /// Records whose class is missing are left out. A class with one label gives a
    /// tree of one leaf. Costs, in each level of the tree, a pass over the records
    /// for each nominal attribute and a sort for each numeric one; memory is 16
    /// bytes per record and level. The same tree for any order of the records,
    /// ties that rounding decides aside.
    ///
    /// Fails on unknown attributes, a numeric class, no known class, a confidence
    /// or minimum out of range.
    pub fn train<S: AsRef<str>>(
        &self,
        dataset: &Dataset,
        class: &str,
        attributes: &[S],
    ) -> Result<DecisionTree> {
        self.train_weighted(dataset, class, attributes, None, &())
    }

    /// [`C45::train`], record i counting as `weights[i]` equal records (once when
    /// `None`); weights are finite and not negative, one for each record.
    pub fn train_weighted<S: AsRef<str>>(
        &self,
        dataset: &Dataset,
        class: &str,
        attributes: &[S],
        weights: Option<&[f64]>,
        listener: &dyn Listener,
    ) -> Result<DecisionTree> {
        let confidence = Confidence::new(self.confidence)?;
        if !(self.minimum.is_finite() && self.minimum >= 1.0) {
            let problem = "but a branch needs a minimum of at least 1";
            return Err(Error::parameter("minimum", self.minimum, problem));
        }
        let sample = Sample::new(dataset, class, attributes, weights, &self.unknown)?;
        let mut branches = grow::grow(&sample, self.minimum, listener);
        prune::collapse(&mut branches);
        if self.pruning {
            prune::prune(&mut branches, &sample, confidence);
        }
        Ok(DecisionTree::new(sample, class, &branches))
    }
}
