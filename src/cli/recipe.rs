//! How a release was made, where the user knows: the flag of commands that ask.

use clap::Args;
use std::path::PathBuf;
use unmask::error::Result;
use unmask::files::FileDigest;
use unmask::protection::Recipe;

/// The recipe of a release.
#[derive(Args)]
pub struct RecipeFile {
    /// How the release was made (TOML, as `unmask protect --recipe` writes it): keys shows the
    /// strength of each attribute's protection, audit with --report what twice as much would do
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
}

impl RecipeFile {
    /// Its checksum, where there is one.
    pub fn digest(&self) -> Result<Option<FileDigest>> {
        let digest = |path: &PathBuf| FileDigest::of("recipe", &path.to_string_lossy());
        self.recipe.as_ref().map(digest).transpose()
    }

    /// Reads it; none when none is given.
    pub fn load(&self) -> Result<Option<Recipe>> {
        self.recipe.as_deref().map(Recipe::load).transpose()
    }
}
