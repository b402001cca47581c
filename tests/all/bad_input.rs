//! Bad input gets one clear line with file, line, column and value, and exit code 2.

use crate::support::{misuse, protect_in, refusal, success, unmask_in};
use std::path::Path;
use tempfile::TempDir;

/// Runs `unmask protect in.csv ...` on `content`; gives the refusal.
fn refused(content: &str, arguments: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.csv"), content).unwrap();
    let error = refusal(&protect_in(folder.path(), "in.csv", arguments));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "a refusal writes no file");
    error
}

const NOISE: [&str; 3] = ["noise", "--p", "10"];

fn assert_names(error: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(error.contains(part), "{part:?} not in {error}"));
}

#[test]
fn a_ragged_row_is_refused_with_its_line() {
    let error = refused("a,b\n1,2\n3\n4,5\n", &NOISE);
    assert_names(&error, &["in.csv", "line 3", "1 fields", "2 columns"]);
}

#[test]
fn text_in_a_numeric_column_is_refused_with_line_column_and_value() {
    let error = refused("a,b\n1,2\n3,4\n5,abc\n6,7\n", &NOISE);
    assert_names(&error, &["in.csv", "line 4", "column b", "\"abc\"", "not a number"]);
}

#[test]
fn text_in_a_column_that_must_be_numeric_is_refused_where_it_stands() {
    let error = refused("a,b\n1,x\n3,y\n", &["noise", "--p", "10", "--attributes", "b"]);
    assert_names(&error, &["in.csv", "line 2", "column b", "\"x\""]);
}

#[test]
fn nan_and_infinite_values_are_refused() {
    for value in ["NaN", "inf", "-Infinity", "1e999"] {
        let error = refused(&format!("a,b\n1,2\n3,{value}\n5,6\n"), &NOISE);
        assert_names(&error, &["in.csv", "line 3", "column b", value, "finite"]);
    }
}

#[test]
fn duplicate_column_names_are_refused() {
    assert_names(&refused("a,b,a\n1,2,3\n", &NOISE), &["in.csv", "line 1", "\"a\""]);
}

#[test]
fn unknown_columns_are_refused_and_the_known_ones_listed() {
    let error = refused("a,b\n1,2\n2,1\n", &["noise", "--p", "1", "--attributes", "zip"]);
    assert_names(&error, &["in.csv", "\"zip\"", "a, b"]);
}

#[test]
fn files_without_records_are_refused() {
    assert_names(&refused("a,b\n", &NOISE), &["in.csv", "no records"]);
    assert_names(&refused("", &NOISE), &["in.csv", "no records"]);
}

#[test]
fn a_file_that_does_not_exist_is_refused_and_the_built_in_ones_named() {
    let folder = TempDir::new().unwrap();
    let output = unmask_in(folder.path(), &["utility", "nowhere.csv", "census"]);
    assert_names(&refusal(&output), &["nowhere.csv", "census", "adult-train"]);
}

#[test]
fn a_constant_column_is_refused_where_a_standard_deviation_is_needed() {
    let constant = "a,b\n1,2\n1,3\n1,5\n1,9\n";
    assert_names(&refused(constant, &NOISE), &["in.csv", "column a", "constant"]);
    let error = refused(constant, &["mdav", "--k", "2"]);
    assert_names(&error, &["in.csv", "column a", "constant"]);
}

#[test]
fn missing_values_are_refused_where_that_is_asked_for() {
    let error = refused("a,b\n1,2\n?,3\n4,5\n", &["mdav", "--k", "2", "--missing", "refuse"]);
    assert_names(&error, &["in.csv", "column a", "1 missing", "record 2"]);
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.csv"), b"a,b\n1,\xff\n").unwrap();
    let noise = ["protect", "noise", "in.csv", "-o", "o.csv", "--p", "1", "--encoding", "utf-8"];
    let output = unmask_in(folder.path(), &noise);
    assert_names(&refusal(&output), &["in.csv", "line 2", "column b", "UTF-8"]);
}

/// A refusal of parameters on the census file.
fn refused_parameters(arguments: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    refusal(&protect_in(folder.path(), "census", arguments))
}

#[test]
fn k_out_of_range_is_refused() {
    let error = refused_parameters(&["mdav", "--k", "1081"]);
    assert_names(&error, &["k = 1081", "1080 records"]);
    let error = refused_parameters(&["mdav", "--k", "1"]);
    assert_names(&error, &["k = 1", "k >= 2"]);
}

#[test]
fn p_out_of_range_is_refused() {
    for (method, p) in
        [("noise", "0"), ("noise", "-3"), ("rank-swapping", "101"), ("rank-swapping", "0")]
    {
        let argument = format!("--p={p}");
        let error = refused_parameters(&[method, &argument]);
        assert_names(&error, &["p = ", p, "0 < p"]);
    }
    let error = refused_parameters(&["rank-swapping", "--p", "0.01"]);
    assert_names(&error, &["p = 0.01", "less than one rank"]);
}

