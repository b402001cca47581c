//! How much a release gives away, in numbers.
//!
//! [`interval_disclosure`] and [`distance_linkage_disclosure`] compare a release
//! with its original; [`ClassLinkage`] makes linkage look for classes. [`Anonymity`] and
//! [`homogeneity_attack`] measure one file alone. Rates measured on a sample carry a
//! [`wilson_interval`].

mod anonymity;
mod class_linkage;
mod classes;
mod closeness;
mod disclosure;
mod diversity;
mod homogeneity;
mod sensitive;
mod wilson;

pub use anonymity::{Anonymity, AnonymityOptions, SensitiveMeasures};
pub use class_linkage::ClassLinkage;
pub use classes::{ClassSize, EquivalenceClasses};
pub(crate) use closeness::WholeFile;
pub use disclosure::{Disclosed, IntervalRule, distance_linkage_disclosure, interval_disclosure};
pub use diversity::{Diversity, LevelCounts};
pub(crate) use diversity::{entropy_l, frequencies};
pub use homogeneity::{Homogeneity, homogeneity_attack};
pub use sensitive::{LevelRule, Levels, SensitiveValues};
pub use wilson::wilson_interval;
