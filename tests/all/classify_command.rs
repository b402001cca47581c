//! `unmask classify` as a person uses it.

use crate::support::{refusal, success, unmask_in};
use std::path::Path;
use tempfile::TempDir;

const GOLF: &str = "\
outlook,humidity,windy,class
sunny,70,true,Play
sunny,90,true,Don't
sunny,85,false,Don't
sunny,95,false,Don't
sunny,70,false,Play
overcast,90,true,Play
overcast,78,false,Play
overcast,65,true,Play
overcast,75,false,Play
rain,80,true,Don't
rain,70,true,Don't
rain,80,false,Play
rain,80,false,Play
rain,96,false,Play
";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// `unmask classify --class class` with more arguments.
fn classify(folder: &Path, arguments: &[&str]) -> std::process::Output {
    unmask_in(folder, &[&["classify", "--class", "class"], arguments].concat())
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("one JSON object")
}

#[test]
fn the_reference_on_adult_comes_out_of_the_command() {
    let folder = folder(&[]);
    let attributes = "age,workclass,education,marital-status,occupation,race,sex,native-country";
    let arguments = [
        "classify",
        "--train",
        "adult-train",
        "--test",
        "adult-test",
        "--class",
        "salary",
        "--attributes",
        attributes,
        "--discretize",
        "age:5:20:90",
        "--format",
        "json",
    ];
    let summary = json(&success(&unmask_in(folder.path(), &arguments)));
    assert_eq!((&summary["leaves"], &summary["tree_size"]), (&300.into(), &331.into()));
    let percent = |file: usize| summary["files"][file]["accuracy_percent"].as_f64().unwrap();
    assert!((percent(0) - 83.42).abs() < 0.005 && (percent(1) - 83.11).abs() < 0.005);
    assert_eq!(summary["accuracy"], summary["files"][1]["accuracy"]);
    let counts = summary["confusion_matrix"].as_array().unwrap();
    let cells = counts.iter().flat_map(|row| row.as_array().unwrap());
    assert_eq!(cells.map(|cell| cell.as_u64().unwrap()).sum::<u64>(), 16_281);
}

#[test]
fn without_a_test_file_the_training_accuracy_is_told() {
    let folder = folder(&[("golf.csv", GOLF)]);
    let text = success(&classify(folder.path(), &["--train", "golf.csv", "--tree", "text"]));
    assert!(text.contains("8 nodes, 5 of them leaves") && text.contains("100.00%"), "{text}");
    assert!(text.contains("\n|   humidity <= 75: Play (2)\n"), "{text}");
    let arguments = ["--train", "golf.csv", "--format", "json"];
    let summary = json(&success(&classify(folder.path(), &arguments)));
    assert_eq!(summary["confusion_matrix"], serde_json::json!([[5, 0], [0, 9]]));
    assert_eq!(summary["classes"], serde_json::json!(["Don't", "Play"]));
    assert_eq!(summary["files"].as_array().unwrap().len(), 1);
}

#[test]
fn stars_and_question_marks_are_unknown_in_numbers_and_labels() {
    let holes = GOLF.replace("overcast,90", "*,*").replace("rain,96", "?,?");
    let folder = folder(&[("golf.csv", GOLF), ("holes.csv", &holes)]);
    let arguments = ["--train", "holes.csv", "--test", "golf.csv", "--test", "holes.csv"];
    let text = success(&classify(folder.path(), &[&arguments[..], &["--tree", "text"]].concat()));
    // Of the 12 known, 9 are at most 80: 10.5 of 14, the unknown ones in parts.
    assert!(text.contains("humidity <= 80: Play (10.5/2)"), "{text}");
    assert!(!text.contains("= *") && !text.contains("= ?"), "{text}");
}

#[test]
fn the_tree_is_drawn_where_it_is_asked_for() {
    let folder = folder(&[("golf.csv", GOLF)]);
    let train = ["--train", "golf.csv"];
    let with = |more: &[&str]| classify(folder.path(), &[&train[..], more].concat());
    let svg = success(&with(&["--tree", "svg"]));
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    assert!(svg.contains("&lt;= 75: Play (2)"), "labels are escaped: {svg}");
    let text = success(&with(&["--tree-out", "tree.svg"]));
    assert!(text.starts_with("Tree for class") && !text.contains("humidity <="), "{text}");
    assert_eq!(std::fs::read_to_string(folder.path().join("tree.svg")).unwrap(), svg);
    assert!(refusal(&with(&["--tree-out", "tree.svg"])).contains("--force"));
    success(&with(&["--tree-out", "tree.svg", "--force", "--tree", "text"]));
    let text = std::fs::read_to_string(folder.path().join("tree.svg")).unwrap();
    assert!(text.starts_with("outlook = overcast: Play (4)\n"), "{text}");
    let summary = json(&success(&with(&["--tree", "text", "--format", "json"])));
    assert_eq!(summary["drawing"].as_str().unwrap().trim_end(), text.trim_end());
}

#[test]
fn bad_input_is_refused_with_the_place_and_the_remedy() {
    let other = GOLF.replace("sunny,70,true,Play", "sunny,70,true,Perhaps");
    let no_class = GOLF.replace("Play", "?").replace("Don't", "?");
    let folder = folder(&[
        ("golf.csv", GOLF),
        ("other.csv", &other),
        ("noclass.csv", &no_class),
        ("one.csv", "a,class\nx,yes\ny,yes\n"),
        ("header.csv", "a,class\n"),
        ("empty.csv", ""),
        ("alone.csv", "class\nyes\nno\n"),
        ("number.csv", "a,class\nx,1\ny,2\n"),
        (
            "words.csv",
            &GOLF.replace("sunny,", "1,").replace("rain,", "2,").replace("overcast,", "3,"),
        ),
    ]);
    type Words = &'static [&'static str];
    let cases: [(Words, Words); 13] = [
        (&["--train", "golf.csv", "--test", "other.csv"], &["other.csv", "class", "\"Perhaps\""]),
        (&["--train", "golf.csv", "--test", "noclass.csv"], &["noclass.csv", "class"]),
        (&["--train", "golf.csv", "--test", "words.csv"], &["words.csv", "outlook", "alike"]),
        (&["--train", "noclass.csv"], &["noclass.csv", "class", "known"]),
        (&["--train", "one.csv"], &["one.csv", "class", "\"yes\" alone"]),
        (&["--train", "header.csv"], &["header.csv", "no records"]),
        (&["--train", "empty.csv"], &["empty.csv", "empty"]),
        (&["--train", "alone.csv"], &["alone.csv", "at least one"]),
        (&["--train", "number.csv"], &["number.csv", "numeric", "--categorical class"]),
        (&["--train", "golf.csv", "--attributes", "class"], &["attributes = class"]),
        (&["--train", "golf.csv", "--confidence", "0.9"], &["confidence = 0.9", "0.5"]),
        (&["--train", "golf.csv", "--minimum", "0"], &["minimum = 0", "at least 1"]),
        (&["--train", "nowhere.csv"], &["nowhere.csv", "no such file"]),
    ];
    for (arguments, parts) in cases {
        let error = refusal(&classify(folder.path(), arguments));
        parts.iter().for_each(|part| assert!(error.contains(part), "{part:?} not in {error}"));
    }
}
