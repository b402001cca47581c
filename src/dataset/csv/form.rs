//! What the cells of a column become: as the project says, else as its values show.

use super::Reader;
use super::profile::ColumnProfile;
use crate::dataset::notes::ReadingNotes;
use crate::dataset::recognition::Recognized;
use crate::dataset::{DateFormat, Decimal, Kind, Notation, NumberForm};
use crate::error::{Error, Result};

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
        let profiled = self.names.iter().zip(profiles);
        let found: Vec<Recognized> =
            profiled.map(|(name, profile)| profile.recognized(self.decimal(name))).collect();
        let decimals =
            |decimal: Decimal| found.contains(&Recognized::As(Notation::Decimal(decimal)));
        let elsewhere = match [Decimal::Comma, Decimal::Point].map(decimals) {
            [true, false] => Some(Decimal::Comma),
            [false, true] => Some(Decimal::Point),
            _ => None,
        };
        let columns = self.names.iter().zip(profiles).zip(&self.dates).zip(found);
        columns
            .map(|(((name, profile), date), found)| {
                let found = match found {
                    Recognized::AmbiguousNumbers => profile.recognized(elsewhere),
                    found => found,
                };
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
                    // Years.
                    Some(Kind::Date)
                        if self.options.schema.of_release
                            && profile.numbers == profile.present() =>
                    {
                        Ok(ColumnForm::of_numbers(Notation::Plain))
                    }
                    Some(Kind::Date) => self.dates(name, profile, *date, &found),
                    Some(_) => self.numbers(name, profile, found),
                    None => self.inferred(name, profile, *date, found, notes),
                }
            })
            .collect()
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
            (Recognized::As(notation @ Notation::Decimal(_)), None) => notation,
            (_, Some(decimal)) => Notation::Decimal(decimal),
            _ => Notation::Plain,
        };
        match &profile.first_text {
            Some(text) if notation == Notation::Plain => {
                Err(self.text_among_numbers(name, text, "the project says numbers"))
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
            (None, Recognized::AmbiguousDates(formats)) => {
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
            Recognized::Mostly(decimal, count) if profile.numbers <= profile.texts => {
                notes.warn_mostly(name, decimal, count, profile.first_mistake.as_ref());
            }
            Recognized::Mostly(..) | Recognized::Nothing => {}
        }
        match &profile.first_mistake {
            Some(text) if profile.numbers > profile.texts => {
                let others = format!("{} other values are numbers", profile.numbers);
                Err(self.text_among_numbers(name, text, &others))
            }
            _ if profile.texts + profile.codes > 0 => Ok(ColumnForm::Labels),
            _ => Ok(ColumnForm::of_numbers(Notation::Plain)),
        }
    }

    /// How decimals of the column are written, where that is said.
    pub(super) fn decimal(&self, name: &str) -> Option<Decimal> {
        self.options.schema.decimal(name).or(self.options.decimal)
    }
}

/// What is to be said of dates that several `formats` fit.
pub(super) fn either(formats: &[&str]) -> String {
    format!("as {}: say which with `date_format`", formats.join(" or "))
}
