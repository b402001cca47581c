//! What a column probably is: its kind and role, each with the reason.
//!
//! The rules are few and told. Where two roles are possible, the guess is the one that gives less
//! away: an identifier is left out of releases, a quasi-identifier is protected.

use super::names::{self, found, words};
use super::scales;
use crate::anonymity::{ColumnShape, NEARLY_ALL_DIFFERENT};
use crate::dataset::{Attribute, Categorical, Dataset, Kind, Numeric, Role, Values};
use crate::error::Result;

/// In fewer records all values may differ by chance.
const FEWEST_RECORDS: usize = 30;

/// The most records that live together, on average.
const LARGEST_HOUSEHOLD: f64 = 20.0;

/// What people weigh on average, in kilograms and in pounds.
const BODIES: std::ops::RangeInclusive<f64> = 20.0..=250.0;

/// What no person weighs in either.
const HEAVIEST: f64 = 700.0;

/// Digits of a number that is rather a name.
const DIGITS_OF_A_NAME: usize = 6;

/// A column, as the rules look at it.
pub(super) struct Look<'a> {
    pub attribute: &'a Attribute,
    pub words: Vec<String>,
    /// Different values as a share of the values there are.
    pub unique_share: f64,
    pub different: usize,
    pub present: usize,
    shape: ColumnShape,
}

/// What was guessed, and why.
pub(super) struct Guess<T> {
    pub what: T,
    pub why: String,
}

impl<T> Guess<T> {
    fn new(what: T, why: impl Into<String>) -> Self {
        Self { what, why: why.into() }
    }
}

impl<'a> Look<'a> {
    pub fn at(file: &Dataset, attribute: &'a Attribute) -> Result<Self> {
        let shape = ColumnShape::of(file, attribute)?;
        let present = attribute.len() - attribute.missing();
        let different = (shape.unique_share * present as f64).round() as usize;
        let (words, unique_share) = (words(&attribute.name), shape.unique_share);
        Ok(Self { attribute, words, unique_share, different, present, shape })
    }

    /// The kind of its values.
    pub fn kind(&self) -> Guess<Kind> {
        match &self.attribute.values {
            Values::Numeric(column) if column.is_date() => {
                Guess::new(Kind::Date, "every value is a date")
            }
            Values::Numeric(column) if column.present().any(|v| v.fract() != 0.0) => {
                Guess::new(Kind::Numeric, "numbers, some with decimals")
            }
            Values::Numeric(_) => match found(&self.words, names::POSTAL) {
                Some(word) => Guess::new(Kind::Code, format!("digits that name a place: {word}")),
                None => Guess::new(Kind::Integer, "every value is a whole number"),
            },
            Values::Categorical(column) => label_kind(column),
        }
    }

    /// Its role among `all` columns.
    pub fn role(&self, all: &[Self]) -> Guess<Role> {
        if self.attribute.role != Role::Other {
            return Guess::new(self.attribute.role, "as you said");
        }
        if self.present == 0 {
            return Guess::new(Role::Other, "it has no values");
        }
        self.weight(all)
            .or_else(|| self.household())
            .or_else(|| self.named_identifier())
            .or_else(|| self.constant())
            .or_else(|| self.confidential())
            .or_else(|| self.unique())
            .or_else(|| self.body_weight())
            .unwrap_or_else(|| {
                Guess::new(Role::QuasiIdentifier, "others may know it; no other rule applies")
            })
    }

    fn weight(&self, all: &[Self]) -> Option<Guess<Role>> {
        let word = found(&self.words, names::WEIGHTS)?;
        let Values::Numeric(column) = &self.attribute.values else { return None };
        let of_a_sample = found(&self.words, names::SAMPLES).is_some();
        let positive = !column.is_date() && column.present().all(|v| v > 0.0);
        (positive && (of_a_sample || !self.may_weigh_a_body(column, all))).then(|| {
            let why = format!("its name says {word}, and every value is above 0");
            Guess::new(Role::Weight, why)
        })
    }

    /// What is called a weight and was taken for none of a record.
    fn body_weight(&self) -> Option<Guess<Role>> {
        let word = found(&self.words, names::WEIGHTS).filter(|_| self.attribute.is_numeric())?;
        let why =
            format!("its name says {word}, but it may be what people weigh, which others know");
        Some(Guess::new(Role::QuasiIdentifier, why))
    }

    /// True where the column says so, another one holds what bodies have, or its values are such as
    /// the kilograms and pounds of people.
    fn may_weigh_a_body(&self, column: &Numeric, all: &[Self]) -> bool {
        let says = found(&self.words, names::BODY_WEIGHTS).is_some();
        let beside = all.iter().any(|other| found(&other.words, names::BODIES).is_some());
        let mean = column.present().sum::<f64>() / self.present.max(1) as f64;
        says || beside || (BODIES.contains(&mean) && ends(column).1 <= HEAVIEST)
    }

