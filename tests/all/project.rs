//! Projects: what `unmask init` guesses, and that every command reads what was written.

use crate::support::console::{examples, without_seconds};
use crate::support::survey::{self, survey};
use crate::support::{refusal, success, unmask_in};
use serde_json::Value;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;
use unmask::dataset::{Dataset, Kind, ReadOptions, Role, Values};
use unmask::project::{Draft, Project};

use Kind::{Code, Date, Integer, Nominal, Numeric, Ordinal};
use Role::{Confidential, Household, Identifier, Other, QuasiIdentifier, Weight};

fn drafted(file: &str, options: &ReadOptions) -> (Dataset, Draft) {
    let dataset = Dataset::load(file, options).unwrap();
    let draft = Draft::of(file, &dataset, options).unwrap();
    (dataset, draft)
}

fn guesses(draft: &Draft) -> Vec<(&str, Kind, Role)> {
    draft.attributes.iter().map(|a| (a.name.as_str(), a.kind, a.role)).collect()
}

/// What a person says of the survey.
const SURVEY: [(&str, Kind, Role); 11] = [
    ("person_id", Integer, Identifier),
    ("hh_id", Integer, Household),
    ("age", Integer, QuasiIdentifier),
    ("sex", Nominal, QuasiIdentifier),
    ("region", Code, QuasiIdentifier),
    ("admission", Date, QuasiIdentifier),
    ("education", Ordinal, QuasiIdentifier),
    ("occupation", Nominal, QuasiIdentifier),
    ("income", Numeric, Confidential),
    ("weight", Numeric, Weight),
    ("diagnosis", Nominal, Confidential),
];

/// What a person says of UCI Adult.
const ADULT: [(&str, Kind, Role); 15] = [
    ("age", Integer, QuasiIdentifier),
    ("workclass", Nominal, QuasiIdentifier),
    ("fnlwgt", Integer, Weight),
    ("education", Ordinal, QuasiIdentifier),
    ("education-num", Integer, QuasiIdentifier),
    ("marital-status", Nominal, QuasiIdentifier),
    ("occupation", Nominal, QuasiIdentifier),
    ("relationship", Nominal, QuasiIdentifier),
    ("race", Nominal, QuasiIdentifier),
    ("sex", Nominal, QuasiIdentifier),
    ("capital-gain", Integer, QuasiIdentifier),
    ("capital-loss", Integer, QuasiIdentifier),
    ("hours-per-week", Integer, QuasiIdentifier),
    ("native-country", Nominal, QuasiIdentifier),
    ("salary", Nominal, Confidential),
];

#[test]
fn a_first_project_says_what_a_person_would() {
    assert_eq!(guesses(&drafted("survey", &ReadOptions::default()).1), SURVEY);
    assert_eq!(guesses(&drafted("adult-train", &ReadOptions::default()).1), ADULT);
    let (census, draft) = drafted("census", &ReadOptions::default());
    let all: Vec<String> = census.names();
    let expected: Vec<(&str, Kind, Role)> =
        all.iter().map(|name| (name.as_str(), Integer, QuasiIdentifier)).collect();
    assert_eq!(guesses(&draft), expected);
    assert!(draft.text().contains("its role is weight"), "AFNLWGT may be one");
}

#[test]
fn every_guess_has_its_reason_and_its_share_of_unique_values_beside_it() {
    let (_, draft) = drafted("survey", &ReadOptions::default());
    for part in draft.text().split("\n[attributes.").skip(1) {
        let part = part.split("\n[").next().unwrap();
        assert!(part.contains("% unique)"), "{part}");
        let comments = part.lines().filter(|line| line.starts_with("# ")).count();
        assert!(comments >= 3, "{part}");
    }
    let parts = [
        "# 3000 different values among 3000 (100.00% unique).",
        "its name says hh, and 2.5 records",
    ];
    parts.iter().for_each(|part| assert!(draft.text().contains(part), "{part}"));
}

