//! How a release was made, where the user knows or guesses: the flags of commands that ask.

use clap::Args;
use std::path::PathBuf;
use unmask::error::Result;
use unmask::linkage::Release;
use unmask::protection::{Recipe, Supposed, Supposition};

/// The recipe of a release.
#[derive(Args)]
pub struct RecipeFile {
    /// How the release was made (the private file OUT.recipe.toml that `unmask protect` writes):
    /// keys shows the strength of each attribute's protection, audit with --report what twice as
    /// much would do; link and audit attack as who knows the method. Its seed is not given to any
    /// attacker and is in no report
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

/// How attackers who know the method are told of it.
#[derive(Args)]
pub struct KnownMethod {
    #[command(flatten)]
    recipe: RecipeFile,

    /// A guess at how the release was made, for attackers who know the method, where there is no
    /// recipe: "rank-swapping --p 5..20", "noise --p 16"; what is left out is estimated from
    /// the release
    #[arg(long, value_name = "METHOD", conflicts_with = "recipe")]
    suppose: Option<Supposition>,
}

impl KnownMethod {
    /// The recipe.
    pub fn recipe(&self) -> &RecipeFile {
        &self.recipe
    }

    /// The guess, where there is one.
    pub fn supposed(&self) -> Option<Supposition> {
        self.suppose.clone()
    }

    /// `release` to attackers who know how it was made, where that is told or guessed; with what
    /// they estimated.
    pub fn tell(&self, release: Release) -> Result<(Release, Option<Supposed>)> {
        match (self.recipe.load()?, &self.suppose) {
            (Some(recipe), _) => Ok((release.made_by(&recipe)?, None)),
            (None, Some(supposed)) => {
                let (release, supposed) = release.supposed(supposed)?;
                Ok((release, Some(supposed)))
            }
            (None, None) => Ok((release, None)),
        }
    }
}
