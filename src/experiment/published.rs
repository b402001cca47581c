//! What is measured in a cell, and what a publication says about it.

use super::check::{Problems, Section};
use serde::Deserialize;
use std::fmt;
use toml::Value;

/// A quantity of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// Percent re-identified with equal weights.
    Dbrl1,
    /// Percent re-identified with the best weights.
    WorstCase,
    /// As [`Measure::Dbrl1`], on records that were not learned from.
    HeldOutDbrl1,
    /// Percent of the records not learned from that the learned weights re-identify.
    HeldOutWorstCase,
    /// Percent re-identified by one attribute alone.
    Single(String),
    /// The learned weight of an attribute.
    Weight(String),
}

impl Measure {
    /// Percentages are counted in records, weights are not.
    pub fn is_percent(&self) -> bool {
        !matches!(self, Self::Weight(_))
    }

    /// The attribute, for measures of a single one.
    pub fn attribute(&self) -> Option<&String> {
        match self {
            Self::Single(attribute) | Self::Weight(attribute) => Some(attribute),
            _ => None,
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dbrl1 => f.write_str("dbrl1"),
            Self::WorstCase => f.write_str("worst case"),
            Self::HeldOutDbrl1 => f.write_str("held-out dbrl1"),
            Self::HeldOutWorstCase => f.write_str("held-out worst case"),
            Self::Single(attribute) => write!(f, "single {attribute}"),
            Self::Weight(attribute) => write!(f, "weight {attribute}"),
        }
    }
}

/// A published mean and, where it is printed, the standard deviation of the runs.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedValue {
    /// The cell's name.
    pub cell: String,
    /// What was measured.
    pub measure: Measure,
    /// In percent, or a weight.
    pub mean: f64,
    /// In the same unit.
    pub deviation: Option<f64>,
}

/// The `[published]` part of a specification.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Published {
    /// Where the numbers stand.
    pub citation: String,
    /// Runs behind each number; as many as ours when not given.
    pub runs: Option<usize>,
    /// All numbers.
    pub values: Vec<PublishedValue>,
}

impl Published {
    /// The number for `measure` in `cell`, if there is one.
    pub fn get(&self, cell: &str, measure: &Measure) -> Option<&PublishedValue> {
        self.values.iter().find(|v| v.cell == cell && v.measure == *measure)
    }
}

/// `99.65`, or `[99.65, 0.253]` with its standard deviation.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Mean(f64),
    WithDeviation([f64; 2]),
}

/// Reads `[published]`; `cells` and `attributes` are those of the study.
pub fn published(
    mut section: Section<'_>,
    cells: &[&str],
    attributes: &[String],
    to: &Problems,
) -> Option<Published> {
    let (place, table) = section.section("cells").rest();
    let citation: Option<String> = section.take("citation");
    let runs: Option<usize> = section.take("runs");
    section.finish();
    if runs == Some(0) {
        to.add("published.runs", 0, "but a mean needs at least one run");
    }
    let citation = citation.unwrap_or_default();
    let mut published = Published { citation, runs, values: Vec::new() };
    for (cell, values) in table {
        let place = format!("{place}.{cell:?}");
        if !cells.contains(&cell.as_str()) {
            to.say(format!("{place} is no cell of this file; the cells are {}", cells.join(", ")));
        }
        let Value::Table(values) = values else {
            to.add(&place, values, "but a table such as { dbrl1 = 99.65 } is needed");
            continue;
        };
        for (key, value) in values {
            let place = format!("{place}.{key}");
            published.values.extend(read(&cell, &place, &key, value, attributes, to));
        }
    }
    if published.citation.is_empty() && !published.values.is_empty() {
        to.say("published.citation is missing; say where the numbers stand");
    }
    (!published.values.is_empty()).then_some(published)
}

fn read(
    cell: &str,
    place: &str,
    key: &str,
    value: Value,
    attributes: &[String],
    to: &Problems,
) -> Vec<PublishedValue> {
    let by_attribute: Option<fn(String) -> Measure> = match key {
        "single" => Some(Measure::Single),
        "weights" => Some(Measure::Weight),
        _ => None,
    };
    match (by_attribute, value) {
        (Some(measure), Value::Table(table)) => table
            .into_iter()
            .filter_map(|(attribute, value)| {
                let place = format!("{place}.{attribute}");
                if !attributes.contains(&attribute) {
                    let names = attributes.join(", ");
                    to.add(&place, &value, format!("but the known attributes are {names}"));
                }
                number(cell, &place, measure(attribute), value, to)
            })
            .collect(),
        (None, value) => {
            let measure = match key {
                "dbrl1" => Measure::Dbrl1,
                "worst_case" => Measure::WorstCase,
                "held_out_dbrl1" => Measure::HeldOutDbrl1,
                "held_out_worst_case" => Measure::HeldOutWorstCase,
                _ => {
                    let problem = "which is no measure; they are dbrl1, worst_case, \
                                   held_out_dbrl1, held_out_worst_case, single, weights";
                    to.add(place, value, problem);
                    return Vec::new();
                }
            };
            number(cell, place, measure, value, to).into_iter().collect()
        }
        (Some(_), value) => {
            to.add(place, value, "but a table with one number per attribute is needed");
            Vec::new()
        }
    }
}

fn number(
    cell: &str,
    place: &str,
    measure: Measure,
    value: Value,
    to: &Problems,
) -> Option<PublishedValue> {
    let shown = value.to_string();
    let (mean, deviation) = match value.try_into() {
        Ok(Number::Mean(mean)) => (mean, None),
        Ok(Number::WithDeviation([mean, deviation])) => (mean, Some(deviation)),
        Err(_) => {
            to.add(place, shown, "but a number, or [mean, standard deviation], is needed");
            return None;
        }
    };
    Some(PublishedValue { cell: cell.to_owned(), measure, mean, deviation })
}
