//! Which records of two files belong together, and which columns: the flags that commands on two files
//! share.

use clap::Args;
use std::path::Path;
use unmask::dataset::{Dataset, ReadOptions};
use unmask::error::{Error, Result};
use unmask::linkage::Release;

/// Rows correspond unless it is said otherwise.
#[derive(Args)]
#[command(next_help_heading = "Which records and columns belong together")]
pub struct Correspondence {
    /// Column that says which records belong together: rows may be in any order, and records may
    /// be suppressed in the release [default: rows correspond]
    #[arg(long, value_name = "NAME")]
    pub key: Option<String>,

    /// File with the row numbers (column `record`, from 1) of original records that the
    /// release leaves out; the rows of the others correspond
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    pub discarded: Option<String>,

    /// Columns that have other names in the release
    #[arg(long, value_name = "RELEASED=ORIGINAL,...", value_delimiter = ',')]
    pub rename: Vec<String>,
}

impl Correspondence {
    /// The two files, whose records belong together as the flags say; columns have their names.
    pub fn release(&self, original: Dataset, released: Dataset) -> Result<Release> {
        match (&self.key, &self.discarded) {
            (Some(key), _) => Release::by_key(original, released, key),
            (None, None) => Release::by_row(original, released),
            (None, Some(discarded)) => {
                let rows = kept_rows(&original, discarded)?;
                let kept = Release::by_row(original.select(&rows)?, released)?;
                Ok(kept.with_rows(rows.into_iter().map(|i| i as u32).collect()))
            }
        }
    }

    /// Names of columns in the release, and in the original.
    pub fn renaming(&self) -> Result<Renaming> {
        renaming(&self.rename)
    }
}

/// Names of columns in a file, and those they go by.
pub type Renaming = Vec<(String, String)>;

/// What `--rename` says.
pub fn renaming(pairs: &[String]) -> Result<Renaming> {
    let names = |pair: &String| match pair.split_once('=') {
        Some((from, to)) => Ok((from.trim().to_owned(), to.trim().to_owned())),
        None => {
            let problem = "but a renaming is RELEASED=ORIGINAL, as in years=age";
            Err(Error::parameter("rename", pair, problem))
        }
    };
    pairs.iter().map(names).collect()
}

/// The rows of `original` whose numbers are not in the column `record` of `file`.
fn kept_rows(original: &Dataset, file: &str) -> Result<Vec<usize>> {
    let mut kept = vec![true; original.records()];
    for number in row_numbers(file)?.unwrap_or_default() {
        let place = number.checked_sub(1).and_then(|i| kept.get_mut(i)).ok_or_else(|| {
            let problem = format!("{} has records 1 to {}", original.name(), original.records());
            Error::parameter("discarded", number, format!("but {problem}; check {file}"))
        })?;
        *place = false;
    }
    Ok((0..kept.len()).filter(|&i| kept[i]).collect())
}

/// The numbers in the column `record` of `file`; `None` when it has only a header.
fn row_numbers(file: &str) -> Result<Option<Vec<usize>>> {
    let text = std::fs::read(file).map_err(|e| Error::io(Path::new(file), e))?;
    if text.trim_ascii() == b"record" {
        return Ok(None);
    }
    let numbers = Dataset::from_csv(file, &text, &ReadOptions::default())?;
    let column = numbers.complete_numeric("record", "a list of row numbers")?;
    Ok(Some(column.iter().map(|v| *v as usize).collect()))
}
