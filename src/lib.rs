//! How badly a protected microdata file can still be re-identified, and how to
//! protect it better.
//!
//! The flow goes one way: a file becomes a [`dataset::Dataset`], a
//! [`protection::ProtectionMethod`] makes a release of it, [`utility`] tells what
//! the release still says, [`linkage`] attacks it, and [`disclosure`] tells how much it
//! gives away.
//!
//! ```
//! use unmask::dataset::{Dataset, ReadOptions};
//! use unmask::distance::Scale;
//! use unmask::protection::ProtectionMethod;
//! use unmask::protection::microaggregation::{
//!     AttributeBlocks, Microaggregation, PartitionRule, TailRule,
//! };
//! use unmask::utility::Utility;
//!
//! let census = Dataset::load("census", &ReadOptions::default())?;
//! let mdav = Microaggregation {
//!     k: vec![3],
//!     blocks: AttributeBlocks::All,
//!     cluster_on: Scale::Zscore,
//!     rule: PartitionRule::Mdav(TailRule::LastGroup),
//! };
//! let positions = census.default_numeric_positions()?;
//! let release = mdav.protect(&census, &positions, 1, &())?;
//! let utility = Utility::measure_all(&census, &release.released)?;
//! assert_eq!(format!("{:.2}", utility.il_percent), "5.69");
//! # Ok::<(), unmask::error::Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod anonymity;
pub mod audit;
pub mod classifier;
pub mod dataset;
pub mod disclosure;
pub mod distance;
pub mod error;
pub mod experiment;
pub mod files;
pub mod fingerprint;
pub mod lattice;
pub mod learning;
pub mod linkage;
pub mod listener;
pub mod protection;
pub mod random;
pub mod report;
mod spatial;
pub mod statistics;
pub mod table;
pub mod utility;
