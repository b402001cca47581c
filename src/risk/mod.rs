//! How much a release gives away, in numbers.

mod wilson;

pub use wilson::wilson_interval;
