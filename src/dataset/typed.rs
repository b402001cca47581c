//! Columns of files whose format says what the cells are: numbers, dates or texts.

use super::attribute::Categorical;
use super::file::ReadOptions;
use super::labels::Labels;
use super::notation::is_day;
use super::recognition::may_be_thousands;
use super::{
    Attribute, DateFormat, GENERALIZED, Kind, Notation, NumberForm, Numeric, Role, Values,
};
use crate::error::{Error, Result};
use crate::words::quoted;

/// A column of `file`, and what is said about it.
#[derive(Clone)]
pub(super) struct TypedColumn<'a> {
    file: &'a str,
    pub name: &'a str,
    options: &'a ReadOptions,
    /// What the schema says, else what the file says of itself.
    kind: Option<Kind>,
    /// Numbers that stand for a missing value.
    missing: Vec<f64>,
}

impl<'a> TypedColumn<'a> {
    /// The column `name`.
    pub fn new(file: &'a str, name: &'a str, options: &'a ReadOptions) -> Self {
        let own = options.schema.missing(name).unwrap_or_default();
        let tokens = options.missing_tokens.iter().chain(own);
        let missing = tokens.filter_map(|token| token.parse().ok()).collect();
        Self { file, name, options, kind: options.schema.kind(name), missing }
    }

    /// The same column, of which the file says `kind`; what the schema says goes before.
    pub fn said(self, kind: Kind) -> Self {
        Self { kind: self.kind.or(Some(kind)), ..self }
    }

    /// What is said about the column.
    pub fn kind(&self) -> Option<Kind> {
        self.kind
    }

    /// True where the column is said to hold labels.
    pub fn is_label(&self) -> bool {
        self.kind.is_some_and(Kind::is_label)
    }

    /// `text`, unless it stands for a missing value.
    pub fn present<'t>(&self, text: &'t str) -> Option<&'t str> {
        let own = self.options.schema.missing(self.name).unwrap_or_default();
        let is_missing = self.options.missing_tokens.iter().chain(own).any(|token| token == text);
        (!is_missing).then_some(text)
    }

    /// Where the column is, for errors.
    pub fn place(&self) -> String {
        format!("{}: column {}", self.file, self.name)
    }

    fn error(&self, record: usize, value: &str, problem: &str) -> Error {
        let problem = format!("record {} is {}, which {problem}", record + 1, quoted(value));
        Error::input(self.place(), problem)
    }

    /// The attribute of numbers in `notation`.
    pub fn numbers(&self, values: Vec<Option<f64>>, notation: Notation) -> Result<Attribute> {
        let is_missing = |value: &f64| self.missing.contains(value);
        let values = values.into_iter().map(|value| value.filter(|v| !is_missing(v)));
        let values: Vec<Option<f64>> = values.collect();
        self.check(&values, &notation)?;
        if self.is_label() {
            let texts = values.iter().map(|value| value.map(|v| notation.text(v)));
            return Ok(self.attribute(Values::Categorical(Categorical::nominal(texts))));
        }
        let is_exact = !self.options.schema.of_release;
        if self.kind == Some(Kind::Date) && !notation.is_date() && is_exact {
            let problem = "holds numbers, but is said to hold dates; leave that out";
            return Err(Error::input(self.place(), problem));
        }
        let column = Numeric::new(values).ok_or_else(|| self.not_finite())?;
        let form = NumberForm { notation, ..NumberForm::default() };
        Ok(self.attribute(Values::Numeric(column.of_form(form))))
    }

    fn check(&self, values: &[Option<f64>], notation: &Notation) -> Result<()> {
        let present = values.iter().enumerate().filter_map(|(i, v)| Some((i, (*v)?)));
        for (i, value) in present {
            if !value.is_finite() {
                let problem =
                    "is not a finite number; leave the cell empty where a value is missing";
                return Err(self.error(i, &value.to_string(), problem));
            }
            if notation.is_date() && !is_day(value) {
                let problem = "is no day of the years 1 to 9999; mend it";
                return Err(self.error(i, &value.to_string(), problem));
            }
        }
        Ok(())
    }

    fn not_finite(&self) -> Error {
        Error::input(self.place(), "a value is not a finite number")
    }

    /// The attribute of texts, which are labels unless something else is said.
    pub fn texts(&self, labels: Labels) -> Result<Attribute> {
        let column = labels.finish();
        self.check_points(column.labels())?;
        let said = self.options.schema.date_format(self.name);
        let said = said.or(self.options.date_format.as_ref());
        let notation = match self.kind {
            Some(Kind::Date) => Notation::Date(said.cloned().unwrap_or_else(DateFormat::iso)),
            Some(Kind::Numeric | Kind::Integer) => {
                let said = self.options.schema.decimal(self.name).or(self.options.decimal);
                said.map_or(Notation::Plain, Notation::Decimal)
            }
            _ => return Ok(self.attribute(Values::Categorical(column))),
        };
        let read = |(code, text): (usize, &String)| {
            let first = || (0..column.len()).find(|i| column.code(*i) == Some(code as u32));
            let problem =
                || format!("is not {}, but those are said to be there", notation.in_words());
            notation
                .read(text)
                .ok_or_else(|| self.error(first().unwrap_or_default(), text, &problem()))
        };
        let numbers: Result<Vec<f64>> = column.labels().iter().enumerate().map(read).collect();
        let numbers = match numbers {
            // A release may hold intervals and months in their place.
            Err(_) if self.options.schema.of_release => {
                return Ok(self.attribute(Values::Categorical(column)));
            }
            numbers => numbers?,
        };
        let values = (0..column.len()).map(|i| column.code(i).map(|code| numbers[code as usize]));
        let generalized: Vec<usize> =
            (0..column.len()).filter(|i| column.is_generalized(*i)).collect();
        let numeric = Numeric::new(values).ok_or_else(|| self.not_finite())?;
        let form = NumberForm { notation, ..NumberForm::default() };
        Ok(self.attribute(Values::Numeric(numeric.generalize(&generalized).of_form(form))))
    }

    /// Fails on texts that are to be numbers, or stand for some in a release, with points that may
    /// stand before decimals or between thousands.
    fn check_points(&self, labels: &[String]) -> Result<()> {
        let is_number = matches!(self.kind, Some(Kind::Numeric | Kind::Integer));
        let may_be_numbers = is_number || (self.options.schema.of_release && !self.is_label());
        let said = self.options.schema.decimal(self.name).or(self.options.decimal);
        if may_be_numbers && said.is_none() && may_be_thousands(labels) {
            let problem = "numbers with decimal points or with points between thousands: say which \
                           with `decimal`";
            return Err(Error::input(self.place(), problem));
        }
        Ok(())
    }

    fn attribute(&self, values: Values) -> Attribute {
        Attribute { name: self.name.to_owned(), role: Role::Other, values }
    }
}

/// The texts of `attribute` as it stands in files without types: `None` where it is missing.
pub(super) fn cell_text(attribute: &Attribute, i: usize) -> Option<std::borrow::Cow<'_, str>> {
    match &attribute.values {
        _ if attribute.is_generalized(i) => Some(GENERALIZED.into()),
        Values::Numeric(column) => column.text(i).map(Into::into),
        Values::Categorical(column) => column.get(i).map(Into::into),
    }
}