    fn household(&self) -> Option<Guess<Role>> {
        let word = found(&self.words, names::HOUSEHOLDS)?;
        let of_household = |w: &String| {
            names::HOUSEHOLDS.contains(&w.as_str()) || names::KEYS.contains(&w.as_str())
        };
        let together = self.present as f64 / self.different.max(1) as f64;
        let repeats = self.unique_share < NEARLY_ALL_DIFFERENT && together <= LARGEST_HOUSEHOLD;
        (repeats && self.words.iter().all(of_household) && !self.shape.decimals).then(|| {
            let why =
                format!("its name says {word}, and {together:.1} records on average share a value");
            Guess::new(Role::Household, why)
        })
    }

    fn named_identifier(&self) -> Option<Guess<Role>> {
        let whole = self.words.concat();
        let of_person = found(&self.words, names::PERSONS).is_some();
        let word = found(&self.words, names::IDENTIFIERS).or(found(&self.words, names::KEYS))?;
        let is_sure = names::IDENTIFIERS.contains(&whole.as_str())
            || (of_person && self.words.len() == 2)
            || (self.words.last().map(String::as_str) == Some(word)
                && names::IDENTIFIERS.contains(&word)
                && self.unique_share >= 0.5);
        (is_sure && !self.shape.decimals)
            .then(|| Guess::new(Role::Identifier, format!("its name says {word}")))
    }

    fn constant(&self) -> Option<Guess<Role>> {
        self.shape
            .constant
            .then(|| Guess::new(Role::Other, "all records have the same value: it tells nobody"))
    }

    fn confidential(&self) -> Option<Guess<Role>> {
        let word = found(&self.words, names::CONFIDENTIAL)?;
        let why = format!(
            "{word} sounds like what people keep to themselves; change it if others know it"
        );
        Some(Guess::new(Role::Confidential, why))
    }

    /// Text, and numbers that look like names, nearly all of which differ.
    fn unique(&self) -> Option<Guess<Role>> {
        if !self.shape.is_unique() || self.present < FEWEST_RECORDS {
            return None;
        }
        let why = match &self.attribute.values {
            Values::Categorical(_) => "nearly all texts differ",
            Values::Numeric(column) if column.is_date() || self.shape.decimals => return None,
            Values::Numeric(column) if is_counted(column) => {
                "nearly all values differ, and they are counted through"
            }
            Values::Numeric(column) if has_equal_digits(column) => {
                "nearly all values differ, and all have as many digits"
            }
            Values::Numeric(_) => return None,
        };
        Some(Guess::new(Role::Identifier, why))
    }

    /// What somebody should look at, where the role is `role`.
    pub fn doubt(&self, role: Role) -> Option<&'static str> {
        let numeric = self.attribute.is_numeric();
        let sounds_like_weight = found(&self.words, names::WEIGHTS).is_some()
            || self
                .words
                .iter()
                .any(|w| ["wgt", "weight", "gewicht"].iter().any(|end| w.ends_with(end)));
        if role != Role::QuasiIdentifier || !numeric {
            return None;
        }
        if sounds_like_weight {
            return Some("Should it say how many people a record stands for, its role is weight.");
        }
        (self.shape.is_unique() && !self.shape.decimals && self.present >= FEWEST_RECORDS).then_some(
            "Nearly all values differ: should it be a number that somebody is known by, its role is \
             identifier.",
        )
    }
}

fn label_kind(column: &Categorical) -> Guess<Kind> {
    let labels = column.labels();
    if !labels.is_empty() && labels.iter().all(|label| is_digits(label)) {
        return Guess::new(
            Kind::Code,
            "digits that are no number, such as those with leading zeros",
        );
    }
    if column.is_ordinal() {
        return Guess::new(Kind::Ordinal, "as you said");
    }
    match scales::order(labels) {
        Some(_) => Guess::new(Kind::Ordinal, "a known scale has all of its labels"),
        None => Guess::new(Kind::Nominal, "texts, and no known scale has all of them"),
    }
}

/// The labels of an ordinal column from low to high.
pub(super) fn order_of(column: &Categorical) -> Vec<String> {
    let known = || scales::order(column.labels());
    Some(column)
        .filter(|c| !c.is_ordinal())
        .and_then(|_| known())
        .unwrap_or_else(|| column.labels().to_vec())
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// True for numbers that leave out less than every other one between the first and the last.
fn is_counted(column: &Numeric) -> bool {
    let (low, high) = ends(column);
    high - low < 2.0 * (column.len() - column.missing()) as f64
}

fn has_equal_digits(column: &Numeric) -> bool {
    let (low, high) = ends(column);
    let digits = |v: f64| format!("{v}").len();
    low > 0.0 && digits(low) == digits(high) && digits(low) >= DIGITS_OF_A_NAME
}

/// The least and the greatest value.
pub(super) fn ends(column: &Numeric) -> (f64, f64) {
    column
        .present()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}
