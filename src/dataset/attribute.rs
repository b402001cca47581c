//! One attribute (column) of a file: its values, and the role it plays.

use super::labels::Labels;
use super::notation::NumberForm;
use super::spellings::Spellings;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// What stands in a file for a generalized value: one that covers every value.
///
/// A generalized value is unknown to whoever asks for the value; who must tell
/// it from a missing one asks `is_generalized`.
pub const GENERALIZED: &str = "*";

/// What an attribute is to an attacker, and so what protection does with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names a person unambiguously; never protected, dropped on request.
    Identifier,
    /// Known to the attacker from elsewhere; what protection methods change.
    QuasiIdentifier,
    /// What the attacker wants to learn; released as it is.
    Confidential,
    /// How many people of the population a record stands for; released as it is.
    Weight,
    /// Which records live together; no value of a person.
    Household,
    /// Nothing was said about it.
    #[default]
    Other,
}

impl Role {
    /// Its name in a project.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::QuasiIdentifier => "quasi-identifier",
            Self::Confidential => "confidential",
            Self::Weight => "weight",
            Self::Household => "household",
            Self::Other => "other",
        }
    }
}

/// A numeric column. A missing value is explicit: [`Numeric::get`] gives `None`.
///
/// Inside, and only inside, a missing value is a NaN and a generalized one is
/// infinite; every constructor refuses NaN and infinite numbers, so they can never
/// be confused.
#[derive(Debug, Clone)]
pub struct Numeric {
    values: Vec<f64>,
    missing: usize,
    generalized: usize,
    /// Cells that were read in another spelling than they would be written in.
    spellings: Spellings,
    form: NumberForm,
}

const GENERALIZED_NUMBER: f64 = f64::INFINITY;

impl PartialEq for Numeric {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
        self.is_date() == other.is_date()
            && self.len() == other.len()
            && self.values.iter().zip(&other.values).all(same)
    }
}

impl Numeric {
    /// A column with missing values; `None` when a number is not finite.
    pub fn new(values: impl IntoIterator<Item = Option<f64>>) -> Option<Self> {
        let mut column = Self::counted(Vec::new());
        for value in values {
            match value {
                Some(number) if !number.is_finite() => return None,
                Some(number) => column.values.push(number),
                None => {
                    column.values.push(f64::NAN);
                    column.missing += 1;
                }
            }
        }
        Some(column)
    }

    /// A column without missing values; `None` when a number is not finite.
    pub fn complete(values: Vec<f64>) -> Option<Self> {
        let finite = values.iter().all(|v| v.is_finite());
        finite.then(|| Self::counted(values))
    }

    /// The same column with the values of `records` generalized.
    pub(super) fn generalize(mut self, records: &[usize]) -> Self {
        records.iter().for_each(|&i| self.values[i] = GENERALIZED_NUMBER);
        Self::counted(self.values).spelled(self.spellings).of_form(self.form)
    }

    /// A column of numbers, NaN where missing and infinite where generalized.
    fn counted(values: Vec<f64>) -> Self {
        let missing = values.iter().filter(|v| v.is_nan()).count();
        let generalized = values.iter().filter(|v| v.is_infinite()).count();
        let (spellings, form) = <(Spellings, NumberForm)>::default();
        Self { values, missing, generalized, spellings, form }
    }

    /// The same numbers as numbers of `form`; they are not changed.
    pub fn of_form(self, form: NumberForm) -> Self {
        Self { form, ..self }
    }

    /// How the numbers are written, and which may occur.
    pub fn form(&self) -> &NumberForm {
        &self.form
    }

    /// True when the numbers are dates, in days since 1970-01-01.
    pub fn is_date(&self) -> bool {
        self.form.notation.is_date()
    }

    /// How the value of record `i` is written, but for spaces and zeros it was read with; `None`
    /// when it is missing or generalized.
    pub fn text(&self, i: usize) -> Option<String> {
        self.get(i).map(|value| self.form.notation.text(value))
    }

