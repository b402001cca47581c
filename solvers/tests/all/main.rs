//! All integration tests, one binary.

mod certificates;
mod checker;
mod common;
mod exact_agrees_with_enumeration;
mod exact_outcomes;
mod exported_models;
mod gains;
mod hostile_certificates;
mod interrupts;
mod small_weights;
mod solvers_agree;
mod weight_ranges;
