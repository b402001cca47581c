//! How the inequalities of a certificate are made from the files.

use super::CertifiedFiles;
use crate::dataset::Dataset;
use crate::distance::{Comparison, Standardization, SuppressedReading};
use crate::error::{Error, Result};
use crate::files::FileDigest;
use crate::learning::{Aggregation, Count, PairRows};
use crate::linkage::Release;
use crate::listener::Listener;
use serde::{Deserialize, Serialize};

/// The files of a certificate and what is compared in them: all that is needed to make its
/// inequalities again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The files that were read.
    pub files: Vec<DigestOf>,
    /// The column that says which records belong together; without one, rows correspond.
    pub key: Option<String>,
    /// Columns that have other names in the release, as RELEASED=ORIGINAL.
    pub rename: Vec<String>,
    /// Rows of the original, from 0 and ascending, that both files are cut to, each with its own
    /// released record; all without.
    pub sample: Option<Vec<u32>>,
    /// Rows of the original, ascending, that are looked for; all that are left without.
    pub targets: Option<Vec<u32>>,
    /// What is compared, in the order of the weights.
    pub attributes: Vec<ComparedAttribute>,
    /// The scale of numbers: `own`, `original` or `none`.
    pub scale: String,
    /// What a suppressed or missing cell is.
    pub reading: SuppressedReading,
    /// What a record counts.
    pub count: Count,
    /// The gain of a record without twins; one with t, itself included, gains this over t, rounded
    /// up.
    pub unit: u64,
}

/// What a file was used as, and its checksum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DigestOf {
    /// `original`, `released` or `project`.
    pub role: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

/// An attribute and how it is compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedAttribute {
    /// Its name in the original.
    pub name: String,
    /// How it is compared.
    #[serde(flatten)]
    pub comparison: Comparison,
}

impl Recipe {
    /// The recipe of `rows`, which were made from `files` by `standardization`.
    pub(super) fn of(
        rows: &PairRows<'_>,
        files: &CertifiedFiles,
        standardization: Standardization<'_>,
        listener: &dyn Listener,
    ) -> Result<Self> {
        let (release, distances) = (rows.release(), rows.distances());
        let attributes = distances.names().iter().zip(distances.comparisons());
        let whole = release.whole();
        Ok(Self {
            files: files.digests.iter().map(DigestOf::from).collect(),
            key: files.key.clone(),
            rename: files.rename.clone(),
            sample: files.is_cut(whole).then(|| whole.rows().to_vec()),
            targets: release.target_places().map(|_| release.rows().to_vec()),
            attributes: attributes
                .map(|(name, comparison)| ComparedAttribute { name: name.clone(), comparison })
                .collect(),
            scale: standardization.name().to_owned(),
            reading: release.suppressed_reading(),
            count: rows.count(),
            unit: rows.gains(listener)?.per_record(),
        })
    }

    /// Fails unless these are the files, and all of them.
    pub(super) fn check_files(&self, files: &[FileDigest]) -> Result<()> {
        let given: Vec<DigestOf> = files.iter().map(DigestOf::from).collect();
        let has = |role: &str| self.files.iter().any(|file| file.role == role);
        if let Some(other) = files.iter().find(|file| !has(file.role)) {
            let problem = format!("the certificate names no {} file", other.role);
            return Err(Error::input(other.file.clone(), problem));
        }
        for file in &self.files {
            if !given.contains(file) {
                let known = files.iter().find(|given| given.role == file.role);
                let place = known.map_or(format!("the {} file", file.role), |f| f.file.clone());
                let problem = format!(
                    "the certificate is about a file with the checksum {}; name that one as {}",
                    file.sha256, file.role
                );
                return Err(Error::input(place, problem));
            }
        }
        Ok(())
    }

    /// The release that the certificate is about, made of the whole files.
    pub(super) fn release(&self, original: Dataset, released: Dataset) -> Result<Release> {
        let released = self.rename.iter().try_fold(released, |file, pair| {
            let (from, to) = pair.split_once('=').unwrap_or((pair, pair));
            file.renamed(from.trim(), to.trim())
        })?;
        let mut release = match &self.key {
            Some(key) => Release::by_key(original, released, key)?,
            None => Release::by_row(original, released)?,
        };
        if let Some(rows) = &self.sample {
            release = release.pairs(places(&release, rows)?)?;
        }
        if let Some(rows) = &self.targets {
            release = release.targets_at(&places(&release, rows)?)?;
        }
        Ok(release.read_as(self.reading))
    }

    /// The inequalities of that release.
    pub(super) fn rows<'a>(&self, release: &'a Release) -> Result<PairRows<'a>> {
        let names: Vec<&String> = self.attributes.iter().map(|a| &a.name).collect();
        let rows =
            PairRows::new(release, &names, self.standardization()?, Aggregation::WeightedMean)?;
        let found = rows.distances().comparisons();
        let mut stated = self.attributes.iter().zip(found);
        if let Some((stated, found)) = stated.find(|(stated, found)| stated.comparison != *found) {
            let (name, kinds) = (&stated.name, [&stated.comparison.kind, &found.kind]);
            let problem = match kinds {
                [a, b] if a == b => format!("it compares {name} on another scale than these files"),
                [a, b] => format!(
                    "it compares {name} as {a}, and these files give {b}; read them with the options \
                     of the audit"
                ),
            };
            return Err(Error::input("the certificate", problem));
        }
        Ok(rows.counting(self.count))
    }

    fn standardization(&self) -> Result<Standardization<'static>> {
        let known = [Standardization::Own, Standardization::Original, Standardization::Raw];
        known.into_iter().find(|scale| scale.name() == self.scale).ok_or_else(|| {
            let problem = "but a certificate is on the scale own, original or none";
            Error::parameter("scale", &self.scale, problem)
        })
    }
}

/// The places of rows of the original in a release; fails on one that is named twice.
fn places(release: &Release, rows: &[u32]) -> Result<Vec<usize>> {
    if !rows.is_sorted_by(|a, b| a < b) {
        let problem = "its rows are not ascending: some would count several times";
        return Err(Error::input("the certificate", problem));
    }
    let place = |row: &u32| {
        release.rows().binary_search(row).map_err(|_| {
            let problem = format!("the certificate is about row {row}, which has no released one");
            Error::input(release.original().name(), problem)
        })
    };
    rows.iter().map(place).collect()
}

impl From<&FileDigest> for DigestOf {
    fn from(digest: &FileDigest) -> Self {
        Self { role: digest.role.to_owned(), sha256: digest.sha256.clone() }
    }
}
