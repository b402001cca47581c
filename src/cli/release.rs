//! The two files of a release, and which part of them is attacked: the flags
//! that auditing commands share.

use super::correspondence::Correspondence;
use super::reading::{Reading, files_in};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use unmask::audit::Haystack;
use unmask::distance::Standardization;
use unmask::error::{Error, Result};
use unmask::files::FileDigest;
use unmask::lattice::find_hierarchies;
use unmask::learning::Aggregation;
use unmask::learning::certificate::CertifiedFiles;
use unmask::linkage::Release;
use unmask::project::Limits;

/// Original and released file.
#[derive(Args)]
pub struct ReleaseFiles {
    /// The attacker's file, or the name of a built-in data set
    #[arg(long, value_name = "FILE")]
    pub original: String,

    /// The released file; commands that compare releases take several
    #[arg(long, value_name = "FILE", required = true)]
    pub released: Vec<String>,

    /// Folder that says what names in the release stand for: for each column that needs it
    /// COLUMN.csv or COLUMN.toml, as `unmask lattice` takes them. Intervals (20-29, [20, 30[, <20,
    /// 90+), sets ({a|b}) and masked codes (08***) are read without [default: the files that the
    /// project names]
    #[arg(long, value_name = "DIR")]
    hierarchies: Option<PathBuf>,

    /// Attributes the attacker knows [default: the quasi-identifiers; without any, all attributes
    /// that are neither identifier nor confidential]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub attributes: Vec<String>,

    /// Look for a random sample of N records of the original
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,

    /// Among which released records the sample is looked for
    #[arg(long, value_enum, default_value_t = Haystack::Whole)]
    pub haystack: Haystack,

    /// Seed of the samples
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    #[command(flatten)]
    correspondence: Correspondence,

    #[command(flatten)]
    files: Reading,
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
    pub fn standardization(self) -> Standardization<'static> {
        match self {
            Self::Own => Standardization::Own,
            Self::Original => Standardization::Original,
            Self::None => Standardization::Raw,
        }
    }
}

impl ReleaseFiles {
    /// The whole release; fails when there are several.
    pub fn load(&self) -> Result<Release> {
        match self.released.as_slice() {
            [one] => self.load_released(one),
            several => {
                let problem = "but this command takes one; `unmask audit` compares several";
                Err(Error::parameter("released", several.join(", "), problem))
            }
        }
    }

    /// The first release, and the others with the names of their files.
    pub fn load_all(&self) -> Result<(Release, Vec<(&String, Release)>)> {
        let mut all = self.released.iter().map(|file| Ok((file, self.load_released(file)?)));
        let (_, first) = all.next().unwrap_or_else(|| {
            Err(Error::Internal("--released is required, but none is given".into()))
        })?;
        Ok((first, all.collect::<Result<_>>()?))
    }

    /// The release that `file` is.
    fn load_released(&self, file: &str) -> Result<Release> {
        let original = self.files.load(&self.original)?;
        let released =
            self.files.load_release(file, &original, &self.correspondence.renaming()?)?;
        let hierarchies = match &self.hierarchies {
            Some(folder) => find_hierarchies(folder, &original)?,
            None => self.files.hierarchies(&self.original, &original)?,
        };
        let release = self.correspondence.release(original, released)?;
        Ok(release.with_hierarchies(&hierarchies))
    }

    /// The files that were read, with their checksums.
    pub fn digests(&self) -> Result<Vec<FileDigest>> {
        let mut digests = vec![FileDigest::of("original", &self.original)?];
        for file in &self.released {
            digests.push(FileDigest::of("released", file)?);
        }
        if let Some(file) = &self.correspondence.discarded {
            digests.push(FileDigest::of("discarded", file)?);
        }
        for file in self.hierarchy_files() {
            digests.push(FileDigest::of("hierarchy", &file.to_string_lossy())?);
        }
        if let Some(project) = self.files.project_path(&self.original) {
            digests.push(FileDigest::of("project", &project.to_string_lossy())?);
        }
        Ok(digests)
    }

    /// What a certificate says about the files of `release`; fails where one cannot say it.
    pub fn certified(&self, release: &Release) -> Result<CertifiedFiles> {
        if let Some(file) = &self.correspondence.discarded {
            let problem = "but a certificate does not say which records are left out; add a column \
                           to both files that tells which records belong together, and name it \
                           with `key`";
            return Err(Error::parameter("discarded", file, problem));
        }
        if let Some(file) = self.hierarchies.clone().or_else(|| self.hierarchy_files().pop()) {
            let problem = "but a certificate does not say what names stand for; write the release \
                           with intervals, sets or masked codes, or leave `certificate` out";
            return Err(Error::parameter("hierarchies", file.display(), problem));
        }
        let mut digests = self.digests()?;
        let mut released = 0;
        digests.retain(|file| {
            released += usize::from(file.role == "released");
            file.role != "released" || released == 1
        });
        let released_records = release.released().records();
        let (key, rename) = (self.correspondence.key.clone(), self.correspondence.rename.clone());
        Ok(CertifiedFiles { digests, key, rename, released_records })
    }

    /// The files in the folder of hierarchies, by name; those of the project where no folder is
    /// named.
    fn hierarchy_files(&self) -> Vec<PathBuf> {
        let named = self.hierarchies.as_deref().map(files_in);
        named.unwrap_or_else(|| self.files.hierarchy_files(&self.original))
    }

    /// The limits that the project sets, and where that is.
    pub fn limits(&self) -> Result<(Limits, String)> {
        self.files.limits(&self.original)
    }

    /// Every file that is read.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let discarded = &self.correspondence.discarded;
        let named = [&self.original].into_iter().chain(&self.released).chain(discarded);
        [self.files.inputs(named), self.hierarchy_files()].concat()
    }

    /// The release, or the sample of it.
    pub fn load_sample(&self) -> Result<Release> {
        let whole = self.load()?;
        match (self.sample, self.haystack) {
            (None, _) => Ok(whole),
            (Some(size), Haystack::Whole) => whole.targets(size, self.seed),
            (Some(size), Haystack::Sample) => whole.sample(size, self.seed),
        }
    }

    /// The column that says which records belong together, where one does.
    pub fn key(&self) -> Option<&str> {
        self.correspondence.key.as_deref()
    }

    /// The attributes to compare.
    pub fn attributes(&self, release: &Release) -> Result<Vec<String>> {
        match self.attributes.as_slice() {
            [] => Ok(release.default_attributes(self.key())?.names),
            names => Ok(names.to_vec()),
        }
    }
}
