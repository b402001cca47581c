//! Which records and columns of two files belong together is said alike to every command.

use crate::support::{refusal, success, unmask_in};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// An original of 40 people, a release of 30 of them in reverse order under another name of a
/// column, and the same release in order.
fn files() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let row = |i: usize| (i, 20 + i * 7 % 53, 1_000 + i * i * 13 % 971);
    let text = |header: &str, rows: &[(usize, usize, usize)]| {
        let lines: String =
            rows.iter().map(|(id, age, pay)| format!("{id},{age},{pay}\n")).collect();
        format!("{header}\n{lines}")
    };
    let all: Vec<_> = (0..40).map(row).collect();
    let mut kept: Vec<_> =
        all.iter().filter(|r| r.0 % 4 != 0).map(|(id, age, pay)| (*id, age + 1, *pay)).collect();
    write(folder.path(), "o.csv", &text("id,age,pay", &all));
    write(folder.path(), "ordered.csv", &text("id,years,pay", &kept));
    kept.reverse();
    write(folder.path(), "r.csv", &text("id,years,pay", &kept));
    let discarded: String = (0..40).step_by(4).map(|i| format!("{}\n", i + 1)).collect();
    write(folder.path(), "gone.csv", &format!("record\n{discarded}"));
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("writes");
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = unmask_in(folder, &[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&success(&output)).expect("JSON")
}

#[test]
fn utility_goes_by_key_and_by_what_was_discarded_and_says_what_is_not_there() {
    let folder = files();
    let rename = ["--rename", "years=age", "--attributes", "age,pay"];
    let by_key = [&["utility", "o.csv", "r.csv", "--key", "id"], &rename[..]].concat();
    let by_row =
        [&["utility", "o.csv", "ordered.csv", "--discarded", "gone.csv"], &rename[..]].concat();
    let [by_key, by_row] = [by_key, by_row].map(|arguments| json(folder.path(), &arguments));
    assert_eq!(by_key["absent"], 10);
    assert_eq!(by_key["records"], 30);
    assert_eq!(by_key, by_row);
    let age = &by_key["attributes"][0];
    assert_eq!(age["attribute"], "age");
    // Every age is a year more: none of the variation is lost, and the mean moved.
    assert!(age["mean_difference"].as_f64().expect("a number") > 0.0);
    assert!(age["variance_difference"].as_f64().expect("a number").abs() < 1e-9);
}

#[test]
fn files_of_other_lengths_are_refused_with_the_remedy_by_every_command() {
    let folder = files();
    for command in [
        vec!["utility", "o.csv", "r.csv"],
        vec!["link", "--original", "o.csv", "--released", "r.csv", "--attack", "dbrl1"],
        vec!["audit", "--original", "o.csv", "--released", "r.csv"],
    ] {
        let error = refusal(&unmask_in(folder.path(), &command));
        assert!(error.contains("--key"), "{error}");
    }
}

#[test]
fn what_a_schema_says_of_a_column_holds_under_its_other_name() {
    let folder = files();
    write(
        folder.path(),
        "s.toml",
        "[attributes.age]\nkind = \"nominal\"\nrole = \"quasi-identifier\"\n",
    );
    let measured =
        json(folder.path(), &["measure", "r.csv", "--rename", "years=age", "--schema", "s.toml"]);
    assert_eq!(measured["quasi_identifiers"], serde_json::json!(["age"]), "{measured}");
    let arguments = ["measure", "r.csv", "--rename", "yers=age", "--schema", "s.toml"];
    assert!(refusal(&unmask_in(folder.path(), &arguments)).contains("yers"));
}
