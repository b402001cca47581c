//! What the cells of a column become: as the project says, else as its values show.

use super::Reader;
use super::profile::ColumnProfile;
use crate::dataset::notes::ReadingNotes;
use crate::dataset::recognition::{Recognized, may_be_thousands};
use crate::dataset::{
    Attribute, CellMeaning, DateFormat, Decimal, Kind, Notation, NumberForm, Values, date_ranges,
};
use crate::error::{Error, Result};
use crate::words::quoted;

/// What the cells of a column become.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ColumnForm {
    Numbers(NumberForm),
    Labels,
}

impl ColumnForm {
    pub(super) fn of_numbers(notation: Notation) -> Self {
        Self::Numbers(NumberForm { notation, ..NumberForm::default() })
    }
}

impl Reader<'_> {
    /// The form of each column: as is said, else as its values show.
    pub(super) fn forms(
        &self,
        profiles: &[ColumnProfile],
        notes: &mut ReadingNotes,
    ) -> Result<Vec<ColumnForm>> {
        let elsewhere = self.decimal_elsewhere(profiles);
        let columns = self.names.iter().zip(profiles).zip(&self.dates);
        columns
            .map(|((name, profile), date)| {
                let found = self.recognized(name, profile, elsewhere);
                match self.options.schema.kind(name) {
                    Some(kind) if kind.is_label() => Ok(ColumnForm::Labels),
                    // A release may hold intervals and months in their place.
                    Some(_) if self.options.schema.of_release && profile.is_generalized() => {
                        Ok(ColumnForm::Labels)
                    }
                    // A number of the original may be an interval in its release.
                    _ if self.options.schema.of_release => {
                        self.inferred(name, profile, *date, found, notes)
                    }
                    Some(Kind::Date) => self.dates(name, profile, *date, &found),
                    Some(_) => self.numbers(name, profile, found),
                    None => self.inferred(name, profile, *date, found, notes),
                }
            })
            .collect()
    }

    /// How decimals are written in those columns that can be read in one way only, where they agree.
    pub(super) fn decimal_elsewhere(&self, profiles: &[ColumnProfile]) -> Option<Decimal> {
        let is_label = |name: &str| self.options.schema.kind(name).is_some_and(Kind::is_label);
        let columns = self.names.iter().zip(profiles).filter(|(name, _)| !is_label(name));
        let shown = columns.filter_map(|(name, profile)| profile.shows().or(self.decimal(name)));
        let mut shown: Vec<Decimal> = shown.collect();
        shown.dedup();
        match shown.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    fn recognized(
        &self,
        name: &str,
        profile: &ColumnProfile,
        elsewhere: Option<Decimal>,
    ) -> Recognized {
        if self.sheet.is_some_and(|sheet| sheet.typed_numbers) && profile.texts == 0 {
            return profile.recognized(Some(Decimal::Point));
        }
        match profile.recognized(self.decimal(name)) {
            Recognized::AmbiguousNumbers | Recognized::AmbiguousPoints => {
                profile.recognized(elsewhere)
            }
            found => found,
        }
    }

    /// The form of a column that is said to hold numbers.
    pub(super) fn numbers(
        &self,
        name: &str,
        profile: &ColumnProfile,
        found: Recognized,
    ) -> Result<ColumnForm> {
        let said = self.decimal(name);
        let notation = match (found, said) {
            (Recognized::AmbiguousPoints, _) => return Err(self.ambiguous_points(name)),
            (Recognized::As(notation @ Notation::Decimal(_)), None) => notation,
            (_, Some(decimal)) => Notation::Decimal(decimal),
            _ => Notation::Plain,
        };
        match &profile.first_text {
            Some(text) if notation == Notation::Plain => {
                let remedy = "mend it, say there what stands for a missing value (missing = [...]), or \
                              how decimals are written, or kind = \"label\"";
                Err(self.text_among_numbers(name, text, "the project says numbers", remedy))
            }
            _ => Ok(ColumnForm::of_numbers(notation)),
        }
    }

    /// The form of a column that is said to hold dates.
    pub(super) fn dates(
        &self,
        name: &str,
        profile: &ColumnProfile,
        said: Option<&DateFormat>,
        found: &Recognized,
    ) -> Result<ColumnForm> {
        let format = match (said, found) {
            (Some(format), _) => format.clone(),
            (None, Recognized::As(Notation::Date(format))) => format.clone(),
            (None, Recognized::AmbiguousDates(formats) | Recognized::ShortYears(formats)) => {
                let problem = format!("dates {}", either(formats));
                return Err(Error::input(format!("{}: column {name}", self.file), problem));
            }
            _ if profile.present() == 0 => DateFormat::iso(),
            _ => {
                let problem = "is said to hold dates, but is in no common format; say how they are \
                               written with `date_format`, as in %d.%m.%Y";
                return Err(Error::input(format!("{}: column {name}", self.file), problem));
            }
        };
        Ok(ColumnForm::of_numbers(Notation::Date(format)))
    }

    /// The form of a column whose kind is not said.
    pub(super) fn inferred(
        &self,
        name: &str,
        profile: &ColumnProfile,
        date: Option<&DateFormat>,
        found: Recognized,
        notes: &mut ReadingNotes,
    ) -> Result<ColumnForm> {
        if let Some(format) = date.filter(|_| profile.holds_said_dates()) {
            let format = format.clone();
            return Ok(ColumnForm::of_numbers(Notation::Date(format)));
        }
        if let Some(format) = date
            && let Some(form) = self.not_as_said(name, profile, format, &found, notes)?
        {
            return Ok(form);
        }
        match found {
            Recognized::As(notation) => {
                notes.tell_notation(name, &notation);
                return Ok(ColumnForm::of_numbers(notation));
            }
            Recognized::AmbiguousDates(formats) => {
                notes.warn(format!("{name} holds dates {}; read as labels", either(&formats)));
            }
            Recognized::AmbiguousNumbers => notes.warn(format!(
                "{name} may hold numbers with decimal commas or with commas between thousands: say \
                 which with `decimal`; read as labels"
            )),
            Recognized::AmbiguousPoints if self.options.schema.of_release => {
                return Err(self.ambiguous_points(name));
            }
            Recognized::AmbiguousPoints => {
                notes.warn(format!(
                    "{name} may hold numbers with decimal points or with points between thousands: \
                     say which with `decimal`; read as labels"
                ));
                return Ok(ColumnForm::Labels);
            }
            Recognized::ShortYears(formats) => notes.warn(format!(
                "{name} may hold dates with years of two digits {}; read as labels",
                either(&formats)
            )),
            Recognized::Mostly(decimal, count) if profile.numbers <= profile.texts => {
                notes.warn_mostly(name, decimal, count, profile.first_mistake.as_ref());
            }
            Recognized::Mostly(..) | Recognized::Nothing => {}
        }
        match &profile.first_mistake {
            Some(text) if profile.numbers > profile.texts => {
                let others = format!("{} other values are numbers", profile.numbers);
                let remedy = remedy_of(&profile.mistakes, name);
                Err(self.text_among_numbers(name, text, &others, &remedy))
            }
            _ if profile.texts + profile.codes > 0 => Ok(ColumnForm::Labels),
            _ => Ok(ColumnForm::of_numbers(Notation::Plain)),
        }
    }

    /// What becomes of a column that is not in the date format `said`; `None` where it is no column
    /// of dates.
    fn not_as_said(
        &self,
        name: &str,
        profile: &ColumnProfile,
        said: &DateFormat,
        found: &Recognized,
        notes: &mut ReadingNotes,
    ) -> Result<Option<ColumnForm>> {
        let Some((line, text)) = &profile.first_unsaid else { return Ok(None) };
        let is_of_column = self.options.schema.date_format(name).is_some();
        let is_strict = is_of_column && !self.options.schema.of_release;
        let mostly = 2 * profile.said_dates > profile.present() && !is_part_of_date(text, said);
        let what = format!("{} in line {line} is not {}", quoted(text), said.fields());
        match found {
            Recognized::As(Notation::Date(other)) if !is_strict && !other.has_a_rival() => {
                let other = other.clone();
                notes.warn(format!("{name} holds dates as {}: {what}", other.fields()));
                Ok(Some(ColumnForm::of_numbers(Notation::Date(other))))
            }
            Recognized::As(Notation::Date(_)) if !is_of_column => {
                notes.warn(format!(
                    "{name} holds dates in another format than the one that is said: {what}; say with \
                     `date_format` how this column is written; read as labels"
                ));
                Ok(Some(ColumnForm::Labels))
            }
            Recognized::As(Notation::Date(_)) => Err(self.no_said_date(name, *line, text, said)),
            _ if is_strict => Err(self.no_said_date(name, *line, text, said)),
            _ if mostly => {
                notes.warn(format!(
                    "{name} holds dates, but {what}; mend it or add it to `missing_tokens`; read as \
                     labels"
                ));
                Ok(Some(ColumnForm::Labels))
            }
            _ => Ok(None),
        }
    }

    fn no_said_date(&self, name: &str, line: u64, text: &str, said: &DateFormat) -> Error {
        Error::Cell {
            file: self.file.to_owned(),
            line,
            column: name.to_owned(),
            value: text.to_owned(),
            problem: format!(
                "is not a date as {}, which is said to be its `date_format`; mend it, or say how the \
                 column is written",
                said.fields()
            ),
        }
    }

    /// The error of a column that cannot be numbers before somebody says which.
    pub(super) fn ambiguous_points(&self, name: &str) -> Error {
        let problem = "numbers with decimal points or with points between thousands: say which with \
                       `decimal`, or read the column as labels with `categorical`";
        Error::input(format!("{}: column {name}", self.file), problem)
    }

    /// Fails where the ends of intervals of a release may be numbers with decimal points or with
    /// points between thousands.
    pub(super) fn check_ends(
        &self,
        attributes: &[Attribute],
        elsewhere: Option<Decimal>,
    ) -> Result<()> {
        for attribute in attributes {
            let name = &attribute.name;
            let is_label = self.options.schema.kind(name).is_some_and(Kind::is_label);
            let Values::Categorical(column) = &attribute.values else { continue };
            let decimal = self.decimal(name).or(elsewhere);
            if is_label || decimal == Some(Decimal::Point) || !may_be_thousands(column.labels()) {
                continue;
            }
            let remedy = "write intervals without points between thousands";
            return Err(match decimal {
                None => self.ambiguous_points(name),
                Some(_) => Error::input(format!("{}: column {name}", self.file), remedy),
            });
        }
        Ok(())
    }

    /// How decimals of the column are written, where that is said.
    pub(super) fn decimal(&self, name: &str) -> Option<Decimal> {
        self.options.schema.decimal(name).or(self.options.decimal)
    }
}

/// True for what stands for several dates, or for any value.
fn is_part_of_date(text: &str, format: &DateFormat) -> bool {
    date_ranges::read(text, format).is_some() || CellMeaning::read(text).is_generalized()
}

/// What to do about the texts `mistakes` among the numbers of the column `name`.
fn remedy_of(mistakes: &[String], name: &str) -> String {
    let labels = format!("or read the column as labels with `categorical` {name}");
    match mistakes {
        [] | [_] => format!("mend it, add it to `missing_tokens`, {labels}"),
        several => {
            let texts: Vec<String> = several.iter().map(|text| quoted(text)).collect();
            let texts = texts.join(", ");
            format!("no numbers are {texts}: mend them, add them to `missing_tokens`, {labels}")
        }
    }
}

/// What is to be said of dates that several `formats` fit.
pub(super) fn either(formats: &[&str]) -> String {
    format!("as {}: say which with `date_format`", formats.join(" or "))
}
