//! A file of records: columns, their roles, and how they are read and written.
//!
//! A [`Dataset`] is columnar. Reading and writing choose the format by the
//! file's extension ([`Dataset::load`], [`Dataset::save`]); a name from the
//! [`catalog`] can stand wherever a file is expected.

#[cfg(any(feature = "parquet", feature = "formats"))]
mod allowance;
#[cfg(feature = "parquet")]
mod arrow;
mod attribute;
pub mod catalog;
mod compression;
mod csv;
pub(crate) mod date_ranges;
mod default_attributes;
mod discretization;
mod encoding;
mod file;
mod format;
mod formats;
mod formulas;
mod generalized;
mod labels;
mod notation;
mod notes;
mod recognition;
mod schema;
mod spellings;
mod stored;
#[cfg(any(feature = "parquet", feature = "formats"))]
mod typed;

pub use attribute::{Attribute, Categorical, GENERALIZED, Numeric, Role, Values};
pub use default_attributes::DefaultAttributes;
pub use discretization::Discretization;
pub use encoding::TextEncoding;
pub use file::ReadOptions;
pub(crate) use file::{bare_path, not_readable};
pub use format::{FileFormat, Foreign};
pub use generalized::{CellMeaning, NumberInterval, ValueGroups};
pub(crate) use generalized::{finite_number, mask_fits};
pub use notation::{Bounds, DateFormat, Decimal, Notation, NumberForm};
pub use notes::ReadingNotes;
pub use schema::{AttributeSchema, Kind, Schema};

use crate::error::{Error, Result};
use crate::words::quoted;
use std::collections::HashSet;

/// A file in memory: at least one record, distinct attribute names, columns of equal length.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    name: String,
    attributes: Vec<Attribute>,
    records: usize,
    format: csv::CsvFormat,
    stored: stored::StoredColumns,
    notes: ReadingNotes,
}

impl Dataset {
    /// A data set called `name` in error messages.
    ///
    /// Fails on no attributes, no records, a duplicate name or unequal lengths.
    pub fn new(name: impl Into<String>, attributes: Vec<Attribute>) -> Result<Self> {
        let name = name.into();
        let records = attributes.first().map_or(0, Attribute::len);
        if records == 0 {
            return Err(Error::input(
                name,
                "no records; a file needs a header and at least one row",
            ));
        }
        let mut names = HashSet::new();
        for attribute in &attributes {
            if !names.insert(&attribute.name) {
                return Err(duplicate_column(&name, &attribute.name));
            }
            if attribute.len() != records {
                let problem =
                    format!("{} values, but the first column has {records}", attribute.len());
                return Err(Error::input(format!("{name}: column {}", attribute.name), problem));
            }
        }
        let (format, stored, notes) = Default::default();
        Ok(Self { name, attributes, records, format, stored, notes })
    }

    /// What error messages call this data set, usually its file name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What reading its file found and could not decide.
    pub fn notes(&self) -> &ReadingNotes {
        &self.notes
    }

    /// The delimiter of its CSV file, and of what is written of it.
    pub fn delimiter(&self) -> u8 {
        self.format.delimiter
    }

    /// What stands for a missing value in its CSV file, and in what is written of it.
    pub(crate) fn missing_token(&self) -> &str {
        &self.format.missing
    }

    /// The encoding that its CSV file was found in, where that is another than UTF-8.
    pub fn found_encoding(&self) -> Option<TextEncoding> {
        self.format.encoding
    }

    /// Number of records.
    pub fn records(&self) -> usize {
        self.records
    }

