//! `unmask link` and `unmask measure` as a user types them.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use unmask::audit::NamedAttacks;
use unmask::dataset::{Dataset, ReadOptions};
use unmask::linkage::registry::{self, ATTACKS, AttackParameters};
use unmask::linkage::{Attack, Release};
use unmask::protection::microaggregation::Mdav;
use unmask::protection::{Method, Noise};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).expect("writable");
        path.display().to_string()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn unmask(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unmask"));
    command.args(arguments).output().expect("the program runs")
}

fn link(original: &str, released: &str, more: &[&str]) -> Output {
    unmask(&[&["link", "--original", original, "--released", released], more].concat())
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON on standard output")
}

/// Fails unless the command is refused with exit code 2 and one line that says all of `parts`.
fn refused(output: &Output, parts: &[&str]) {
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
}

fn noisy_census(folder: &Folder) -> String {
    let path = folder.path("noisy.csv").display().to_string();
    let done = unmask(&["protect", "noise", "census", "--p", "16", "--seed", "1", "-o", &path]);
    assert!(done.status.success());
    path
}

#[test]
fn link_reports_every_attack_as_json() {
    let folder = Folder::new();
    let released = noisy_census(&folder);
    let attacks =
        "dbrl1,dbrl2,mahalanobis,kernel,gower,single,probabilistic,assignment,interval,dld";
    let attributes = "AFNLWGT,AGI,EMCONTRB";
    let more = ["--attack", attacks, "--attributes", attributes, "--weights", "1,1,1"];
    let report = json(&link("census", &released, &[&more[..], &["--format", "json"]].concat()));
    assert_eq!(report["records"], 1080);
    assert_eq!(report["attributes"][2], "EMCONTRB");
    let rows = report["attacks"].as_array().expect("a list");
    let names: Vec<&str> = rows.iter().filter_map(|r| r["attack"].as_str()).collect();
    let expected = [
        "dbrl1",
        "dbrl2",
        "mahalanobis-cov",
        "mahalanobis-cov0",
        "kernel",
        "gower",
        "single:AFNLWGT",
        "single:AGI",
        "single:EMCONTRB",
        "probabilistic",
        "assignment",
        "interval",
        "dld",
        "weighted",
        "random",
    ];
    assert_eq!(names, expected);
    for row in rows {
        assert!(row["reidentified"].is_u64(), "{row}");
        let share =
            row["reidentified"].as_f64().unwrap_or(-1.0) / row["of"].as_f64().unwrap_or(0.0);
        assert!((share - row["rate"].as_f64().unwrap_or(2.0)).abs() < 1e-12, "{row}");
        assert!(row["seconds"].is_f64() && row["expected_ties"].is_number(), "{row}");
        assert!(row.get("interval").is_none(), "{row}");
    }
    assert_eq!(rows[0]["reidentified"], rows[13]["reidentified"]);
}

#[test]
fn a_sample_carries_its_interval_and_follows_its_seed() {
    let folder = Folder::new();
    let released = noisy_census(&folder);
    let sample = |seed: &str| {
        let more = ["--sample", "200", "--seed", seed, "--format", "json"];
        json(&link("census", &released, &more))["attacks"][0].clone()
    };
    let row = sample("7");
    let (low, high) = (row["interval"][0].as_f64(), row["interval"][1].as_f64());
    assert!(low < row["rate"].as_f64() && row["rate"].as_f64() < high);
    assert_eq!(row["of"], 200);
    assert_eq!(row["reidentified"], sample("7")["reidentified"]);
}

#[test]
fn the_text_ends_with_the_floor_of_random_guessing() {
    let output = link("census", "census", &["--attributes", "AGI,FICA"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("1080 original records, 1080 released ones, 2 attributes: AGI, FICA"));
    assert!(
        text.trim_end().lines().last().is_some_and(|l| l.trim().starts_with("random")),
        "{text}"
    );
}

#[test]
fn links_are_written_once_and_replaced_with_force() {
    let folder = Folder::new();
    let original = folder.file("o.csv", "id,a,b\n7,1,1\n8,5,2\n9,9,9\n");
    let released = folder.file("r.csv", "id,a,b\n9,9,8\n1,0,0\n8,5,2\n7,5,2\n");
    let path = folder.path("links.csv").display().to_string();
    let more = [
        "--key",
        "id",
        "--links",
        &path,
        "--tie",
        "share",
        "--attributes",
        "a,b",
        "--attack",
        "gower",
    ];
    assert!(link(&original, &released, &more).status.success());
    let text = std::fs::read_to_string(&path).expect("written");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "record,linked_record,distance,second_distance,correct,tied");
    assert_eq!(lines[2], "2,3,0,0,0.5,2");
    assert!(lines[3].starts_with("3,1,") && lines[3].ends_with(",1,1"), "{text}");
    refused(&link(&original, &released, &more), &["links.csv", "exists already", "--force"]);
    assert!(link(&original, &released, &[&more[..], &["--force"]].concat()).status.success());
    let several = ["--links", &path, "--force", "--attack", "dbrl1,gower", "--key", "id"];
    refused(&link(&original, &released, &several), &["attack = dbrl1,gower", "--links"]);
}

