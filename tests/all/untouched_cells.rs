//! What no method touches is written as it was read.

use crate::support::{success, unmask_in};
use proptest::prelude::*;
use std::path::Path;
use tempfile::TempDir;
use unmask::dataset::{Dataset, Kind, ReadOptions, Schema, Values};

fn parse(text: &str) -> Dataset {
    Dataset::from_csv("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn written(file: &Dataset) -> String {
    String::from_utf8(file.to_bytes(Path::new("t.csv")).unwrap()).unwrap()
}

/// Runs `unmask protect` on `text`; gives the release.
fn protected(text: &str, arguments: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.csv"), text).unwrap();
    let (method, rest) = arguments.split_first().unwrap();
    let all = [&["protect", method, "in.csv", "-o", "out.csv", "--seed", "1"], rest].concat();
    success(&unmask_in(folder.path(), &all));
    std::fs::read_to_string(folder.path().join("out.csv")).unwrap()
}

const SPELLED: &str = "a,b,c\n1e3,NA,x\n0.10,?, y\n+5,*,NA\n 7,3,?\n-0.0,.5,z\n";

#[test]
fn numbers_and_missing_values_are_written_as_they_were_read() {
    assert_eq!(written(&parse(SPELLED)), SPELLED);
}

#[test]
fn selected_records_keep_their_spelling() {
    let selected = parse(SPELLED).select(&[3, 0]).unwrap();
    assert_eq!(written(&selected), "a,b,c\n 7,3,?\n1e3,NA,x\n");
}

#[test]
fn codes_in_a_column_that_is_said_to_be_numeric_are_written_as_they_were_read() {
    let mut schema = Schema::default();
    schema.attributes.entry("a".into()).or_default().kind = Some(Kind::Numeric);
    let options = ReadOptions { schema, ..ReadOptions::default() };
    let text = "a\n007\n12345678901234567890\n7\n";
    let file = Dataset::from_csv("t.csv", text.as_bytes(), &options).unwrap();
    assert!(matches!(file.values("a").unwrap(), Values::Numeric(_)));
    assert_eq!(written(&file), text);
}

#[test]
fn only_what_was_protected_is_spelled_anew() {
    let rows: Vec<String> =
        (0..12).map(|i| format!("{i}.50,{i}.50,{}\n", ["NA", "?"][i % 2])).collect();
    let text = format!("x,kept,gap\n{}", rows.concat());
    let released = protected(&text, &["noise", "--p", "5", "--attributes", "x"]);
    for (before, after) in text.lines().zip(released.lines()).skip(1) {
        let rest = |line: &str| line.split_once(',').map(|(_, rest)| rest.to_owned());
        assert_eq!(rest(before), rest(after));
        assert_ne!(before, after);
    }
}

#[test]
fn a_missing_value_in_a_protected_column_keeps_its_token() {
    let text = "x,y\n1,1\nNA,2\n?,3\n4,4\n";
    let released = protected(text, &["noise", "--p", "5", "--attributes", "x"]);
    let tokens: Vec<&str> =
        released.lines().filter_map(|line| line.split_once(',').map(|(x, _)| x)).collect();
    assert_eq!((tokens[2], tokens[3]), ("NA", "?"));
}

#[test]
fn blank_lines_of_a_file_of_one_column_are_records() {
    for text in ["x\n1\n\n3\n\n", "x\r\n1\r\n\r\n3\r\n\r\n", "x\n1\n \n3\n?\n"] {
        let file = parse(text);
        assert_eq!(file.records(), 4, "{text:?}");
        let Values::Numeric(column) = file.values("x").unwrap() else { panic!("numbers") };
        let values: Vec<Option<f64>> = column.iter().collect();
        assert_eq!(values, [Some(1.0), None, Some(3.0), None], "{text:?}");
    }
    let labels = parse("town\n\ngraz\n\"\"\nlinz");
    assert_eq!(labels.records(), 4);
    assert_eq!(parse(&written(&labels)).attributes(), labels.attributes());
    assert_eq!(parse("x,y\n1,2\n\n3,4\n").records(), 2, "elsewhere they are passed over");
}

#[test]
fn a_long_file_of_one_column_has_a_record_for_each_line() {
    let lines: Vec<String> =
        (0..600_000).map(|i| if i % 3 == 0 { String::new() } else { i.to_string() }).collect();
    let file = parse(&format!("x\n{}\n", lines.join("\n")));
    assert_eq!(file.records(), lines.len());
    let Values::Numeric(column) = file.values("x").unwrap() else { panic!("numbers") };
    assert!((0..lines.len()).all(|i| column.get(i).is_none() == (i % 3 == 0)));
}

#[test]
fn formulas_are_escaped_on_request_and_numbers_are_not() {
    let text = "x,note,=name\n1,=1+1,a\n2,+49 30,-5\n3,@home,-x\n4, =2,b\n5,-5,+7\n";
    let method = ["noise", "--p", "5", "--attributes", "x", "--escape-formulas"];
    let released = protected(text, &method);
    let rest: Vec<&str> =
        released.lines().filter_map(|line| line.split_once(',').map(|(_, rest)| rest)).collect();
    let escaped = ["note,'=name", "'=1+1,a", "'+49 30,-5", "'@home,'-x", "' =2,b", "-5,+7"];
    assert_eq!(rest, escaped);
    assert!(protected(text, &method[..5]).contains(",=1+1,"));
}

#[test]
fn an_escaped_release_is_compared_by_what_it_stands_for() {
    let folder = TempDir::new().unwrap();
    let rows: String = (0..30).map(|i| format!("{i},{}\n", ["=a", "b", "-c"][i % 3])).collect();
    std::fs::write(folder.path().join("in.csv"), format!("x,note\n{rows}")).unwrap();
    let protect = "protect noise in.csv --p 1 --attributes x --escape-formulas -o out.csv";
    success(&unmask_in(folder.path(), &protect.split(' ').collect::<Vec<_>>()));
    assert!(std::fs::read_to_string(folder.path().join("out.csv")).unwrap().contains(",'=a\n"));
    let link = "link --original in.csv --released out.csv --attributes note --attack dbrl1";
    success(&unmask_in(folder.path(), &link.split(' ').collect::<Vec<_>>()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_file_is_written_as_it_was_read(
        cells in prop::collection::vec(
            ("[-+]?[0-9]{1,3}(\\.[0-9]{1,3})?(e[0-9])?", "( ?[a-z*]{0,3}|NA|\\?)"), 1..20
        )
    ) {
        let rows = cells.iter().map(|(number, label)| format!("{number},{label},1\n"));
        let text = format!("a,b,c\n{}", rows.collect::<String>());
        prop_assert_eq!(written(&parse(&text)), text);
    }
}
