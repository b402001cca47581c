//! `unmask reproduce`.

use super::experiment::RunFlags;
use clap::Args;
use std::path::PathBuf;
use unmask::error::Result;
use unmask::experiment::Experiment;

/// Regenerates every published table and figure that is declared under experiments/.
///
/// The same as `unmask experiment run` on every specification there. Run it in
/// the folder of a clone; what a killed run had finished is not run again.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    unmask reproduce --quick\n  \
    unmask reproduce --threads 2 --fresh")]
pub struct Reproduce {
    /// Where the specifications are
    #[arg(long, value_name = "FOLDER", default_value = "experiments")]
    experiments: PathBuf,

    #[command(flatten)]
    flags: RunFlags,
}

impl Reproduce {
    /// Runs every specification.
    pub fn run(&self, threads: usize) -> Result<()> {
        self.flags.run(&Experiment::load_folder(&self.experiments)?, &[], threads)
    }
}
