//! Protection methods: a file in, a protected file out.
//!
//! Perturbative ones keep the shape of the file ([`ProtectionMethod`]); a
//! [`generalization`] discards records. Every method leaves identifiers and confidential attributes alone, takes a
//! seed, and gives the same bytes on any number of threads. CONTRIBUTING.md has
//! the recipe for adding one.

mod choice;
pub mod generalization;
pub mod microaggregation;
mod noise;
mod rank_swapping;

pub use choice::{MethodChoice, MethodParameters};
pub use noise::{Noise, NoiseKind};
pub use rank_swapping::{RankSwapping, SwapVariant};

use crate::dataset::{Dataset, Values};
use crate::error::{Error, Result};
use crate::listener::Listener;
use microaggregation::{AtLeast, GroupRule};

/// A way to protect some attributes of a file.
pub trait ProtectionMethod: Sync {
    /// The method's name, as on the command line.
    fn name(&self) -> &'static str;

    /// The parameters as JSON, for summaries and results.
    fn parameters(&self) -> serde_json::Value;

    /// Fails when a parameter is out of its range or does not fit the file.
    fn check(&self, original: &Dataset, positions: &[usize]) -> Result<()>;

    /// What every group of `partition`, made by this method for `original`, must keep when it is
    /// refined: at least k records, unless the method promises more.
    fn group_rule<'a>(
        &'a self,
        _original: &'a Dataset,
        partition: &Partition,
    ) -> Result<Box<dyn GroupRule + 'a>> {
        Ok(Box::new(AtLeast(partition.k)))
    }

    /// Protects the attributes at `positions` of `original`.
    ///
    /// Fails, without touching anything, when a parameter or the data do not fit.
    fn protect(
        &self,
        original: &Dataset,
        positions: &[usize],
        seed: u64,
        listener: &dyn Listener,
    ) -> Result<Protected>;
}

/// What a protection method gives back.
#[derive(Debug, Clone)]
pub struct Protected {
    /// The protected file; row i protects row i of the original.
    pub released: Dataset,
    /// The groups that were formed, one partition per block of attributes; empty
    /// for methods without groups.
    pub partitions: Vec<Partition>,
}

/// Records divided into groups for one block of attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// Positions of the attributes in the file.
    pub attributes: Vec<usize>,
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

/// `values` as a column; fails when one of them is not finite.
fn released_column(values: Vec<f64>, dataset: &Dataset, position: usize) -> Result<Values> {
    let column = crate::dataset::Numeric::complete(values);
    column.map(Values::Numeric).ok_or_else(|| overflow(dataset, position))
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
