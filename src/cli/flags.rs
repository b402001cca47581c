//! Errors in the words of the command line.
//!
//! The library names parameters as its callers know them, in backquotes: `level_rule`. Here they
//! become the flags that a user types: --level-rule.

use super::Program;
use clap::{Command, CommandFactory};
use std::collections::BTreeSet;

/// `text` with every parameter in backquotes that is a flag of the program written as one.
pub fn with_flags(text: &str) -> String {
    let flags = long_flags(&Program::command());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_become_flags_and_other_quotes_stay() {
        let told = with_flags("cut more levels with `levels`, or another `level_rule`; `*` stays");
        assert_eq!(told, "cut more levels with --levels, or another --level-rule; `*` stays");
        assert_eq!(with_flags("an `open quote"), "an `open quote");
    }
}
