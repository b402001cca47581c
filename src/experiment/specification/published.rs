//! What is measured in a cell, and what a publication says about it.

use super::check::{KeyTable, Problems};
use serde::Deserialize;
use std::fmt;
use toml::Value;

/// A quantity of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quantity {
    /// Percent re-identified with equal weights.
    Dbrl1,
    /// Percent re-identified with the best weights.
    WorstCase,
    /// As [`Quantity::Dbrl1`], on records that were not learned from.
    HeldOutDbrl1,
    /// Percent of the records not learned from that the learned weights re-identify.
    HeldOutWorstCase,
    /// Percent re-identified by the attack of this name.
    Attack(String),
    /// Percent re-identified by one attribute alone.
    Single(String),
    /// The learned weight of an attribute.
    Weight(String),
}

impl Quantity {
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

    /// The section of the results that it belongs to.
    pub fn section(&self) -> &str {
        match self {
            Self::Dbrl1 => "dbrl1",
            Self::WorstCase => "worst case",
            Self::HeldOutDbrl1 => "held-out dbrl1",
            Self::HeldOutWorstCase => "held-out worst case",
            Self::Attack(name) => name,
            Self::Single(_) => "single attributes",
            Self::Weight(_) => "weights",
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single(attribute) => write!(f, "single {attribute}"),
            Self::Weight(attribute) => write!(f, "weight {attribute}"),
            other => f.write_str(other.section()),
        }
    }
}

/// A published mean and, where it is printed, the standard deviation of the runs.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedValue {
    /// The cell's name.
    pub cell: String,
    /// What was measured.
    pub quantity: Quantity,
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
    /// The number for `quantity` in `cell`, if there is one.
    pub fn get(&self, cell: &str, quantity: &Quantity) -> Option<&PublishedValue> {
        self.values.iter().find(|v| v.cell == cell && v.quantity == *quantity)
    }
}

/// `99.65`, or `[99.65, 0.253]` with its standard deviation.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Mean(f64),
    WithDeviation([f64; 2]),
}

/// What published numbers may speak of.
pub struct Publishable<'a> {
    /// Names of the cells.
    pub cells: &'a [&'a str],
    /// Names of the known attributes.
    pub attributes: &'a [String],
    /// Names of attacks beyond those that every specification knows.
    pub attacks: &'a [String],
}

/// Reads `[published]`.
pub fn published(
    mut section: KeyTable<'_>,
    of: &Publishable<'_>,
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
        if !of.cells.contains(&cell.as_str()) {
            let cells = of.cells.join(", ");
            to.say(format!("{place} is no cell of this file; the cells are {cells}"));
        }
        let Value::Table(values) = values else {
            to.add(&place, values, "but a table such as { dbrl1 = 99.65 } is needed");
            continue;
        };
        for (key, value) in values {
            let place = format!("{place}.{key}");
            published.values.extend(read(&cell, &place, &key, value, of, to));
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
    of: &Publishable<'_>,
    to: &Problems,
) -> Vec<PublishedValue> {
    let by_attribute: Option<fn(String) -> Quantity> = match key {
        "single" => Some(Quantity::Single),
        "weights" => Some(Quantity::Weight),
        _ => None,
    };
    match (by_attribute, value) {
        (Some(quantity), Value::Table(table)) => table
            .into_iter()
            .filter_map(|(attribute, value)| {
                let place = format!("{place}.{attribute}");
                if !of.attributes.contains(&attribute) {
                    let names = of.attributes.join(", ");
                    to.add(&place, &value, format!("but the known attributes are {names}"));
                }
                number(cell, &place, quantity(attribute), value, to)
            })
            .collect(),
        (None, value) => {
            let quantity = match key {
                "dbrl1" => Quantity::Dbrl1,
                "worst_case" => Quantity::WorstCase,
                "held_out_dbrl1" => Quantity::HeldOutDbrl1,
                "held_out_worst_case" => Quantity::HeldOutWorstCase,
                name if of.attacks.iter().any(|attack| attack == name) => {
                    Quantity::Attack(name.to_owned())
                }
                _ => {
                    to.add(place, value, unknown_measure(of.attacks));
                    return Vec::new();
                }
            };
            number(cell, place, quantity, value, to).into_iter().collect()
        }
        (Some(_), value) => {
            to.add(place, value, "but a table with one number per attribute is needed");
            Vec::new()
        }
    }
}

fn unknown_measure(attacks: &[String]) -> String {
    let fixed = "dbrl1, worst_case, held_out_dbrl1, held_out_worst_case, single, weights";
    let attacks: String = attacks.iter().map(|name| format!(", {name}")).collect();
    format!("which is no measure; they are {fixed}{attacks}")
}

fn number(
    cell: &str,
    place: &str,
    quantity: Quantity,
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
    Some(PublishedValue { cell: cell.to_owned(), quantity, mean, deviation })
}
