//! Studies of releases that were made elsewhere, on files beside the study.

use crate::support::{refusal, success, unmask_in};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;
use unmask::dataset::DateFormat;

const STUDY: &str = r#"
title = "Theirs"
attacks = ["dbrl1"]
[data]
file = "o.csv"
attributes = ["age", "day", "job"]
[sample]
records = 60
runs = 1
seed = 1
[[release]]
name = "theirs"
file = "made/theirs.csv"
"#;

/// A study in a folder of its own, with an original of dates and labels, and a release of it: `write`
/// gives the header and the order of the rows.
fn study(text: &str, reversed: bool) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let row = |i: i32, noise: i32| {
        let day = DateFormat::iso().text(f64::from(i * 37 % 501 + noise));
        format!("{},{},{day},job{}\n", i, 20 + i * 7 % 50 + noise, i % 5)
    };
    let file = |rows: Vec<String>| format!("id,age,day,job\n{}", rows.concat());
    let mut released: Vec<String> = (0..60).map(|i| row(i, i % 3)).collect();
    if reversed {
        released.reverse();
    }
    std::fs::create_dir_all(folder.path().join("study/made")).expect("a folder");
    write(folder.path(), "study/o.csv", &file((0..60).map(|i| row(i, 0)).collect()));
    write(folder.path(), "study/made/theirs.csv", &file(released));
    write(folder.path(), "study/s.toml", text);
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("writes");
}

/// How many records DBRL1 found in the study's only run.
fn found(folder: &Path) -> usize {
    success(&unmask_in(folder, &["experiment", "run", "study/s.toml", "--results", "r"]));
    let runs = std::fs::read_to_string(folder.join("r/study/s/runs.csv")).expect("results");
    let mut lines = csv::Reader::from_reader(runs.as_bytes());
    let place = lines.headers().expect("a header").iter().position(|h| h == "dbrl1");
    let line = lines.records().next().expect("a run").expect("a line");
    line[place.expect("a column")].parse().expect("a count")
}

#[test]
fn a_release_made_elsewhere_is_attacked_as_the_link_command_attacks_it() {
    for (key, reversed) in [("", false), ("key = \"id\"\n", true)] {
        let folder = study(&format!("{STUDY}{key}"), reversed);
        let arguments = "link --original study/o.csv --released study/made/theirs.csv --key id \
                         --attributes age,day,job --attack dbrl1 --format json";
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let linked: Value =
            serde_json::from_str(&success(&unmask_in(folder.path(), &arguments))).expect("JSON");
        let certain = linked["attacks"][0]["certain"]
            .as_f64()
            .or(linked["attacks"][0]["reidentified"].as_f64());
        assert_eq!(Some(found(folder.path()) as f64), certain, "{linked}");
    }
}

#[test]
fn what_a_release_lacks_is_told_with_all_other_problems() {
    let text = STUDY.replace("\"job\"]", "\"job\"]\nknown = 9").replace("theirs.csv", "no.csv");
    let folder = study(&text, false);
    let error = unmask_in(folder.path(), &["experiment", "check", "study/s.toml"]);
    let error = String::from_utf8_lossy(&error.stderr).into_owned();
    assert!(error.contains("release[0].file") && error.contains("data.known"), "{error}");
    let folder = study(&STUDY.replace("records = 60", "records = 70"), false);
    let error = refusal(&unmask_in(folder.path(), &["experiment", "check", "study/s.toml"]));
    assert!(error.contains("sample.records = 70"), "{error}");
}
