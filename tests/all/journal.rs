//! Journals that were damaged, are held by another run, or belong to something else.

use crate::experiments::FINE;
use crate::support::journal::{content, line};
use crate::support::{refusal, success, unmask_in};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};
use tempfile::TempDir;
use unmask::experiment::{Experiment, ExperimentOutcome, RunOptions, journal};
use unmask::listener::Listener;

/// A study of eight jobs, what it gives, and its journal when all but the last are done.
struct Study {
    folder: TempDir,
    experiment: Experiment,
    tables: BTreeMap<String, Vec<u8>>,
    journal: Vec<u8>,
}

/// Interrupts after so many jobs.
struct StopAfter(AtomicI64);

impl Listener for StopAfter {
    fn advance(&self, _steps: u64, _total: u64) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }

    fn interrupted(&self) -> bool {
        self.0.load(Ordering::SeqCst) <= 0
    }
}

/// The files of `folder` but for those of times.
fn tables(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.map(|path| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())
    });
    let lasts = |name: &String| !name.starts_with("timing") && name != "environment.toml";
    named.filter(|(name, _)| lasts(name)).collect()
}

impl Study {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join("study")).unwrap();
        let file = folder.path().join("study/table.toml");
        std::fs::write(&file, FINE).unwrap();
        let experiment = Experiment::load(&file).unwrap();
        let run = |results: &str, jobs: i64| {
            let options = RunOptions::default().results(folder.path().join(results)).threads(1);
            experiment.run(&options, &StopAfter(jobs.into())).unwrap()
        };
        let whole = run("whole", 100);
        assert_eq!((whole.complete, whole.runs), (true, 8));
        let part = run("part", 7);
        assert_eq!((part.complete, part.runs), (false, 7));
        let journal = std::fs::read(part.folder.join(journal::FILE_NAME)).unwrap();
        Self { tables: tables(&whole.folder), folder, experiment, journal }
    }

    /// Where results go that are called so.
    fn results(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A journal of these bytes among the results called so.
    fn place(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let folder = self.results(name).join("study/table");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(journal::FILE_NAME);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Goes on from a journal of these bytes: the tables must be the same in the end.
    fn goes_on(&self, name: &str, bytes: &[u8]) -> ExperimentOutcome {
        let path = self.place(name, bytes);
        let options = RunOptions::default().results(self.results(name));
        let outcome = self.experiment.run(&options, &()).unwrap();
        assert!(outcome.complete && !path.exists(), "{name}: {outcome}");
        assert!(tables(&outcome.folder) == self.tables, "{name}: other tables");
        outcome
    }

    /// Why a run does not go on from a journal of these bytes.
    fn stops(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.place(name, bytes);
        let options = RunOptions::default().results(self.results(name));
        let error = self.experiment.run(&options, &()).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "a refusal changes nothing");
        let anew = self.experiment.run(&options.fresh(true), &()).unwrap();
        assert!(tables(&anew.folder) == self.tables, "{name}: other tables");
        error.to_string()
    }

    fn lines(&self) -> Vec<String> {
        let text = String::from_utf8(self.journal.clone()).unwrap();
        text.split_inclusive('\n').map(str::to_owned).collect()
    }
}

#[test]
fn flipped_bits_are_named_and_change_no_table() {
    let study = Study::new();
    let step = study.journal.len() / 24;
    for (n, i) in (0..study.journal.len()).step_by(step).enumerate() {
        let mut bytes = study.journal.clone();
        bytes[i] ^= 1 << (n % 8);
        let outcome = study.goes_on(&format!("bit{n}"), &bytes);
        assert_eq!(outcome.warnings.len(), 1, "byte {i}: {outcome}");
        assert!(outcome.to_string().contains("\nwarning: runs.partial.jsonl: line"), "{outcome}");
    }
}

#[test]
fn doubled_and_swapped_lines_change_no_table() {
    let study = Study::new();
    let mut lines = study.lines();
    lines.push(lines[3].clone());
    lines.swap(1, 5);
    let outcome = study.goes_on("moved", lines.concat().as_bytes());
    assert!(outcome.warnings.is_empty(), "{outcome}");
}

#[test]
fn a_job_with_two_different_records_is_named_and_run_again() {
    let study = Study::new();
    let mut lines = study.lines();
    let (header, other) =
        (content(&lines[0]), content(&lines[2]).replacen("\"seed\":", "\"seed\":1", 1));
    lines.push(line(header, &other));
    let outcome = study.goes_on("different", lines.concat().as_bytes());
    assert_eq!(outcome.warnings.len(), 1, "{outcome}");
    assert!(outcome.warnings[0].contains("lines 3 and 9 are different records of Noise-2 run 2"));
}

#[test]
fn a_journal_of_something_else_is_refused_with_the_remedy() {
    let study = Study::new();
    let lines = study.lines();
    let mut header: serde_json::Value = serde_json::from_str(content(&lines[0])).unwrap();
    for (key, value, told) in [
        ("specification", "0", "table.toml"),
        ("unmask", "0.0.9", "version of unmask (0.0.9, now "),
        ("program", "0", "build of unmask"),
        ("highs", "1.0.0", "version of HiGHS (1.0.0, now "),
    ] {
        let before = std::mem::replace(&mut header[key], value.into());
        let journal = line("", &header.to_string()) + &lines[1];
        let error = study.stops(key, journal.as_bytes());
        assert!(error.contains(told) && error.contains("`fresh`"), "{error}");
        header[key] = before;
    }
    let old =
        serde_json::json!({ "specification": "0", "data": "0", "runs": 8, "unmask": "0.1.0" });
    assert!(study.stops("old", format!("{old}\n").as_bytes()).contains("kept no checksums"));
}

#[test]
fn another_build_of_the_program_does_not_go_on() {
    let study = Study::new();
    study.place("results", &study.journal);
    // These tests are another program than unmask.
    let run = |more: &[&str]| {
        let arguments = ["experiment", "run", "study/table.toml"];
        unmask_in(study.folder.path(), &[&arguments, more].concat())
    };
    let error = refusal(&run(&[]));
    assert!(error.contains("another build of unmask") && error.contains("--fresh"), "{error}");
    success(&run(&["--fresh"]));
}

#[test]
fn a_second_run_of_the_same_experiment_is_refused() {
    let study = Study::new();
    let path = study.place("held", &study.journal);
    let held = File::options().write(true).open(&path).unwrap();
    held.lock().unwrap();
    let options = RunOptions::default().results(study.results("held"));
    for options in [options.clone(), options.clone().fresh(true)] {
        let error = study.experiment.run(&options, &()).unwrap_err();
        assert!(error.to_string().contains("another run of this experiment is under way"));
        assert_eq!(std::fs::read(&path).unwrap(), study.journal, "nothing is touched");
    }
    drop(held);
    let outcome = study.experiment.run(&options, &()).unwrap();
    assert!(outcome.complete && tables(&outcome.folder) == study.tables);
}

#[test]
fn runs_at_the_same_time_are_refused_or_give_the_same_bytes() {
    let study = Study::new();
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unmask"));
        command.args(["experiment", "run", "study/table.toml"]).current_dir(study.folder.path());
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let running: Vec<_> = (0..4).map(|_| start()).collect();
    let outputs: Vec<_> = running.into_iter().map(|run| run.wait_with_output().unwrap()).collect();
    let (done, refused): (Vec<_>, Vec<_>) = outputs.iter().partition(|o| o.status.success());
    assert!(!done.is_empty());
    refused.into_iter().for_each(|output| {
        assert!(refusal(output).contains("is under way"));
    });
    assert!(tables(&study.results("results/study/table")) == study.tables);
}
