//! `unmask lattice` as a person uses it.

use crate::support::{refusal, success, unmask_in};
use std::path::Path;
use tempfile::TempDir;

const PATIENTS: &str = "name,sex,birthdate,zip,disease\n\
    Bob,m,19.03.1970,1004,chest pain\n\
    Dave,m,20.03.1970,1015,short breath\n\
    Alice,f,18.04.1970,1004,obesity\n\
    Eve,f,21.04.1970,1015,short breath\n";

/// A folder with the patients, and hierarchies as CSV and as rules.
fn patients() -> TempDir {
    let folder = TempDir::new().unwrap();
    write(&folder, "patients.csv", PATIENTS);
    std::fs::create_dir(folder.path().join("h")).unwrap();
    write(&folder, "h/sex.csv", "m,p\nf,p\n");
    write(&folder, "h/birthdate.toml", "rule = \"date\"\nformat = \"dd.mm.yyyy\"\n");
    write(&folder, "h/zip.csv", "1004;100X\n1015;101X\n");
    folder
}

fn write(folder: &TempDir, name: &str, text: &str) {
    std::fs::write(folder.path().join(name), text).unwrap();
}

fn read(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

fn run(folder: &TempDir, command: &str) -> std::process::Output {
    unmask_in(folder.path(), &command.split_whitespace().collect::<Vec<_>>())
}

fn enumerate(folder: &TempDir, rest: &str) -> std::process::Output {
    run(folder, &format!("lattice enumerate patients.csv --hierarchies h {rest}"))
}

fn search(folder: &TempDir, rest: &str) -> std::process::Output {
    run(folder, &format!("lattice search patients.csv --hierarchies h {rest}"))
}

#[test]
fn enumerate_writes_every_node_in_one_row() {
    let folder = patients();
    let text = success(&enumerate(&folder, "--quasi sex,birthdate --k 2 -o nodes.csv"));
    assert!(text.contains("nodes              6\n"), "{text}");
    let expected = "sex_level,birthdate_level,k,classes,samarati,precision,dm_star,k_anonymous\n\
        0,0,1,4,0,0,4,false\n\
        0,1,2,2,1,0.5,8,true\n\
        0,2,2,2,2,1,8,true\n\
        1,0,1,4,1,1,4,false\n\
        1,1,2,2,2,1.5,8,true\n\
        1,2,4,1,3,2,16,true\n";
    assert_eq!(read(&folder, "nodes.csv"), expected);
}

#[test]
fn enumerate_goes_by_extension_order_and_force() {
    let folder = patients();
    success(&enumerate(&folder, "--quasi birthdate,zip --k 2 --details -o nodes.parquet"));
    let again = refusal(&enumerate(&folder, "--quasi birthdate,zip --k 2 -o nodes.parquet"));
    assert!(again.contains("exists already"), "{again}");
    let json = success(&run(&folder, "measure nodes.parquet --quasi zip_level --format json"));
    let nodes: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&nodes["records"], &nodes["k"]), (&6.into(), &3.into()));
    success(&enumerate(&folder, "--quasi birthdate,zip --k 2 --force -o nodes.parquet"));
}

#[test]
fn enumerate_draws_the_lattice_and_fills_the_k_anonymous_nodes() {
    let folder = patients();
    success(&enumerate(&folder, "--quasi sex,birthdate --k 2 -o nodes.csv --drawing lattice.svg"));
    let svg = read(&folder, "lattice.svg");
    let filled = svg.matches("opacity=\"0.3\"").count();
    assert_eq!((svg.matches("(0, 2)").count(), svg.matches("k = 2").count(), filled), (1, 3, 4));
}

#[test]
fn search_prints_the_best_node_and_writes_its_release() {
    let folder = patients();
    let rest = "--quasi sex,birthdate,zip --identifiers name --k 2 --metric precision \
        --format json -o release.csv";
    let found: serde_json::Value = serde_json::from_str(&success(&search(&folder, rest))).unwrap();
    assert_eq!(found["node"]["levels"], serde_json::json!([1, 2, 0]));
    assert_eq!((&found["loss"], &found["nodes"]), (&2.0.into(), &12.into()));
    assert_eq!(
        read(&folder, "release.csv"),
        "sex,birthdate,zip,disease\np,1970,1004,chest pain\np,1970,1015,short breath\n\
         p,1970,1004,obesity\np,1970,1015,short breath\n"
    );
}

#[test]
fn search_may_suppress_records_and_asks_for_diversity() {
    let folder = patients();
    let rest = "--quasi sex,birthdate --k 2 --l 2 --sensitive disease --metric samarati \
        --format json";
    let found: serde_json::Value = serde_json::from_str(&success(&search(&folder, rest))).unwrap();
    assert_eq!(found["node"]["levels"], serde_json::json!([0, 1]));
    write(&folder, "patients.csv", &format!("{PATIENTS}Zoe,f,01.01.1999,1015,flu\n"));
    let rest = "--quasi sex,birthdate --k 2 --suppression-limit 0.2 --metric samarati -o out.csv";
    let text = success(&search(&folder, rest));
    assert!(text.contains("suppressed       1"), "{text}");
    assert!(read(&folder, "out.csv").ends_with("Zoe,*,*,1015,flu\n"));
}

