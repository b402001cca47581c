//! How often a tree is right.

use super::domain::none_known;
use super::sample::{no_class, place};
use super::tree::DecisionTree;
use crate::dataset::{Categorical, Dataset, Values};
use crate::error::{Error, Result};
use crate::words::quoted;
use serde::Serialize;

/// What a tree says about records whose class is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// The file.
    pub file: String,
    /// Number of records with a known class.
    pub records: usize,
    /// Records left out, since their class is missing.
    pub without_class: usize,
    /// Number of records the tree gives their own class.
    pub correct: usize,
    /// `correct / records`.
    pub accuracy: f64,
    /// The same in percent.
    pub accuracy_percent: f64,
    /// Records by their own class (rows) and the class the tree tells (columns), in
    /// the order of [`DecisionTree::classes`].
    pub confusion_matrix: Vec<Vec<usize>>,
}

impl DecisionTree {
    /// Compares the classes the tree tells with those in `dataset`.
    ///
    /// Fails when the class attribute is numeric, has a label that was never seen
    /// in training, or is missing in every record; and as [`DecisionTree::classify`].
    pub fn evaluate(&self, dataset: &Dataset) -> Result<Evaluation> {
        let own = self.own_classes(dataset)?;
        let told = self.classify(dataset)?;
        let mut confusion_matrix = vec![vec![0; self.classes().len()]; self.classes().len()];
        for (own, told) in own.iter().zip(told) {
            own.iter().for_each(|&own| confusion_matrix[own][told] += 1);
        }
        let correct = (0..confusion_matrix.len()).map(|c| confusion_matrix[c][c]).sum();
        let records = own.iter().flatten().count();
        let accuracy = correct as f64 / records as f64;
        Ok(Evaluation {
            file: dataset.name().to_owned(),
            records,
            without_class: dataset.records() - records,
            correct,
            accuracy,
            accuracy_percent: 100.0 * accuracy,
            confusion_matrix,
        })
    }

    fn own_classes(&self, dataset: &Dataset) -> Result<Vec<Option<usize>>> {
        let attribute = &dataset.attributes()[dataset.position(self.class())?];
        if none_known(attribute) {
            return Err(no_class(dataset, self.class()));
        }
        let Values::Categorical(column) = &attribute.values else {
            let problem = format!(
                "is numeric, in training it was not; read both files alike (`categorical` {})",
                self.class()
            );
            return Err(Error::input(place(dataset, self.class()), problem));
        };
        let places: Vec<Option<usize>> = (column.labels().iter())
            .map(|label| self.classes().binary_search(label).ok())
            .collect();
        self.check_labels(dataset, column, &places)?;
        let own = |i| column.code(i).and_then(|code| places[code as usize]);
        Ok((0..column.len()).map(own).collect())
    }

    fn check_labels(
        &self,
        dataset: &Dataset,
        column: &Categorical,
        places: &[Option<usize>],
    ) -> Result<()> {
        let mut codes = (0..column.len()).filter_map(|i| column.code(i));
        match codes.find(|&code| places[code as usize].is_none()) {
            None => Ok(()),
            Some(code) => {
                let problem = format!(
                    "the class {} was never seen in training, where the classes are {}; \
                     correct it or add it to `missing_tokens`",
                    quoted(&column.labels()[code as usize]),
                    self.classes().join(", ")
                );
                Err(Error::input(place(dataset, self.class()), problem))
            }
        }
    }
}
