//! Points that may stand before decimals or between thousands, and commas.

use crate::support::{refusal, success, unmask_in};
use tempfile::TempDir;
use unmask::dataset::{Dataset, Decimal, ReadOptions, Schema};
use unmask::error::Result;

fn with(options: &ReadOptions, text: &str) -> Result<Dataset> {
    Dataset::from_csv("t.csv", text.as_bytes(), options)
}

fn read(text: &str) -> Dataset {
    with(&ReadOptions::default(), text).expect("reads")
}

fn numbers(file: &Dataset) -> Vec<f64> {
    file.numeric("x", "a test").expect("numbers").present().collect()
}

fn warnings(file: &Dataset) -> String {
    file.notes().warnings().collect::<Vec<_>>().join("; ")
}

#[test]
fn points_that_may_divide_thousands_leave_labels_and_a_warning() {
    let file = read("x;y\n5.000;1\n2.126;2\n530;3\n");
    assert!(!file.attributes()[0].is_numeric());
    assert!(warnings(&file).contains("points between thousands: say which with `decimal`"));
    for (decimal, expected) in
        [(Decimal::Comma, [5_000.0, 2_126.0, 530.0]), (Decimal::Point, [5.0, 2.126, 530.0])]
    {
        let options = ReadOptions { decimal: Some(decimal), ..ReadOptions::default() };
        let said = with(&options, "x;y\n5.000;1\n2.126;2\n530;3\n").expect("reads");
        assert_eq!(numbers(&said), expected);
        assert_eq!(warnings(&said), "");
    }
}

#[test]
fn the_other_columns_of_the_file_decide_what_a_point_is() {
    for (text, expected) in [
        ("x;y\n5.000;1,5\n530;2,25\n", [5_000.0, 530.0]),
        ("x;y\n5.000;1.5\n530;2.25\n", [5.0, 530.0]),
        ("x;y\n5.000;0.812\n530;1.234\n", [5.0, 530.0]),
        ("x;y\n5,000;1.5\n530;2.25\n", [5_000.0, 530.0]),
    ] {
        let file = read(text);
        assert_eq!(numbers(&file), expected, "{text}");
        assert_eq!(warnings(&file), "", "{text}");
    }
    let torn = read("x;y;z\n5.000;1,5;2.5\n530;1,5;1.5\n");
    assert!(!torn.attributes()[0].is_numeric());
}

#[test]
fn what_cannot_be_thousands_is_decimals_without_a_word() {
    for (text, expected) in [
        ("x\n0.812\n62.001\n5.123\n", [0.812, 62.001, 5.123]),
        ("x\n0,812\n62,001\n5,123\n", [0.812, 62.001, 5.123]),
        ("x\n1.25\n62.001\n5.123\n", [1.25, 62.001, 5.123]),
        ("x\n1.000\n1234.567\n5.123\n", [1.0, 1_234.567, 5.123]),
    ] {
        let file = read(&text.replace('\n', ";\n").replacen("x;", "x;y", 1));
        assert_eq!(numbers(&file), expected, "{text}");
        assert_eq!(warnings(&file), "", "{text}");
    }
}

#[test]
fn said_numbers_and_releases_with_such_points_are_refused_until_somebody_says_which() {
    let text = "x;y\n5.000;1\n530;2\n";
    let said = r#"x = { kind = "integer" }"#;
    let project = |column: &str| {
        let text = format!("[attributes]\n{column}\n");
        unmask::project::Project::from_toml(&text, "p.toml").expect("a project").read_options()
    };
    let error = with(&project(said), text).expect_err("is refused").to_string();
    assert!(error.contains("column x") && error.contains("`decimal`"), "{error}");
    let comma = project(r#"x = { kind = "integer", decimal = "comma" }"#);
    assert_eq!(numbers(&with(&comma, text).expect("reads")), [5_000.0, 530.0]);
    let release = Schema { of_release: true, ..Schema::default() };
    let options = ReadOptions { schema: release, ..ReadOptions::default() };
    for text in [text, "x;y\n5.000-5.049;1\n500-549;2\n", "x;y\n[1.000, 2.000[;1\n530;2\n"] {
        let error = with(&options, text).expect_err("is refused").to_string();
        assert!(error.contains("column x") && error.contains("`decimal`"), "{error}");
    }
    let point = ReadOptions { decimal: Some(Decimal::Point), ..options.clone() };
    assert!(with(&point, "x;y\n5.000-5.049;1\n500-549;2\n").is_ok());
    assert!(with(&options, "x;y\n0.125-0.250;1\n1.500-1.625;2\n").is_ok());
}

#[test]
fn an_audit_refuses_thousands_points_and_finds_people_once_it_is_told_of_them() {
    let folder = TempDir::new().expect("a folder");
    let rows = |write: &dyn Fn(usize) -> String| {
        let rows: Vec<String> = (0..200).map(|i| write(700 + (i * 7919) % 5_300)).collect();
        format!("income;q\n{};1\n", rows.join(";1\n"))
    };
    let thousands = |n: usize| match n / 10 * 10 {
        n if n < 1_000 => n.to_string(),
        n => format!("{}.{:03}", n / 1_000, n % 1_000),
    };
    let write = |name: &str, text: String| {
        std::fs::write(folder.path().join(name), text).expect("writes");
    };
    write("o.csv", rows(&|n| n.to_string()));
    write("r.csv", rows(&thousands));
    let audit = |more: &[&str]| {
        let line = [
            "link",
            "--original",
            "o.csv",
            "--released",
            "r.csv",
            "--attack",
            "dbrl1",
            "--attributes",
            "income",
        ];
        unmask_in(folder.path(), &[&line, more].concat())
    };
    let error = refusal(&audit(&[]));
    assert!(error.contains("column income") && error.contains("--decimal"), "{error}");
    success(&audit(&["--decimal", "comma"]));
}

#[test]
fn a_built_in_file_has_no_number_that_may_be_another() {
    for built_in in unmask::dataset::catalog::ALL {
        let file = Dataset::load(built_in.name, &ReadOptions::default()).expect("reads");
        assert_eq!(warnings(&file), "", "{}", built_in.name);
    }
}

#[test]
fn zero_is_written_without_a_sign() {
    let file = read("x,y\n-0.4,1\n2,2\n");
    let column = file.numeric("x", "a test").expect("numbers");
    let rounded = column.map_present(|_, value| value.round());
    let released = file.with_columns([(0, unmask::dataset::Values::Numeric(rounded))]);
    let written = released.to_bytes("t.csv".as_ref()).expect("writes");
    assert_eq!(String::from_utf8(written).expect("text"), "x,y\n0,1\n2,2\n");
    let same = read("x,y\n-0,1\n-0.0,2\n").to_bytes("t.csv".as_ref()).expect("writes");
    assert_eq!(String::from_utf8(same).expect("text"), "x,y\n-0,1\n-0.0,2\n");
}