    /// The values of all records as they are written.
    pub fn texts(&self) -> impl Iterator<Item = Option<String>> + '_ {
        (0..self.len()).map(|i| self.text(i))
    }

    /// Fails on a number that is not whole where `form` says so, with what is wrong.
    pub(super) fn check_form(&self, form: &NumberForm) -> std::result::Result<(), String> {
        let wrong = (0..self.len()).find(|&i| self.get(i).is_some_and(|v| form.fitted(v) != v));
        match wrong.map(|i| (i, self.values[i])) {
            Some((i, value)) if form.whole && value.fract() != 0.0 => Err(format!(
                "record {} is {value}, but the column is said to hold whole numbers; say number",
                i + 1
            )),
            _ => Ok(()),
        }
    }

    /// This column in place of `old`: written as that was, and inside of what may occur there.
    ///
    /// Every number is fitted, also one that did not change, so that equal numbers stay equal.
    pub(super) fn in_place_of(self, old: &Self) -> Self {
        let form = &old.form;
        let fitted = match form.allows_all() {
            true => self,
            false => self.map_present(|_, value| form.fitted(value)),
        };
        fitted.of_form(form.clone())
    }

    /// The same column, some cells of which are written as `spellings` say.
    pub(super) fn spelled(self, spellings: Spellings) -> Self {
        Self { spellings, ..self }
    }

    /// True when the value of record `i` covers every number.
    pub fn is_generalized(&self, i: usize) -> bool {
        self.values[i].is_infinite()
    }

    /// Number of generalized values.
    pub fn generalized(&self) -> usize {
        self.generalized
    }

    /// The value of record `i`, `None` when it is missing or generalized.
    pub fn get(&self, i: usize) -> Option<f64> {
        Some(self.values[i]).filter(|v| v.is_finite())
    }

    /// All values in record order.
    pub fn iter(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        self.values.iter().map(|v| Some(*v).filter(|v| v.is_finite()))
    }

    /// The values that are neither missing nor generalized, in record order.
    pub fn present(&self) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().copied().filter(|v| v.is_finite())
    }

    /// The values as a slice, `None` when any is missing or generalized.
    pub fn as_complete(&self) -> Option<&[f64]> {
        (self.missing + self.generalized == 0).then_some(&self.values)
    }

    /// The same column with every present value replaced by what `change` gives
    /// for (record, value); missing values stay missing and generalized ones generalized.
    pub fn map_present(&self, mut change: impl FnMut(usize, f64) -> f64) -> Self {
        let mut values = self.values.clone();
        for (i, v) in values.iter_mut().enumerate().filter(|(_, v)| v.is_finite()) {
            *v = change(i, *v);
        }
        let spellings = self.spellings.filtered(|i| !self.values[i].is_finite());
        let (missing, generalized, form) = (self.missing, self.generalized, self.form.clone());
        Self { values, missing, generalized, spellings, form }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True when the column has no records.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Number of missing values.
    pub fn missing(&self) -> usize {
        self.missing
    }
}

/// A categorical column: a code per record into `labels`.
#[derive(Debug, Clone, PartialEq)]
pub struct Categorical {
    codes: Vec<u32>,
    labels: Vec<String>,
    ordered: bool,
    /// Line and text of the first value that is not a number, where the reader knows it.
    pub(crate) first_text: Option<(u64, String)>,
    /// As in [`Numeric`].
    spellings: Spellings,
}

/// The code of a missing value.
pub(super) const MISSING_CODE: u32 = u32::MAX;
/// The code of a generalized value.
pub(super) const GENERALIZED_CODE: u32 = u32::MAX - 1;

impl Categorical {
    /// A nominal column from labels; codes are given in order of first appearance.
    /// The label [`GENERALIZED`] is a value that covers every label.
    pub fn nominal<S: AsRef<str>>(values: impl IntoIterator<Item = Option<S>>) -> Self {
        let mut labels = Labels::default();
        values.into_iter().for_each(|value| labels.push(value.as_ref().map(S::as_ref)));
        labels.finish()
    }

    /// A nominal column from codes and what they stand for.
    pub(super) fn from_codes(codes: Vec<u32>, labels: Vec<String>) -> Self {
        Self { codes, labels, ordered: false, first_text: None, spellings: Spellings::default() }
    }

    /// As [`Numeric::spelled`].
    pub(super) fn spelled(self, spellings: Spellings) -> Self {
        Self { spellings, ..self }
    }

    /// The same column, ordinal: codes follow `order`. The label that `order`
    /// does not name comes back as the error.
    pub fn ordinal(self, order: &[String]) -> std::result::Result<Self, String> {
        let mut new_code = Vec::with_capacity(self.labels.len());
        for label in &self.labels {
            let position = order.iter().position(|o| o == label);
            new_code.push(position.ok_or_else(|| label.clone())? as u32);
        }
        let recode = |&c: &u32| new_code.get(c as usize).copied().unwrap_or(c);
        Ok(Self {
            codes: self.codes.iter().map(recode).collect(),
            labels: order.to_vec(),
            ordered: true,
            first_text: self.first_text,
            spellings: self.spellings,
        })
    }

    /// The same labels with other codes, each of which must have a label; none is a missing value.
    pub(crate) fn with_codes(&self, codes: impl IntoIterator<Item = Option<u32>>) -> Self {
        let codes: Vec<u32> = codes.into_iter().map(|c| c.unwrap_or(MISSING_CODE)).collect();
        debug_assert!(codes.iter().all(|&c| c == MISSING_CODE || (c as usize) < self.labels.len()));
        Self { codes, ..self.clone_labels() }
    }

    /// Code of record `i`, `None` when it is missing or generalized.
    pub fn code(&self, i: usize) -> Option<u32> {
        Some(self.codes[i]).filter(|c| *c < GENERALIZED_CODE)
    }

    /// True when the value of record `i` covers every label.
    pub fn is_generalized(&self, i: usize) -> bool {
        self.codes[i] == GENERALIZED_CODE
    }

    /// Number of generalized values.
    pub fn generalized(&self) -> usize {
        self.codes.iter().filter(|c| **c == GENERALIZED_CODE).count()
    }

