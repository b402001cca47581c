//! Reading and writing files.

use crate::support::{normal_columns, success, unmask_in};
use proptest::prelude::*;
use tempfile::TempDir;
use unmask::dataset::{Attribute, Dataset, Numeric, ReadOptions, Role, Values, catalog};
use unmask::project::Project;

fn parse(text: &str) -> Dataset {
    Dataset::from_csv("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn csv_of(data: &Dataset) -> String {
    String::from_utf8(data.to_bytes(std::path::Path::new("t.csv")).unwrap()).unwrap()
}

#[test]
fn built_in_files_have_the_stated_size_and_checksum() {
    for built_in in catalog::ALL {
        let data = Dataset::load(built_in.name, &ReadOptions::default()).unwrap();
        assert_eq!(data.records(), built_in.records, "{}", built_in.name);
        assert_eq!(data.attributes().len(), built_in.attributes, "{}", built_in.name);
        assert_eq!(unmask::files::sha256(built_in.content), built_in.sha256, "{}", built_in.name);
        let provenance = include_str!("../../data/README.md");
        assert!(provenance.contains(built_in.sha256), "{} in data/README.md", built_in.name);
    }
}

/// The numbers of each numeric column.
fn numbers(data: &Dataset) -> Vec<Vec<Option<f64>>> {
    let columns = data.attributes().iter().filter_map(|attribute| match &attribute.values {
        Values::Numeric(column) => Some(column.iter().collect()),
        Values::Categorical(_) => None,
    });
    columns.collect()
}

#[test]
fn a_built_in_file_is_written_back_as_it_was() {
    for built_in in catalog::ALL {
        let data = Dataset::load(built_in.name, &ReadOptions::default()).unwrap();
        let original = String::from_utf8_lossy(built_in.content).replace("\r\n", "\n");
        let written = csv_of(&data);
        if built_in.name == "survey" {
            // Its numbers end in zeros, which are not written: the values are the same.
            let again = Dataset::from_csv("survey", written.as_bytes(), &ReadOptions::default());
            let again = again.unwrap();
            assert_eq!(csv_of(&again), written);
            assert_eq!(numbers(&again), numbers(&data));
        } else {
            assert!(written == original, "{}", built_in.name);
        }
    }
}

#[test]
fn byte_order_mark_quotes_delimiter_and_missing_tokens_are_understood() {
    let data = parse("\u{feff}name;\"a;b\";c\n\"x \"\"y\"\"\";1;NA\nz;;2.5\n");
    let names: Vec<&str> = data.attributes().iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["name", "a;b", "c"]);
    let Values::Categorical(name) = &data.attributes()[0].values else { panic!("labels") };
    assert_eq!(name.get(0), Some("x \"y\""));
    let numbers = |name: &str| data.numeric(name, "test").unwrap().iter().collect::<Vec<_>>();
    assert_eq!(numbers("a;b"), [Some(1.0), None]);
    assert_eq!(numbers("c"), [None, Some(2.5)]);
    assert!(csv_of(&data).starts_with("name;\"a;b\";c\n"));
}

#[test]
fn codes_with_leading_zeros_or_too_many_digits_stay_text() {
    let text = "zip,card,x\n01234,1234567890123456789,1\n90210,1,2\n";
    let data = parse(text);
    let kinds: Vec<bool> = data.attributes().iter().map(Attribute::is_numeric).collect();
    assert_eq!(kinds, [false, false, true]);
    assert_eq!(csv_of(&data), text);
}

#[test]
fn files_without_a_header_get_numbered_columns() {
    let options = ReadOptions { header: false, ..ReadOptions::default() };
    let data = Dataset::from_csv("t.csv", b"1,2\n3,4\n", &options).unwrap();
    assert_eq!(data.attributes()[1].name, "c2");
    assert_eq!(csv_of(&data), "1,2\n3,4\n");
}

#[test]
fn a_large_file_read_in_parallel_equals_the_same_file_read_at_once() {
    let data = crate::support::dataset(&normal_columns(60_000, 4, 3));
    let text = csv_of(&data);
    assert!(text.len() > 4 << 20, "large enough to be cut");
    let quoted = text.replacen("x0", "\"x0\"", 1);
    assert!(parse(&text).attributes() == data.attributes());
    assert!(parse(&quoted).attributes() == data.attributes());
}

