//! Specifications of experiments: all problems are told, none panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unmask::experiment::Experiment;
use unmask_fuzz::enter_folder;

fuzz_target!(
    init: enter_folder(),
    |text: &str| {
        if let Ok(experiment) = Experiment::parse("fuzz/t.toml", text) {
            assert!(!experiment.heading().name().contains(".."));
            experiment.cells();
        }
    }
);
