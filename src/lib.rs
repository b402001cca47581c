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
//! use unmask::protection::microaggregation::Mdav;
//! use unmask::protection::{Method, Protection};
//!
//! let census = Dataset::load("census", &ReadOptions::default())?;
//! let file = Protection::by(Method::Mdav(Mdav::new(3))).apply(&census, &())?;
//! let loss = file.summary(&census)?.information_loss;
//! assert_eq!(format!("{:.2}", loss.il_percent.unwrap_or_default()), "5.69");
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
#[cfg(feature = "report")]
pub mod experiment;
pub mod files;
pub mod fingerprint;
pub mod lattice;
pub mod learning;
pub mod linkage;
pub mod listener;
pub mod protection;
pub mod random;
#[cfg(feature = "report")]
pub mod report;
mod spatial;
pub mod statistics;
pub mod table;
pub mod utility;
pub mod words;
