//! All integration tests, one binary: the program and its solver are linked once.

#[path = "../support/mod.rs"]
mod support;

mod audit_guesses;
mod audit_moved_rows;
mod audit_truth;
mod bad_input;
mod certificates;
mod class_linkage;
mod classifier;
mod classify_command;
mod command_line;
mod committed_results;
mod dataset_files;
mod experiment_kinds;
mod experiments;
mod fingerprints;
mod generalization;
mod generalized_values;
mod journal;
mod lattice_command;
mod lattice_laws;
mod lattice_published;
mod linkage_command;
mod linkage_laws;
mod linkage_published;
mod microaggregation_experiment;
mod microaggregation_laws;
mod proofs;
mod protection_laws;
mod published_examples;
mod refine_laws;
mod report_pages;
mod reports;
mod secrets;
mod security_notes;
mod time_limits;
mod worst_case;
