//! Studies: tables and figures declared in TOML, run in parallel, resumed after a stop.
//!
//! - [`Specification`] is one table, typed and checked before anything runs.
//! - A [`Cell`] is one protection with one value of its parameter; a *job* is one
//!   run of a cell, the unit of work.
//! - [`run`] works off the jobs of several specifications and keeps a [`journal`],
//!   so that a run that was killed goes on where it stopped.
//! - [`RunRecord`] is what a job found; `results` makes tables and plots of it.
//!
//! A job depends on (seed, cell, run) and its specification only, never on
//! threads or on which other cells there are, so the same records come out of
//! any run, in any order.

mod cell;
pub(crate) mod check;
mod job;
pub mod journal;
pub mod kinds;
mod parameter;
mod published;
mod record;
pub mod results;
mod runner;
pub(crate) mod specification;

pub use cell::Cell;
pub use job::job_seed;
pub use published::{Measure, Published, PublishedValue};
pub use record::{HeldOutRecord, RunRecord, WorstCaseRun};
pub use runner::{RunOptions, StudyRuns, run, specifications_under};
pub use specification::{Attacks, Heading, Plot, Sample, Specification};
