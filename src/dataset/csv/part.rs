//! A part of a column while it is being read.

use super::cell::Cell;
use super::form::ColumnForm;
use super::profile::ColumnProfile;
use crate::dataset::labels::Labels;
use crate::dataset::spellings::Spellings;
use crate::dataset::{Attribute, GENERALIZED, Notation, NumberForm, Numeric, Role, Values};

/// A part of a column while it is being read.
pub(super) struct Part {
    pub(super) cells: Cells,
    pub(super) spellings: Spellings,
    pub(super) form: NumberForm,
}

pub(super) enum Cells {
    /// Values and the records that are generalized.
    Numbers(Vec<Option<f64>>, Vec<usize>),
    Labels(Labels),
}

impl Part {
    pub(super) fn of(form: &ColumnForm) -> Self {
        let (cells, form) = match form {
            ColumnForm::Numbers(form) => (Cells::Numbers(Vec::new(), Vec::new()), form.clone()),
            ColumnForm::Labels => (Cells::Labels(Labels::default()), NumberForm::default()),
        };
        Self { cells, spellings: Spellings::default(), form }
    }

    /// Adds `cell`, which was read from `text`; `missing` is written for a missing value. The error
    /// is the notation in which the text is no number.
    pub(super) fn push(
        &mut self,
        cell: Cell<'_>,
        text: &str,
        missing: &str,
    ) -> std::result::Result<(), Notation> {
        let notation = &self.form.notation;
        match (&mut self.cells, cell.text()) {
            (Cells::Numbers(values, _), Some(own)) if *notation != Notation::Plain => {
                let number = notation.read(own).ok_or_else(|| notation.clone())?;
                if notation.text(number) != text {
                    self.spellings.push(values.len(), text);
                }
                values.push(Some(number));
            }
            (cells, _) => {
                let is_numeric = matches!(cells, Cells::Numbers(..));
                if !cell.is_written_as(text, missing, is_numeric) {
                    self.spellings.push(cells.len(), text);
                }
                cells.push(cell);
            }
        }
        Ok(())
    }

    pub(super) fn append(&mut self, later: Self) {
        self.spellings.append(self.cells.len(), &later.spellings);
        self.cells.append(later.cells);
    }

    pub(super) fn finish(self, name: &str, profile: &ColumnProfile) -> Attribute {
        let values = match self.cells {
            Cells::Numbers(values, generalized) => {
                let column = Numeric::new(values).expect("cells that are not finite are texts");
                let column = column.generalize(&generalized).spelled(self.spellings);
                Values::Numeric(column.of_form(self.form))
            }
            Cells::Labels(values) => {
                let mut column = values.finish().spelled(self.spellings);
                column.first_text = profile.first_text.clone();
                Values::Categorical(column)
            }
        };
        Attribute { name: name.to_owned(), role: Role::Other, values }
    }
}

impl Cells {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numbers(values, _) => values.len(),
            Self::Labels(labels) => labels.len(),
        }
    }

    pub(super) fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Numbers(values, _), Cell::Number(number, _)) => values.push(Some(number)),
            (Self::Numbers(values, _), Cell::Code(text)) => values.push(text.parse().ok()),
            (Self::Numbers(values, generalized), Cell::Generalized) => {
                generalized.push(values.len());
                values.push(None);
            }
            (Self::Numbers(values, _), _) => values.push(None),
            (Self::Labels(values), Cell::Missing(_)) => values.push(None),
            (Self::Labels(values), Cell::Generalized) => values.push(Some(GENERALIZED)),
            (Self::Labels(values), Cell::Number(_, text) | Cell::Code(text) | Cell::Text(text)) => {
                values.push(Some(text));
            }
        }
    }

    pub(super) fn append(&mut self, later: Self) {
        match (self, later) {
            (Self::Numbers(all, generalized), Self::Numbers(one, later)) => {
                generalized.extend(later.into_iter().map(|i| i + all.len()));
                all.extend(one);
            }
            (Self::Labels(all), Self::Labels(one)) => all.append(one),
            _ => unreachable!("the parts of a column are of one kind"),
        }
    }
}
