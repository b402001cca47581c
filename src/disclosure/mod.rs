//! What a release gives away that is no link to a record.
//!
//! [`interval_disclosure`] and [`distance_linkage_disclosure`] compare a release with its
//! original; [`ClassLinkage`] makes linkage look for classes. An [`Attempt`] is one of them or an
//! attack that links, by the name it has in [`crate::linkage::registry`].

mod attempt;
mod class_linkage;
mod distance_linkage;
mod interval;

pub use crate::anonymity::Disclosed;
pub use attempt::{Attempt, AttemptOptions, IntervalParameters};
pub use class_linkage::ClassLinkage;
pub use distance_linkage::distance_linkage_disclosure;
pub use interval::{IntervalRule, interval_disclosure};
