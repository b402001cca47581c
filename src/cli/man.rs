//! `unmask man`.

use super::Program;
use clap::{Args, CommandFactory};
use std::path::PathBuf;
use unmask::error::{Error, Result};
use unmask::files;

/// Writes the man pages, one for the program and one for each command.
#[derive(Args)]
#[command(after_help = "Example:\n  unmask man --out man && man man/unmask-protect.1")]
pub struct Man {
    /// Folder to write to; made when it does not exist
    #[arg(long, value_name = "DIR", default_value = "man")]
    out: PathBuf,
}

impl Man {
    /// Writes the pages, replacing older ones.
    pub fn run(&self) -> Result<()> {
        let mut program = Program::command();
        program.build();
        let mut pages = vec![page("unmask", &program)?];
        for command in program.get_subcommands().filter(|c| c.get_name() != "help") {
            pages.push(page(&format!("unmask-{}", command.get_name()), command)?);
        }
        files::write_into(&self.out, pages.iter().map(|(name, page)| (name.as_str(), &page[..])))
    }
}

/// The name of a page's file, and the page.
fn page(name: &str, command: &clap::Command) -> Result<(String, Vec<u8>)> {
    let page = clap_mangen::Man::new(command.clone()).title(name.to_uppercase());
    let mut text = Vec::new();
    page.render(&mut text).map_err(|e| Error::Internal(e.to_string()))?;
    Ok((format!("{name}.1"), text))
}
