//! Files by name and extension ([`FileFormat`]), and the built-in data.

#[cfg(feature = "parquet")]
use super::arrow::{ipc as arrow, parquet};
use super::compression::Compression;
use super::csv::CsvFormat;
use super::{
    Dataset, DateFormat, Decimal, FileFormat, Schema, TextEncoding, catalog, csv, formats,
};
use crate::error::{Error, Result};
use crate::files;
use std::path::{Path, PathBuf};

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
    /// Reads `file`: a path whose extension says the format ([`FileFormat`]), or the name of a
    /// built-in data set when no such file exists.
    pub fn load(file: &str, options: &ReadOptions) -> Result<Self> {
        let path = Path::new(file);
        match catalog::find(file) {
            Some(built_in) if !path.exists() => {
                let mut dataset = csv::read(built_in.name, built_in.content, options)?;
                options.schema.apply(&mut dataset)?;
                Ok(dataset)
            }
            _ => {
                let bytes = std::fs::read(path).map_err(|e| not_readable(path, e))?;
                Self::from_bytes(file, bytes, options)
            }
        }
    }

    /// Reads the content of `file`, whose name says the format.
    pub fn from_bytes(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Self> {
        let path = Path::new(file);
        let format = FileFormat::of(path);
        if let FileFormat::Foreign(foreign) = format {
            return Err(foreign.refusal(file));
        }
        let bytes = match Compression::of(path) {
            Some((compression, _)) => compression.unpacked(file, &bytes)?,
            None => bytes,
        };
        let mut dataset = match format {
            FileFormat::Csv => csv::read(file, &bytes, options)?,
            FileFormat::Tsv => read_tabs(file, &bytes, options)?,
            FileFormat::Parquet => parquet::read(file, bytes, options)?,
            FileFormat::Arrow => arrow::read(file, bytes, options)?,
            FileFormat::Excel => formats::excel(file, bytes, options)?,
            FileFormat::Stata => formats::stata(file, bytes, options)?,
            FileFormat::SasTransport => formats::sas_transport(file, bytes, options)?,
            FileFormat::Spss => formats::spss(file, bytes, options)?,
            FileFormat::Foreign(foreign) => return Err(foreign.refusal(file)),
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

    /// The bytes [`Dataset::save`] writes for `path`; fails where its format is not written.
    pub fn to_bytes(&self, path: &Path) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let text = |format: &CsvFormat, bytes: &mut Vec<u8>| {
            csv::write(self, format, bytes).map_err(|e| Error::io(path, e))
        };
        match FileFormat::to_write(path)? {
            FileFormat::Tsv => {
                text(&CsvFormat { delimiter: b'\t', ..self.format.clone() }, &mut bytes)?;
            }
            FileFormat::Parquet => parquet::write(self, &mut bytes)?,
            FileFormat::Arrow => arrow::write(self, &mut bytes)?,
            FileFormat::Stata => formats::write_stata(self, &mut bytes)?,
            _ => text(&self.format, &mut bytes)?,
        }
        match Compression::of(path) {
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

/// Text whose extension says tabs. What a `.csv` release of it looks like says that name again.
fn read_tabs(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Dataset> {
    if options.delimiter.is_some() {
        return csv::read(file, bytes, options);
    }
    let options = ReadOptions { delimiter: Some(b'\t'), ..options.clone() };
    let mut dataset = csv::read(file, bytes, &options)?;
    dataset.format.delimiter = CsvFormat::default().delimiter;
    Ok(dataset)
}

/// Stands in for the formats that this build leaves out.
#[cfg(not(feature = "parquet"))]
mod arrow {
    pub use super::parquet::{read, write};
}

#[cfg(not(feature = "parquet"))]
mod parquet {
    use super::{Dataset, Error, ReadOptions, Result};

    const LEFT_OUT: &str = "is a Parquet or Arrow file, and this build of unmask leaves those out; \
                            convert it to CSV, or build with the feature parquet";

    pub fn read(file: &str, _bytes: Vec<u8>, _options: &ReadOptions) -> Result<Dataset> {
        Err(Error::input(file, LEFT_OUT))
    }

    pub fn write(dataset: &Dataset, _to: &mut Vec<u8>) -> Result<()> {
        Err(Error::input(dataset.name(), LEFT_OUT))
    }
}

/// `path` without the extension that says how the file is compressed.
pub(crate) fn bare_path(path: &Path) -> PathBuf {
    Compression::of(path).map_or_else(|| path.to_owned(), |(_, inside)| inside)
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
