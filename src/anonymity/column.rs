//! Whether a column gives people away by itself.

use super::EquivalenceClasses;
use crate::dataset::{Attribute, Dataset, Role, Values};
use crate::error::Result;

/// A column identifies by itself from this share of different values.
pub(crate) const NEARLY_ALL_DIFFERENT: f64 = 0.95;

/// A column that is known as it is published finds many from this share of different values.
const HALF_DIFFERENT: f64 = 0.5;

/// What a column that is known as it is published does to the people in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// It names them.
    Identifies,
    /// Whoever knows its exact numbers finds them.
    Warns,
}

/// How far the values of one column tell records apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ColumnShape {
    /// Different values as a share of the values there are.
    pub unique_share: f64,
    /// True when it holds numbers with decimals.
    pub decimals: bool,
    /// True when all records have the same value.
    pub constant: bool,
}

impl ColumnShape {
    /// The shape of `column`, one of those of `file`. Cost: O(n).
    pub fn of(file: &Dataset, column: &Attribute) -> Result<Self> {
        // A missing value has a class of its own.
        let classes = EquivalenceClasses::new(file, &[&column.name])?.len();
        let values = classes - usize::from(column.missing() > 0);
        let present = column.len() - column.missing();
        Ok(Self {
            unique_share: if present == 0 { 0.0 } else { values as f64 / present as f64 },
            decimals: has_decimals(column),
            constant: classes == 1,
        })
    }

    /// True when nearly all values differ.
    pub fn is_unique(&self) -> bool {
        self.unique_share >= NEARLY_ALL_DIFFERENT && !self.constant
    }

    /// Whether the column `name` of this shape and `role` gives people away: identifiers do, and
    /// so do whole numbers or text that are `unchanged`, nearly all different, and neither
    /// confidential nor a weight (called `weight`, or ending in that word, in any case); numbers with
    /// decimals warn.
    pub fn telling(&self, name: &str, role: Role, unchanged: bool) -> Option<Telling> {
        match role {
            Role::Identifier => Some(Telling::Identifies),
            _ if !(self.is_unique() && is_open(name, role) && unchanged) => None,
            _ if self.decimals => Some(Telling::Warns),
            _ => Some(Telling::Identifies),
        }
    }

    /// Whether such a column, unchanged, finds many although not nearly all: at least half of its
    /// values differ, and they are whole numbers or text.
    pub fn finds_many(&self, name: &str, role: Role) -> bool {
        let many = self.unique_share >= HALF_DIFFERENT && !self.constant;
        many && !self.is_unique() && !self.decimals && is_open(name, role)
    }
}

/// True for what others may know: neither confidential nor a weight.
pub(crate) fn is_open(name: &str, role: Role) -> bool {
    !matches!(role, Role::Confidential | Role::Weight) && !is_weight(name)
}

/// True when the name is `weight` or its last word is, as in `hh_weight` and `sampleWeight`.
fn is_weight(name: &str) -> bool {
    let Some((before, last)) = name.len().checked_sub(6).and_then(|at| name.split_at_checked(at))
    else {
        return false;
    };
    let is_word = !before.ends_with(char::is_alphanumeric)
        || (last.starts_with('W') && before.ends_with(char::is_lowercase));
    last.eq_ignore_ascii_case("weight") && is_word
}

fn has_decimals(attribute: &Attribute) -> bool {
    match &attribute.values {
        Values::Numeric(column) => column.present().any(|v| v.fract() != 0.0),
        Values::Categorical(_) => false,
    }
}