#[test]
fn group_sizes_that_do_not_add_up_are_refused() {
    let error = refused_parameters(&["mdav", "--k", "3", "--groups", "5,5,5"]);
    assert_names(&error, &["groups = 5,5,5", "15", "13 attributes"]);
    let error = refused_parameters(&["mdav", "--k", "3,4", "--groups", "5,5,3"]);
    assert_names(&error, &["k = 3,4", "2 values for 3 groups"]);
}

#[test]
fn parameters_of_another_method_and_missing_ones_are_refused() {
    let folder = TempDir::new().unwrap();
    let misused = |arguments: &[&str]| misuse(&protect_in(folder.path(), "census", arguments));
    assert_names(&misused(&["noise", "--p", "3", "--k", "5"]), &["unexpected argument '--k'"]);
    assert_names(&misused(&["mdav"]), &["--k <K,...>"]);
}

#[test]
fn protecting_a_confidential_attribute_is_refused() {
    let error = refused_parameters(&[
        "noise",
        "--p",
        "3",
        "--confidential",
        "AGI",
        "--attributes",
        "AGI,FICA",
    ]);
    assert_names(&error, &["attributes = AGI", "confidential"]);
}

const DIVERSE: [&str; 3] = ["l-diverse-v-mdav", "--levels", "5"];

/// The refusal of l-diverse V-MDAV on the census file with these arguments besides.
fn refused_diverse(arguments: &[&str]) -> String {
    refused_parameters(&[&DIVERSE[..], arguments].concat())
}

#[test]
fn a_negative_gain_factor_is_refused() {
    for gamma in ["-0.1", "NaN", "inf"] {
        let error = refused_parameters(&["v-mdav", "--k", "3", &format!("--gamma={gamma}")]);
        assert_names(&error, &["gamma = ", gamma, "at least 0"]);
    }
    let error = refused_diverse(&["--l", "3", "--sensitive", "AGI", "--gamma", "-1"]);
    assert_names(&error, &["gamma = -1", "at least 0"]);
}

#[test]
fn more_diversity_than_there_are_levels_is_refused() {
    let error = refused_diverse(&["--l", "6", "--sensitive", "AGI"]);
    assert_names(&error, &["l = 6", "AGI", "only 5 levels", "--levels"]);
    let error = refused_diverse(&["--l", "4", "--sensitive", "INTVAL", "--diversity", "entropy"]);
    assert_names(&error, &["l = 4", "INTVAL", "entropy", "lower l"]);
}

#[test]
fn a_sensitive_attribute_that_is_also_a_quasi_identifier_is_refused() {
    let error = refused_diverse(&["--l", "3", "--sensitive", "AGI", "--quasi", "AGI,FICA"]);
    assert_names(&error, &["sensitive = AGI", "quasi-identifier", "one role"]);
    let error = refused_diverse(&["--l", "3", "--sensitive", "AGI", "--attributes", "AGI,FICA"]);
    assert_names(&error, &["sensitive = AGI", "--attributes", "one role"]);
}

#[test]
fn an_unprotected_quasi_identifier_is_refused_where_classes_must_be_diverse() {
    let error = refused_diverse(&[
        "--l",
        "3",
        "--sensitive",
        "AGI",
        "--quasi",
        "FICA,TAXINC",
        "--attributes",
        "FICA",
    ]);
    assert_names(&error, &["attributes", "TAXINC", "protect it as well"]);
}

#[test]
fn diverse_groups_need_l_k_and_a_sensitive_attribute_that_fit() {
    let error = refused_diverse(&["--l", "3", "--sensitive", "AGI", "--k", "2"]);
    assert_names(&error, &["k = 2", "k >= 3"]);
    assert_names(&refused_diverse(&["--l", "1", "--sensitive", "AGI"]), &["l = 1", "l >= 2"]);
    assert_names(&refused_diverse(&["--l", "3"]), &["no sensitive attribute", "--sensitive"]);
    let folder = TempDir::new().unwrap();
    let without_l = [&DIVERSE[..], &["--sensitive", "AGI"]].concat();
    assert_names(&misuse(&protect_in(folder.path(), "census", &without_l)), &["--l <L>"]);
    let error = refused_diverse(&["--l", "3", "--sensitive", "WAGE"]);
    assert_names(&error, &["WAGE", "AGI"]);
    let error = refused_diverse(&["--l", "3", "--sensitive", "AGI", "--k", "1081"]);
    assert_names(&error, &["k = 1081", "1080 records"]);
    let error = refused_parameters(&["v-mdav", "--k", "1"]);
    assert_names(&error, &["k = 1", "k >= 2"]);
}

