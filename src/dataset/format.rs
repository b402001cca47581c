//! Which format a file is in: its extension says.

use super::compression::Compression;
use crate::error::{Error, Result};
use std::path::Path;

/// The format of a file of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// Text with a delimiter: .csv, no extension, and what no other format is called.
    Csv,
    /// Text with tabs: .tsv, .tab.
    Tsv,
    /// .parquet, .pq
    Parquet,
    /// Arrow IPC files: .arrow, .feather, .ipc
    Arrow,
    /// .xlsx, .xlsm
    Excel,
    /// .dta
    Stata,
    /// SAS transport files: .xpt
    SasTransport,
    /// .sav, .zsav
    Spss,
    /// What is refused with the command that converts it.
    Foreign(Foreign),
}

/// Formats that are known and not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// .sas7bdat
    Sas,
    /// .por
    SpssPortable,
    /// .xls, .xlsb, .ods
    Spreadsheet,
    /// .rds
    R,
}

/// What can be written, for errors.
const WRITTEN: &str = "files are written as .csv, .tsv, .parquet, .arrow or .dta by their extension \
                       (.gz or .zst after .csv and .tsv)";

impl FileFormat {
    /// The format that the extension of `path` names, under .gz or .zst where there is one.
    pub fn of(path: &Path) -> Self {
        match Compression::of(path) {
            Some((_, inside)) => Self::named(&inside).unwrap_or(Self::Csv),
            None => Self::named(path).unwrap_or(Self::Csv),
        }
    }

    /// `None` for an extension of no format.
    fn named(path: &Path) -> Option<Self> {
        let Some(extension) = path.extension() else { return Some(Self::Csv) };
        match extension.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "parquet" | "pq" => Some(Self::Parquet),
            "arrow" | "feather" | "ipc" => Some(Self::Arrow),
            "xlsx" | "xlsm" => Some(Self::Excel),
            "dta" => Some(Self::Stata),
            "xpt" => Some(Self::SasTransport),
            "sav" | "zsav" => Some(Self::Spss),
            "sas7bdat" => Some(Self::Foreign(Foreign::Sas)),
            "por" => Some(Self::Foreign(Foreign::SpssPortable)),
            "xls" | "xlsb" | "ods" => Some(Self::Foreign(Foreign::Spreadsheet)),
            "rds" => Some(Self::Foreign(Foreign::R)),
            _ => None,
        }
    }

    /// The format in which `path` is written; fails where it cannot be, so that a command can
    /// refuse before it computes anything.
    pub fn to_write(path: &Path) -> Result<Self> {
        let refuse = |problem: String| Err(Error::input(path.display().to_string(), problem));
        let compression = Compression::of(path);
        let inside = compression.as_ref().map_or(path, |(_, inside)| inside);
        let left_out = |feature: &str| {
            format!(
                "this build of unmask leaves that format out; write .csv, or build with the \
                     feature {feature}"
            )
        };
        match (Self::named(inside), &compression) {
            (_, Some((Compression::Zstandard, _))) if !cfg!(feature = "parquet") => {
                refuse(left_out("parquet"))
            }
            (Some(format @ (Self::Csv | Self::Tsv)), _) => Ok(format),
            (Some(Self::Parquet | Self::Arrow), None) if !cfg!(feature = "parquet") => {
                refuse(left_out("parquet"))
            }
            (Some(Self::Stata), None) if !cfg!(feature = "formats") => refuse(left_out("formats")),
            (Some(format @ (Self::Parquet | Self::Arrow | Self::Stata)), None) => Ok(format),
            _ => refuse(format!("cannot be written in that format; {WRITTEN}")),
        }
    }
}

impl Foreign {
    /// Why `file` is not read, and the command that converts it.
    pub(super) fn refusal(self, file: &str) -> Error {
        let (what, convert) = match self {
            Self::Sas => (
                "a SAS data set, of which only transport files (.xpt) are read",
                r#"python -c "import sys, pyreadstat as p; d, m = p.read_sas7bdat(sys.argv[1]); p.write_sav(d, 'converted.sav', variable_value_labels=m.variable_value_labels)""#,
            ),
            Self::SpssPortable => (
                "an SPSS portable file, of which only .sav and .zsav are read",
                r#"python -c "import sys, pyreadstat as p; d, m = p.read_por(sys.argv[1]); p.write_sav(d, 'converted.sav', variable_value_labels=m.variable_value_labels)""#,
            ),
            Self::Spreadsheet => (
                "a spreadsheet, of which only .xlsx and .xlsm are read",
                "soffice --headless --convert-to xlsx",
            ),
            Self::R => (
                "an R file",
                r#"Rscript -e 'arrow::write_parquet(readRDS(commandArgs(TRUE)[1]), "converted.parquet")'"#,
            ),
        };
        // No shell takes part of the name for an option or a command.
        Error::input(file, format!("is {what}; convert it with {convert} and the name of the file"))
    }
}