#[test]
fn education_is_ordered_from_low_to_high() {
    let orders = [
        (
            "survey",
            "order = [\"none\", \"primary\", \"lower secondary\", \"upper secondary\", \"bachelor\", \"master\", \"doctorate\"]",
        ),
        (
            "adult-train",
            "order = [\"Preschool\", \"1st-4th\", \"5th-6th\", \"7th-8th\", \"9th\", \"10th\", \"11th\", \"12th\", \"HS-grad\", \"Some-college\"",
        ),
    ];
    for (file, order) in orders {
        assert!(drafted(file, &ReadOptions::default()).1.text().contains(order), "{file}");
    }
}

/// What an attribute is read as, whatever file it is in.
fn columns(file: &Dataset) -> Vec<(String, Role, Vec<Option<String>>)> {
    let texts = |values: &Values| match values {
        Values::Numeric(column) => column.iter().map(|v| v.map(|v| v.to_string())).collect(),
        Values::Categorical(column) => {
            (0..column.len()).map(|i| column.get(i).map(str::to_owned)).collect()
        }
    };
    file.attributes().iter().map(|a| (a.name.clone(), a.role, texts(&a.values))).collect()
}

#[test]
fn what_init_writes_is_read_as_the_same_data_with_the_roles_that_it_says() {
    for name in ["survey", "adult-train", "census", "tarragona", "eia"] {
        let (found, draft) = drafted(name, &ReadOptions::default());
        let project = Project::from_toml(draft.text(), "t.toml").unwrap();
        let read = Dataset::load(name, &project.read_options()).unwrap();
        for (found, read) in columns(&found).iter().zip(&columns(&read)) {
            let said = &project.attributes[&found.0];
            assert_eq!((&read.0, Some(read.1)), (&found.0, said.role));
            assert_eq!(read.2, found.2, "{name}: {}", found.0);
        }
        assert_eq!(project.absent(&read).unwrap(), Vec::<String>::new());
    }
}

/// The survey as other countries and programs write it: days first, decimal commas, other letters.
fn national_survey(delimiter: &str) -> String {
    let (mut header, rows) = survey();
    header[6] = "éducation".to_owned();
    let date = |iso: &str| iso.split('-').rev().collect::<Vec<_>>().join(".");
    let row = |row: &Vec<String>| {
        let mut row = row.clone();
        row[5] = date(&row[5]);
        row[7] = row[7].replace("occ", "mét");
        (row[8], row[9]) = (row[8].replace('.', ","), row[9].replace('.', ","));
        row.join(delimiter)
    };
    let first = std::iter::once(header.join(delimiter));
    first.chain(rows.iter().map(row)).collect::<Vec<_>>().join("\r\n")
}

fn latin_1(text: &str) -> Vec<u8> {
    text.chars().map(|c| c as u8).collect()
}

