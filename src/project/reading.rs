//! How a file is read: the table `[reading]` of a project.

use crate::dataset::{DateFormat, Decimal, ReadOptions, TextEncoding};
use crate::error::{Error, Result};
use serde::Deserialize;
use std::str::FromStr;

/// How the cells of a file are read; what is not said is found in it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HowToRead {
    /// What divides the fields of a CSV file.
    pub delimiter: Option<FieldCharacter>,
    /// What stands round fields that have the delimiter in them.
    pub quote: Option<FieldCharacter>,
    /// Whether the first line names the columns; it does unless the opposite is said.
    pub header: Option<bool>,
    /// What the file is in.
    pub encoding: Option<TextEncoding>,
    /// The character before decimals, where columns may be read in two ways.
    pub decimal: Option<Decimal>,
    /// How dates are written.
    pub date_format: Option<DateFormat>,
    /// What stands for a missing value, beside the empty field.
    pub missing: Option<Vec<String>>,
}

impl HowToRead {
    /// Fails where one character would both divide and quote.
    pub(super) fn check(&self, place: &str) -> Result<()> {
        let options = self.options();
        match options.delimiter == Some(options.quote) {
            true => Err(Error::input(
                format!("{place}: reading.quote"),
                "is the delimiter, too; say another character, which need not occur",
            )),
            false => Ok(()),
        }
    }

    /// What is said, and the defaults for the rest.
    pub fn options(&self) -> ReadOptions {
        let default = ReadOptions::default();
        let missing = |tokens: &Vec<String>| [&[String::new()], tokens.as_slice()].concat();
        ReadOptions {
            delimiter: self.delimiter.map(FieldCharacter::byte),
            quote: self.quote.map_or(default.quote, FieldCharacter::byte),
            header: self.header.unwrap_or(default.header),
            missing_tokens: self.missing.as_ref().map_or(default.missing_tokens, missing),
            encoding: self.encoding,
            decimal: self.decimal,
            date_format: self.date_format.clone(),
            schema: default.schema,
        }
    }
}

/// One ASCII character that structures a CSV file; `tab` is the tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct FieldCharacter(u8);

impl FieldCharacter {
    /// The character.
    pub fn byte(self) -> u8 {
        self.0
    }
}

impl FromStr for FieldCharacter {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.as_bytes() {
            _ if matches!(text, "tab" | "\\t") => Ok(Self(b'\t')),
            [byte] if !matches!(byte, b'\r' | b'\n') => Ok(Self(*byte)),
            _ => Err("one ASCII character is needed, or tab".to_owned()),
        }
    }
}

impl TryFrom<String> for FieldCharacter {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}
