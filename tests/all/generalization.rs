//! Generalization by anti-unification: laws, the paper's examples, refusals, and audits of what
//! it releases.

#[path = "../textbook/anti_unification.rs"]
mod textbook;

use crate::support::{refusal, success, unmask_in};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use tempfile::TempDir;
use textbook::{Record, Textbook};
use unmask::dataset::{Attribute, Dataset, ReadOptions, Role};
use unmask::protection::generalization::{
    AntiUnification, Condition, Generalization, Pattern, Unknown, Value, Variant,
};

/// A file of labels with a confidential column `class`.
fn file(records: &[Record], classes: &[String]) -> Dataset {
    let column =
        |a: usize| Attribute::nominal(format!("q{a}"), records.iter().map(|r| r[a].as_deref()));
    let mut attributes: Vec<Attribute> = (0..records[0].len()).map(column).collect();
    attributes.push(Attribute::nominal("class", classes.iter().map(|c| Some(c.as_str()))));
    let mut file = Dataset::new("made.csv", attributes).unwrap();
    file.set_role(&["class"], Role::Confidential).unwrap();
    file
}

fn conditions(text: &str) -> Vec<Condition> {
    text.split(',').map(|c| c.parse().unwrap()).collect()
}

fn method(k: usize, order: &str, variant: Variant, unknown: Unknown) -> AntiUnification {
    AntiUnification { k, indifferent: 1, conditions: conditions(order), variant, unknown }
}

/// The generalization of `file` on its columns q0, q1, ...
fn generalize(method: &AntiUnification, file: &Dataset) -> Option<Generalization> {
    let names = file.attributes().iter().map(|a| a.name.clone());
    let quasi: Vec<String> = names.filter(|name| name.starts_with('q')).collect();
    method.generalize(file, &quasi, &()).ok()
}

fn class_of(file: &Dataset, pattern: &Pattern) -> String {
    let position = file.position("class").unwrap();
    match &file.attributes()[position].values {
        unmask::dataset::Values::Categorical(c) => c.get(pattern.class_record).unwrap().to_owned(),
        unmask::dataset::Values::Numeric(_) => unreachable!(),
    }
}

/// Small files in which values repeat and some are unknown.
fn files() -> impl Strategy<Value = (Vec<Record>, Vec<String>)> {
    (2usize..5, 6usize..40).prop_flat_map(|(width, records)| {
        let value = prop_oneof![
            1 => Just(None),
            8 => prop::sample::select(vec!["a", "b", "c"]).prop_map(|v| Some(v.to_owned()))
        ];
        let record = prop::collection::vec(value, width);
        let class = prop::sample::select(vec!["x", "y"]).prop_map(str::to_owned);
        (prop::collection::vec(record, records), prop::collection::vec(class, records))
    })
}

const POLICIES: [Unknown; 3] = [Unknown::OwnValue, Unknown::NeverEqual, Unknown::Wildcard];

