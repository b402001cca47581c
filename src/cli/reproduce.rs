//! `unmask reproduce`.

use super::experiment::{How, load};
use clap::Args;
use std::path::PathBuf;
use unmask::error::Result;
use unmask::experiment::specifications_under;

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
    how: How,
}

impl Reproduce {
    /// Runs every specification.
    pub fn run(&self, threads: usize) -> Result<()> {
        let specifications = load(&specifications_under(&self.experiments)?)?;
        self.how.run(specifications, Vec::new(), threads)
    }
}
