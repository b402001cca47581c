//! Journals of experiments: what a stopped run left, whole or damaged, is gone on with or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::OnceLock;
use unmask::experiment::{Experiment, RunOptions, journal, run_all};
use unmask::listener::{Listener, SearchState};
use unmask_fuzz::{enter_folder, experiment, journal_of_a_stopped_run};

/// Starts no job.
struct Stopped;

impl Listener for Stopped {
    fn advance(&self, _steps: u64, _total: u64) {}

    fn search(&self, _state: &SearchState) {}

    fn interrupted(&self) -> bool {
        true
    }
}

/// What is run, and the journal that this very program leaves of it.
static RUN: OnceLock<(Experiment, RunOptions, Vec<u8>)> = OnceLock::new();

/// The first byte says whether the rest is a journal, or how one of this program is damaged: two bytes
/// say where, one how.
fn journal_by(input: &[u8], left: &[u8]) -> Vec<u8> {
    match input.split_first() {
        Some((b'j', raw)) => raw.to_vec(),
        Some((_, damages)) => damages.chunks_exact(3).fold(left.to_vec(), damaged),
        None => left.to_vec(),
    }
}

/// Lines are repeated up to so many bytes: one that repeats what was repeated grows without end.
const MOST: usize = 1 << 20;

/// A bit flipped, a byte taken out, the end cut off, or a line repeated.
fn damaged(mut journal: Vec<u8>, damage: &[u8]) -> Vec<u8> {
    let at = usize::from(damage[0]) << 8 | usize::from(damage[1]);
    if journal.is_empty() || journal.len() > MOST {
        return journal;
    }
    let at = at % journal.len();
    match damage[2] {
        bit @ 0..=199 => journal[at] ^= 1 << (bit % 8),
        200..=219 => drop(journal.remove(at)),
        220..=239 => journal.truncate(at),
        _ => {
            let lines = journal.split_inclusive(|byte| *byte == b'\n').collect::<Vec<_>>();
            let line = lines[at % lines.len()].to_vec();
            journal.extend(line);
        }
    }
    journal
}

fuzz_target!(
    init: {
        enter_folder();
        let left = journal_of_a_stopped_run();
        let (experiment, options) = experiment();
        RUN.get_or_init(|| (experiment, options, left));
    },
    |input: &[u8]| {
        let (experiment, options, left) = RUN.get().expect("it was made at the start");
        let folder = Path::new("results/fuzz/t");
        std::fs::create_dir_all(folder).expect("the folder takes folders");
        std::fs::write(folder.join(journal::FILE_NAME), journal_by(input, left)).expect("and files");
        let _ = run_all(std::slice::from_ref(experiment), options, &Stopped);
    }
);
