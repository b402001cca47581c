//! What a user says about a file's columns: kinds, roles and what may occur in them.
//!
//! A [project](crate::project) holds it as its tables `[attributes.NAME]`.

use super::{Bounds, CellMeaning, Dataset, DateFormat, Decimal, NumberForm, Role, Values};
use crate::error::{Error, Result};
use crate::words::quoted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How the values of an attribute are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Numbers; text in such a column is an error.
    #[serde(rename = "number", alias = "numeric")]
    Numeric,
    /// Whole numbers: what protection makes of them is whole, too.
    Integer,
    /// Days: numbers that are written as dates.
    Date,
    /// Labels without order.
    #[serde(rename = "label", alias = "nominal")]
    Nominal,
    /// Labels with an order.
    Ordinal,
    /// Labels that look like numbers, such as postal codes with leading zeros.
    Code,
}

impl Kind {
    /// Its name in a project.
    pub fn name(self) -> &'static str {
        match self {
            Self::Numeric => "number",
            Self::Integer => "integer",
            Self::Date => "date",
            Self::Nominal => "label",
            Self::Ordinal => "ordinal",
            Self::Code => "code",
        }
    }

    /// True for labels.
    pub fn is_label(self) -> bool {
        matches!(self, Self::Nominal | Self::Ordinal | Self::Code)
    }
}

/// What is said about one attribute; what is not said is inferred.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeSchema {
    /// The kind of values; inferred from the file when absent.
    pub kind: Option<Kind>,
    /// The role; `other` when absent.
    pub role: Option<Role>,
    /// The labels of an ordinal attribute from low to high.
    pub order: Option<Vec<String>>,
    /// The character before decimals; found in the file when absent.
    pub decimal: Option<Decimal>,
    /// How dates are written; found in the file when absent.
    pub date_format: Option<DateFormat>,
    /// Between which numbers all values lie, and will: `0..`, `0..100`.
    pub bounds: Option<Bounds>,
    /// What stands for a missing value in this column, beside what does in all.
    #[serde(default)]
    pub missing: Vec<String>,
    /// The file that says how its values are generalized, as `unmask lattice` takes them.
    pub hierarchy: Option<PathBuf>,
}

/// What is said about a file's attributes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// By attribute name.
    #[serde(default)]
    pub attributes: BTreeMap<String, AttributeSchema>,
    /// True where a release is read by what is said of its original: columns that it lacks are
    /// passed over, and what was a number may be an interval.
    #[serde(skip)]
    pub of_release: bool,
}

impl Schema {
    /// Fails on an order without the kind that has one, and the other way round; `place` is what
    /// the attributes are part of.
    pub(crate) fn check(&self, place: &str) -> Result<()> {
        for (name, attribute) in &self.attributes {
            let ordinal = attribute.kind == Some(Kind::Ordinal);
            if ordinal != attribute.order.is_some() {
                let problem =
                    "kind = \"ordinal\" and order = [...] go together; give both or neither";
                return Err(Error::input(format!("{place}: attributes.{name}"), problem));
            }
        }
        Ok(())
    }

    /// The kind given for `name`, if any.
    pub fn kind(&self, name: &str) -> Option<Kind> {
        self.attributes.get(name).and_then(|a| a.kind)
    }

    /// How decimals of `name` are written, where that is said.
    pub fn decimal(&self, name: &str) -> Option<Decimal> {
        self.attributes.get(name).and_then(|a| a.decimal)
    }

    /// How dates of `name` are written, where that is said.
    pub fn date_format(&self, name: &str) -> Option<&DateFormat> {
        self.attributes.get(name).and_then(|a| a.date_format.as_ref())
    }

    /// What stands for a missing value in `name` alone, where that is said.
    pub(super) fn missing(&self, name: &str) -> Option<&[String]> {
        let tokens = self.attributes.get(name).map(|a| a.missing.as_slice());
        tokens.filter(|tokens| !tokens.is_empty())
    }

    /// Says between which numbers the values of `name` lie.
    pub fn set_bounds(&mut self, name: &str, bounds: Bounds) {
        self.attributes.entry(name.to_owned()).or_default().bounds = Some(bounds);
    }

