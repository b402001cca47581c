//! The attacks with their parameters.

use super::distance_based::Space;
use super::informed::{self, Uses};
use super::mahalanobis::Alignment;
use super::{DEFAULT_TOLERANCE, Links, Release, assignment, kernel, mahalanobis, probabilistic};
use crate::distance::Standardization;
use crate::error::Result;
use crate::listener::Listener;
use serde::{Deserialize, Serialize};

/// An attack with its parameters.
///
/// In TOML and JSON a table of its name, under the key `attack`, and the parameters that differ
/// from their defaults: `{ attack = "kernel", degree = 3 }`. [`super::registry`] says what each
/// one means, and makes it from its name alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "attack", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Attack {
    /// DBRL1: the nearest record on attribute-standardized data.
    ///
    /// Attacker: knows the two files only. Each file is standardized by its own
    /// means and standard deviations; nominal and ordinal attributes, ties and
    /// missing values as in [`crate::distance::AttributeDistances`]. Cost: about O(n log n)
    /// for few attributes, O(n²) at worst; memory O(n). Source: section 2.1 of
    /// Abril, Navarro-Arribas, Torra 2012, doi:10.1016/j.inffus.2011.05.001.
    Dbrl1,
    /// DBRL2: the nearest record on distance-standardized data.
    ///
    /// Attacker: also knows how far values moved, the standard deviation of the
    /// true pairs' differences on each attribute. Else as [`Attack::Dbrl1`].
    Dbrl2,
    /// DBRLM-COV0: the nearest record by (a - b)' S⁻¹ (a - b), S being the covariance
    /// matrix of the difference of two records, over all pairs.
    ///
    /// Attacker: knows the two files only. Numeric attributes; a missing value
    /// stands at its file's mean. A singular covariance is an error unless the
    /// pseudo-inverse is asked for, which is taken after scaling to unit
    /// variances. Else as [`Attack::Dbrl1`].
    MahalanobisCov0 {
        /// Ignore directions without variance.
        #[serde(default)]
        pseudo_inverse: bool,
    },
    /// DBRLM-COV: as [`Attack::MahalanobisCov0`], over the true pairs.
    ///
    /// Attacker: also knows that covariance.
    MahalanobisCov {
        /// Ignore directions without variance.
        #[serde(default)]
        pseudo_inverse: bool,
    },
    /// KDBRL: the nearest record by K(a,a) - 2 K(a,b) + K(b,b) with
    /// K(x,y) = (1 + x·y)^degree on attribute-standardized data.
    ///
    /// Attacker: knows the two files only. Numeric attributes; a missing value
    /// stands at its file's mean. Degree 1 is [`Attack::Dbrl1`]. Every pair is
    /// looked at: cost O(n²), memory O(n). Else as [`Attack::Dbrl1`].
    Kernel {
        /// The exponent, 1 to 16.
        #[serde(default = "default_degree")]
        degree: u32,
    },
    /// The mean of range-standardized distances, for mixed data.
    ///
    /// Attacker: knows the two files only. A missing value against a present one
    /// counts 1; Gower would leave the attribute out, which makes a record that
    /// is all missing the nearest of every other. Else as [`Attack::Dbrl1`].
    /// Source: J.C. Gower 1971, doi:10.2307/2528823.
    Gower,
    /// [`Attack::Dbrl1`] on one attribute alone.
    Single {
        /// The attribute.
        attribute: String,
    },
    /// [`Attack::Dbrl1`] with a weight for each attribute's squared distance.
    Weighted {
        /// One per attribute, none negative.
        weights: Vec<f64>,
    },
    /// PRL: Fellegi-Sunter weights of agreement patterns, linked one to one by
    /// the linear sum assignment of greatest total weight.
    ///
    /// Attacker: knows the two files, and that every original record has exactly
    /// one released record, so that the share of matches among all pairs is
    /// known. Numbers agree within a tolerance, labels when equal; a missing
    /// value agrees with a missing one only. Ties: as [`Attack::Assignment`].
    /// Cost: O(n²) for the patterns, O(n³) at worst for the assignment, up to
    /// [`super::ASSIGNMENT_LIMIT`] released records. Beyond, patterns are counted for at
    /// most 10⁹ pairs, a sample of the original records with all released ones, and the
    /// assignment is the sparse one of [`Attack::Assignment`]. See [`super::FellegiSunter`].
    Probabilistic {
        /// Share of the original's standard deviation, between 0 and 1.
        #[serde(default = "default_tolerance")]
        tolerance: f64,
    },
    /// The one-to-one assignment with the least sum of squared [`Attack::Dbrl1`]
    /// distances, the likeliest one under normal noise.
    ///
    /// Attacker: knows the two files, and that no released record belongs to two
    /// original ones. Ties: released records that some assignment of the same
    /// total links to the record. Missing values as [`Attack::Dbrl1`]. Cost:
    /// O(n³) at worst, up to [`super::ASSIGNMENT_LIMIT`] released records; memory O(n).
    ///
    /// Beyond, the assignment is found by an auction in which every record looks at a few
    /// candidates from the spatial index, which are renewed as prices rise, so that no pair
    /// is ruled out. The prices prove how far its total is from the least one at most:
    /// [`super::SparseSearch::gap`]. The count is exact for the assignment found. Ties are
    /// then only the released records with the same values as the linked one on all
    /// attributes: a record linked to any of them counts as tied with all of them, one
    /// linked to its own unlike any other counts in full. Memory O(n).
    Assignment,
    /// The most probable released record, by the likelihood that the method states.
    ///
    /// Attacker: holds the two files, and knows the method and its parameters, not the seed
    /// ([`Release::made_by`]). A released record that many originals may have become is weaker
    /// evidence for each of them. Cost: O(n²) likelihoods.
    Informed,
    /// As [`Attack::Informed`], the probabilities being those of pairings of all records: by scaling
    /// rows and columns (Sinkhorn and Knopp 1967, doi:10.2140/pjm.1967.21.343).
    ///
    /// Attacker: also knows that no released record belongs to two original ones. Two records may
    /// still be linked to the same one: what counts is who is found most probably.
    InformedOneToOne,
    /// The released records equal to what applying the method again gives.
    ///
    /// Attacker: holds the whole original, and knows method and parameters; for methods that draw no
    /// random numbers. Nobody who looks at the same attributes finds more ([`super::Ceiling`]).
    MaximumKnowledge,
}

