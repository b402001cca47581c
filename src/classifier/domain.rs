//! The values of an attribute as small integers.

use crate::dataset::{Attribute, Values};

/// The code of a value that is not known.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// The values an attribute had in training, sorted; a value's code is its place among them.
///
/// Sorting makes the codes independent of the order of the records.
#[derive(Debug, Clone, PartialEq)]
pub enum Domain {
    /// Labels; a test has a branch for each.
    Labels(Vec<String>),
    /// Numbers; a test compares with one of them.
    Numbers(Vec<f64>),
}

impl Domain {
    /// The domain of `attribute`, without the labels that stand for an unknown value.
    pub(super) fn of(attribute: &Attribute, unknown: &[String]) -> Self {
        match &attribute.values {
            Values::Categorical(column) => {
                let mut present = vec![false; column.labels().len()];
                let codes = (0..column.len()).filter_map(|i| column.code(i));
                codes.for_each(|code| present[code as usize] = true);
                let labels = column.labels().iter().zip(present);
                let known = labels.filter(|(label, here)| *here && !unknown.contains(label));
                let mut labels: Vec<String> = known.map(|(label, _)| label.clone()).collect();
                labels.sort_unstable();
                Self::Labels(labels)
            }
            Values::Numeric(column) => {
                let mut numbers: Vec<f64> = column.present().collect();
                numbers.sort_unstable_by(f64::total_cmp);
                // `==` and not the bits: -0 and 0 are one number.
                numbers.dedup();
                Self::Numbers(numbers)
            }
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Labels(labels) => labels.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }

    /// True when every value in training was unknown.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of every record of `attribute`; [`UNKNOWN`] where the value is
    /// missing or, for labels, was never seen in training. `None` when the
    /// attribute is of the other kind.
    ///
    /// A number that was never seen gets the code of the next larger one, so that
    /// comparing codes with a threshold is comparing numbers with it.
    pub(super) fn encode(&self, attribute: &Attribute) -> Option<Vec<u32>> {
        match (self, &attribute.values) {
            (Self::Labels(labels), Values::Categorical(column)) => {
                let place = |label| labels.binary_search(label).map_or(UNKNOWN, |code| code as u32);
                let codes: Vec<u32> = column.labels().iter().map(place).collect();
                let code = |i| column.code(i).map_or(UNKNOWN, |code| codes[code as usize]);
                Some((0..column.len()).map(code).collect())
            }
            (Self::Numbers(numbers), Values::Numeric(column)) => {
                let code = |value: f64| numbers.partition_point(|n| *n < value) as u32;
                Some(column.iter().map(|value| value.map_or(UNKNOWN, code)).collect())
            }
            // A column without a single known value has no kind of its own.
            _ if none_known(attribute) => Some(vec![UNKNOWN; attribute.len()]),
            _ => None,
        }
    }
}

/// True when every value is missing or generalized.
pub(super) fn none_known(attribute: &Attribute) -> bool {
    match &attribute.values {
        Values::Numeric(column) => column.present().next().is_none(),
        Values::Categorical(column) => (0..column.len()).all(|i| column.code(i).is_none()),
    }
}