#[test]
fn unequal_row_counts_without_a_key_are_refused() {
    let folder = Folder::new();
    let original = folder.file("o.csv", "a\n1\n2\n3\n");
    let released = folder.file("r.csv", "a\n1\n2\n");
    refused(&link(&original, &released, &[]), &["r.csv: 2 records", "o.csv has 3", "--key"]);
}

#[test]
fn bad_keys_are_refused() {
    let folder = Folder::new();
    let good = folder.file("g.csv", "id,a\nx,1\ny,2\n");
    let twice = folder.file("t.csv", "id,a\nx,1\nx,2\n");
    let hole = folder.file("h.csv", "id,a\nx,1\n?,2\n");
    let other = folder.file("s.csv", "id,a\nx,1\nz,2\n");
    let fewer = folder.file("f.csv", "id,a\nz,3\ny,2\nx,1\n");
    let key = ["--key", "id"];
    refused(&link(&good, &twice, &key), &["t.csv: column id", "records 1 and 2"]);
    refused(&link(&twice, &good, &key), &["t.csv: column id", "records 1 and 2"]);
    refused(&link(&good, &hole, &key), &["h.csv: column id", "record 2 has no key"]);
    refused(&link(&other, &good, &key), &["g.csv: column id", "1 of 2 keys", "s.csv"]);
    let report = json(&link(&fewer, &good, &[&key[..], &["--format", "json"]].concat()));
    assert_eq!(report["attacks"][0]["of"], 3, "a suppressed record counts as not found");
    assert_eq!(report["attacks"][0]["certain"], 2);
    refused(&link(&good, &good, &["--key", "nr"]), &["g.csv", "no column \"nr\"", "id, a"]);
}

#[test]
fn attributes_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    let original = folder.file("o.csv", "a,b,c,d\n1,?,4,x\n2,?,4,y\n3,?,4,z\n");
    let released = folder.file("r.csv", "a,b,c,d\n1,1,4,1\n2,2,4,2\n3,3,4,3\n");
    let with = |names| link(&original, &released, &["--attributes", names]);
    refused(&with("a,e"), &["o.csv", "no column \"e\"", "a, b, c, d"]);
    refused(&with("a,a"), &["attributes = a", "twice"]);
    refused(&with("a,b"), &["o.csv: column b", "every value is missing"]);
    refused(&with("a,c"), &["o.csv: column c", "constant"]);
    refused(&with("a,d"), &["r.csv: column d", "holds labels", "--hierarchies", "--attributes"]);
    let weights = |w| link(&original, &released, &["--attributes", "a", "--weights", w]);
    refused(&weights("1,2"), &["weights = 1,2", "2 weights for 1 attributes"]);
    refused(&weights("-1"), &["weights = -1", ">= 0"]);
}

#[test]
fn a_singular_covariance_is_refused_unless_the_pseudo_inverse_is_asked_for() {
    let folder = Folder::new();
    let original = folder.file("o.csv", "a,b\n1,2\n2,4\n3,6\n5,10\n");
    let released = folder.file("r.csv", "a,b\n1.5,3\n2.1,4.2\n3.3,6.6\n4.6,9.2\n");
    let more = ["--attack", "mahalanobis", "--format", "json"];
    refused(
        &link(&original, &released, &more),
        &["r.csv", "singular (rank 1 of 2)", "--pseudo-inverse"],
    );
    let report = json(&link(&original, &released, &[&more[..], &["--pseudo-inverse"]].concat()));
    assert_eq!(report["attacks"][0]["rate"], 1.0);
}

#[test]
fn assignment_of_many_records_says_how_far_from_the_best_it_may_be() {
    let more = ["--attack", "assignment", "--attributes", "age,fnlwgt", "--format", "json"];
    let report = json(&link("adult-train", "adult-train", &more));
    let attack = &report["attacks"][0];
    assert_eq!(attack["gap"], 0.0, "equal files are linked at no distance");
    assert_eq!(attack["note"], "the total is the least one");
    assert!(attack["rate"].as_f64() > Some(0.5));
    let text = link("adult-train", "adult-train", &more[..4]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("assignment: the total is the least one"), "{text}");
}

