//! Results are the same bytes as the committed ones, plots included.

use crate::support::journal::{content, line};
use crate::support::{success, unmask_in};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;
use unmask::experiment::{Experiment, RunOptions, journal};
use unmask::listener::Interrupt;

/// What follows from runs alone; the plot of times is drawn of more digits than are committed.
const FILES: [&str; 6] = ["runs.csv", "table.md", "table.csv", "table.tex", "plot.svg", "plot.png"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A line of a CSV file with its header.
struct CsvLine(Vec<(String, String)>);

impl CsvLine {
    /// The number in a column; none where there is no such column or it is empty.
    fn get(&self, name: &str) -> Option<Value> {
        let (_, text) = self.0.iter().find(|(column, _)| column == name)?;
        serde_json::from_str(text).ok()
    }

    /// The numbers of the columns that start with `prefix`, in their order.
    fn each(&self, prefix: &str) -> Vec<Value> {
        let columns = self.0.iter().filter(|(column, _)| column.starts_with(prefix));
        columns.filter_map(|(_, text)| serde_json::from_str(text).ok()).collect()
    }

    fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(column, _)| column == name).map_or("", |(_, text)| text)
    }
}

fn lines(file: &Path) -> Vec<CsvLine> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    let header = reader.headers().unwrap().clone();
    let line = |record: csv::StringRecord| {
        let named = header.iter().zip(record.iter());
        CsvLine(named.map(|(column, text)| (column.into(), text.into())).collect())
    };
    reader.records().map(|record| line(record.unwrap())).collect()
}

/// A line of `runs.csv` with its line of `timing.csv`, as the journal has it.
fn record((run, timing): (&CsvLine, &CsvLine)) -> Value {
    let worst_case = run.get("worst_case").map(|reidentified| {
        json!({
            "reidentified": reidentified,
            "upper_bound": run.get("bound"),
            "proven": run.text("proven") == "yes",
            "weights": run.each("weight_"),
            "nodes": timing.get("nodes"),
            "seconds": timing.get("solver_seconds"),
        })
    });
    let held_out = run.get("held_out").map(|records| {
        json!({
            "records": records,
            "dbrl1": run.get("held_out_dbrl1"),
            "worst_case": run.get("held_out_worst_case"),
        })
    });
    json!({
        "cell": run.text("cell"),
        "run": run.get("run"),
        "seconds": timing.get("run_seconds"),
        "found": {
            "seed": run.get("seed"),
            "records": run.get("records"),
            "dbrl1": run.get("dbrl1"),
            "worst_case": worst_case,
            "single": run.each("single_"),
            "held_out": held_out,
        },
    })
}

/// Writes the results of an experiment on Census again, from its committed runs: a journal that
/// holds all of them leaves nothing to run.
fn write_again(experiment: &Experiment, committed: &Path, results: &Path, folder: &Path) {
    let (runs, times) = (lines(&committed.join("runs.csv")), lines(&committed.join("timing.csv")));
    assert_eq!(runs.len(), times.len());
    assert!(!runs.is_empty());
    let (options, stop) = (RunOptions::default().results(results), Interrupt::default());
    stop.trip();
    experiment.run(&options, &stop).unwrap();
    let path = folder.join(journal::FILE_NAME);
    let mut journal = std::fs::read_to_string(&path).unwrap();
    let header = content(&journal).to_owned();
    let records = runs.iter().zip(&times).map(record);
    records.for_each(|record| journal += &line(&header, &record.to_string()));
    std::fs::write(path, journal).unwrap();
    experiment.run(&options, &()).unwrap();
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
fn results_of_the_committed_runs_are_the_committed_ones() {
    let mut compared = 0;
    for experiment in Experiment::load_folder(root().join("experiments")).unwrap() {
        let heading = experiment.heading();
        let place = Path::new(&heading.folder).join(&heading.table);
        let committed = root().join("results").join(&place);
        if !committed.join("runs.csv").exists() {
            continue;
        }
        let again = TempDir::new().unwrap();
        write_again(&experiment, &committed, again.path(), &again.path().join(&place));
        for name in FILES {
            assert_same(&committed.join(name), &again.path().join(&place).join(name));
            compared += usize::from(committed.join(name).exists());
        }
    }
    assert!(compared >= 70, "only {compared} files");
}

#[test]
fn experiments_that_run_in_no_time_draw_the_committed_plots_again() {
    let experiments = [("schrittwieser/worked-example", "lattice"), ("armengol/tables1-2", "plot")];
    for (experiment, plot) in experiments {
        let again = TempDir::new().unwrap();
        let (file, results) =
            (format!("experiments/{experiment}.toml"), again.path().to_str().unwrap());
        success(&unmask_in(root(), &["experiment", "run", &file, "--results", results]));
        for ending in ["svg", "png"] {
            let name = format!("{experiment}/{plot}.{ending}");
            let committed = root().join("results").join(&name);
            assert!(committed.exists(), "{name}");
            assert_same(&committed, &again.path().join(&name));
        }
    }
}
