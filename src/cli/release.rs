//! The two files of a release, and which part of them is attacked: the flags
//! that auditing commands share.

use super::files::Files;
use clap::{Args, ValueEnum};
use unmask::distance::Standardisation;
use unmask::error::Result;
use unmask::learning::Aggregation;
use unmask::linkage::Release;

/// Original and released file.
#[derive(Args)]
pub struct ReleaseFiles {
    /// The attacker's file, or the name of a built-in data set
    #[arg(long, value_name = "FILE")]
    original: String,

    /// The released file
    #[arg(long, value_name = "FILE")]
    released: String,

    /// Column that says which records belong together; the original file may
    /// then hold only some of the records [default: rows correspond]
    #[arg(long, value_name = "NAME")]
    key: Option<String>,

    /// Attributes the attacker knows [default: the quasi-identifiers, or all
    /// numeric ones that are neither identifier nor confidential]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    attributes: Vec<String>,

    /// Attack a random sample of N records; rates then carry a 95% interval
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,

    /// Seed of the samples
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    #[command(flatten)]
    files: Files,
}

/// What the weights are learned for.
#[derive(Args)]
pub struct Distance {
    /// What numeric values are divided by before they are compared
    #[arg(long, value_enum, default_value_t = Standardize::Own)]
    pub standardize: Standardize,

    /// What the learned weights belong to
    #[arg(long, value_enum, default_value_t = Aggregation::WeightedMean)]
    pub aggregation: Aggregation,
}

/// What numeric values are divided by.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Standardize {
    /// Each file by its own means and standard deviations
    Own,
    /// Both files by the original's
    Original,
    /// Values as they are
    None,
}

impl Standardize {
    /// As the library knows it.
    pub fn standardisation(self) -> Standardisation<'static> {
        match self {
            Self::Own => Standardisation::Own,
            Self::Original => Standardisation::Original,
            Self::None => Standardisation::Raw,
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Original => "original",
            Self::None => "none",
        }
    }
}

impl ReleaseFiles {
    /// The whole release.
    pub fn load(&self) -> Result<Release> {
        let original = self.files.load(&self.original)?;
        let released = self.files.load(&self.released)?;
        match &self.key {
            Some(key) => Release::by_key(original, released, key),
            None => Release::by_row(original, released),
        }
    }

    /// The release, or the sample of it.
    pub fn load_sample(&self) -> Result<Release> {
        let whole = self.load()?;
        match self.sample {
            Some(size) => whole.sample(size, self.seed),
            None => Ok(whole),
        }
    }

    /// The attributes to compare.
    pub fn attributes(&self, release: &Release) -> Result<Vec<String>> {
        match self.attributes.as_slice() {
            [] => release.default_attributes(self.key.as_deref()),
            names => Ok(names.to_vec()),
        }
    }
}