#[test]
fn files_in_other_dialects_get_the_same_guesses() {
    let folder = TempDir::new().unwrap();
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for (name, bytes, delimiter, encoding) in [
        ("latin.csv", latin_1(&national_survey(";")), ";", "windows-1252"),
        ("excel.csv", utf_16(&format!("\u{feff}{}", national_survey("\t"))), "tab", "utf-16le"),
        ("bar.txt", national_survey("|").into_bytes(), "|", "utf-8"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let path = path.to_string_lossy();
        let (found, draft) = drafted(&path, &ReadOptions::default());
        let expected: Vec<(Kind, Role)> = SURVEY.iter().map(|(_, k, role)| (*k, *role)).collect();
        let told: Vec<(Kind, Role)> = draft.attributes.iter().map(|a| (a.kind, a.role)).collect();
        assert_eq!(told, expected, "{name}");
        for part in [
            &format!("delimiter = \"{delimiter}\""),
            &format!("encoding = \"{encoding}\""),
            "date_format = \"%d.%m.%Y\"",
            "decimal = \"comma\"",
            "[attributes.\"éducation\"]",
        ] {
            assert!(draft.text().contains(part), "{name}: {part} in\n{}", draft.text());
        }
        let project = Project::from_toml(draft.text(), "t.toml").unwrap();
        let read = Dataset::load(&path, &project.read_options()).unwrap();
        let (found, read) = (columns(&found), columns(&read));
        assert!(found.iter().zip(&read).all(|(found, read)| found.2 == read.2), "{name}");
    }
}

#[test]
fn a_compressed_file_has_the_project_of_what_is_in_it() {
    let folder = TempDir::new().unwrap();
    people(folder.path());
    let path = folder.path().join("people.csv");
    let file = Dataset::load(&path.to_string_lossy(), &ReadOptions::default()).unwrap();
    file.save(&folder.path().join("people.csv.gz"), false).unwrap();
    std::fs::remove_file(path).unwrap();
    let output = unmask_in(folder.path(), &["measure", "people.csv.gz", "--quasi", "zip"]);
    success(&output);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "reads people.unmask.toml\n");
}

#[test]
fn a_release_in_utf_8_of_an_original_in_latin_1_is_read_by_one_project() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("s.csv"), latin_1(&national_survey(";"))).unwrap();
    let run = |line: &str| unmask_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    success(&run("init s.csv"));
    success(&run("protect rank-swapping s.csv --p 1 --seed 1 --attributes age -o out.csv"));
    let link =
        "link --original s.csv --released out.csv --attributes éducation,occupation --format json";
    let linked: Value = serde_json::from_str(&success(&run(link))).unwrap();
    let same =
        "link --original s.csv --released s.csv --attributes éducation,occupation --format json";
    let unchanged: Value = serde_json::from_str(&success(&run(same))).unwrap();
    let found = |record: &Value| {
        (record["attacks"][0]["expected"].clone(), record["attacks"][0]["tied"].clone())
    };
    assert_eq!(found(&linked), found(&unchanged), "these columns were not touched");
}

