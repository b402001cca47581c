//! How to make a report again, from the flags that made it.

use super::learning::{Learning, merged};
use super::made_by::MadeBy;
use super::release::ReleaseFiles;
use serde_json::{Value, json};
use unmask::error::Result;
use unmask::report::{Reproduction, shell_line};

/// The command, the seeds, the files and the settings; `own` are those of one command alone.
pub fn reproduction(
    release: &ReleaseFiles,
    learning: &Learning,
    made_by: &MadeBy,
    own: Value,
) -> Result<Reproduction> {
    Ok(Reproduction {
        version: env!("CARGO_PKG_VERSION"),
        command: command_line(),
        seeds: json!({ "samples": release.seed, "protection": made_by.seed() }),
        files: release.digests()?,
        settings: merged([learning.settings(), own]),
    })
}

/// The command as it was typed, for a shell.
fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    shell_line(std::iter::once("unmask".to_owned()).chain(words))
}
