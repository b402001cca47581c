//! Files by name and extension: CSV, Parquet, and the built-in data.

use super::compression::Compression;
#[cfg(feature = "parquet")]
use super::parquet;
use super::{Dataset, DateFormat, Decimal, Schema, TextEncoding, catalog, csv};
use crate::error::{Error, Result};
use crate::files;
use std::path::Path;

/// How a file is read. The defaults fit an ordinary CSV file with a header.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// Field delimiter of a CSV file; found in its first line when `None`.
    pub delimiter: Option<u8>,
    /// Quote character of a CSV file.
    pub quote: u8,
    /// True when the first line of a CSV file names the columns.
    pub header: bool,
    /// What stands for a missing value.
    pub missing_tokens: Vec<String>,
    /// The encoding of a CSV file; found when `None`.
    pub encoding: Option<TextEncoding>,
    /// The character before decimals in columns that may be read in two ways; found when `None`.
    pub decimal: Option<Decimal>,
    /// How dates are written in columns of which nothing else is said; found when `None`.
    pub date_format: Option<DateFormat>,
    /// What is said about the columns.
    pub schema: Schema,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            delimiter: None,
            quote: b'"',
            header: true,
            missing_tokens: ["", "NA", "?"].map(String::from).to_vec(),
            encoding: None,
            decimal: None,
            date_format: None,
            schema: Schema::default(),
        }
    }
}

impl Dataset {
    /// Reads `file`: a path whose extension says the format (`.parquet`, else
    /// CSV), or the name of a built-in data set when no such file exists.
    pub fn load(file: &str, options: &ReadOptions) -> Result<Self> {
        let path = Path::new(file);
        let mut dataset = match catalog::find(file) {
            Some(built_in) if !path.exists() => {
                csv::read(built_in.name, built_in.content, options)?
            }
            _ => {
                let bytes = std::fs::read(path).map_err(|e| not_readable(path, e))?;
                let (bytes, path) = match Compression::of(path) {
                    Some((compression, inside)) => (compression.unpacked(file, &bytes)?, inside),
                    None => (bytes, path.to_owned()),
                };
                match is_parquet(&path) {
                    true => parquet::read(file, bytes, options)?,
                    false => csv::read(file, &bytes, options)?,
                }
            }
        };
        options.schema.apply(&mut dataset)?;
        Ok(dataset)
    }

    /// Reads CSV text already in memory, called `name` in errors.
    pub fn from_csv(name: &str, text: &[u8], options: &ReadOptions) -> Result<Self> {
        let mut dataset = csv::read(name, text, options)?;
        options.schema.apply(&mut dataset)?;
        Ok(dataset)
    }

    /// Reads a Parquet file already in memory, called `name` in errors.
    pub fn from_parquet(name: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Self> {
        let mut dataset = parquet::read(name, bytes, options)?;
        options.schema.apply(&mut dataset)?;
        Ok(dataset)
    }

    /// The bytes [`Dataset::save`] writes for `path`.
    pub fn to_bytes(&self, path: &Path) -> Result<Vec<u8>> {
        let compression = Compression::of(path);
        let inside = compression.as_ref().map_or(path, |(_, inside)| inside);
        let mut bytes = Vec::new();
        match is_parquet(inside) {
            true => parquet::write(self, &mut bytes)?,
            false => csv::write(self, &mut bytes).map_err(|e| Error::io(path, e))?,
        }
        match compression {
            Some((compression, _)) => compression.packed(&bytes).map_err(|e| Error::io(path, e)),
            None => Ok(bytes),
        }
    }

    /// Writes `path` in one step, in the format of its extension; an existing
    /// file is replaced only with `force`.
    pub fn save(&self, path: &Path, force: bool) -> Result<()> {
        files::check_writable(path, force)?;
        let bytes = self.to_bytes(path)?;
        files::write_file(path, force, |out| out.write_all(&bytes).map_err(|e| Error::io(path, e)))
    }
}

/// Stands in for the format that this build leaves out.
#[cfg(not(feature = "parquet"))]
mod parquet {
    use super::{Dataset, Error, ReadOptions, Result};

    const LEFT_OUT: &str = "is a Parquet file, and this build of unmask leaves Parquet out; \
                            convert it to CSV, or build with the feature parquet";

    pub fn read(file: &str, _bytes: Vec<u8>, _options: &ReadOptions) -> Result<Dataset> {
        Err(Error::input(file, LEFT_OUT))
    }

    pub fn write(dataset: &Dataset, _to: &mut Vec<u8>) -> Result<()> {
        Err(Error::input(dataset.name(), LEFT_OUT))
    }
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("parquet"))
}

pub(crate) fn not_readable(path: &Path, error: std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            let names: Vec<&str> = catalog::ALL.iter().map(|b| b.name).collect();
            let problem = match names.is_empty() {
                true => "no such file".to_owned(),
                false => format!("no such file; the built-in data sets are {}", names.join(", ")),
            };
            Error::input(path.display().to_string(), problem)
        }
        _ => Error::io(path, error),
    }
}