/// The exponent of [`Attack::Kernel`] where none is given.
pub const DEFAULT_DEGREE: u32 = 2;

fn default_degree() -> u32 {
    DEFAULT_DEGREE
}

fn default_tolerance() -> f64 {
    DEFAULT_TOLERANCE
}

impl Attack {
    /// True where the link of one record depends on the links of the others: what a sample of them
    /// finds then says nothing about them all.
    pub fn links_all_together(&self) -> bool {
        matches!(self, Self::Probabilistic { .. } | Self::Assignment | Self::InformedOneToOne)
    }

    /// The attack's name in tables.
    pub fn name(&self) -> String {
        match self {
            Self::Dbrl1 => "dbrl1".into(),
            Self::Dbrl2 => "dbrl2".into(),
            Self::MahalanobisCov0 { .. } => "mahalanobis-cov0".into(),
            Self::MahalanobisCov { .. } => "mahalanobis-cov".into(),
            Self::Kernel { .. } => "kernel".into(),
            Self::Gower => "gower".into(),
            Self::Single { attribute } => format!("single:{attribute}"),
            Self::Weighted { .. } => "weighted".into(),
            Self::Probabilistic { .. } => "probabilistic".into(),
            Self::Assignment => "assignment".into(),
            Self::Informed => "informed".into(),
            Self::InformedOneToOne => "informed-one-to-one".into(),
            Self::MaximumKnowledge => "maximum-knowledge".into(),
        }
    }

    /// How an attacker who knows the method uses it; none for who does not.
    fn knows_method(&self) -> Option<Uses> {
        match self {
            Self::Informed => Some(Uses::EachAlone),
            Self::InformedOneToOne => Some(Uses::OneToOne),
            Self::MaximumKnowledge => Some(Uses::Again),
            _ => None,
        }
    }

    /// Links every original record by the attributes `names`.
    ///
    /// Fails when an attribute is unknown, all missing, or unfit for the attack.
    ///
    /// ```
    /// use unmask::dataset::{Dataset, ReadOptions};
    /// use unmask::linkage::{Attack, Release, TieRule};
    ///
    /// let census = Dataset::load("census", &ReadOptions::default())?;
    /// let release = Release::by_row(census.clone(), census)?;
    /// let links = Attack::Dbrl1.link(&release, &["AFNLWGT", "AGI"], &())?;
    /// assert_eq!(links.reidentified(TieRule::Miss), 1080.0);
    /// # Ok::<(), unmask::error::Error>(())
    /// ```
    pub fn link<S: AsRef<str>>(
        &self,
        release: &Release,
        names: &[S],
        listener: &dyn Listener,
    ) -> Result<Links> {
        self.run(release, names, false, listener)
    }

    /// As [`Attack::link`], with the second distance of every link, which takes
    /// about twice as long.
    pub fn link_with_second<S: AsRef<str>>(
        &self,
        release: &Release,
        names: &[S],
        listener: &dyn Listener,
    ) -> Result<Links> {
        self.run(release, names, true, listener)
    }

    fn run<S: AsRef<str>>(
        &self,
        release: &Release,
        names: &[S],
        second: bool,
        listener: &dyn Listener,
    ) -> Result<Links> {
        if let Self::Probabilistic { tolerance } = self {
            return probabilistic::link(release, names, *tolerance, listener);
        }
        if let Some(uses) = self.knows_method() {
            return informed::link(release, names, uses, listener);
        }
        let space = self.space(release, names)?;
        match self {
            Self::Assignment => assignment::link_space(space, release, listener),
            _ => space.link(release, second, listener),
        }
    }

    /// The space in which the attack measures distances.
    fn space<S: AsRef<str>>(&self, release: &Release, names: &[S]) -> Result<Space> {
        let euclidean = |standardization, weights: Option<&[f64]>| {
            Space::of_attributes(release, names, standardization, weights)
        };
        let whole = release.whole();
        match self {
            Self::Dbrl1
            | Self::Assignment
            | Self::Probabilistic { .. }
            | Self::Informed
            | Self::InformedOneToOne
            | Self::MaximumKnowledge => euclidean(Standardization::Own, None),
            Self::Dbrl2 => {
                euclidean(Standardization::Differences { own: release.whole().own() }, None)
            }
            Self::Gower => euclidean(Standardization::Range, None),
            Self::Weighted { weights } => euclidean(Standardization::Own, Some(weights)),
            Self::Single { attribute } => {
                Space::of_attributes(release, &[attribute], Standardization::Own, None)
            }
            Self::MahalanobisCov0 { pseudo_inverse } => {
                let space = mahalanobis::space(whole, names, Alignment::Cov0, *pseudo_inverse)?;
                Ok(space.of_targets(release))
            }
            Self::MahalanobisCov { pseudo_inverse } => {
                let space = mahalanobis::space(whole, names, Alignment::Cov, *pseudo_inverse)?;
                Ok(space.of_targets(release))
            }
            Self::Kernel { degree } => {
                Ok(kernel::space(whole, names, *degree)?.of_targets(release))
            }
        }
    }
}
