//! The one error style: name the thing, the value, the place and the remedy.

use std::path::{Path, PathBuf};

/// What every fallible function of the library returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a command stopped. [`Error::exit_code`] maps each to the program's exit code.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// One cell of a file holds a value that cannot be used.
    #[error("{file}: line {line}, column {column}: {value:?} {problem}")]
    Cell {
        /// The file as the user named it.
        file: String,
        /// Line in the file, the header being line 1.
        line: u64,
        /// Name of the column.
        column: String,
        /// The value as it stands in the file.
        value: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// A file, or a named part of it, cannot be used as asked.
    #[error("{place}: {problem}")]
    Input {
        /// The file, and the column or line where it is known.
        place: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// A parameter is out of its range or does not fit the data.
    #[error("{name} = {value}, {problem}")]
    Parameter {
        /// The parameter's name, as the library and recipes spell it.
        name: String,
        /// The value given.
        value: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// A specification with all its problems, each with file, key, value and remedy.
    #[error("{}", .0.join("\nerror: "))]
    Specification(Vec<String>),
    /// The output exists already.
    #[error("{}: exists already; choose another name or replace it with `force`", .0.display())]
    OutputExists(PathBuf),
    /// The operating system refused to read or write.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file concerned.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The listener asked to stop before there was anything to give.
    #[error("interrupted before it was done")]
    Interrupted,
    /// Something that cannot happen did: a defect in unmask.
    #[error("internal error: {0}; please report it with the command you typed")]
    Internal(String),
}

impl Error {
    /// An [`Error::Input`] about `place`.
    pub fn input(place: impl Into<String>, problem: impl Into<String>) -> Self {
        let (place, problem) = (place.into(), problem.into());
        Self::Input { place, problem }
    }

    /// An [`Error::Parameter`] about `name = value`.
    pub fn parameter(
        name: impl Into<String>,
        value: impl ToString,
        problem: impl Into<String>,
    ) -> Self {
        Self::Parameter { name: name.into(), value: value.to_string(), problem: problem.into() }
    }

    /// An [`Error::Io`] about `path`.
    pub fn io(path: &Path, source: std::io::Error) -> Self {
        let path = path.to_owned();
        Self::Io { path, source }
    }

    /// 2 for everything a user can mend, 1 for a defect of ours, 130 after an interruption.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Internal(_) => 1,
            Self::Interrupted => 130,
            _ => 2,
        }
    }
}