#[test]
fn init_replaces_a_project_only_when_told_to() {
    let folder = TempDir::new().unwrap();
    let run = |line: &str| unmask_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    assert!(success(&run("init census")).contains("written  census.unmask.toml"));
    let path = folder.path().join("census.unmask.toml");
    std::fs::write(&path, "# edited\n").unwrap();
    let error = refusal(&run("init census"));
    assert!(error.contains("census.unmask.toml") && error.contains("--force"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# edited\n");
    success(&run("init census --force"));
    success(&run("init census -o other.toml --format json"));
    assert_eq!(
        std::fs::read(&path).unwrap(),
        std::fs::read(folder.path().join("other.toml")).unwrap()
    );
    std::fs::write(folder.path().join("c.csv"), "a,b\n1,2\n3,4\n").unwrap();
    let error = refusal(&run("init c.csv -o c.csv --force"));
    assert!(error.contains("is read by this command"), "{error}");
}

fn people(folder: &Path) {
    let text = "name,age,zip,illness\nAnn,30,04109,flu\nBob,31,04109,cold\nCid,50,10115,flu\nDan,52,10115,cold\n";
    std::fs::write(folder.join("people.csv"), text).unwrap();
    let project = "[attributes.name]\nrole = \"identifier\"\n[attributes.age]\nkind = \"integer\"\n\
        role = \"quasi-identifier\"\n[attributes.zip]\nrole = \"quasi-identifier\"\n\
        [attributes.illness]\nrole = \"confidential\"\n[limits]\nmin_k = 2\nmin_l = 2\n";
    std::fs::write(folder.join("people.unmask.toml"), project).unwrap();
}

#[test]
fn a_project_beside_the_data_is_read_and_told_and_flags_win() {
    let folder = TempDir::new().unwrap();
    people(folder.path());
    let run = |line: &str| unmask_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let known = |line: &str| -> (Value, Option<i32>, String) {
        let output = run(line);
        let record = serde_json::from_slice(&output.stdout).unwrap();
        (record, output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (record, code, told) = known("measure people.csv --format json");
    assert_eq!(told, "reads people.unmask.toml\n");
    assert_eq!(record["quasi_identifiers"], serde_json::json!(["age", "zip"]));
    assert_eq!(
        record["limits"][0],
        serde_json::json!({"limit": "min_k", "allowed": 2.0, "measured": 1.0, "kept": false})
    );
    assert_eq!(code, Some(3), "the original is not 2-anonymous");
    let (record, code, _) = known("measure people.csv --quasi zip --format json");
    assert_eq!(record["quasi_identifiers"], serde_json::json!(["zip"]));
    assert_eq!(code, Some(0), "{record}");
    let (record, code, told) = known("measure people.csv --no-project --format json");
    assert_eq!((record.get("limits"), code, told.as_str()), (None, Some(0), ""));
    assert_eq!(record["quasi_identifiers"].as_array().unwrap().len(), 4);
    std::fs::rename(folder.path().join("people.unmask.toml"), folder.path().join("p.toml"))
        .unwrap();
    let (record, code, told) =
        known("measure people.csv --schema p.toml --confidential zip --quasi age --format json");
    assert_eq!((code, told.as_str()), (Some(3), ""));
    assert_eq!(
        record["sensitive"].as_array().unwrap().len(),
        2,
        "one from the flag, one from the project"
    );
}

#[test]
fn columns_that_a_release_has_dropped_are_no_error_and_misspelled_ones_are() {
    let folder = TempDir::new().unwrap();
    people(folder.path());
    let run = |line: &str| unmask_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    success(&run("protect mdav people.csv --k 2 -o out.csv"));
    let output = run("measure out.csv --project people.unmask.toml");
    success(&output);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told, "out.csv lacks columns of people.unmask.toml: name\n");
    success(&run("utility people.csv out.csv"));
    let path = folder.path().join("people.unmask.toml");
    let wrong = std::fs::read_to_string(&path).unwrap().replace(".illness", ".ilness");
    std::fs::write(folder.path().join("wrong.toml"), &wrong).unwrap();
    let error = refusal(&run("measure out.csv --project wrong.toml"));
    assert!(error.contains("\"ilness\"") && error.contains("illness"), "{error}");
    std::fs::write(&path, &wrong).unwrap();
    let output = run("protect mdav people.csv --k 2 -o other.csv");
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.path().join("other.csv").exists());
}

#[test]
fn flags_may_not_misspell_columns_where_a_project_says_something_of_all() {
    let folder = TempDir::new().unwrap();
    people(folder.path());
    let run = |line: &str| unmask_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    success(&run("protect mdav people.csv --k 2 -o out.csv"));
    for flags in ["--categorical ageing", "--bounds ageing=0..9", "--quasi ageing"] {
        let output = run(&format!("measure out.csv --project people.unmask.toml {flags}"));
        assert!(refusal(&output).contains("ageing"), "{flags}");
    }
}

#[test]
fn what_a_project_cannot_be_read_from_is_named_with_its_place() {
    let error = |text: &str| Project::from_toml(text, "p.toml").unwrap_err().to_string();
    for (text, place, problem) in [
        ("[limits]\nmin_k = 5\nmin_z = 1\n", "line 3", "min_z"),
        ("[attributes.a]\nrole = \"quasi\"\n", "line 2", "quasi-identifier"),
        ("[attributes.a]\nkind = \"ordinal\"\n", "attributes.a", "order"),
        ("[reading]\ndelimiter = \"ab\"\n", "line 2", "one ASCII character"),
        ("[reading]\ndelimiter = \"'\"\nquote = \"'\"\n", "reading.quote", "delimiter"),
        ("[limits]\nmax_risk = 20\n", "limits.max_risk", "from 0 to 1"),
        ("[limits]\nmin_k = 0\n", "limits.min_k", "at least 1"),
        ("[attributes.a]\nbounds = \"5..1\"\n", "line 2", "LOW..HIGH"),
        ("[attributes.a\n", "line 1", ""),
    ] {
        let error = error(text);
        assert!(error.starts_with("p.toml: ") && error.lines().count() == 1, "{error}");
        assert!(error.contains(place) && error.contains(problem), "{text}: {error}");
    }
}

#[test]
fn a_limit_that_nothing_was_measured_for_is_not_kept() {
    let project = Project::from_toml("[limits]\nmin_l = 1\nmax_t = 1\nmin_k = 1\n", "p").unwrap();
    let file = survey::dataset(&survey());
    let found = unmask::anonymity::Anonymity::measure(&file, &["sex"], &[], &Default::default());
    let checks = project.limits.of_anonymity(&found.unwrap());
    let kept: Vec<(&str, bool)> = checks.iter().map(|check| (check.limit, check.kept)).collect();
    assert_eq!(kept, [("min_k", true), ("min_l", false), ("max_t", false)]);
}

#[test]
fn utility_ends_with_3_where_more_is_lost_than_the_project_allows() {
    let folder = TempDir::new().unwrap();
    let run = |line: &str| unmask_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    success(&run("protect mdav census --k 5 -o out.csv"));
    for (limit, code) in [("0.05", 3), ("0.2", 0)] {
        let text = format!("[limits]\nmax_information_loss = {limit}\n");
        std::fs::write(folder.path().join("census.unmask.toml"), text).unwrap();
        let output = run("utility census out.csv");
        assert_eq!(output.status.code(), Some(code), "{limit}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("limits of census.unmask.toml:\nmax_information_loss"), "{text}");
    }
}

#[test]
fn an_audit_takes_the_limit_of_the_project_and_says_so() {
    let folder = TempDir::new().unwrap();
    let run = |line: &str| unmask_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    std::fs::write(folder.path().join("census.unmask.toml"), "[limits]\nmax_risk = 0.01\n")
        .unwrap();
    let audit =
        "audit --original census --released census --attributes AGI --sample 20 --format json";
    let output = run(audit);
    assert_eq!(output.status.code(), Some(3));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["threshold"]["max_risk"], 0.01, "{}", record["threshold"]);
    assert!(record["threshold"].to_string().contains("max_risk of census.unmask.toml"));
    assert!(record.to_string().contains("\"role\":\"project\""), "its checksum is told");
    let record: Value =
        serde_json::from_slice(&run(&format!("{audit} --max-risk 0.9")).stdout).unwrap();
    assert_eq!(record["threshold"]["source"], "--max-risk on the command line");
}

#[test]
fn hierarchies_are_where_the_project_says() {
    let folder = TempDir::new().unwrap();
    people(folder.path());
    std::fs::create_dir(folder.path().join("h")).unwrap();
    std::fs::write(folder.path().join("h/zip.csv"), "04109,041\n10115,101\n").unwrap();
    let run = |line: &str| unmask_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let path = folder.path().join("people.unmask.toml");
    let project = std::fs::read_to_string(&path).unwrap();
    let project =
        project.replace("[attributes.zip]\n", "[attributes.zip]\nhierarchy = \"h/zip.csv\"\n");
    std::fs::write(&path, &project).unwrap();
    let error = run("lattice search people.csv --k 2");
    assert!(String::from_utf8_lossy(&error.stderr).contains("no hierarchy of age"));
    let found = success(&run("lattice search people.csv --k 2 --quasi zip -o out.csv"));
    assert!(found.contains("k                2"), "{found}");
    let renamed = "age,zip,illness\n30,041,flu\n31,041,cold\n50,101,flu\n52,101,cold\n";
    std::fs::write(folder.path().join("out2.csv"), renamed).unwrap();
    let from = unmask_in(
        Path::new("/"),
        &[
            "link",
            "--original",
            &folder.path().join("people.csv").to_string_lossy(),
            "--released",
            &folder.path().join("out2.csv").to_string_lossy(),
            "--attributes",
            "zip",
            "--tie",
            "share",
            "--format",
            "json",
        ],
    );
    let record: Value = serde_json::from_str(&success(&from)).unwrap();
    assert!(record.to_string().contains("0.5"), "two of each place: {record}");
}

#[test]
fn a_number_that_a_release_generalizes_is_no_error() {
    let folder = TempDir::new().unwrap();
    people(folder.path());
    let text = "age,zip,illness\n\"[30, 40[\",041**,flu\n\"[30, 40[\",041**,cold\n\"[50, 60[\",101**,flu\n\"[50, 60[\",101**,cold\n";
    std::fs::write(folder.path().join("out.csv"), text).unwrap();
    let run = |line: &str| unmask_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    success(&run("measure out.csv --project people.unmask.toml"));
    success(&run("link --original people.csv --released out.csv"));
}

/// What a table of a project may say: what an unknown key is told of.
fn known_keys(table: &str) -> Vec<String> {
    let error = Project::from_toml(&format!("{table}\nno_such_key = 1\n"), "p").unwrap_err();
    let error = error.to_string();
    let (_, expected) = error.split_once("expected").unwrap_or_else(|| panic!("{error}"));
    let mut keys: Vec<String> = expected.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn the_schema_for_editors_knows_every_key_of_a_project_and_no_other() {
    let schema: Value =
        serde_json::from_str(include_str!("../../docs/project-schema.json")).unwrap();
    let described = |place: &Value| {
        assert_eq!(place["additionalProperties"], false);
        let mut keys: Vec<String> =
            place["properties"].as_object().unwrap().keys().cloned().collect();
        keys.sort_unstable();
        keys
    };
    let tables = &schema["properties"];
    assert_eq!(described(&schema), known_keys(""));
    assert_eq!(described(&tables["reading"]), known_keys("[reading]"));
    assert_eq!(described(&tables["limits"]), known_keys("[limits]"));
    let attribute = &tables["attributes"]["additionalProperties"];
    assert_eq!(described(attribute), known_keys("[attributes.a]"));
    let document = include_str!("../../docs/project.md");
    for key in
        ["[reading]", "[limits]", "[attributes.a]"].iter().flat_map(|table| known_keys(table))
    {
        assert!(document.contains(&format!("| `{key}` |")), "docs/project.md: {key}");
    }
    for kind in [Numeric, Integer, Date, Nominal, Ordinal, Code] {
        assert!(attribute["properties"]["kind"].to_string().contains(kind.name()));
    }
    for role in [Identifier, QuasiIdentifier, Confidential, Weight, Household, Other] {
        assert!(attribute["properties"]["role"].to_string().contains(role.name()));
    }
}

#[test]
fn the_tutorial_prints_what_it_shows() {
    let folder = TempDir::new().unwrap();
    let examples = examples(include_str!("../../docs/tutorial.md"));
    assert!(examples.len() >= 6, "{}", examples.len());
    for (command, shown) in examples {
        let words: Vec<&str> = command.split_whitespace().collect();
        assert_eq!(words[0], "unmask", "{command}");
        let output = unmask_in(folder.path(), &words[1..]);
        assert!(matches!(output.status.code(), Some(0 | 3)), "{command}: {output:?}");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(without_seconds(&printed), without_seconds(&shown), "{command}");
    }
}

/// With the project alone: nothing is said but which files, and what the method does.
#[test]
fn the_survey_goes_from_init_to_a_report_with_its_project_alone() {
    let folder = TempDir::new().unwrap();
    let run = |line: &str| unmask_in(folder.path(), &line.split(' ').collect::<Vec<_>>());
    success(&run("init survey"));
    success(&run("protect mdav survey --k 5 -o out.csv"));
    let measured = success(&run("measure out.csv --project survey.unmask.toml"));
    assert!(measured.contains("min_k = 5: kept, it is 5"), "{measured}");
    success(&run("utility survey out.csv"));
    // The bound depends on how far the search comes in its minute.
    let audit = run("audit --original survey --released out.csv --report report.json");
    assert!(matches!(audit.status.code(), Some(0 | 3)), "{audit:?}");
    let told = String::from_utf8(audit.stderr).unwrap();
    assert!(told.contains("reads survey.unmask.toml"), "{told}");
    let report = std::fs::read_to_string(folder.path().join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["threshold"]["max_risk"], 0.2);
    assert!(report["threshold"]["source"].to_string().contains("survey.unmask.toml"));
    assert_eq!(report["attributes"].as_array().unwrap().len(), 6, "the quasi-identifiers");
}

fn drafted_text(text: &str) -> Draft {
    let file = Dataset::from_csv("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    Draft::of("t.csv", &file, &ReadOptions::default()).unwrap()
}

#[test]
fn what_people_weigh_is_no_survey_weight_and_the_draft_says_so() {
    let roles = |header: &str, weight: &dyn Fn(usize) -> f64| {
        let rows: String = (0..60).map(|i| format!("{};{}\n", 150 + i % 40, weight(i))).collect();
        let draft = drafted_text(&format!("{header}\n{rows}"));
        let text = draft.text().to_owned();
        (draft.attributes[1].role, text)
    };
    let body = |i: usize| 50.0 + (i % 45) as f64;
    for header in ["Größe;Gewicht", "taille;poids", "altura;peso", "a;weight", "b;body_weight"] {
        let (role, text) = roles(header, &body);
        assert_eq!(role, QuasiIdentifier, "{header}");
        assert!(text.contains("may be what people weigh"), "{text}");
    }
    assert_eq!(roles("a;gewicht", &|i| 0.5 + (i % 9) as f64 / 8.0).0, Weight);
    assert_eq!(roles("a;weight", &|i| 800.0 + (i % 45) as f64).0, Weight);
    assert_eq!(roles("height;sample_weight", &body).0, Weight);
}

#[test]
fn numbers_that_may_stand_for_a_missing_value_are_asked_about() {
    let rows: String = (0..90)
        .map(|i| {
            format!(
                "{},{}\n",
                18 + i % 60,
                [-9, 999_999, 1_500 + 10 * i][usize::min(i as usize % 30, 2)]
            )
        })
        .collect();
    let text = drafted_text(&format!("age,rent\n{rows}")).text().to_owned();
    assert!(text.contains("# missing = [\"-9\", \"999999\"]"), "{text}");
    assert!(text.contains("Not decided: -9 (3 times), 999999 (3 times)"), "{text}");
    assert_eq!(text.matches("# missing = ").count(), 1, "{text}");
    Project::from_toml(&text, "t.toml").unwrap();
}

#[test]
fn namibia_among_codes_of_countries_is_asked_about() {
    let text = drafted_text("land,x\nAT,1\nDE,2\nCH,3\nNA,4\nNA,5\n").text().to_owned();
    assert!(text.contains("NA, which 2 records have"), "{text}");
    let text = drafted_text("land,x\nAT,1\nDE,2\nCH,3\n,4\nNULL,5\n").text().to_owned();
    assert!(!text.contains("Namibia"), "{text}");
}

#[test]
fn confidential_columns_and_scales_of_answers_are_known_in_other_languages() {
    let scale = ["sehr unzufrieden", "unzufrieden", "teils/teils", "zufrieden", "sehr zufrieden"];
    let rows: String =
        (0..40).map(|i| format!("{},{},{}\n", i % 7, i % 3, scale[i * 3 % 5])).collect();
    let draft = drafted_text(&format!("Einkommen,Diagnose,antwort\n{rows}"));
    let found = guesses(&draft);
    assert_eq!((found[0].2, found[1].2, found[2].1), (Confidential, Confidential, Ordinal));
    assert!(draft.text().contains("order = [\"sehr unzufrieden\", \"unzufrieden\""));
}

#[test]
fn every_text_among_numbers_is_named_at_once() {
    let text = "x,y\n1,1\n2,1\n3,1\nk.A.,1\n5,1\nweiß nicht,1\n7,1\nk.A.,1\n";
    let error = Dataset::from_csv("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("line 5") && error.contains("\"k.A.\", \"weiß nicht\""), "{error}");
}

#[test]
fn bounds_that_the_data_contradict_are_an_error_wherever_the_project_lies() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.csv", "age,x\n18,1\n25,2\n81,3\n");
    write("p.toml", "[attributes.age]\nbounds = \"0..20\"\nrole = \"quasi-identifier\"\n");
    let error = refusal(&unmask_in(folder.path(), &["measure", "a.csv", "--project", "p.toml"]));
    assert!(error.contains("column age: 2 of 3 values lie outside"), "{error}");
    assert!(error.contains("record 2 (25)"), "{error}");
}

#[test]
fn a_release_with_another_delimiter_or_a_byte_order_mark_is_read_by_its_project() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &[u8]| std::fs::write(folder.path().join(name), text).unwrap();
    let rows: String = (0..50).map(|i| format!("{};{}\n", i, i * 7 % 50)).collect();
    let text = format!("a;b\n{rows}");
    write("o.csv", text.as_bytes());
    write("o.unmask.toml", b"[reading]\ndelimiter = \";\"\nencoding = \"windows-1252\"\n");
    write("commas.csv", text.replace(';', ",").as_bytes());
    let marked: Vec<u8> =
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    write("marked.csv", &marked);
    for released in ["commas.csv", "marked.csv"] {
        let line = ["link", "--original", "o.csv", "--released", released, "--attack", "dbrl1"];
        success(&unmask_in(folder.path(), &line));
    }
}

/// What a command that fails says last.
fn failure(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8_lossy(&output.stderr).lines().last().unwrap().to_owned()
}

#[test]
fn errors_of_a_project_name_its_keys_and_where_it_is() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.csv", "age,x\n18,1\n25,2\n81,3\n");
    write("a.unmask.toml", "[reading]\ndelim = \";\"\n");
    let error = failure(&unmask_in(folder.path(), &["measure", "a.csv"]));
    assert!(error.contains("\"delimiter\"") && !error.contains("--"), "{error}");
    write("a.unmask.toml", "[attributes.age]\nhierarchy = \"none.csv\"\n");
    let line = ["link", "--original", "a.csv", "--released", "a.csv", "--attack", "dbrl1"];
    let error = failure(&unmask_in(folder.path(), &line));
    assert!(error.contains("a.unmask.toml: attributes.age.hierarchy"), "{error}");
    write("a.unmask.toml", "");
    let renamed = unmask_in(folder.path(), &[&line[..], &["--rename", "alter=age"]].concat());
    assert!(failure(&renamed).contains("RELEASED=ORIGINAL"));
}

#[test]
fn init_says_how_many_questions_are_open() {
    let folder = TempDir::new().unwrap();
    let rows: String = (0..30).map(|i| format!("{},24.07.{:02}\n", 20 + i, 60 + i % 30)).collect();
    let text = format!("age,born\n{rows}-9,01.01.80\n-9,02.01.80\n");
    std::fs::write(folder.path().join("a.csv"), text).unwrap();
    let output = unmask_in(folder.path(), &["init", "a.csv"]);
    assert!(success(&output).contains("open     2 questions there"), "{output:?}");
    let warning = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(warning.contains("say which with --date-format"), "{warning}");
    let project = std::fs::read_to_string(folder.path().join("a.unmask.toml")).unwrap();
    assert!(project.contains("`date_format`"), "{project}");
}
