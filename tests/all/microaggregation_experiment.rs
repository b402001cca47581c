//! The experiment of kind `microaggregation`: what it writes, and what it refuses.

use crate::support::{normal_columns, success, unmask_in};
use std::fmt::Write as _;
use std::path::Path;
use tempfile::TempDir;

/// A file of 60 records, x0 to x2 and sensitive s; `rare` varies in one record only.
pub fn write_file(folder: &Path, name: &str) {
    let columns = normal_columns(60, 4, 5);
    let mut text = String::from("x0,x1,x2,rare,s\n");
    let rows = columns[0].iter().zip(&columns[1]).zip(columns[2].iter().zip(&columns[3]));
    for (i, ((a, b), (c, s))) in rows.enumerate() {
        let rare = u8::from(i == 1);
        writeln!(text, "{a},{b},{c},{rare},{s}").unwrap();
    }
    std::fs::write(folder.join(name), text).unwrap();
}

pub const EXPERIMENT: &str = r#"
kind = "microaggregation"
title = "A small experiment"
reading = "Made for a test."
citation = "Nobody"
k = [4, 2]
gamma = 0.2
levels = 6
refine_iterations = 2000

[worst_case]
records = 20
seed = 1
nodes = 1000
class_nodes = 1000

[[file]]
data = "experiments/made.csv"
sensitive = "s"
"#;

/// Writes `text` as a specification beside the file; gives the arguments of `command` on it.
fn specified(folder: &Path, text: &str, command: &str) -> std::process::Output {
    std::fs::create_dir_all(folder.join("experiments/small")).unwrap();
    write_file(&folder.join("experiments"), "made.csv");
    let file = "experiments/small/table.toml";
    std::fs::write(folder.join(file), text).unwrap();
    unmask_in(folder, &["experiment", command, file])
}

#[test]
fn an_experiment_on_a_file_by_its_path_is_written_and_the_same_again() {
    let folder = TempDir::new().unwrap();
    success(&specified(folder.path(), EXPERIMENT, "run"));
    let results = folder.path().join("results/small/table");
    let table = || std::fs::read_to_string(results.join("table.csv")).unwrap();
    let first = table();
    let rows: Vec<Vec<&str>> = first.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|header| *header == name).unwrap();
    assert_eq!(rows.len(), 1 + 12, "three methods, plain and refined, two k");
    let number = |row: &[&str], name: &str| row[column(name)].parse::<f64>().unwrap();
    for row in &rows[1..] {
        assert_eq!(row[0], "made");
        for found in ["", "class: "] {
            let [equal, worst, bound] = ["equal weights", "worst case", "no weights above"]
                .map(|name| number(row, &format!("{found}{name}")));
            assert!(equal <= worst && worst <= bound && bound <= 20.0, "{row:?}");
        }
        let of_class = number(row, "class: worst case");
        assert!(number(row, "guessed") <= of_class / number(row, "k") + 0.05, "{row:?}");
        if row[1].starts_with("L-V-MDAV") {
            assert_eq!(number(row, "certain classes %"), 0.0);
        }
    }
    let losses = |method: &str| -> Vec<f64> {
        rows[1..].iter().filter(|r| r[1] == method).map(|r| number(r, "loss %")).collect()
    };
    for method in ["MDAV", "V-MDAV", "L-V-MDAV"] {
        let (plain, refined) = (losses(method), losses(&format!("{method} refined")));
        assert!(refined.iter().zip(&plain).all(|(r, p)| r <= p), "{refined:?} {plain:?}");
        assert!(plain[0] < plain[1], "k ascending, however it was written");
    }
    for figure in ["figure3", "figure4", "worst-case", "worst-case-class", "timing-figure5"] {
        assert!(results.join(format!("{figure}-made.svg")).exists(), "{figure}");
    }
    success(&unmask_in(
        folder.path(),
        &["experiment", "run", "experiments/small/table.toml", "--fresh", "--threads", "1"],
    ));
    assert_eq!(first, table(), "on one thread as on many");
}

#[test]
fn every_claim_of_the_paper_is_judged() {
    let folder = TempDir::new().unwrap();
    success(&specified(folder.path(), EXPERIMENT, "run"));
    let read = |name: &str| {
        std::fs::read_to_string(folder.path().join("results/small/table").join(name)).unwrap()
    };
    let (table, timing) = (read("table.md"), read("timing-claims.md"));
    let losses = ["V-MDAV loses less than MDAV in most cases", "L-V-MDAV loses most"];
    let disclosure = ["DLD falls with k", "DLD hardly differs between methods"];
    for claim in [losses, disclosure].concat() {
        let line = table.lines().find(|line| line.contains(claim)).expect(claim);
        assert!(line.contains(": holds;") || line.contains(": does not hold;"), "{line}");
    }
    for claim in ["all three are O(n²)", "MDAV is the fastest", "time falls with k"] {
        assert!(timing.contains(claim), "{claim}");
    }
}

#[test]
fn what_an_experiment_cannot_do_is_told_before_it_runs() {
    let refused = |from: &str, to: &str| {
        let folder = TempDir::new().unwrap();
        let text = EXPERIMENT.replace(from, to);
        assert_ne!(text, EXPERIMENT, "{from} is in the specification");
        let output = specified(folder.path(), &text, "check");
        assert_eq!(output.status.code(), Some(2), "{to} is bad input");
        String::from_utf8(output.stderr).unwrap()
    };
    let cases = [
        ("k = [4, 2]", "k = []", "at least one group size"),
        ("k = [4, 2]", "k = [1]", "k >= 2"),
        ("gamma = 0.2", "gamma = -1.0", "at least 0"),
        ("levels = 6", "levels = 2", "only 2 levels"),
        ("refine_iterations = 2000", "refine_iterations = 0", "at least one move"),
        ("records = 20", "records = 1", "2 to 60"),
        ("sensitive = \"s\"", "sensitive = \"s\"\nattributes = []", "nothing to group by"),
        ("sensitive = \"s\"", "sensitive = \"s\"\nattributes = [\"x0\", \"s\"]", "one role"),
        (
            "sensitive = \"s\"",
            "sensitive = \"s\"\n[[file]]\ndata = \"experiments/made.csv\"\nsensitive = \"x0\"",
            "same name",
        ),
    ];
    for (from, to, told) in cases {
        let error = refused(from, to);
        assert!(error.contains(told), "{to}: {error}");
    }
}