/// True when `pattern` covers `record` as the text defines it.
fn covers(pattern: &[Value], record: &Record, loose: bool) -> bool {
    let loose = loose && record.contains(&None);
    pattern.iter().zip(record).all(|(value, own)| match (value, own) {
        (Value::Indifferent, _) => true,
        (Value::Unknown, own) => own.is_none() || loose,
        (Value::Label(_), None) => loose,
        (Value::Label(label), Some(own)) => label == own,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn finds_the_patterns_of_the_textbook_with_their_repetitions(
        (records, classes) in files(), k in 2usize..5,
        order in prop::sample::select(vec!["<,>", ">,<", "<", ">,>,<"]),
        unknown in prop::sample::select(&POLICIES[..]),
        variant in prop::sample::select(vec![Variant::Literal, Variant::Progressive]),
    ) {
        let file = file(&records, &classes);
        let textbook = Textbook { records: &records, classes: &classes, k, unknown };
        let expected = textbook.anonymize(order, 1, variant);
        let mut list = Vec::new();
        let mut identified = BTreeSet::new();
        if let Some(found) = generalize(&method(k, order, variant, unknown), &file) {
            for pattern in &found.patterns {
                let one = (class_of(&file, pattern), pattern.values.clone());
                list.extend(std::iter::repeat_n(one, pattern.repetitions as usize));
            }
            identified.extend(
                (0..records.len()).filter(|&i| found.pattern_of[i].is_some()));
        }
        let mut shown = expected.list;
        shown.sort();
        list.sort();
        prop_assert_eq!(list, shown);
        prop_assert_eq!(identified, expected.identified);
    }

    #[test]
    fn every_pattern_covers_k_records_and_every_record_is_covered_or_in_the_rest(
        (records, classes) in files(), k in 2usize..5,
        unknown in prop::sample::select(&POLICIES[..]),
        variant in prop::sample::select(vec![Variant::Literal, Variant::Progressive]),
    ) {
        let file = file(&records, &classes);
        let loose = unknown == Unknown::Wildcard
            || (unknown == Unknown::OwnValue && variant == Variant::Progressive);
        if let Some(found) = generalize(&method(k, "<,>", variant, unknown), &file) {
            let covered = |p: &Pattern, i: usize| {
                class_of(&file, p) == classes[i] && covers(&p.values, &records[i], loose)
            };
            for pattern in &found.patterns {
                let count = (0..records.len()).filter(|&i| covered(pattern, i)).count();
                prop_assert!(count >= k && pattern.covered == count);
                let free = pattern.values.iter().filter(|v| **v == Value::Indifferent).count();
                prop_assert!(free <= 1);
            }
            for i in 0..records.len() {
                let any = found.patterns.iter().any(|p| covered(p, i));
                prop_assert_eq!(any, found.pattern_of[i].is_some());
                if let Some(p) = found.pattern_of[i] {
                    prop_assert!(covered(&found.patterns[p as usize], i));
                }
            }
            let summary = &found.summary;
            prop_assert_eq!(found.discarded().len(), summary.rest);
            prop_assert_eq!(summary.rest + summary.released, records.len());
            prop_assert!(summary.anonymity_sets.smallest >= k);
        }
    }

    #[test]
    fn the_order_of_rows_and_attributes_changes_nothing(
        (records, classes) in files(), k in 2usize..5, shift in 1usize..6,
        unknown in prop::sample::select(&POLICIES[..]),
    ) {
        let plain = file(&records, &classes);
        let turned_rows: Vec<usize> =
            (0..records.len()).map(|i| (i + shift) % records.len()).rev().collect();
        let selected = plain.select(&turned_rows).unwrap();
        let mut columns = selected.attributes().to_vec();
        columns.rotate_left(shift % plain.attributes().len());
        let turned = Dataset::new("turned.csv", columns).unwrap();
        let method = method(k, "<,>", Variant::Progressive, unknown);
        let (one, other) = (generalize(&method, &plain), generalize(&method, &turned));
        prop_assert_eq!(one.is_some(), other.is_some());
        if let (Some(one), Some(other)) = (one, other) {
            prop_assert_eq!(&one.summary, &other.summary);
            let before = one.released(&plain).unwrap();
            let after = other.released(&turned).unwrap();
            let kept: Vec<usize> =
                turned_rows.iter().copied().filter(|&i| one.pattern_of[i].is_some()).collect();
            let place: Vec<usize> = kept.iter()
                .map(|i| one.pattern_of[..*i].iter().flatten().count()).collect();
            for attribute in before.select(&place).unwrap().attributes() {
                let position = after.position(&attribute.name).unwrap();
                let same = &after.attributes()[position];
                for i in 0..attribute.len() {
                    prop_assert_eq!(text(attribute, i), text(same, i));
                }
            }
        }
    }
}

/// A cell as it is written.
fn text(attribute: &Attribute, i: usize) -> String {
    match &attribute.values {
        _ if attribute.is_generalized(i) => "*".into(),
        unmask::dataset::Values::Categorical(c) => c.get(i).unwrap_or("?").into(),
        unmask::dataset::Values::Numeric(c) => c.get(i).map_or("?".into(), |v| v.to_string()),
    }
}

/// The records of Fig. 5.
const FIGURE_5: &str = "age,workclass,education,marital-status,occupation,race,sex,native-country,salary\n\
    B_25-29,PRIVATE,BACHELORS,DIVORCED,PROF-SPECIALTY,BLACK,FEMALE,CUBA,LESS_50\n\
    B_35-39,PRIVATE,MASTERS,MARRIED-CIV-SPOUSE,EXEC-MANAGERIAL,WHITE,FEMALE,UNITED-STATES,LESS_50\n";

#[test]
fn adult_8_and_adult_10_of_figure_5_share_three_values() {
    let file = Dataset::from_csv("f", FIGURE_5.as_bytes(), &ReadOptions::default()).unwrap();
    let quasi = file.names()[..9].to_vec();
    let two = |indifferent| {
        let method = AntiUnification {
            k: 2,
            indifferent,
            conditions: conditions("<"),
            variant: Variant::Literal,
            unknown: Unknown::OwnValue,
        };
        method.generalize(&file, &quasi, &())
    };
    let found = two(6).unwrap();
    let [pattern] = found.patterns.as_slice() else { panic!("one pattern") };
    assert_eq!(pattern.to_string(), "(*, PRIVATE, *, *, *, *, FEMALE, *, LESS_50)");
    assert!(two(5).is_err(), "a pattern of three values is too short when four are asked for");
}

/// The 35 records of section 3: 7 small blue, 3 small green, 12 big blue, 13 big green.
fn section_3() -> String {
    let mut text = String::from("texture,material,color,size\n");
    for (count, class) in
        [(7, "blue,small"), (3, "green,small"), (12, "blue,big"), (13, "green,big")]
    {
        (0..count).for_each(|_| text.push_str(&format!("smooth,wood,{class}\n")));
    }
    text
}

const SECTION_3: [&str; 12] = [
    "protect",
    "anti-unification",
    "in.csv",
    "--indifferent",
    "1",
    "--conditions",
    "<,>",
    "--confidential",
    "color,size",
    "--variant",
    "literal",
    "-o",
];

fn in_folder(content: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.csv"), content).unwrap();
    folder
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("one JSON object")
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn the_class_of_three_records_of_section_3_is_rejected_at_k_5() {
    let folder = in_folder(&section_3());
    let arguments = [&SECTION_3[..], &["out.csv", "--k", "5", "--format", "json"]].concat();
    let printed = success(&unmask_in(folder.path(), &arguments));
    let summary = json(&printed);
    assert_eq!((&summary["classes"], &summary["small_classes"]), (&4.into(), &1.into()));
    assert_eq!((&summary["patterns"], &summary["rest"]), (&3.into(), &3.into()));
    assert_eq!(json(&read(folder.path(), "out-summary.json")), summary);
    assert_eq!(read(folder.path(), "out-discarded.csv"), "record\n8\n9\n10\n");
    let patterns = read(folder.path(), "out-patterns.csv");
    let lines: Vec<&str> = patterns.lines().collect();
    assert_eq!(lines[0], "texture,material,color,size,covered,released,repetitions");
    assert_eq!(
        lines[1..],
        [
            "smooth,wood,blue,big,12,12,1",
            "smooth,wood,blue,small,7,7,1",
            "smooth,wood,green,big,13,13,1"
        ]
    );
    assert_eq!(read(folder.path(), "out.csv").lines().count(), 33);
}

/// Runs `protect in.csv` with anti-unification; gives the refusal, after which there is only the
/// input.
fn refused(content: &str, arguments: &[&str]) -> String {
    let folder = in_folder(content);
    let fixed = ["protect", "anti-unification", "in.csv", "-o", "out.csv"];
    let output = unmask_in(folder.path(), &[&fixed[..], arguments].concat());
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "a refusal writes no file");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn assert_names(error: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(error.contains(part), "{part:?} not in {error}"));
}

#[test]
fn bad_input_is_refused_with_its_remedy_and_nothing_is_written() {
    let file = section_3();
    let error = refused(&file, &["--k", "5", "--confidential", "colors"]);
    assert_names(&error, &["in.csv", "\"colors\"", "texture, material, color, size"]);
    let error =
        refused(&file, &["--k", "14", "--confidential", "color,size", "--indifferent", "1"]);
    assert_names(&error, &["k = 14", "13 records", "4 classes"]);
    let error = refused("age,a\n1,x\n2,y\n3,z\n", &["--k", "2", "--indifferent", "1"]);
    assert_names(&error, &["column age", "--discretize age:WIDTH:LOW:HIGH", "--categorical age"]);
    let error = refused(&file, &["--k", "5", "--indifferent", "4"]);
    assert_names(&error, &["indifferent = 4", "4 quasi-identifiers"]);
    assert_names(&refused(&file, &["--k", "1"]), &["k = 1", "k >= 2"]);
    assert_names(&refused(&file, &["--k", "5,6"]), &["'5,6'", "--k <K>"]);
    assert_names(&refused(&file, &[]), &["--k <K>"]);
    assert_names(&refused(&file, &["--k", "5", "--p", "3"]), &["unexpected argument '--p'"]);
    assert_names(&refused("a,b\n*,x\nu,y\n", &["--k", "2", "--indifferent", "1"]), &["`*`"]);
    for bad in ["=", "<,,>", "<>", ""] {
        assert_names(&refused(&file, &["--k", "5", "--conditions", bad]), &["--conditions"]);
    }
    for bad in [
        "age",
        "age:5",
        "age:0:20:90",
        "age:5:90:20",
        "age:x:1:2",
        ":5:20:90",
        "age:nan:1:2",
        "age:1e-9:0:90",
        "age:5:20:inf",
    ] {
        assert_names(&refused(&file, &["--k", "5", "--discretize", bad]), &["--discretize"]);
    }
    let error = refused(&file, &["--k", "5", "--discretize", "color:5:20:90"]);
    assert_names(&error, &["column color", "\"blue\"", "not a number"]);
    let error = refused(
        "a,b\nx,1\ny,2\nz,3\n",
        &["--k", "3", "--indifferent", "1", "--discretize", "b:1:0:9"],
    );
    assert_names(&error, &["no 3 records", "--indifferent"]);
}

#[test]
fn an_existing_file_beside_the_output_is_only_replaced_with_force() {
    let folder = in_folder(&section_3());
    std::fs::write(folder.path().join("out-patterns.csv"), "precious").unwrap();
    let arguments = [&SECTION_3[..], &["out.csv", "--k", "5"]].concat();
    let error = refusal(&unmask_in(folder.path(), &arguments));
    assert_names(&error, &["out-patterns.csv", "--force"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    success(&unmask_in(folder.path(), &[&arguments[..], &["--force"]].concat()));
    assert!(read(folder.path(), "out-patterns.csv").starts_with("texture"));
}

#[test]
fn numbers_become_intervals_with_labels_for_both_sides() {
    let folder =
        in_folder("age,c\n17,u\n19,u\n20,u\n24.5,u\n25,u\n29,u\n89,u\n85,u\n90,u\n101,u\n");
    let arguments = [
        "protect",
        "anti-unification",
        "in.csv",
        "--k",
        "2",
        "--indifferent",
        "0",
        "--confidential",
        "c",
        "--discretize",
        "age:5:20:90",
        "-o",
        "out.csv",
    ];
    success(&unmask_in(folder.path(), &arguments));
    let released = read(folder.path(), "out.csv");
    let ages: Vec<&str> = released.lines().skip(1).map(|l| l.split(',').next().unwrap()).collect();
    assert_eq!(
        ages,
        [
            "low-19", "low-19", "[20-25)", "[20-25)", "[25-30)", "[25-30)", "[85-90)", "[85-90)",
            "high-90", "high-90"
        ]
    );
}

#[test]
fn a_release_of_patterns_can_be_linked_and_its_k_is_that_of_covered_sets() {
    // (a, b) is covered by (a, *) and by (*, b); counting equal rows sees less than k.
    let folder = in_folder("q,r,c\na,x,u\na,b,u\nd,b,u\ne,f,u\n");
    let arguments = [
        "protect",
        "anti-unification",
        "in.csv",
        "--k",
        "2",
        "--indifferent",
        "1",
        "--conditions",
        "<,>",
        "--confidential",
        "c",
        "-o",
        "out.csv",
        "--format",
        "json",
    ];
    let summary = json(&success(&unmask_in(folder.path(), &arguments)));
    assert_eq!((&summary["patterns"], &summary["rest"]), (&2.into(), &1.into()));
    assert_eq!(summary["covered_by_several"], 1);
    assert_eq!(
        (&summary["candidate_rows"]["smallest"], &summary["records_below_k_rows"]),
        (&1.into(), &1.into())
    );
    let measured = json(&success(&unmask_in(
        folder.path(),
        &["measure", "out.csv", "--quasi", "q,r", "--format", "json"],
    )));
    assert_eq!((&measured["k"], &measured["fewest_equal_rows"]), (&3.into(), &1.into()));
    let linked = json(&success(&unmask_in(
        folder.path(),
        &[
            "link",
            "--original",
            "in.csv",
            "--released",
            "out.csv",
            "--discarded",
            "out-discarded.csv",
            "--attributes",
            "q,r",
            "--attack",
            "dbrl1,gower,probabilistic,assignment",
            "--format",
            "json",
        ],
    )));
    assert_eq!(linked["records"], 3);
    let refused =
        unmask_in(folder.path(), &["link", "--original", "in.csv", "--released", "out.csv"]);
    assert_names(&refusal(&refused), &["3 records", "in.csv has 4"]);
}

#[test]
fn a_generalized_cell_is_at_distance_0_from_anything() {
    let folder = in_folder("age,town\n20,a\n30,b\n40,c\n50,d\n");
    std::fs::write(folder.path().join("rel.csv"), "age,town\n20,*\n*,b\n*,*\n50,d\n").unwrap();
    let link = |attack: &str| {
        unmask_in(
            folder.path(),
            &[
                "link",
                "--original",
                "in.csv",
                "--released",
                "rel.csv",
                "--attributes",
                "age,town",
                "--attack",
                attack,
                "--links",
                "links.csv",
                "--force",
            ],
        )
    };
    for attack in ["dbrl1", "gower"] {
        success(&link(attack));
        let links = read(folder.path(), "links.csv");
        let distances: Vec<&str> =
            links.lines().skip(1).map(|line| line.split(',').nth(2).unwrap()).collect();
        // Row 3 covers everything, so nobody is farther than 0 from the release.
        assert_eq!(distances, ["0", "0", "0", "0"], "{attack}: {links}");
    }
    let kernel = ["--attack", "kernel", "--attributes", "age"];
    let files = ["link", "--original", "in.csv", "--released", "rel.csv"];
    let refused = unmask_in(folder.path(), &[&files[..], &kernel].concat());
    assert_names(&refusal(&refused), &["rel.csv", "column age", "`*`", "dbrl1"]);
    let measured =
        success(&unmask_in(folder.path(), &["measure", "rel.csv", "--quasi", "age,town"]));
    assert_names(&measured, &["k = 2", "covered sets; fewest equal rows 1"]);
}

#[test]
fn a_file_with_generalized_cells_is_written_as_it_was_read() {
    let folder = in_folder("age,town\n20,*\n*,b\n?,?\n");
    let file =
        Dataset::load(folder.path().join("in.csv").to_str().unwrap(), &ReadOptions::default())
            .unwrap();
    assert!(file.attributes()[0].is_numeric());
    assert_eq!([0, 1].map(|a| file.attributes()[a].generalized()), [1, 1]);
    assert_eq!([0, 1].map(|a| file.attributes()[a].missing()), [1, 1]);
    file.save(&folder.path().join("again.csv"), false).unwrap();
    assert_eq!(read(folder.path(), "again.csv"), read(folder.path(), "in.csv"));
    file.save(&folder.path().join("again.parquet"), false).unwrap();
    let parquet = folder.path().join("again.parquet");
    let again = Dataset::load(parquet.to_str().unwrap(), &ReadOptions::default()).unwrap();
    assert_eq!(again.attributes()[0], file.attributes()[0], "numbers stay numbers");
    assert_eq!([0, 1].map(|a| again.attributes()[a].generalized()), [1, 1]);
    assert_eq!([0, 1].map(|a| again.attributes()[a].missing()), [1, 1]);
}

#[test]
fn records_that_several_patterns_cover_go_where_rows_are_short() {
    // (a, b) and (a, y) are covered by (a, *) too, which has two records of its own.
    let folder = in_folder("q,r,c\na,x,u\na,w,u\na,y,u\na,b,u\nd,b,u\nf,y,u\ne,z,u\ng,z,u\n");
    let arguments = [
        "protect",
        "anti-unification",
        "in.csv",
        "--k",
        "2",
        "--indifferent",
        "1",
        "--confidential",
        "c",
        "-o",
        "out.csv",
        "--format",
        "json",
    ];
    let summary = json(&success(&unmask_in(folder.path(), &arguments)));
    assert_eq!((&summary["patterns"], &summary["rest"]), (&4.into(), &0.into()));
    assert_eq!(summary["candidate_rows"]["smallest"], 2);
    let released = read(folder.path(), "out.csv");
    let rows: Vec<&str> = released.lines().skip(1).collect();
    assert_eq!(rows, ["a,*,u", "a,*,u", "*,y,u", "*,b,u", "*,b,u", "*,y,u", "*,z,u", "*,z,u"]);
}

#[test]
fn trees_of_the_patterns_of_adult_are_as_often_right_as_the_reference() {
    let age = ["age:5:20:90".parse().unwrap()];
    let attributes = unmask::dataset::catalog::ADULT_QUASI_IDENTIFIERS;
    let load = |name| {
        let file = Dataset::load(name, &ReadOptions::default()).unwrap();
        let mut file = file.discretize(&age).unwrap();
        file.set_role(&["salary"], Role::Confidential).unwrap();
        file
    };
    let (train, test) = (load("adult-train"), load("adult-test"));
    let quasi: Vec<String> = attributes.iter().map(|name| (*name).to_owned()).collect();
    // Weka's J48 on the same patterns: a tree, and the majority class.
    for (k, order, expected) in [(20, "<,>", "81.29"), (30, ">,<", "76.38")] {
        let method = AntiUnification {
            k,
            indifferent: 2,
            conditions: conditions(order),
            variant: Variant::Literal,
            unknown: Unknown::OwnValue,
        };
        let patterns =
            method.generalize(&train, &quasi, &()).unwrap().pattern_file(&train).unwrap();
        let tree = unmask::classifier::C45::default();
        let tree = tree.train(&patterns, "salary", &attributes).unwrap();
        assert_eq!(format!("{:.2}", tree.evaluate(&test).unwrap().accuracy_percent), expected);
    }
}
