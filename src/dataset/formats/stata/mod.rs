//! Stata files (.dta): those of Stata 8 to 19 are read, written are those of Stata 14 and later.
//!
//! The layout is that of `help dta` in Stata. Sizes that a file claims are compared with the bytes
//! there are before anything is kept.

mod layout;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;

/// Days from 1960-01-01, day 0 of Stata, to 1970-01-01.
const EPOCH: f64 = 3_653.0;
/// Milliseconds of a day.
const DAY: f64 = 86_400_000.0;

/// How a column stood in the file it was read from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StataColumn {
    kind: Kind,
    /// How Stata shows it: `%td`, `%9.2f`.
    format: String,
    /// What its values stand for.
    labels: Vec<(f64, String)>,
}

/// How the cells of a column are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Byte,
    Int,
    Long,
    Float,
    Double,
    /// So many bytes of text.
    Text(usize),
    /// Texts that stand elsewhere in the file.
    LongText,
}

impl Kind {
    /// Bytes of a cell.
    fn width(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Int => 2,
            Self::Long | Self::Float => 4,
            Self::Double | Self::LongText => 8,
            Self::Text(length) => length,
        }
    }

    /// The whole numbers it holds; above are missing values.
    fn range(self) -> Option<(f64, f64)> {
        match self {
            Self::Byte => Some((-127.0, 100.0)),
            Self::Int => Some((-32_767.0, 32_740.0)),
            Self::Long => Some((-2_147_483_647.0, 2_147_483_620.0)),
            _ => None,
        }
    }
}

/// What is seen of a missing value: `.`, `.a` to `.z`.
fn missing_text(reason: u8) -> String {
    match reason {
        0 => ".".to_owned(),
        letter => format!(".{}", char::from(b'a' + letter - 1)),
    }
}

/// The reverse of [`missing_text`].
fn missing_reason(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [b'.'] => Some(0),
        [b'.', letter @ b'a'..=b'z'] => Some(letter - b'a' + 1),
        _ => None,
    }
}

/// The characteristic of a text column that holds numbers, or dates, and generalized values.
const NUMBERS_AS_TEXT: &str = "unmask_kind";
