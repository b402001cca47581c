//! How a release was made, where the user knows: the flag of commands that ask.

use clap::Args;
use std::path::PathBuf;
use unmask::error::Result;
use unmask::protection::Recipe;

/// The recipe of a release.
#[derive(Args)]
pub struct RecipeFile {
    /// How the release was made (the private file OUT.recipe.toml that `unmask protect` writes):
    /// keys shows the strength of each attribute's protection, audit with --report what twice as
    /// much would do. Its seed is not given to any attacker and is in no report
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
}

impl RecipeFile {
    /// Where it is.
    pub fn path(&self) -> Option<PathBuf> {
        self.recipe.clone()
    }

    /// Reads it; none when none is given. Its checksum is not for records: who has that can try
    /// one seed after the other.
    pub fn load(&self) -> Result<Option<Recipe>> {
        self.recipe.as_deref().map(Recipe::load).transpose()
    }
}
