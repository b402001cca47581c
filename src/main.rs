//! The command-line program: parse, run, report the error.

#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run() {
        Ok(code) => code,
        Err(error) => {
            cli::tell(&format!("error: {}", cli::told(&error)));
            ExitCode::from(error.exit_code())
        }
    }
}
