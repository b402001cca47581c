//! Journals of experiments: what a stopped run left is gone on with, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::OnceCell;
use std::path::Path;
use unmask::experiment::{Experiment, RunOptions, journal, run_all};
use unmask::listener::{Listener, SearchState};
use unmask_fuzz::{enter_folder, experiment};

/// Starts no job.
struct Stopped;

impl Listener for Stopped {
    fn advance(&self, _steps: u64, _total: u64) {}

    fn search(&self, _state: &SearchState) {}

    fn interrupted(&self) -> bool {
        true
    }
}

thread_local! {
    static RUN: OnceCell<(Experiment, RunOptions)> = const { OnceCell::new() };
}

fuzz_target!(
    init: enter_folder(),
    |input: &[u8]| {
        RUN.with(|run| {
            let (experiment, options) = run.get_or_init(experiment);
            let folder = Path::new("results/fuzz/t");
            std::fs::create_dir_all(folder).expect("the folder takes folders");
            std::fs::write(folder.join(journal::FILE_NAME), input).expect("and files");
            let _ = run_all(std::slice::from_ref(experiment), options, &Stopped);
        });
    }
);
