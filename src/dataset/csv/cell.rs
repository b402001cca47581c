//! Cells as they are read.

use crate::dataset::GENERALIZED;
use crate::dataset::spellings::is_canonical;

/// What one cell holds.
pub(super) enum Cell<'a> {
    Missing(&'a str),
    Generalized,
    Number(f64, &'a str),
    Code(&'a str),
    Text(&'a str),
}

impl Cell<'_> {
    /// The text of a cell that holds a value.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Missing(_) | Self::Generalized => None,
            Self::Number(_, text) | Self::Code(text) | Self::Text(text) => Some(text),
        }
    }

    /// True when a cell that was read from `text` is written as that text.
    pub(super) fn is_written_as(&self, text: &str, missing: &str, in_numeric_column: bool) -> bool {
        match self {
            Self::Missing(_) => text == missing,
            Self::Generalized => text == GENERALIZED,
            Self::Number(number, _) if in_numeric_column => is_canonical(text, *number),
            // A code in a column that is said to hold numbers is the number it spells.
            Self::Code(code) if in_numeric_column => {
                code.parse().is_ok_and(|number| is_canonical(text, number))
            }
            Self::Number(_, label) | Self::Code(label) | Self::Text(label) => text == *label,
        }
    }
}

/// True for digits that stand for a name: leading zeros, or an integer a float cannot hold.
pub(super) fn is_code(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text).as_bytes();
    let integer = digits.iter().all(u8::is_ascii_digit);
    let padded = digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit();
    padded || (integer && digits.len() > 15 && text.parse::<f64>().is_ok_and(|v| v.abs() > 9e15))
}