    /// All attributes in file order.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Position of the attribute `name`; the error lists the names there are.
    pub fn position(&self, name: &str) -> Result<usize> {
        self.attributes.iter().position(|a| a.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.attributes.iter().map(|a| a.name.as_str()).collect();
            let problem =
                format!("no column {}; the columns are {}", quoted(name), names.join(", "));
            Error::input(&self.name, problem)
        })
    }

    /// Positions of the attributes `names`; fails on an unknown or repeated name.
    pub fn positions<S: AsRef<str>>(&self, names: &[S]) -> Result<Vec<usize>> {
        let mut positions = Vec::with_capacity(names.len());
        for name in names {
            let position = self.position(name.as_ref())?;
            if positions.contains(&position) {
                let problem = "is named twice; name each attribute once";
                return Err(Error::parameter("attributes", name.as_ref(), problem));
            }
            positions.push(position);
        }
        Ok(positions)
    }

    /// The names of all attributes, in file order.
    pub fn names(&self) -> Vec<String> {
        self.attributes.iter().map(|a| a.name.clone()).collect()
    }

    /// The names of the attributes at `positions`.
    pub(crate) fn names_at(&self, positions: &[usize]) -> Vec<String> {
        positions.iter().map(|&i| self.attributes[i].name.clone()).collect()
    }

    /// The values of the attribute `name`.
    pub fn values(&self, name: &str) -> Result<&Values> {
        Ok(&self.attributes[self.position(name)?].values)
    }

    /// The numeric column `name`; `purpose` says what needs a numeric one.
    pub fn numeric(&self, name: &str, purpose: &str) -> Result<&Numeric> {
        self.numeric_at(self.position(name)?, purpose)
    }

    /// As [`Dataset::numeric`].
    pub(crate) fn numeric_at(&self, position: usize, purpose: &str) -> Result<&Numeric> {
        let attribute = &self.attributes[position];
        match &attribute.values {
            Values::Numeric(column) => Ok(column),
            Values::Categorical(column) => Err(self.not_numeric(&attribute.name, column, purpose)),
        }
    }

    fn not_numeric(&self, name: &str, column: &Categorical, purpose: &str) -> Error {
        let remedy = format!("but {purpose} needs numbers; mend it or leave the column out");
        match &column.first_text {
            Some((line, value)) => Error::Cell {
                file: self.name.clone(),
                line: *line,
                column: name.to_owned(),
                value: value.clone(),
                problem: format!("is not a number, {remedy}"),
            },
            None => Error::input(
                format!("{}: column {name}", self.name),
                format!("is categorical, {remedy}"),
            ),
        }
    }

    /// The numeric column `name` as a slice; fails on missing values.
    pub fn complete_numeric(&self, name: &str, purpose: &str) -> Result<&[f64]> {
        let position = self.position(name)?;
        let column = self.numeric_at(position, purpose)?;
        self.check_complete(position, purpose)?;
        Ok(column.as_complete().unwrap_or_default())
    }

    /// Fails when the attribute at `position` has missing values; `purpose` says what
    /// needs complete records.
    pub(crate) fn check_complete(&self, position: usize, purpose: &str) -> Result<()> {
        let attribute = &self.attributes[position];
        let Some(first) = attribute.first_missing() else { return Ok(()) };
        let place = format!("{}: column {}", self.name, attribute.name);
        let problem = format!(
            "{} missing values, the first in record {}, but {purpose} needs complete records; \
             fill or drop them, or leave the column out",
            attribute.missing() + attribute.generalized(),
            first + 1
        );
        Err(Error::input(place, problem))
    }

    /// The same data set with the attribute `from` called `to`; fails when there is no `from`, and
    /// when `to` is there already.
    pub fn renamed(mut self, from: &str, to: &str) -> Result<Self> {
        let (has_from, has_to) = (self.position(from).is_ok(), self.position(to).is_ok());
        if !has_from && has_to {
            let problem = format!(
                "but {} has a column {} and none {}; a renaming is RELEASED=ORIGINAL",
                self.name,
                quoted(to),
                quoted(from)
            );
            return Err(Error::parameter("rename", format!("{from}={to}"), problem));
        }
        let position = self.position(from)?;
        if from != to && self.attributes.iter().any(|a| a.name == to) {
            let problem = format!("which {} has already; choose another name", self.name);
            return Err(Error::parameter("rename", format!("{from}={to}"), problem));
        }
        to.clone_into(&mut self.attributes[position].name);
        self.stored.rename(from, to);
        Ok(self)
    }

    /// The same data set with the column at each position replaced; numbers in place of numbers
    /// keep their form ([`NumberForm`]).
    pub fn with_columns(&self, columns: impl IntoIterator<Item = (usize, Values)>) -> Self {
        let mut new: Vec<Option<Values>> = vec![None; self.attributes.len()];
        columns.into_iter().for_each(|(position, values)| new[position] = Some(values));
        let attribute = |(old, new): (&Attribute, Option<Values>)| Attribute {
            name: old.name.clone(),
            role: old.role,
            values: match (new, &old.values) {
                (None, old) => old.clone(),
                (Some(Values::Numeric(new)), Values::Numeric(old)) => {
                    Values::Numeric(new.in_place_of(old))
                }
                (Some(new), _) => new,
            },
        };
        Self {
            name: self.name.clone(),
            attributes: self.attributes.iter().zip(new).map(attribute).collect(),
            records: self.records,
            format: self.format.clone(),
            stored: self.stored.clone(),
            notes: self.notes.clone(),
        }
    }

    /// The same data set with one more attribute; fails on a name there is already and on
    /// another number of records.
    pub fn with_attribute(mut self, attribute: Attribute) -> Result<Self> {
        self.attributes.push(attribute);
        let (format, stored, notes) = (self.format, self.stored, self.notes);
        let whole = Self::new(self.name, self.attributes)?;
        Ok(Self { format, stored, notes, ..whole })
    }

    /// The records `rows`, in that order.
    pub fn select(&self, rows: &[usize]) -> Result<Self> {
        let attributes = self.attributes.iter().map(|a| a.select(rows)).collect();
        let mut selected = Self::new(self.name.clone(), attributes)?;
        selected.format = self.format.clone();
        selected.stored = self.stored.clone();
        Ok(selected)
    }

    /// The records in which no value is missing or generalized; fails when there is none.
    pub fn complete_records(&self) -> Result<Self> {
        let is_complete = |i: &usize| self.attributes.iter().all(|a| a.has_value(*i));
        let rows: Vec<usize> = (0..self.records()).filter(is_complete).collect();
        self.select(&rows)
    }

    /// The names of the attributes of one role.
    pub fn names_with(&self, role: Role) -> Vec<String> {
        let of_role = self.attributes.iter().filter(|a| a.role == role);
        of_role.map(|a| a.name.clone()).collect()
    }

    /// The same data set without the attributes of `role`.
    pub fn without_role(&self, role: Role) -> Result<Self> {
        let mut kept = self.clone();
        kept.attributes.retain(|a| a.role != role);
        if kept.attributes.is_empty() {
            return Err(Error::input(
                &self.name,
                "no attribute is left after dropping identifiers",
            ));
        }
        Ok(kept)
    }

    /// Sets the role of each of the attributes `names`.
    pub fn set_role<S: AsRef<str>>(&mut self, names: &[S], role: Role) -> Result<()> {
        for position in self.positions(names)? {
            self.attributes[position].role = role;
        }
        Ok(())
    }
}

/// More columns than anybody published, fewer than cost minutes.
const MOST_COLUMNS: usize = 65_536;

/// Fails when `file` has more columns than are read.
fn check_columns(file: &str, columns: usize) -> Result<()> {
    if columns <= MOST_COLUMNS {
        return Ok(());
    }
    let problem = format!(
        "{columns} columns, but {MOST_COLUMNS} is the most that is read; check the delimiter, and \
         that records are rows"
    );
    Err(Error::input(file, problem))
}

pub(crate) fn duplicate_column(file: &str, column: &str) -> Error {
    let problem = format!("two columns are called {}; column names must differ", quoted(column));
    Error::input(format!("{file}: line 1"), problem)
}
