//! How badly a protected microdata file can still be re-identified, in the worst case, with proof,
//! and how to protect it better.
//!
//! # A tour
//!
//! 1. A file becomes a [`dataset::Dataset`]; its attributes have [roles](dataset::Role).
//! 2. A [`protection::Recipe`] says how a release is made: one [method](protection::Method) of the
//!    registry with its parameters, the attributes, the seed. [`protection::Protection`] applies it.
//! 3. [`utility`] tells what the release is still good for, [`anonymity`] what it shows by itself:
//!    classes, k, l, t.
//! 4. Original and released file are a [`linkage::Release`]. The [attacks](linkage::registry) link
//!    it back, [`disclosure`] counts what is given away without a link.
//! 5. [`learning`] looks for the attribute weights that re-identify the most records, and proves
//!    that none do better.
//! 6. [`audit::Audit`] does all of that at once and gives one record; `report` renders it as text,
//!    Markdown and a page.
//! 7. `experiment::Experiment` runs tables and figures that are declared in TOML, and resumes them.
//!
//! Beside these: the generalization [`lattice`], [`fingerprint`]ed releases that reveal who leaked,
//! and a [`classifier`] that tells what a release still teaches.
//!
//! Every call that takes long hears a [`listener::Listener`]; pass `&()` for none. Every error says
//! what to do ([`error::Error`]).
//!
//! ```
//! use unmask::audit::Audit;
//! use unmask::dataset::{Dataset, ReadOptions};
//! use unmask::linkage::Release;
//! use unmask::protection::{Method, Noise, Protection};
//!
//! let census = Dataset::load("census", &ReadOptions::default())?;
//! let noise = Method::Noise(Noise::new(16.0));
//! let file = Protection::by(noise).seed(1).apply(&census, &())?;
//! let loss = file.summary(&census)?.information_loss;
//! assert_eq!(format!("{:.2}", loss.il_percent.unwrap_or_default()), "2.53");
//!
//! let release = Release::by_row(census, file.protected.released)?;
//! let record = Audit::of(&release).attributes(["AGI", "FEDTAX", "PTOTVAL"]).sample(50).run(&())?;
//! assert!(record.worst_case.proven_optimal);
//! assert!(record.verdict.sentence().starts_with("At most "));
//! # Ok::<(), unmask::error::Error>(())
//! ```
//!
//! # Features
//!
//! All are on by default. `cli`: the program, and clap options on the library's types; brings
//! `report` along. `milp`: the published mixed-integer program through HiGHS. `report`: documents,
//! pages, plots and experiments. `parquet`: Parquet files. `data`: the built-in files.

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
#[cfg(any(feature = "parquet", feature = "formats"))]
mod panics;
pub mod project;
pub mod protection;
pub mod random;
#[cfg(feature = "report")]
pub mod report;
mod spatial;
pub mod statistics;
pub mod table;
pub mod utility;
pub mod words;
