//! How much a release gives away, in numbers.
//!
//! [`interval_disclosure`] and [`distance_linkage_disclosure`] compare a release
//! with its original; [`Anonymity`] measures one file alone. Rates measured on a
//! sample carry a [`wilson_interval`].

mod anonymity;
mod classes;
mod closeness;
mod disclosure;
mod diversity;
mod sensitive;
mod wilson;

pub use anonymity::{Anonymity, AnonymityOptions, SensitiveMeasures};
pub use classes::{ClassSize, EquivalenceClasses};
pub(crate) use closeness::WholeFile;
pub use disclosure::{Disclosed, IntervalRule, distance_linkage_disclosure, interval_disclosure};
pub(crate) use diversity::{entropy_l, frequencies};
pub use sensitive::SensitiveValues;
pub use wilson::wilson_interval;
