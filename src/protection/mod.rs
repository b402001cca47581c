//! Protection methods: a file in, a protected file out.
//!
//! - [`Method`] is the registry: one variant for each method, whose struct is at once its
//!   command-line options, its keys in a recipe or an experiment, and its JSON parameters.
//! - A [`Recipe`] says how a release is made: method, attributes, seed. Whoever has it can undo
//!   much of the protection: it is kept in a private file.
//! - [`Protection`] applies a recipe to a file, drops its identifiers, and sums up what came out.
//!
//! Every method leaves identifiers and confidential attributes alone, takes a seed, and gives
//! the same bytes on any number of threads. CONTRIBUTING.md shows how to add one.

pub mod generalization;
mod job;
mod likelihood;
pub mod microaggregation;
mod noise;
mod one_or_many;
mod rank_swapping;
mod recipe;
mod registry;
mod summary;
mod supposition;

pub use job::{ProtectedFile, Protection};
pub use likelihood::{Likelihood, MadeFile};
pub use noise::{Noise, NoiseKind};
pub use rank_swapping::{RankSwapping, SwapVariant};
pub use recipe::{Making, Recipe};
pub use registry::{Described, Method};
pub use summary::{GroupSummary, LossSummary, MissingCells, ProtectionSummary};
pub use supposition::{Supposed, Supposition};

use crate::anonymity::Levels;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::listener::Listener;
use generalization::Generalization;
use microaggregation::{AtLeast, GroupRule, Missing, Refinement};

/// A way to protect some attributes of a file.
pub trait ProtectionMethod: Send + Sync {
    /// The method's name, as on the command line.
    fn name(&self) -> &'static str;

    /// Which attributes it can protect.
    fn takes(&self) -> AttributeKinds;

    /// Fails when a parameter is out of its range or does not fit the file.
    fn check(&self, original: &Dataset, attributes: &[String]) -> Result<()>;

    /// Protects `attributes` of `original`.
    ///
    /// Fails, without touching anything, when a parameter or the data do not fit.
    fn protect(
        &self,
        original: &Dataset,
        attributes: &[String],
        seed: u64,
        listener: &dyn Listener,
    ) -> Result<Protected>;

    /// What every group of `partition`, made by this method for `original`, must keep when it is
    /// refined: at least k records, unless the method promises more.
    fn group_rule<'a>(
        &'a self,
        _original: &'a Dataset,
        partition: &Partition,
    ) -> Result<Box<dyn GroupRule + 'a>> {
        Ok(Box::new(AtLeast(partition.k)))
    }

    /// How its groups are refined, where that is asked for.
    fn refinement(&self) -> Option<Refinement> {
        None
    }

    /// What becomes of missing values where it forms groups.
    fn missing(&self) -> Missing {
        Missing::default()
    }

    /// True when the release depends on the seed: whoever knows it can draw the same numbers.
    fn draws(&self) -> bool {
        self.refinement().is_some()
    }

    /// What it promises about sensitive attributes, if anything.
    fn diversity_promise(&self) -> Option<DiversityPromise> {
        None
    }

    /// False when it may discard records.
    fn keeps_every_record(&self) -> bool {
        true
    }

    /// How likely its release is, given the original, as a sum of parts; none where it does not
    /// say. For attackers who know the method, not the seed.
    fn likelihoods(&self, _made: &MadeFile<'_>) -> Result<Option<Vec<Box<dyn Likelihood>>>> {
        Ok(None)
    }

    /// How much a release was protected by this method, the parameter that experiments vary, from
    /// the two files alone; none where they do not tell.
    fn estimated_strength(&self, _made: &MadeFile<'_>) -> Result<Option<f64>> {
        Ok(None)
    }
}

/// The kinds of attributes that a method takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeKinds {
    /// Numbers only.
    Numbers,
    /// Labels only.
    Labels,
    /// Both.
    Any,
}

/// Sensitive attributes that are diverse in every group of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiversityPromise {
    /// The attributes; the confidential ones when empty.
    pub sensitive: Vec<String>,
    /// Levels of numeric ones; every number its own when not given.
    pub levels: Option<Levels>,
}

/// What a protection method gives back.
#[derive(Debug, Clone)]
pub struct Protected {
    /// The protected file; row i protects row i of the original, or row `kept()[i]` where
    /// records were discarded.
    pub released: Dataset,
    /// The groups that were formed, one partition per block of attributes; empty
    /// for methods without groups.
    pub partitions: Vec<Partition>,
    /// The patterns that records became, for methods that generalize.
    pub generalization: Option<Generalization>,
}

impl Protected {
    /// A release of every record, without groups.
    pub fn plain(released: Dataset) -> Self {
        Self { released, partitions: Vec::new(), generalization: None }
    }

    /// A release made by `partitions`.
    pub fn grouped(released: Dataset, partitions: Vec<Partition>) -> Self {
        Self { released, partitions, generalization: None }
    }

    /// The rows of the original that were released; none when all were.
    pub fn kept(&self) -> Option<Vec<usize>> {
        self.generalization.as_ref().map(Generalization::kept)
    }
}

/// Records divided into groups for one block of attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// The attributes of the block.
    pub attributes: Vec<String>,
    /// The smallest size asked for.
    pub k: usize,
    /// The records of each group, ascending within a group, groups in the order they were made.
    pub groups: Vec<Vec<u32>>,
}

impl Partition {
    /// Size of the smallest group.
    pub fn smallest(&self) -> usize {
        self.groups.iter().map(Vec::len).min().unwrap_or(0)
    }

    /// Size of the largest group.
    pub fn largest(&self) -> usize {
        self.groups.iter().map(Vec::len).max().unwrap_or(0)
    }
}

fn overflow(dataset: &Dataset, position: usize) -> Error {
    let name = &dataset.attributes()[position].name;
    let place = format!("{}: column {name}", dataset.name());
    Error::input(place, "is too large to protect without overflow; rescale it")
}

/// One value for all of `count` attributes, or one each; `name` is the parameter's.
fn per_attribute(values: &[f64], count: usize, name: &str) -> Result<Vec<f64>> {
    match values {
        [one] => Ok(vec![*one; count]),
        many if many.len() == count => Ok(many.to_vec()),
        many => {
            let problem = format!(
                "{} values for {count} attributes; give one for all or one for each",
                many.len()
            );
            Err(Error::parameter(name, join(many), problem))
        }
    }
}

fn join<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}
