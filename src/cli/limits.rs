//! Whether a release keeps the limits of its project: lines, JSON and exit code.

use serde::Serialize;
use std::fmt;
use std::process::ExitCode;
use unmask::project::LimitCheck;

/// Limits that were judged, and the project that sets them.
#[derive(Serialize)]
pub struct Judged {
    #[serde(skip)]
    pub project: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitCheck>,
}

impl Judged {
    /// 3 where a limit is not kept.
    pub fn exit_code(&self) -> ExitCode {
        match self.limits.iter().all(|check| check.kept) {
            true => ExitCode::SUCCESS,
            false => ExitCode::from(3),
        }
    }
}

impl fmt::Display for Judged {
    /// After a blank line, a line for each limit; nothing where there is none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.limits.is_empty() {
            write!(f, "\n\nlimits of {}:", self.project)?;
        }
        self.limits.iter().try_for_each(|check| write!(f, "\n{check}"))
    }
}
