//! The one error style: name the thing, the value, the place and the remedy.
//!
//! What is shown of values and names is short and harmless to a terminal, however it got here.

use crate::words::{excerpt, one_line, quoted, sentence};
use std::path::{Path, PathBuf};

/// What every fallible function of the library returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a command stopped. [`Error::exit_code`] maps each to the program's exit code.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// One cell of a file holds a value that cannot be used.
    #[error(
        "{}: line {line}, column {}: {} {}",
        sentence(&one_line(file)),
        excerpt(column),
        quoted(value),
        sentence(problem)
    )]
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
    #[error("{}: {}", sentence(&one_line(place)), sentence(problem))]
    Input {
        /// The file, and the column or line where it is known.
        place: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// A parameter is out of its range or does not fit the data.
    #[error("{name} = {}, {}", excerpt(value), sentence(problem))]
    Parameter {
        /// The parameter's name, as the library and recipes spell it.
        name: String,
        /// The value given.
        value: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// A specification with all its problems, each with file, key, value and remedy.
    #[error("{}", specification(.0))]
    Specification(Vec<String>),
    /// The output exists already.
    #[error("{}: exists already; choose another name or replace it with `force`", shown(.0))]
    OutputExists(PathBuf),
    /// The operating system refused to read or write.
    #[error("{}: {source}", shown(path))]
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

/// A path on one line.
fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy())
}

/// All problems, a line each.
fn specification(problems: &[String]) -> String {
    problems.iter().map(|problem| sentence(problem)).collect::<Vec<_>>().join("\nerror: ")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_short_and_have_no_control_characters() {
        let long = "\u{1b}[31mred\n".repeat(100_000);
        let cell = Error::Cell {
            file: long.clone(),
            line: 2,
            column: long.clone(),
            value: long.clone(),
            problem: long.clone(),
        };
        let all = [
            cell,
            Error::input(&long, &long),
            Error::parameter("p", &long, &long),
            Error::Specification(vec![long.clone()]),
            Error::OutputExists(PathBuf::from("a\u{1b}[31m\nb")),
        ];
        for error in all {
            let text = error.to_string();
            assert!(text.len() < 20_000, "{} bytes", text.len());
            assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        }
    }
}
