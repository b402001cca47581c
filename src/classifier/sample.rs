//! The training records as columns of codes.

use super::domain::{Domain, UNKNOWN, none_known};
use crate::dataset::{Attribute, Dataset, Values};
use crate::error::{Error, Result};

/// An attribute the tree may test.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictor {
    /// The column's name.
    pub name: String,
    /// The values it had in training.
    pub domain: Domain,
}

/// One record, or the part of it that reaches a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portion {
    pub record: u32,
    pub weight: f64,
}

/// What a tree is trained on: codes by column, the class of each record, and the
/// records whose class is known with their weights.
#[derive(Debug)]
pub(super) struct Sample {
    pub predictors: Vec<Predictor>,
    pub columns: Vec<Vec<u32>>,
    pub classes: Vec<String>,
    pub class: Vec<u32>,
    pub portions: Vec<Portion>,
}

impl Sample {
    /// The sample of `dataset`; a record counts `weights` times (once when `None`).
    pub fn new<S: AsRef<str>>(
        dataset: &Dataset,
        class: &str,
        attributes: &[S],
        weights: Option<&[f64]>,
        unknown: &[String],
    ) -> Result<Self> {
        let (classes, codes) = class_codes(dataset, class, unknown)?;
        let positions = dataset.positions(attributes)?;
        check_attributes(dataset, class, &positions)?;
        check_weights(dataset, weights)?;
        let mut sample = Self {
            predictors: Vec::new(),
            columns: Vec::new(),
            classes,
            portions: portions(&codes, weights),
            class: codes,
        };
        for attribute in positions.iter().map(|&p| &dataset.attributes()[p]) {
            sample.add(attribute, unknown);
        }
        match sample.portions.is_empty() {
            true => Err(no_class(dataset, class)),
            false => Ok(sample),
        }
    }

    fn add(&mut self, attribute: &Attribute, unknown: &[String]) {
        let domain = Domain::of(attribute, unknown);
        let codes = domain.encode(attribute).unwrap_or_else(|| vec![UNKNOWN; attribute.len()]);
        self.columns.push(codes);
        self.predictors.push(Predictor { name: attribute.name.clone(), domain });
    }

    /// The weights of `portions` by class.
    pub fn class_weights(&self, portions: &[Portion]) -> Vec<f64> {
        let mut weights = vec![0.0; self.classes.len()];
        for portion in portions {
            weights[self.class[portion.record as usize] as usize] += portion.weight;
        }
        weights
    }
}

/// The class labels, sorted, and the code of each record's class.
fn class_codes(
    dataset: &Dataset,
    class: &str,
    unknown: &[String],
) -> Result<(Vec<String>, Vec<u32>)> {
    let attribute = &dataset.attributes()[dataset.position(class)?];
    if none_known(attribute) {
        return Err(no_class(dataset, class));
    }
    let domain = Domain::of(attribute, unknown);
    let codes = domain.encode(attribute).unwrap_or_default();
    match (domain, &attribute.values) {
        (Domain::Labels(labels), Values::Categorical(_)) => Ok((labels, codes)),
        _ => {
            let problem = format!(
                "is numeric, but a tree tells classes apart; read it as labels with \
                 `categorical` {class}, or name another class"
            );
            Err(Error::input(place(dataset, class), problem))
        }
    }
}

fn check_attributes(dataset: &Dataset, class: &str, positions: &[usize]) -> Result<()> {
    if positions.is_empty() {
        let problem = format!("no attribute beside the class {class}; a tree needs at least one");
        return Err(Error::input(dataset.name(), problem));
    }
    match positions.iter().any(|&p| dataset.attributes()[p].name == class) {
        true => Err(Error::parameter("attributes", class, "is the class; leave it out")),
        false => Ok(()),
    }
}

fn check_weights(dataset: &Dataset, weights: Option<&[f64]>) -> Result<()> {
    let Some(weights) = weights else { return Ok(()) };
    if weights.len() != dataset.records() {
        let problem = format!("{} weights for {} records", weights.len(), dataset.records());
        return Err(Error::input(dataset.name(), problem));
    }
    match weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
        Some(weight) => {
            Err(Error::parameter("weight", weight, "but weights are finite and not negative"))
        }
        None => Ok(()),
    }
}

fn portions(class: &[u32], weights: Option<&[f64]>) -> Vec<Portion> {
    let weight = |record: usize| weights.map_or(1.0, |w| w[record]);
    let known = (0..class.len()).filter(|&i| class[i] != UNKNOWN && weight(i) > 0.0);
    known.map(|i| Portion { record: i as u32, weight: weight(i) }).collect()
}

/// The refusal of a file that says nothing about the class.
pub(super) fn no_class(dataset: &Dataset, class: &str) -> Error {
    let problem = "no record with a known class; a tree needs records whose class is known";
    Error::input(place(dataset, class), problem)
}

/// How errors name a column.
pub(super) fn place(dataset: &Dataset, column: &str) -> String {
    format!("{}: column {column}", dataset.name())
}