#[test]
fn a_number_is_found_however_it_is_written() {
    let folder = patients();
    write(&folder, "h/zip.csv", "1004.0,100X\n1.015e3,101X\n");
    success(&enumerate(&folder, "--quasi zip --k 2 -o nodes.csv"));
    assert!(read(&folder, "nodes.csv").contains("\n1,2,2,1,1,8,true\n"));
}

/// Runs `enumerate` on all quasi-identifiers with one file replaced; nothing may be written.
fn refused(file: &str, content: &str) -> String {
    let folder = patients();
    write(&folder, file, content);
    let error = refusal(&enumerate(&folder, "--quasi sex,birthdate,zip --k 2 -o nodes.csv"));
    assert!(!folder.path().join("nodes.csv").exists());
    error
}

fn assert_says(error: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(error.contains(part), "{part:?} in {error}"));
}

#[test]
fn a_hierarchy_that_is_wrong_is_refused_by_value_and_level() {
    let missing = refused("h/sex.csv", "m,p\n");
    assert_says(&missing, &["h/sex.csv", "no row for \"f\" on level 0", "record 3"]);
    let twice = refused("h/zip.csv", "1004;100X;1\n1015;101X;1\n1016;101X;2\n");
    assert_says(&twice, &["line 3", "\"101X\" on level 1 is \"2\" on level 2", "\"1\""]);
    let ragged = refused("h/sex.csv", "m,p\nf\n");
    assert_says(&ragged, &["h/sex.csv: line 2", "value \"f\" has 1 columns", "first row has 2"]);
    assert_says(&refused("h/sex.csv", ""), &["h/sex.csv", "no values"]);
    let same = refused("h/zip.csv", "1004,a\n1004.0,b\n1015,c\n");
    assert_says(&same, &["\"1004\" and \"1004.0\" are the same number"]);
}

#[test]
fn a_rule_that_is_wrong_is_refused_by_value_and_level() {
    let iso = refused("h/birthdate.toml", "rule = \"date\"\n");
    assert_says(&iso, &["birthdate.toml", "\"19.03.1970\" on level 0", "yyyy-mm-dd"]);
    let number = refused("h/birthdate.toml", "rule = \"number\"\nwidths = [5, 10]\n");
    assert_says(&number, &["\"19.03.1970\" on level 0 is not a number"]);
    let widths = refused("h/birthdate.toml", "rule = \"number\"\nwidths = [5, 12]\n");
    assert_says(&widths, &["widths = [5.0, 12.0]", "multiple"]);
    assert_says(&refused("h/birthdate.toml", "rule = \"weather\"\n"), &["weather", "`date`"]);
    assert_says(&refused("h/sex.toml", "rule = \"suppress\"\n"), &["both sex.csv and sex.toml"]);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let folder = patients();
    let refuse = |rest: &str, parts: &[&str]| assert_says(&refusal(&search(&folder, rest)), parts);
    refuse("--quasi name --k 2", &["name.csv", "no such file"]);
    refuse("--quasi sex,height --k 2", &["no column \"height\""]);
    refuse("--k 2", &["no quasi-identifier"]);
    refuse("--quasi sex --k 0", &["k = 0"]);
    refuse("--quasi sex --k 2 --l 2", &["sensitive", "--sensitive"]);
    refuse("--quasi sex --k 2 --l 2 --sensitive sex", &["is also a quasi-identifier"]);
    refuse("--quasi sex --k 2 --t 1.5 --sensitive disease", &["t = 1.5"]);
    refuse("--quasi sex --k 2 --suppression-limit 5", &["suppression-limit = 5"]);
    refuse("--quasi sex --k 2 -o no/where.csv", &["no such folder"]);
}

#[test]
fn when_no_node_satisfies_the_criteria_the_nearest_is_named() {
    let folder = patients();
    let monotone = refusal(&search(&folder, "--quasi sex,zip --k 3 --metric samarati"));
    assert_says(&monotone, &["k = 3", "sex 1, zip 1", "k = 2", "suppress 4 of 4"]);
    let rest = "--quasi sex,zip --k 1 --t 0.1 --sensitive disease --suppression-limit 0.1";
    assert_says(&refusal(&search(&folder, rest)), &["no node satisfies", "of 4 records"]);
}

#[test]
fn the_adult_hierarchies_cover_the_built_in_file() {
    let folder = TempDir::new().unwrap();
    let hierarchies = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/schrittwieser/adult");
    let command = format!(
        "lattice search adult-train --hierarchies {} --k 10 --metric dm-star --format json \
         --quasi age,workclass,education,marital-status,occupation,race,sex,native-country",
        hierarchies.display()
    );
    let found = success(&run(&folder, &command));
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["nodes"], 6480);
    assert!(found["node"]["k"].as_u64() >= Some(10));
}