    /// Label of record `i`, `None` when it is missing or generalized.
    pub fn get(&self, i: usize) -> Option<&str> {
        self.code(i).map(|c| self.labels[c as usize].as_str())
    }

    /// The labels, by code; for an ordinal column in their order.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// True when the labels have an order.
    pub fn is_ordinal(&self) -> bool {
        self.ordered
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// True when the column has no records.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Number of missing values.
    pub fn missing(&self) -> usize {
        self.codes.iter().filter(|c| **c == MISSING_CODE).count()
    }

    fn select(&self, rows: &[usize]) -> Self {
        let codes = rows.iter().map(|&i| self.codes[i]).collect();
        Self { codes, spellings: self.spellings.select(rows), ..self.clone_labels() }
    }

    fn clone_labels(&self) -> Self {
        Self {
            codes: Vec::new(),
            labels: self.labels.clone(),
            ordered: self.ordered,
            first_text: self.first_text.clone(),
            spellings: Spellings::default(),
        }
    }
}

/// The values of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Numbers.
    Numeric(Numeric),
    /// Labels, nominal or ordinal.
    Categorical(Categorical),
}

/// A named column with its role.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// The column's name.
    pub name: String,
    /// What the attribute is to an attacker.
    pub role: Role,
    /// One value per record.
    pub values: Values,
}

impl Attribute {
    /// A numeric attribute without missing values.
    ///
    /// Fails when a value is NaN or infinite.
    pub fn numeric(name: impl Into<String>, values: Vec<f64>) -> Result<Self> {
        let name = name.into();
        let column = Numeric::complete(values).ok_or_else(|| {
            Error::input(&name, "a value is NaN or infinite; numeric attributes are finite")
        })?;
        Ok(Self { name, role: Role::Other, values: Values::Numeric(column) })
    }

    /// A nominal attribute.
    pub fn nominal<S: AsRef<str>>(
        name: impl Into<String>,
        values: impl IntoIterator<Item = Option<S>>,
    ) -> Self {
        let values = Values::Categorical(Categorical::nominal(values));
        Self { name: name.into(), role: Role::Other, values }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        match &self.values {
            Values::Numeric(column) => column.len(),
            Values::Categorical(column) => column.len(),
        }
    }

    /// True when the attribute has no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True for numeric attributes.
    pub fn is_numeric(&self) -> bool {
        matches!(self.values, Values::Numeric(_))
    }

    /// Number of missing values.
    pub fn missing(&self) -> usize {
        match &self.values {
            Values::Numeric(column) => column.missing(),
            Values::Categorical(column) => column.missing(),
        }
    }

    /// Number of generalized values.
    pub fn generalized(&self) -> usize {
        match &self.values {
            Values::Numeric(column) => column.generalized(),
            Values::Categorical(column) => column.generalized(),
        }
    }

    /// True when every value is missing or generalized.
    pub fn is_blank(&self) -> bool {
        self.missing() + self.generalized() == self.len()
    }

    /// True when the value of record `i` covers every value.
    pub fn is_generalized(&self, i: usize) -> bool {
        match &self.values {
            Values::Numeric(column) => column.is_generalized(i),
            Values::Categorical(column) => column.is_generalized(i),
        }
    }

    /// True when record `i` has no value, not even a generalized one.
    pub(super) fn is_missing(&self, i: usize) -> bool {
        match &self.values {
            Values::Numeric(column) => column.values[i].is_nan(),
            Values::Categorical(column) => column.codes[i] == MISSING_CODE,
        }
    }

    /// What stands for the value that record `i` lacks, where a file says `token` unless it says how.
    pub(crate) fn missing_text<'a>(&'a self, i: usize, token: &'a str) -> Option<&'a str> {
        self.is_missing(i).then(|| self.spelling(i).unwrap_or(token))
    }

    /// How the value of record `i` was read, where it would be written in another way.
    pub(super) fn spelling(&self, i: usize) -> Option<&str> {
        match &self.values {
            Values::Numeric(column) => column.spellings.get(i),
            Values::Categorical(column) => column.spellings.get(i),
        }
    }

    /// True when the value of record `i` is neither missing nor generalized.
    pub fn has_value(&self, i: usize) -> bool {
        match &self.values {
            Values::Numeric(column) => column.get(i).is_some(),
            Values::Categorical(column) => column.code(i).is_some(),
        }
    }

    /// The first record without a value.
    pub fn first_missing(&self) -> Option<usize> {
        match &self.values {
            Values::Numeric(column) => column.iter().position(|v| v.is_none()),
            Values::Categorical(column) => (0..column.len()).find(|&i| column.code(i).is_none()),
        }
    }

    /// The attribute of the records `rows`, in that order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let values = match &self.values {
            Values::Numeric(column) => {
                let values = rows.iter().map(|&i| column.values[i]).collect();
                let spellings = column.spellings.select(rows);
                let form = column.form.clone();
                Values::Numeric(Numeric::counted(values).spelled(spellings).of_form(form))
            }
            Values::Categorical(column) => Values::Categorical(column.select(rows)),
        };
        Self { name: self.name.clone(), role: self.role, values }
    }
}
