//! Errors in the words of the command line.
//!
//! The library names parameters as its callers know them, in backquotes: `level_rule`. Here they
//! become the flags that a user types: --level-rule.

use super::Program;
use clap::{Command, CommandFactory};
use std::collections::BTreeSet;
use unmask::error::Error;

/// `error` as a user of the program reads it: parameters are flags. What is wrong with a
/// specification is told in the words of its keys.
pub fn told(error: &Error) -> String {
    let flags = long_flags(&Program::command());
    match error {
        Error::Specification(_) => error.to_string(),
        Error::Parameter { name, .. } if flags.contains(&name.replace('_', "-")) => {
            let told = with_flags(&error.to_string(), &flags);
            format!("--{}{}", name.replace('_', "-"), &told[name.len()..])
        }
        _ => with_flags(&error.to_string(), &flags),
    }
}

/// A sentence of the library as a user of the program reads it.
pub fn in_flags(text: &str) -> String {
    with_flags(text, &long_flags(&Program::command()))
}

/// `text` with every parameter in backquotes that is among `flags` written as one.
fn with_flags(text: &str, flags: &BTreeSet<String>) -> String {
    let mut parts = text.split('`');
    let mut told = parts.next().unwrap_or_default().to_owned();
    // Odd parts stand in backquotes, if they are closed.
    while let Some(quoted) = parts.next() {
        let flag = quoted.replace('_', "-");
        match parts.next() {
            Some(after) if flags.contains(&flag) => told += &format!("--{flag}{after}"),
            Some(after) => told += &format!("`{quoted}`{after}"),
            None => told += &format!("`{quoted}"),
        }
    }
    told
}

/// The long flags of a command and all of its subcommands.
fn long_flags(command: &Command) -> BTreeSet<String> {
    let own = command.get_arguments().filter_map(|a| a.get_long().map(str::to_owned));
    own.chain(command.get_subcommands().flat_map(long_flags)).collect()
}