    /// The same about a file that calls columns otherwise: `(its name, the name used here)`.
    pub fn for_names<S: AsRef<str>>(&self, names: &[(S, S)]) -> Self {
        let mut schema = self.clone();
        for (from, to) in names {
            if let Some(said) = schema.attributes.remove(to.as_ref()) {
                schema.attributes.insert(from.as_ref().to_owned(), said);
            }
        }
        schema
    }

    /// Says that `name` is nominal, whatever its values look like.
    pub fn set_nominal(&mut self, name: &str) {
        let attribute = self.attributes.entry(name.to_owned()).or_default();
        (attribute.kind, attribute.order) = (Some(Kind::Nominal), None);
    }

    /// Fails on the first attribute of `dataset` with numbers outside of the bounds that are said.
    pub fn check_bounds(&self, dataset: &Dataset) -> Result<()> {
        for (name, said) in &self.attributes {
            let Some(bounds) = said.bounds else { continue };
            let Ok(position) = dataset.position(name) else { continue };
            let Values::Numeric(column) = &dataset.attributes[position].values else { continue };
            let is_outside = |value: f64| value < bounds.low || value > bounds.high;
            let outside: Vec<usize> =
                (0..column.len()).filter(|&i| column.get(i).is_some_and(is_outside)).collect();
            if let Some(first) = outside.first() {
                let problem = format!(
                    "{} of {} values lie outside of its `bounds` {}, the first in record {} ({}); mend \
                     them or widen the bounds",
                    outside.len(),
                    column.present().count(),
                    String::from(bounds),
                    first + 1,
                    column.text(*first).unwrap_or_default()
                );
                return Err(Error::input(format!("{}: column {name}", dataset.name), problem));
            }
        }
        Ok(())
    }

    /// Gives the attributes of `dataset` their roles and orders.
    ///
    /// Fails when an attribute is named that the file does not have and may not lack, when an order
    /// misses a label of the file, and on numbers out of bounds, but for those of a release. A column in which labels stand for several levels
    /// stays without order.
    pub(super) fn apply(&self, dataset: &mut Dataset) -> Result<()> {
        if !self.of_release {
            self.check_bounds(dataset)?;
        }
        for (name, said) in &self.attributes {
            let position = match dataset.position(name) {
                Err(_) if self.of_release => continue,
                found => found?,
            };
            let place = format!("{}: column {name}", dataset.name);
            let attribute = &mut dataset.attributes[position];
            attribute.role = said.role.unwrap_or(attribute.role);
            if let Values::Numeric(column) = &mut attribute.values {
                let form = said.form(column.form().clone());
                if !self.of_release {
                    column.check_form(&form).map_err(|problem| Error::input(&place, problem))?;
                }
                *column = column.clone().of_form(form);
            }
            if let (Some(order), Values::Categorical(column)) = (&said.order, &mut attribute.values)
            {
                match column.clone().ordinal(order) {
                    Ok(ordinal) => *column = ordinal,
                    // Its meaning is read where it is compared with the original.
                    Err(_) if column.labels().iter().all(|l| is_level_or_several(l, order)) => {}
                    Err(label) => {
                        let problem = format!("{} is not in its order; add it", quoted(&label));
                        return Err(Error::input(place, problem));
                    }
                }
            }
        }
        Ok(())
    }
}

impl AttributeSchema {
    /// `form` with what is said about the column.
    fn form(&self, form: NumberForm) -> NumberForm {
        NumberForm {
            whole: form.whole || self.kind == Some(Kind::Integer),
            bounds: self.bounds.unwrap_or(form.bounds),
            ..form
        }
    }
}

/// True for a label that `order` names, and for what stands for some of those.
fn is_level_or_several(label: &str, order: &[String]) -> bool {
    let is_level = |text: &str| order.iter().any(|level| level == text);
    is_level(label)
        || match CellMeaning::read(label) {
            CellMeaning::OneOf(members) => members.iter().all(|m| is_level(&m.to_string())),
            CellMeaning::Interval(_) | CellMeaning::Masked(_) | CellMeaning::Suppressed => true,
            CellMeaning::Exact(_) => false,
        }
}