#[test]
fn missing_values_are_refused_by_microaggregation_of_any_kind_of_attribute() {
    let text = "a,b,s\n1,x,1\n2,,2\n3,y,3\n4,y,4\n5,x,\n";
    let method = ["v-mdav", "--k", "2", "--attributes", "b", "--missing", "refuse"];
    assert_names(&refused(text, &method), &["column b", "1 missing values", "record 2"]);
    let method = ["l-diverse-v-mdav", "--l", "2", "--sensitive", "s", "--attributes", "a"];
    assert_names(&refused(text, &method), &["column s", "1 missing values", "record 5"]);
}

/// A column `x` and a counter beside it.
fn column_of(values: [&str; 6]) -> String {
    let rows = values.iter().enumerate().map(|(i, value)| format!("{value},{i}\n"));
    format!("x,y\n{}", rows.collect::<String>())
}

#[test]
fn numbers_whose_distances_overflow_or_vanish_are_refused() {
    let huge = column_of(["0", "1e308", "0", "1e308", "0", "-1e308"]);
    let tiny = column_of(["1e-200", "2e-200", "3e-200", "4e-200", "5e-200", "6e-200"]);
    for method in ["mdav", "v-mdav", "pc-projection"] {
        for scale in ["zscore", "raw"] {
            let arguments = [method, "--k", "2", "--cluster-on", scale];
            assert_names(&refused(&huge, &arguments), &["column x", "overflow", "rescale"]);
        }
        let arguments = [method, "--k", "2"];
        assert_names(&refused(&tiny, &arguments), &["column x", "underflow", "rescale"]);
    }
}

#[test]
fn a_constant_column_is_refused_before_anything_is_written() {
    let text = column_of(["7"; 6]);
    for scale in ["zscore", "raw"] {
        let arguments = ["v-mdav", "--k", "2", "--cluster-on", scale];
        assert_names(&refused(&text, &arguments), &["column x", "is constant"]);
    }
}

#[test]
fn more_labels_than_refinement_takes_are_refused() {
    let rows: String = (0..600).map(|i| format!("town{i},{i}\n")).collect();
    let text = format!("town,y\n{rows}");
    let arguments = ["v-mdav", "--k", "3", "--attributes", "town,y", "--refine"];
    assert_names(&refused(&text, &arguments), &["in.csv", "601", "--refine takes 512 at most"]);
}

#[test]
fn a_sensitive_attribute_named_twice_is_refused() {
    let error = refused_diverse(&["--l", "3", "--sensitive", "AGI,AGI"]);
    assert_names(&error, &["sensitive = AGI", "named twice"]);
}

#[test]
fn more_diversity_than_records_or_labels_is_refused_by_its_name() {
    let error = refused_diverse(&["--l", "2000", "--sensitive", "AGI"]);
    assert_names(&error, &["l = 2000", "only 1080 records"]);
    let text = "a,s\n1,x\n2,y\n3,x\n4,y\n";
    let arguments = ["l-diverse-v-mdav", "--l", "3", "--sensitive", "s"];
    let error = refused(text, &arguments);
    assert_names(&error, &["l = 3", "only 2 different values", "lower l"]);
    assert!(!error.contains("--levels"), "{error}");
}

#[test]
fn files_of_different_length_are_refused() {
    let folder = TempDir::new().unwrap();
    let output = unmask_in(folder.path(), &["utility", "census", "tarragona"]);
    assert_names(&refusal(&output), &["tarragona: 834 records", "census has 1080", "correspond"]);
}

#[test]
fn a_project_that_contradicts_the_file_is_refused() {
    let folder = TempDir::new().unwrap();
    let schema = "[attributes.size]\nkind = \"ordinal\"\norder = [\"low\", \"high\"]\n";
    std::fs::write(folder.path().join("s.toml"), schema).unwrap();
    std::fs::write(folder.path().join("in.csv"), "size,x\nlow,1\nmiddle,2\n").unwrap();
    let output = unmask_in(folder.path(), &["utility", "in.csv", "in.csv", "--project", "s.toml"]);
    assert_names(&refusal(&output), &["in.csv", "column size", "\"middle\"", "order"]);
}

fn protect_census(folder: &Path, extra: &[&str]) -> std::process::Output {
    let mut all = vec!["protect", "noise", "census", "--p", "5", "-o", "out.csv"];
    all.extend(extra);
    unmask_in(folder, &all)
}

#[test]
fn an_existing_file_is_only_replaced_with_force() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("out.csv");
    std::fs::write(&path, "precious").unwrap();
    assert_names(&refusal(&protect_census(folder.path(), &[])), &["out.csv", "--force"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    success(&protect_census(folder.path(), &["--force"]));
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("AFNLWGT,AGI"));
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 2, "the release and its recipe, and no temporary file");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_no_file() {
    let folder = TempDir::new().unwrap();
    let columns = crate::support::normal_columns(60_000, 6, 1);
    crate::support::dataset(&columns).save(&folder.path().join("big.csv"), false).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_unmask"))
        .args(["protect", "mdav", "big.csv", "--k", "3", "-o", "out.csv"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(200));
    let id = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "only the input is there");
}