#[test]
fn an_error_in_a_large_file_names_the_right_line() {
    let data = crate::support::dataset(&normal_columns(60_000, 4, 3));
    let mut lines: Vec<String> = csv_of(&data).lines().map(str::to_owned).collect();
    lines[50_000] = "1,2,3".into();
    let text = lines.join("\n");
    let error = Dataset::from_csv("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("t.csv: line 50001: 3 fields"), "{error}");
}

#[test]
fn a_project_gives_kinds_roles_and_orders() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("project.toml");
    let text = "[attributes.size]\nkind = \"ordinal\"\norder = [\"low\", \"mid\", \"high\"]\n\
                [attributes.id]\nrole = \"identifier\"\n[attributes.code]\nkind = \"nominal\"\n";
    std::fs::write(&path, text).unwrap();
    let options = Project::load(&path).unwrap().read_options();
    let file = b"id,size,code\n1,high,7\n2,low,1.50\n";
    let data = Dataset::from_csv("t.csv", file, &options).unwrap();
    assert_eq!(data.attributes()[0].role, Role::Identifier);
    let Values::Categorical(size) = &data.attributes()[1].values else { panic!("labels") };
    assert!(size.is_ordinal());
    assert_eq!((size.code(0), size.code(1)), (Some(2), Some(0)));
    assert_eq!(csv_of(&data), String::from_utf8_lossy(file));
}

#[test]
fn identifiers_are_dropped_or_kept_as_they_are_on_request() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.csv"), "id,x,s\n1,5,7\n2,6,8\n3,9,9\n").unwrap();
    let run = |extra: &[&str]| {
        let mut all = vec![
            "protect",
            "noise",
            "in.csv",
            "--p",
            "10",
            "--identifiers",
            "id",
            "--confidential",
            "s",
            "-o",
            "out.csv",
            "--force",
        ];
        all.extend(extra);
        success(&unmask_in(folder.path(), &all));
        std::fs::read_to_string(folder.path().join("out.csv")).unwrap()
    };
    let kept = run(&["--keep-identifiers"]);
    assert_eq!(kept.lines().count(), 4);
    for (row, (id, s)) in kept.lines().skip(1).zip([("1", "7"), ("2", "8"), ("3", "9")]) {
        assert!(row.starts_with(&format!("{id},")) && row.ends_with(&format!(",{s}")), "{row}");
    }
    assert!(run(&[]).starts_with("x,s\n"));
}

#[test]
fn missing_values_stay_missing_under_noise_and_rank_swapping() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.csv"), "x,y\n1,1\n?,2\n3,3\n4,4\n").unwrap();
    for method in ["noise", "rank-swapping"] {
        let arguments = ["protect", method, "in.csv", "--p", "60", "-o", "out.csv", "--force"];
        success(&unmask_in(folder.path(), &arguments));
        let text = std::fs::read_to_string(folder.path().join("out.csv")).unwrap();
        assert!(text.lines().nth(2).unwrap().starts_with("?,"), "{text}");
    }
}

#[test]
fn csv_and_parquet_hold_the_same_data() {
    let folder = TempDir::new().unwrap();
    let run = |output: &str| {
        let line = format!("protect noise eia --attributes RESSALES --p 5 --seed 1 -o {output}");
        success(&unmask_in(folder.path(), &line.split(' ').collect::<Vec<_>>()));
        let path = folder.path().join(output);
        Dataset::load(path.to_str().unwrap(), &ReadOptions::default()).unwrap()
    };
    let (csv, parquet) = (run("out.csv"), run("out.parquet"));
    for (a, b) in csv.attributes().iter().zip(parquet.attributes()) {
        assert_eq!(a.name, b.name);
        match (&a.values, &b.values) {
            (Values::Numeric(x), Values::Numeric(y)) => assert_eq!(x, y),
            (Values::Categorical(x), Values::Categorical(y)) => {
                assert!((0..x.len()).all(|i| x.get(i) == y.get(i)));
            }
            _ => panic!("{} is of one kind in both", a.name),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_numeric_column_survives_csv_and_parquet(
        values in prop::collection::vec(prop::option::of(-1e12f64..1e12), 1..40)
    ) {
        let column = Numeric::new(values.iter().copied()).unwrap();
        let marker = Attribute::numeric("row", (0..values.len()).map(|i| i as f64).collect()).unwrap();
        let attribute = Attribute { name: "x".into(), role: Role::Other, values: Values::Numeric(column) };
        let data = Dataset::new("made", vec![marker, attribute]).unwrap();
        let folder = TempDir::new().unwrap();
        for file in ["t.csv", "t.parquet"] {
            let path = folder.path().join(file);
            data.save(&path, false).unwrap();
            let back = Dataset::load(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
            prop_assert_eq!(back.attributes(), data.attributes());
        }
    }
}
