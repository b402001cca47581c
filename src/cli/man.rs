//! `unmask man`.

use super::Program;
use clap::{Args, CommandFactory};
use std::path::{Path, PathBuf};
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
        std::fs::create_dir_all(&self.out).map_err(|e| Error::io(&self.out, e))?;
        let mut program = Program::command();
        program.build();
        write_page(&self.out, "unmask", &program)?;
        for command in program.get_subcommands().filter(|c| c.get_name() != "help") {
            let name = format!("unmask-{}", command.get_name());
            write_page(&self.out, &name, command)?;
        }
        Ok(())
    }
}

fn write_page(folder: &Path, name: &str, command: &clap::Command) -> Result<()> {
    let path = folder.join(format!("{name}.1"));
    let page = clap_mangen::Man::new(command.clone()).title(name.to_uppercase());
    files::write_file(&path, true, |mut out| page.render(&mut out).map_err(|e| Error::io(&path, e)))
}
