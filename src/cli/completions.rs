//! `unmask completions`.

use super::Program;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use unmask::error::Result;

/// Prints the completion script of a shell.
#[derive(Args)]
#[command(after_help = "Example:\n  unmask completions bash > /etc/bash_completion.d/unmask")]
pub struct Completions {
    /// The shell to complete for
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub fn run(&self) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Program::command(), "unmask", &mut script);
        super::print(String::from_utf8_lossy(&script).trim_end())
    }
}
