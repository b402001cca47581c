//! Reading specifications: TOML, typed and checked before anything runs, all problems told at once.
//!
//! [`parsed`] gives the keys of a text, [`checked`] what a kind makes of them. A kind takes its
//! own out of [`KeyTable`]; the other files here read what kinds share.

mod cell;
mod check;
mod data;
mod heading;
mod parameter;
mod published;

pub(crate) use cell::{ProtectionCell, ReleaseSource, cells, release_cell};
pub(crate) use check::{KeyTable, Problems};
pub(crate) use data::{DataDigest, data_file, known_names, known_numeric};
pub use heading::Heading;
pub(crate) use published::{Publishable, Published, PublishedValue, Quantity, published};

use crate::error::{Error, Result};
use std::path::Path;
use toml::Table;

/// The text of a specification.
pub(super) fn text(file: &str) -> Result<String> {
    let path = Path::new(file);
    std::fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            let problem = "no such file; name a specification such as experiments/demo/noise.toml";
            Error::input(file, problem)
        }
        _ => Error::io(path, error),
    })
}

/// The keys in the `text` of a specification.
pub(super) fn parsed(file: &str, text: &str) -> Result<Table> {
    toml::from_str(text).map_err(|error| syntax(file, text, &error))
}

/// What `read` makes of the keys of `file`; all problems are told at once, keys
/// that it did not ask for among them.
pub(super) fn checked<T>(
    file: &str,
    table: Table,
    read: impl FnOnce(&mut KeyTable<'_>, &Problems) -> Option<T>,
) -> Result<T> {
    let problems = Problems::new(file);
    let mut whole = KeyTable::whole(table, &problems);
    let found = read(&mut whole, &problems);
    whole.finish();
    problems.into_result()?;
    found.ok_or_else(|| Error::Internal(format!("{file} was refused without a reason")))
}

fn syntax(file: &str, text: &str, error: &toml::de::Error) -> Error {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    Error::input(format!("{file}: line {line}"), error.message().replace('\n', "; "))
}