#[test]
fn measure_reports_k_l_and_t() {
    let folder = Folder::new();
    let file = folder.file("f.csv", "age,town,pay\n20,a,1\n20,a,2\n30,b,3\n30,b,3\n?,b,4\n");
    let more = ["--quasi", "age,town", "--sensitive", "pay", "--format", "json"];
    let report = json(&unmask(&[&["measure", &file], &more[..]].concat()));
    assert_eq!(
        (&report["k"], &report["uniques"], &report["classes"]),
        (&1.into(), &1.into(), &3.into())
    );
    assert_eq!(report["sensitive"][0]["distinct_l"], 1);
    let text = unmask(&[&["measure", &file], &more[..4]].concat());
    assert!(String::from_utf8_lossy(&text.stdout).contains("k = 1"));
    let nothing = ["measure", &file, "--confidential", "age,town,pay"];
    refused(&unmask(&nothing), &["f.csv", "no attribute", "--attributes"]);
    let said = unmask(&["measure", &file, "--sensitive", "pay"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("quasi-identifiers  2: age, town\n"), "{said}");
    let said = unmask(&["measure", &file, "--quasi", "age", "--sensitive", "pay"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("quasi-identifiers  1: age\n"), "{said}");
    assert!(said.contains("Not looked at: town.\n"), "{said}");
    refused(
        &unmask(&["measure", &file, "--quasi", "age", "--sensitive", "age"]),
        &["sensitive = age", "quasi-identifier"],
    );
}

#[test]
fn no_temporary_file_is_left_beside_the_links() {
    let folder = Folder::new();
    let path = folder.path("links.csv").display().to_string();
    assert!(link("census", "census", &["--links", &path]).status.success());
    let names = std::fs::read_dir(Path::new(&path).parent().expect("a folder")).expect("readable");
    assert_eq!(names.count(), 1);
}

#[test]
fn every_attack_of_the_registry_has_a_meaning_is_listed_and_runs_by_its_name() {
    let folder = Folder::new();
    let released = noisy_census(&folder);
    let listed = unmask(&["link", "--list"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let load = |name: &str| Dataset::load(name, &ReadOptions::default()).expect("loads");
    let release = Release::by_row(load("census"), load(&released)).expect("as many rows");
    for entry in &ATTACKS {
        assert!(entry.meaning.ends_with('.') && entry.meaning.len() > 20, "{}", entry.name);
        let line = listed.lines().find(|line| line.split_whitespace().next() == Some(entry.name));
        assert!(line.is_some_and(|line| line.contains(entry.meaning)), "{}: {listed}", entry.name);
        let weights = if entry.needs.weights { vec![1.0, 2.0] } else { Vec::new() };
        // Noise is not the same again.
        let known = match entry.name {
            "maximum-knowledge" => release.made_by(&Method::Mdav(Mdav::new(3)).into()),
            _ => release.made_by(&Method::Noise(Noise::new(16.0)).into()),
        };
        let record = NamedAttacks::on(&known.expect("fits"))
            .named([entry.name])
            .attributes(["AGI", "FICA"])
            .sample(40)
            .parameters(AttackParameters { weights, ..AttackParameters::default() })
            .run(&())
            .expect(entry.name);
        assert!(record.attacks.len() > 1, "{}", entry.name);
        for row in record.attacks.iter().filter(|row| row.attack != "random") {
            let registered = registry::find(&row.attack).expect("a name of the registry");
            assert!(registered.name == entry.name || entry.name == "mahalanobis", "{}", row.attack);
            if let Ok(attack) = registry::parse(&row.attack) {
                assert_eq!(attack.name(), row.attack);
                let json = serde_json::to_value(&attack).expect("JSON");
                assert_eq!(json["attack"], registered.name);
                assert_eq!(serde_json::from_value::<Attack>(json).expect("the same"), attack);
            }
        }
    }
    let short: Attack = toml::from_str("attack = \"kernel\"").expect("its defaults");
    assert_eq!(short, registry::parse("kernel").expect("an attack"));
}

#[test]
fn an_attack_that_is_not_one_by_itself_is_not_made_from_its_name() {
    for name in ["nearest", "single", "weighted", "mahalanobis", "interval", "dld"] {
        let error = registry::parse(name).expect_err(name).to_string();
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn what_is_left_out_when_no_attributes_are_named_is_said() {
    let folder = Folder::new();
    let text = "id,town,age,pay\n1,a,20,5\n2,b,30,6\n3,c,44,7\n";
    let file = folder.file("f.csv", text);
    let more = ["--key", "id", "--confidential", "pay"];
    let output = link(&file, &file, &more);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("2 attributes: town, age\n"), "labels too: {said}");
    assert!(!said.contains("Not looked at"), "{said}");
    let more = [&more[..], &["--quasi", "age"]].concat();
    let output = link(&file, &file, &more);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("1 attributes: age\n"), "{said}");
    assert!(said.contains("Not looked at: town."), "{said}");
    let report = json(&link(&file, &file, &[&more[..], &["--format", "json"]].concat()));
    assert_eq!(report["attributes_left_out"], serde_json::json!(["town"]));
}
