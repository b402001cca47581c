//! Plots are the same bytes as the committed ones.

use crate::support::{success, unmask_in};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use unmask::experiment::kinds::Declared;
use unmask::experiment::results::{self, RunBy};
use unmask::experiment::{
    HeldOutRecord, RunRecord, Specification, StudyRuns, WorstCaseRun, specifications_under,
};

/// The plot of a study; that of times is drawn of more digits than are committed.
const PLOTS: [&str; 2] = ["plot.svg", "plot.png"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A line of a CSV file by its header.
struct CsvLine(HashMap<String, String>);

impl CsvLine {
    fn get<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.0.get(name)?.parse().ok()
    }

    /// The numbers of the columns `prefix` and an attribute.
    fn each<T: std::str::FromStr>(&self, prefix: &str, known: &[String]) -> Vec<T> {
        known.iter().filter_map(|name| self.get(&format!("{prefix}{name}"))).collect()
    }
}

fn lines(file: &Path) -> Vec<CsvLine> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    reader.deserialize().map(|line| CsvLine(line.unwrap())).collect()
}

/// A line of `runs.csv` with its line of `timing.csv`.
fn record((run, timing): (&CsvLine, &CsvLine), known: &[String]) -> RunRecord {
    let worst_case = run.get("worst_case").map(|reidentified| WorstCaseRun {
        reidentified,
        upper_bound: run.get("bound").unwrap(),
        proven: run.0["proven"] == "yes",
        weights: run.each("weight_", known),
        nodes: timing.get("nodes").unwrap(),
        seconds: timing.get("solver_seconds").unwrap(),
    });
    let held_out = run.get("held_out").map(|records| HeldOutRecord {
        records,
        dbrl1: run.get("held_out_dbrl1").unwrap(),
        worst_case: run.get("held_out_worst_case"),
    });
    RunRecord {
        cell: run.get("cell").unwrap(),
        run: run.get("run").unwrap(),
        seed: run.get("seed").unwrap(),
        records: run.get("records").unwrap(),
        dbrl1: run.get("dbrl1").unwrap(),
        worst_case,
        single: run.each("single_", known),
        held_out,
        seconds: timing.get("run_seconds").unwrap(),
    }
}

/// Writes the results of a study again, from its committed runs.
fn write_again(specification: &Specification, committed: &Path, folder: PathBuf) {
    let (runs, times) = (lines(&committed.join("runs.csv")), lines(&committed.join("timing.csv")));
    assert_eq!(runs.len(), times.len());
    let both = runs.iter().zip(&times);
    let records: Vec<RunRecord> = both.map(|both| record(both, &specification.known)).collect();
    assert!(!records.is_empty());
    let study = StudyRuns { specification, folder, records, complete: true };
    let by = RunBy { command: "a test".into(), threads: 1, seconds: 0.0 };
    results::write(&study, &by).unwrap();
}

/// Both have the same bytes, or neither is there.
fn assert_same(committed: &Path, again: &Path) {
    assert_eq!(committed.exists(), again.exists(), "{}", committed.display());
    if committed.exists() {
        let same = std::fs::read(committed).unwrap() == std::fs::read(again).unwrap();
        assert!(same, "{} differs", committed.display());
    }
}

#[test]
fn plots_of_the_committed_runs_are_the_committed_ones() {
    let mut plots = 0;
    for file in specifications_under(&root().join("experiments")).unwrap() {
        let Declared::Linkage(specification) = Declared::load(&file).unwrap() else { continue };
        let heading = &specification.heading;
        let committed = root().join("results").join(&heading.study).join(&heading.table);
        let again = TempDir::new().unwrap();
        write_again(&specification, &committed, again.path().to_owned());
        for name in PLOTS {
            assert_same(&committed.join(name), &again.path().join(name));
            plots += usize::from(name.ends_with(".svg") && committed.join(name).exists());
        }
    }
    assert!(plots >= 12, "only {plots} plots");
}

#[test]
fn studies_that_run_in_no_time_draw_the_committed_plots_again() {
    let studies = [("schrittwieser/worked-example", "lattice"), ("armengol/tables1-2", "plot")];
    for (study, plot) in studies {
        let again = TempDir::new().unwrap();
        let (file, results) = (format!("experiments/{study}.toml"), again.path().to_str().unwrap());
        success(&unmask_in(root(), &["experiment", "run", &file, "--results", results]));
        for ending in ["svg", "png"] {
            let name = format!("{study}/{plot}.{ending}");
            let committed = root().join("results").join(&name);
            assert!(committed.exists(), "{name}");
            assert_same(&committed, &again.path().join(&name));
        }
    }
}
