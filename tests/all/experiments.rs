//! Experiments: specifications are checked as a whole, runs resume, results are the same bytes.

use crate::support::{refusal, success, unmask_in};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;
use unmask::experiment::{Experiment, job_seed, journal};

/// The files that follow from a specification alone.
const DETERMINISTIC: [&str; 5] = ["runs.csv", "table.md", "table.csv", "table.tex", "plot.svg"];

const SMALL: &str = "experiments/demo/noise.toml";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with `text` as `study/table.toml`.
fn declared(text: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("study")).unwrap();
    std::fs::write(folder.path().join("study/table.toml"), text).unwrap();
    folder
}

/// A specification that runs in no time; tests spoil it.
pub const FINE: &str = r#"
title = "A test"
attacks = ["dbrl1", "worst-case", "single"]

[data]
file = "census"
known = 3

[sample]
records = 40
runs = 2
quick_runs = 1
held_out = 30
seed = 7

[[protection]]
name = "Noise"
method = "noise"
p = [2, 30]

[[protection]]
name = "Mic"
method = "mdav"
k = { from = 3, to = 4 }
groups = "2"
"#;

/// What `experiment run` says about `text`, having written nothing.
fn refused(text: &str) -> Output {
    let folder = declared(text);
    let output = unmask_in(folder.path(), &["experiment", "run", "study/table.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "a refusal writes nothing");
    output
}

fn assert_names(error: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(error.contains(part), "{part:?} not in {error}"));
}

#[test]
fn all_errors_of_a_specification_are_told_at_once() {
    let text = FINE
        .replace("title = \"A test\"", "titel = \"A test\"")
        .replace("records = 40", "records = 4000")
        .replace("p = [2, 30]", "p = [2, -1]")
        .replace("from = 3, to = 4", "from = 1, to = 2")
        .replace("known = 3", "known = 3\nattributes = [\"AGI\", \"AGE\", \"FICA\"]");
    let error = String::from_utf8(refused(&text).stderr).unwrap();
    assert_eq!(error.lines().count(), 6, "{error}");
    assert!(error.lines().all(|line| line.starts_with("error: study/table.toml: ")), "{error}");
    let expected = [
        "title is missing",
        "titel = \"A test\", which is no key here; the keys are kind, title,",
        "data.attributes[1] = \"AGE\", but census: no column",
        "sample.records = 4000, but census allows 2 to 1080",
        "protection[0].p[1] = -1, but noise needs 0 < p",
        "protection[1].k = 1, but microaggregation needs k >= 2",
    ];
    assert_names(&error, &expected);
}

#[test]
fn the_errors_of_several_files_are_told_at_once() {
    let folder = declared(&FINE.replace("seed = 7", "seed = -7"));
    let arguments = ["experiment", "check", "study/table.toml", "study/nowhere.toml"];
    let output = unmask_in(folder.path(), &arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert_names(
        &error,
        &["study/table.toml: sample.seed = -7", "study/nowhere.toml: no such file"],
    );
}

#[test]
fn an_impossible_value_of_a_list_is_named_by_its_place() {
    let text = FINE.replace("{ from = 3, to = 4 }", "[3, 4, 5, 1]");
    let error = refusal(&refused(&text));
    assert_names(
        &error,
        &["study/table.toml: protection[1].k[3] = 1, but microaggregation needs k >= 2"],
    );
}

#[test]
fn unknown_keys_missing_files_and_impossible_ranges_are_refused() {
    let cases = [
        ("seed = 7", "seed = 7\nseeds = 3", "sample.seeds = 3, which is no key here; the keys are"),
        ("\"census\"", "\"nowhere.csv\"", "data.file = \"nowhere.csv\", which cannot be used"),
        (
            "from = 3, to = 4",
            "from = 4, to = 3",
            "protection[1].k = { from = 4, to = 3 }, which is an empty",
        ),
        ("from = 3, to = 4", "from = 3, until = 4", "protection[1].k.until = 4, which is no key"),
        ("groups = \"2\"", "groups = \"5,5\"", "protection[1].groups = 5,5, which add up to 10"),
        ("k = {", "p = {", "protection[1].k is missing"),
        ("held_out = 30", "held_out = 1060", "sample.held_out = 1060, but 1040 records are left"),
        ("\"single\"]", "\"magic\"]", "attacks = "),
        ("p = [2, 30]", "p = [2, 2]", "the cell Noise-2 is declared twice"),
        ("known = 3", "known = 33", "data.known = 33, but the attacker knows 1 to 13"),
        ("runs = 2\n", "runs = 0\n", "sample.runs = 0, but at least one run is needed"),
        ("title =", "title", "line 2"),
    ];
    for (fine, wrong, expected) in cases {
        let error = String::from_utf8(refused(&FINE.replace(fine, wrong)).stderr).unwrap();
        assert_names(&error, &["study/table.toml", expected]);
    }
}

#[test]
fn published_numbers_must_belong_to_a_cell_and_a_measure() {
    let published = "\n[published]\ncitation = \"here\"\n\n[published.cells]\n\
        \"Noise-3\" = { dbrl1 = 1 }\n\"Noise-2\" = { dbrl2 = 1, weights = { AGE = 1 } }\n";
    let error = String::from_utf8(refused(&format!("{FINE}{published}")).stderr).unwrap();
    let expected = ["\"Noise-3\" is no cell", "dbrl2 = 1, which is no measure", "weights.AGE = 1"];
    assert_names(&error, &expected);
}

#[test]
fn an_unknown_cell_is_refused_and_the_cells_listed() {
    let folder = declared(FINE);
    let arguments = ["experiment", "run", "study/table.toml", "--only", "Noise-9"];
    let error = refusal(&unmask_in(folder.path(), &arguments));
    assert_names(&error, &["only = Noise-9", "Noise-2, Noise-30, Mic-3, Mic-4"]);
}

#[test]
fn the_seed_of_a_run_depends_on_seed_cell_and_run_alone() {
    assert_eq!(job_seed(2012, "Mic2-3", 1), job_seed(2012, "Mic2-3", 1));
    let others =
        [job_seed(2013, "Mic2-3", 1), job_seed(2012, "Mic2-4", 1), job_seed(2012, "Mic2-3", 2)];
    assert!(others.iter().all(|other| *other != job_seed(2012, "Mic2-3", 1)));
}

/// Every specification of the repository.
fn committed_specifications() -> Vec<String> {
    let files = unmask::experiment::specifications_under(&root().join("experiments")).unwrap();
    assert!(files.len() >= 18, "only {} specifications", files.len());
    files
}

#[test]
fn every_committed_specification_is_fine() {
    for file in committed_specifications() {
        Experiment::load(&file).unwrap();
    }
}

#[test]
fn the_schema_for_editors_knows_every_key_of_the_committed_specifications() {
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../docs/experiment-schema.json")).unwrap();
    for file in committed_specifications() {
        let table: toml::Value = toml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let kind = table.get("kind").map_or("linkage", |kind| kind.as_str().unwrap());
        let reference = serde_json::json!({ "$ref": format!("#/definitions/{kind}") });
        assert!(schema["oneOf"].as_array().unwrap().contains(&reference), "{kind}");
        assert_known(&schema["definitions"][kind], &table);
    }
}

#[test]
fn the_schema_for_editors_knows_every_method_and_attack() {
    let schema = include_str!("../../docs/experiment-schema.json");
    let methods = unmask::protection::Method::LIST.iter().map(|(name, _)| *name);
    let attacks = unmask::linkage::registry::ATTACKS.iter().map(|entry| entry.name);
    for name in methods.chain(attacks) {
        assert!(schema.contains(&format!("{name:?}")), "{name}");
    }
}

/// Every key of every table inside `value` is described by `place`.
fn assert_known(place: &serde_json::Value, value: &toml::Value) {
    match value {
        toml::Value::Table(table) if place.get("properties").is_some() => {
            for (key, value) in table {
                let place = place["properties"].get(key);
                assert_known(place.unwrap_or_else(|| panic!("{key} is not in the schema")), value);
            }
        }
        toml::Value::Array(items) => {
            items.iter().for_each(|item| assert_known(&place["items"], item));
        }
        _ => {}
    }
}

#[test]
fn every_worst_case_in_the_committed_results_is_proven_optimal() {
    let (mut worst_cases, mut intervals) = (0, Vec::new());
    for file in committed_specifications() {
        let experiment = Experiment::load(&file).unwrap();
        let heading = experiment.heading();
        let folder = root().join("results").join(&heading.folder).join(&heading.table);
        let runs = folder.join("runs.csv");
        let Ok(text) = std::fs::read_to_string(&runs) else { continue };
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let Some(proven) = header.iter().position(|name| *name == "proven") else { continue };
        for line in lines {
            if line[proven] != "yes" {
                intervals.push((heading.table.clone(), line[0].to_owned(), line[1].to_owned()));
            }
            worst_cases += 1;
        }
    }
    assert!(intervals.is_empty(), "{intervals:?}");
    assert!(worst_cases > 2_000, "only {worst_cases} worst cases");
}

#[test]
fn nine_of_ten_published_worst_cases_of_tables_2_to_4_are_reproduced() {
    let (mut near, mut all) = (0, 0);
    for table in ["table2", "table3", "table4"] {
        let file = root().join("results/abril2012").join(table).join("table.csv");
        let text = std::fs::read_to_string(file).unwrap();
        for line in text.lines().filter(|line| line.contains(",worst case,")) {
            let fields: Vec<&str> = line.split(',').collect();
            let difference: f64 = fields[7].parse().unwrap();
            all += 1;
            near += usize::from(fields[9] == "yes" || difference.abs() <= 0.75);
        }
    }
    assert_eq!(all, 33);
    assert!(10 * near >= 9 * all, "{near} of {all}");
}

/// Runs the small table into `results` with the arguments `more`.
fn run_small(results: &Path, more: &[&str]) -> Output {
    let mut arguments = vec!["experiment", "run", SMALL, "--results"];
    arguments.push(results.to_str().unwrap());
    arguments.extend(more);
    unmask_in(root(), &arguments)
}

fn assert_same_bytes(results: &Path, how: &str) {
    for name in DETERMINISTIC {
        let made = std::fs::read(results.join("demo/noise").join(name)).unwrap();
        let committed = std::fs::read(root().join("results/demo/noise").join(name)).unwrap();
        assert!(made == committed, "{name} {how} differs from the committed one");
    }
}

#[test]
fn a_small_table_is_the_same_bytes_on_any_number_of_threads() {
    for threads in ["1", "2", "5"] {
        let results = TempDir::new().unwrap();
        success(&run_small(results.path(), &["--threads", threads]));
        assert_same_bytes(results.path(), &format!("on {threads} threads"));
        assert!(!results.path().join("demo/noise").join(journal::FILE_NAME).exists());
    }
}

#[test]
fn an_interrupted_run_goes_on_and_gives_the_same_bytes() {
    let results = TempDir::new().unwrap();
    success(&run_small(results.path(), &["--only", "Noise-8"]));
    let folder = results.path().join("demo/noise");
    assert!(!folder.join("runs.csv").exists(), "an unfinished experiment has no results");
    let partial = folder.join(journal::FILE_NAME);
    let text = std::fs::read_to_string(&partial).unwrap();
    assert_eq!(text.lines().count(), 3, "a header and two runs");
    // As kill -9 may leave it: the last line is torn.
    std::fs::write(&partial, &text[..text.len() - 40]).unwrap();
    success(&run_small(results.path(), &[]));
    assert_same_bytes(results.path(), "after an interruption");
}

#[test]
fn a_killed_run_goes_on_and_gives_the_same_bytes() {
    let results = TempDir::new().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_unmask"))
        .args(["--threads", "1", "experiment", "run", SMALL, "--results"])
        .arg(results.path())
        .current_dir(root())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let partial = results.path().join("demo/noise").join(journal::FILE_NAME);
    let lines = || std::fs::read_to_string(&partial).map_or(0, |text| text.lines().count());
    while lines() < 3 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    // SIGKILL; a run that had ended by then is none the worse for it.
    child.kill().unwrap();
    child.wait().unwrap();
    success(&run_small(results.path(), &[]));
    assert_same_bytes(results.path(), "after kill -9");
}

#[test]
fn a_changed_specification_is_noticed_until_the_run_starts_anew() {
    let folder = declared(FINE);
    let run = |more: &[&str]| {
        let mut arguments = vec!["experiment", "run", "study/table.toml"];
        arguments.extend(more);
        unmask_in(folder.path(), &arguments)
    };
    success(&run(&["--only", "Noise-2"]));
    std::fs::write(folder.path().join("study/table.toml"), FINE.replace("seed = 7", "seed = 8"))
        .unwrap();
    let error = refusal(&run(&[]));
    assert_names(&error, &["runs.partial.jsonl", "another study/table.toml", "--fresh"]);
    success(&run(&["--fresh"]));
    assert!(folder.path().join("results/study/table/table.md").exists());
}

#[test]
fn a_cell_keeps_its_runs_when_other_cells_are_added() {
    let runs = |text: &str| -> Vec<String> {
        let folder = declared(text);
        success(&unmask_in(folder.path(), &["experiment", "run", "study/table.toml"]));
        let runs = std::fs::read_to_string(folder.path().join("results/study/table/runs.csv"));
        runs.unwrap().lines().filter(|l| l.starts_with("Noise-30")).map(str::to_owned).collect()
    };
    let (few, many) = (runs(FINE), runs(&FINE.replace("p = [2, 30]", "p = [1, 2, 3, 30]")));
    assert_eq!(few.len(), 2);
    assert_eq!(few, many);
}

#[test]
fn quick_runs_leave_the_results_alone() {
    let folder = declared(FINE);
    let arguments = ["reproduce", "--experiments", "study", "--quick"];
    let text = success(&unmask_in(folder.path(), &arguments));
    assert_names(&text, &["study/table: written to", "worst cases proven optimal: 4 of 4"]);
    assert!(folder.path().join("results/quick/study/table/runs.csv").exists());
    assert!(!folder.path().join("results/study").exists());
}
