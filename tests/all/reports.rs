//! Reports as files: what they say, what they never say, and when they are refused.

use crate::support::{normal_columns, refusal, success, unmask_in};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;
use unmask::audit::{Audit, Identified, Keys, Naming, RecordsAtRisk};
use unmask::dataset::{Dataset, ReadOptions};
use unmask::files::FileDigest;
use unmask::learning::{Aggregation, margins};
use unmask::linkage::Release;
use unmask_solvers::Limits;

const HEADER: &str = "id,income,tax,age\n";

/// A folder with `original.csv`, `released.csv` (little noise) and `hidden.csv` (much).
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let original = normal_columns(50, 3, 11);
    let noise = normal_columns(50, 3, 12);
    let file = |name: &str, share: f64| {
        let mut text = HEADER.to_owned();
        for i in 0..50 {
            let values: Vec<String> = original
                .iter()
                .zip(&noise)
                .map(|(o, n)| format!("{:.6}", o[i] + share * n[i]))
                .collect();
            text.push_str(&format!("p{:03},{}\n", 900 + i, values.join(",")));
        }
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    file("original.csv", 0.0);
    file("released.csv", 0.3);
    file("hidden.csv", 2.0);
    folder
}

const AUDIT: [&str; 9] = [
    "audit",
    "--original",
    "original.csv",
    "--released",
    "released.csv",
    "--attributes",
    "income,tax,age",
    "--key",
    "id",
];

fn run(folder: &Path, more: &[&str]) -> std::process::Output {
    unmask_in(folder, &[&AUDIT[..], more].concat())
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("the report was written")
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("writable");
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// The record inside a page.
fn record_of_page(page: &str) -> Value {
    let start = "<script type=\"application/json\" id=\"record\">";
    json(page.split(start).nth(1).unwrap().split("</script>").next().unwrap())
}

#[test]
fn text_json_markdown_and_page_say_the_same() {
    let folder = folder();
    let reports = ["--report", "r.html", "--report", "r.md", "--report", "r.json"];
    let printed = json(&success(&run(
        folder.path(),
        &[&reports[..], &["--format", "json", "--max-risk", "1"]].concat(),
    )));
    let page = read(folder.path(), "r.html");
    assert_eq!(printed, json(&read(folder.path(), "r.json")));
    assert_eq!(printed, record_of_page(&page));
    let markdown = read(folder.path(), "r.md");
    let fenced = markdown.split("```json\n").nth(1).unwrap().split("\n```").next().unwrap();
    assert_eq!(printed, json(fenced));
    let verdict = format!("{} of 50 people are found on average", printed["verdict"]["expected"]);
    let text = success(&run(folder.path(), &["--max-risk", "1"]));
    for (name, format) in [("page", &page), ("Markdown", &markdown), ("text", &text)] {
        assert!(format.contains(&verdict), "{name}: {verdict}");
        for attack in printed["attacks"].as_array().unwrap() {
            let rate = format!("{:.2}%", 100.0 * attack["rate"].as_f64().unwrap());
            assert!(format.contains(&rate), "{name}: {} {rate}", attack["attack"]);
        }
        for weight in printed["key_attributes"]["weights"].as_array().unwrap() {
            let shown = format!("{:.6}", weight["weight"].as_f64().unwrap());
            assert!(format.contains(&shown), "{name}: {weight}");
        }
    }
    for advice in printed["key_attributes"]["recommendations"].as_array().unwrap() {
        let advice = advice.as_str().unwrap();
        assert!(page.contains(advice) && markdown.contains(advice), "{advice}");
    }
}

#[test]
fn the_record_holds_what_a_steward_asks_for() {
    let folder = folder();
    let more = ["--report", "r.json", "--sample", "40", "--test-sample", "10", "--seed", "5"];
    let text = success(&run(folder.path(), &more));
    let record = json(&read(folder.path(), "r.json"));
    assert!(text.contains("are found by any attacker examined, even one who tunes himself"));
    assert_eq!((&record["targets"], &record["records"]), (&40.into(), &50.into()));
    let weights = record["key_attributes"]["weights"].as_array().unwrap();
    for weight in weights {
        let of = |key: &str| weight[key].as_f64().unwrap();
        assert!(of("low") <= of("weight") && of("weight") <= of("high"), "{weight}");
    }
    let worst = record["worst_case"]["reidentified"].as_f64().unwrap();
    for risk in record["key_attributes"]["attributes"].as_array().unwrap() {
        assert!(
            risk["without"]["upper_bound"].as_f64().unwrap() <= worst,
            "fewer can only be less"
        );
        assert!(
            risk["alone_rate"].as_f64().unwrap() <= record["verdict"]["rate"].as_f64().unwrap()
        );
        assert!(risk["doubled"].is_null(), "the method is not known");
    }
    let risk = &record["records_at_risk"];
    let bins = risk["margins"].as_array().unwrap();
    let sum = |wanted: &dyn Fn(&Value) -> bool| -> u64 {
        bins.iter().filter(|b| wanted(b)).map(|b| b["records"].as_u64().unwrap()).sum()
    };
    assert_eq!(sum(&|_| true), 50, "the weights are counted on all records");
    let certain = record["worst_case"]["file"]["certain"].as_u64().unwrap();
    assert_eq!(
        sum(&|b| b["from"].as_f64().unwrap() >= 0.0),
        certain,
        "margins above 0 are certain"
    );
    assert!(risk["by_every_attack"].as_u64() <= Some(certain));
    assert_eq!(record["anonymity"]["k"], 1);
    assert_eq!(record["anonymity"]["uniques"], 50);
    assert_eq!(record["held_out"]["records"], 10);
    let loss = record["releases"][0]["utility"]["il_percent"].as_f64().unwrap();
    assert!(loss > 2.0 && loss < 30.0, "{loss}");
    let made = &record["reproduction"];
    assert_eq!(made["seeds"]["samples"], 5);
    assert!(made["command"].as_str().unwrap().starts_with("unmask audit --original original.csv"));
    let bytes = std::fs::read(folder.path().join("released.csv")).unwrap();
    assert_eq!(made["files"][1]["sha256"], unmask::files::sha256(&bytes));
}

#[test]
fn the_most_exposed_are_rows_of_the_file_that_was_given() {
    let folder = folder();
    success(&run(folder.path(), &["--report", "r.json", "--sample", "20", "--internal"]));
    let record = json(&read(folder.path(), "r.json"));
    let lines: Vec<String> =
        read(folder.path(), "original.csv").lines().skip(1).map(String::from).collect();
    let exposed = record["records_at_risk"]["most_exposed"].as_array().unwrap();
    assert!(!exposed.is_empty());
    for record in exposed {
        let line = &lines[record["row"].as_u64().unwrap() as usize - 1];
        let income: f64 = line.split(',').nth(1).unwrap().parse().unwrap();
        let shown: f64 = record["values"][0]["original"].as_str().unwrap().parse().unwrap();
        assert_eq!(shown, income, "{record}");
    }
}

#[test]
fn a_report_shows_no_value_of_a_record_unless_it_is_internal() {
    let folder = folder();
    let reports = ["--report", "r.html", "--report", "r.md", "--report", "r.json"];
    let printed = success(&run(folder.path(), &reports));
    let values: Vec<String> = ["original.csv", "released.csv"]
        .iter()
        .flat_map(|file| {
            let text = read(folder.path(), file);
            let cells = text.lines().skip(1).flat_map(|line| line.split(',').map(String::from));
            cells.collect::<Vec<_>>()
        })
        .collect();
    let all = [
        printed,
        read(folder.path(), "r.html"),
        read(folder.path(), "r.md"),
        read(folder.path(), "r.json"),
    ];
    for report in &all {
        let shown = values.iter().find(|value| report.contains(value.as_str()));
        assert_eq!(shown, None, "no value of a record");
    }
    success(&run(folder.path(), &["--report", "internal.html", "--internal"]));
    let internal = read(folder.path(), "internal.html");
    assert!(internal.contains("Do not share"));
    let shown =
        |value: &&String| internal.contains(value.trim_start_matches('-').trim_end_matches('0'));
    assert!(values.iter().filter(shown).count() >= 30, "ten records of three attributes");
}

#[test]
fn records_are_named_by_their_key_where_there_is_one_in_internal_reports_alone() {
    let folder = folder();
    let reports = ["--report", "r.json", "--report", "r.html"];
    success(&run(folder.path(), &[&reports[..], &["--internal"]].concat()));
    let record = json(&read(folder.path(), "r.json"));
    let exposed = &record["records_at_risk"]["most_exposed"][0];
    let row = exposed["row"].as_u64().unwrap();
    assert_eq!(exposed["key"], format!("p{}", 899 + row));
    let key = exposed["key"].as_str().unwrap();
    assert!(read(folder.path(), "r.html").contains(key));
    success(&run(folder.path(), &[&reports[..], &["--force"]].concat()));
    assert!(!read(folder.path(), "r.html").contains(key));
    let record = json(&read(folder.path(), "r.json"));
    let exposed = &record["records_at_risk"]["most_exposed"][0];
    assert!(exposed["margin"].is_f64());
    assert_eq!((exposed.get("row"), exposed.get("key")), (None, None));
}

#[test]
fn a_threshold_that_is_exceeded_gives_exit_code_3_and_the_report_is_written() {
    let folder = folder();
    let with = |limit: &str, name: &str| {
        let source = ["--max-risk-source", "rule 12 of the office"];
        run(folder.path(), &[&["--max-risk", limit, "--report", name], &source[..]].concat())
    };
    let exceeded = with("0.2", "above.html");
    assert_eq!(exceeded.status.code(), Some(3));
    let text = String::from_utf8(exceeded.stdout).unwrap();
    assert!(text.contains("The limit of 20.0% is exceeded: the "), "{text}");
    assert!(text.contains("comes from rule 12 of the office"), "{text}");
    assert!(read(folder.path(), "above.html").contains("Limit exceeded"));
    let kept = with("1", "below.html");
    assert_eq!(kept.status.code(), Some(0));
    assert!(read(folder.path(), "below.html").contains("Within the limit"));
}

#[test]
fn what_is_not_proven_is_judged_by_its_upper_bound() {
    let folder = folder();
    let files = ["audit", "--original", "original.csv", "--released", "hidden.csv", "--key", "id"];
    let solver = ["--solver", "heuristic", "--format", "json"];
    let audit = |more: &[&str]| {
        let output = unmask_in(folder.path(), &[&files[..], &solver[..], more].concat());
        (json(std::str::from_utf8(&output.stdout).unwrap()), output.status.code())
    };
    let (record, code) = audit(&[]);
    assert_eq!(code, Some(0));
    let rate = |key: &str| record["worst_case"][key].as_f64().unwrap();
    let between = (rate("rate") + rate("upper_bound_rate")) / 2.0;
    assert!(rate("rate") < between, "a heuristic proves nothing");
    let (record, code) = audit(&["--max-risk", &between.to_string()]);
    assert_eq!(code, Some(3));
    let judged = record["threshold"]["judged"].as_str().unwrap();
    assert!(judged.contains("not every attacker could be bounded"), "{judged}");
    assert_eq!(record["threshold"]["risk"], record["verdict"]["upper_bound"]);
    assert!(!record["verdict"]["unbounded"].as_array().unwrap().is_empty());
}

#[test]
fn a_share_outside_0_and_1_is_refused() {
    let folder = folder();
    for share in ["20", "-0.1", "nan", "much"] {
        let output = run(folder.path(), &[&format!("--max-risk={share}")]);
        assert_eq!(output.status.code(), Some(2), "{share}");
    }
}

#[test]
fn an_unknown_extension_is_refused_before_anything_is_read() {
    let folder = folder();
    for name in ["report.pdf", "report", "report.htm"] {
        let arguments = ["audit", "--original", "nowhere.csv", "--released", "nowhere.csv"];
        let all = [&arguments[..], &["--report", name]].concat();
        let error = refusal(&unmask_in(folder.path(), &all));
        assert!(error.contains(name) && error.contains(".html, .md or .json"), "{error}");
    }
}

#[test]
fn an_existing_report_is_replaced_only_with_force() {
    let folder = folder();
    std::fs::write(folder.path().join("r.json"), "mine").unwrap();
    let error = refusal(&run(folder.path(), &["--report", "r.json"]));
    assert!(error.contains("r.json") && error.contains("--force"), "{error}");
    assert_eq!(read(folder.path(), "r.json"), "mine");
    success(&run(folder.path(), &["--report", "r.json", "--force"]));
    assert_eq!(json(&read(folder.path(), "r.json"))["records"], 50);
}

#[test]
fn several_releases_are_compared_and_the_frontier_is_marked() {
    let folder = folder();
    std::fs::copy(folder.path().join("original.csv"), folder.path().join("same.csv")).unwrap();
    let more = [
        "--released",
        "hidden.csv",
        "--released",
        "same.csv",
        "--report",
        "r.json",
        "--max-risk",
        "0.99",
    ];
    let output = run(folder.path(), &more);
    assert_eq!(output.status.code(), Some(3), "same.csv exceeds the threshold");
    let record = json(&read(folder.path(), "r.json"));
    let releases = record["releases"].as_array().unwrap();
    let files: Vec<&Value> = releases.iter().map(|r| &r["file"]).collect();
    assert_eq!(files, ["released.csv", "hidden.csv", "same.csv"]);
    assert_eq!(releases[2]["worst_case"]["rate"], 1.0);
    assert_eq!(releases[2]["utility"]["il_percent"], 0.0);
    assert_eq!(releases[2]["exceeded"], true);
    assert!(releases.iter().all(|r| r["frontier"] == true), "each is better in one of both");
    let rate = |i: usize| releases[i]["worst_case"]["rate"].as_f64().unwrap();
    assert!(rate(1) < rate(0), "more noise, less risk");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("same.csv exceeds the limit too: at most 100.0%"), "{text}");
}

#[test]
fn commands_for_one_release_refuse_several() {
    let folder = folder();
    let arguments = ["link", "--original", "original.csv", "--released", "released.csv"];
    let all = [&arguments[..], &["--released", "hidden.csv"]].concat();
    let error = refusal(&unmask_in(folder.path(), &all));
    assert!(error.contains("released.csv, hidden.csv") && error.contains("takes one"), "{error}");
}

#[test]
fn a_known_method_shows_what_doubling_the_protection_does() {
    let folder = TempDir::new().unwrap();
    let protect = "protect noise census --p 40 --seed 3 -o noisy.csv --recipe noisy.toml";
    success(&unmask_in(folder.path(), &protect.split(' ').collect::<Vec<_>>()));
    let audit = [
        "audit",
        "--original",
        "census",
        "--released",
        "noisy.csv",
        "--attributes",
        "AGI,FICA,TAXINC",
    ];
    let recipe = ["--sample", "40", "--recipe", "noisy.toml", "--report", "r.json"];
    success(&unmask_in(folder.path(), &[&audit[..], &recipe[..]].concat()));
    let record = json(&read(folder.path(), "r.json"));
    let keys = &record["key_attributes"];
    assert_eq!(keys["protection"]["reproduced"], true, "{keys}");
    assert_eq!(keys["protection"]["doubled_parameters"]["p"], serde_json::json!([80.0]));
    assert!(keys["attributes"].as_array().unwrap().iter().all(|a| a["doubled"]["rate"].is_f64()));
    write(folder.path(), "other.toml", "method = \"noise\"\np = 39\n");
    let other = ["--sample", "40", "--recipe", "other.toml", "--report", "other.json"];
    let text = success(&unmask_in(folder.path(), &[&audit[..], &other[..]].concat()));
    assert!(text.contains("is not what noise gives with these parameters"), "{text}");
}

#[test]
fn a_diverse_release_is_known_by_the_recipe_that_made_it() {
    let folder = TempDir::new().unwrap();
    let run = |line: &str| {
        success(&unmask_in(folder.path(), &line.split_whitespace().collect::<Vec<_>>()))
    };
    run("protect l-diverse-v-mdav census --l 3 --levels 20 --sensitive ERNVAL -o diverse.csv \
         --recipe diverse.toml");
    run("audit --original census --released diverse.csv --attributes AGI,FICA,TAXINC --sample 40 \
         --report r.json --recipe diverse.toml");
    let keys = &json(&read(folder.path(), "r.json"))["key_attributes"];
    assert_eq!(keys["protection"]["reproduced"], true, "{keys}");
    assert_eq!(keys["protection"]["doubled_parameters"]["l"], 6);
}

#[test]
fn doubling_one_attribute_is_what_protecting_it_twice_as_much_gives() {
    let folder = TempDir::new().unwrap();
    let protect = |p: &str, name: &str| {
        let arguments = ["protect", "noise", "census", "--p", p, "--seed", "1", "-o", name];
        success(&unmask_in(folder.path(), &arguments));
    };
    protect("40", "noisy.csv");
    // AGI is the second of 13 attributes.
    protect("40,80,40,40,40,40,40,40,40,40,40,40,40", "stronger.csv");
    let audit = |released: &str, more: &[&str]| {
        let files = ["audit", "--original", "census", "--released", released, "--sample", "40"];
        let common = ["--attributes", "AFNLWGT,AGI,TAXINC", "--format", "json"];
        let output = unmask_in(folder.path(), &[&files[..], &common[..], more].concat());
        json(&success(&output))
    };
    write(folder.path(), "noisy.toml", "method = \"noise\"\np = 40\nseed = 1\n");
    let known = audit("noisy.csv", &["--recipe", "noisy.toml", "--report", "r.json"]);
    let stronger = audit("stronger.csv", &[]);
    let doubled = &known["key_attributes"]["attributes"][1]["doubled"];
    assert_eq!(doubled["reidentified"], stronger["worst_case"]["reidentified"]);
    assert_eq!(doubled["proven_optimal"], true);
}

#[test]
fn leaving_an_attribute_out_is_what_an_audit_without_it_finds() {
    let folder = folder();
    success(&run(folder.path(), &["--report", "r.json"]));
    let record = json(&read(folder.path(), "r.json"));
    let files = ["audit", "--original", "original.csv", "--released", "released.csv"];
    for (k, others) in ["tax,age", "income,age", "income,tax"].iter().enumerate() {
        let more = ["--attributes", others, "--format", "json"];
        let alone = json(&success(&unmask_in(folder.path(), &[&files[..], &more[..]].concat())));
        let without = &record["key_attributes"]["attributes"][k]["without"];
        assert_eq!(without["reidentified"], alone["worst_case"]["reidentified"], "{others}");
        assert_eq!(without["proven_optimal"], true);
    }
}

#[test]
fn margins_by_the_index_are_those_of_comparing_every_pair() {
    let original = normal_columns(60, 3, 21);
    let mut released = normal_columns(60, 3, 22);
    for (moved, column) in released.iter_mut().zip(&original) {
        moved.iter_mut().zip(column).for_each(|(m, o)| *m = o + 0.4 * *m);
    }
    // A record that is released unchanged, and a twin of it.
    for (moved, column) in released.iter_mut().zip(&original) {
        moved[0] = column[0];
        moved[1] = column[0];
    }
    let (names, weights) = (["x0", "x1", "x2"], [0.5, 0.2, 0.3]);
    let release =
        Release::by_row(crate::support::dataset(&original), crate::support::dataset(&released))
            .unwrap();
    let raw = unmask::distance::Standardization::Raw;
    let found = margins(&release, &names, raw, Aggregation::WeightedMean, &weights, &()).unwrap();
    let distance = |i: usize, j: usize| -> f64 {
        (0..3).map(|k| weights[k] * (original[k][i] - released[k][j]).powi(2)).sum()
    };
    for (i, margin) in found.iter().enumerate() {
        let other =
            (0..60).filter(|j| *j != i).map(|j| distance(i, j)).fold(f64::INFINITY, f64::min);
        let own = distance(i, i);
        let expected = if own + other == 0.0 { 0.0 } else { (other - own) / (other + own) };
        assert!((margin - expected).abs() < 1e-9, "record {i}: {margin}, not {expected}");
    }
    assert_eq!(found[0], 0.0, "a tie");
}

#[test]
fn a_recipe_that_does_not_fit_is_refused() {
    let folder = folder();
    let refused = |recipe: &str, more: &[&str]| {
        write(folder.path(), "recipe.toml", recipe);
        refusal(&run(folder.path(), &[&["--recipe", "recipe.toml"], more].concat()))
    };
    let error = refused("p = 16\n", &[]);
    assert!(error.contains("recipe.toml") && error.contains("method"), "{error}");
    let error = refused("method = \"noise\"\n", &[]);
    assert!(error.contains("noise") && error.contains("\"p\""), "{error}");
    let error = refused("method = \"anti-unification\"\nk = 5\n", &[]);
    assert!(error.contains("anti-unification"), "{error}");
    let text = read(folder.path(), "released.csv");
    let mut reversed: Vec<&str> = text.lines().collect();
    reversed[1..].reverse();
    write(folder.path(), "released.csv", &(reversed.join("\n") + "\n"));
    let error = refused("method = \"noise\"\np = 1\n", &[]);
    assert!(error.contains("do not correspond row by row"), "{error}");
    let error = refusal(&run(folder.path(), &["--recipe", "nowhere.toml"]));
    assert!(error.contains("nowhere.toml"), "{error}");
}

#[test]
fn generated_rows_with_a_heuristic_are_refused_at_once() {
    let folder = folder();
    let error = refusal(&run(folder.path(), &["--rows", "generated", "--solver", "heuristic"]));
    assert!(error.contains("generated") && error.contains("proves nothing"), "{error}");
}

#[test]
fn ordered_weights_have_a_report_too() {
    let folder = folder();
    success(&run(
        folder.path(),
        &["--aggregation", "owa", "--report", "r.json", "--report", "r.html"],
    ));
    let record = json(&read(folder.path(), "r.json"));
    let keys = &record["key_attributes"];
    assert_eq!(keys["weights"][0]["name"], "distance-1");
    assert_eq!(keys["attributes"][0]["attribute"], "income");
    let above: u64 = record["records_at_risk"]["margins"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|b| b["from"].as_f64().unwrap() >= 0.0)
        .map(|b| b["records"].as_u64().unwrap())
        .sum();
    assert_eq!(above, record["worst_case"]["reidentified"].as_u64().unwrap());
}

#[test]
fn key_attributes_are_laid_out_as_in_the_published_tables() {
    let folder = TempDir::new().unwrap();
    let p = "1,2,3,4,5,6,7,8,9,10,11,12,13";
    let files = ["-o", "release.csv", "--recipe", "release.toml"];
    let protect = [&["protect", "noise", "census", "--p", p, "--seed", "1"], &files[..]].concat();
    success(&unmask_in(folder.path(), &protect));
    let names = ["AFNLWGT", "AGI", "EMCONTRB"];
    let list = names.join(",");
    let arguments = [
        "keys",
        "--original",
        "census",
        "--released",
        "release.csv",
        "--attributes",
        &list,
        "--sample",
        "60",
        "--recipe",
        "release.toml",
        "--report",
        "keys.html",
        "--report",
        "keys.md",
        "--report",
        "keys.json",
    ];
    let text = success(&unmask_in(folder.path(), &arguments));
    let record = json(&read(folder.path(), "keys.json"));
    let release = &record["releases"][0];
    assert_eq!(release["strength"]["parameter"], "p");
    assert_eq!(release["strength"]["values"], serde_json::json!([1.0, 2.0, 3.0]));
    for (change, given) in release["changes"].as_array().unwrap().iter().zip([1.0, 2.0, 3.0]) {
        let measured = change["percent"].as_f64().unwrap();
        assert!((measured / given - 1.0).abs() < 0.1, "{measured} for p = {given}");
    }
    let weights = release["weights"].as_array().unwrap();
    let sum: f64 = weights.iter().map(|w| w["weight"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9);
    let markdown = read(folder.path(), "keys.md");
    let page = read(folder.path(), "keys.html");
    for (name, weight) in names.iter().zip(weights) {
        let shown = format!("{:.5}", weight["weight"].as_f64().unwrap());
        for format in [&text, &markdown, &page] {
            assert!(format.contains(name) && format.contains(&shown), "{name} {shown}");
        }
    }
    let header = text.lines().find(|line| line.starts_with("attribute")).unwrap();
    assert_eq!(
        header.split_whitespace().collect::<Vec<_>>(),
        [&["attribute"], &names[..]].concat()
    );
    assert!(text.lines().any(|line| line.starts_with("re-identification")));
    assert_eq!(record_of_page(&page), record);
}

#[test]
fn what_a_report_holds_does_not_grow_with_the_records() {
    let columns = normal_columns(100_000, 2, 3);
    let data = crate::support::dataset(&columns);
    let release = Release::by_row(data.clone(), data).unwrap();
    let names = ["x0".to_owned(), "x1".to_owned()];
    let own = unmask::distance::Standardization::Own;
    let started = std::time::Instant::now();
    let margins =
        margins(&release, &names, own, Aggregation::WeightedMean, &[0.5, 0.5], &()).unwrap();
    let identified = vec![Identified { attack: "worst case".into(), records: vec![true; 100_000] }];
    let found =
        RecordsAtRisk::new(&release, &names, &identified, &margins, Naming::default()).unwrap();
    let seconds = started.elapsed().as_secs_f64();
    let text = serde_json::to_string(&found).unwrap();
    assert!(text.len() < 4_000, "{} bytes", text.len());
    assert_eq!((found.reidentified, found.most_exposed.len()), (100_000, 10));
    assert!(margins.iter().all(|m| *m == 1.0), "every record lies on its own");
    assert!(seconds < 60.0, "{seconds} s even without optimization");
}

/// `record` without what no two runs share: times, and the command.
fn timeless(record: &Value) -> Value {
    match record {
        Value::Object(members) => {
            let kept = members
                .iter()
                .filter(|(name, _)| !["seconds", "command", "date"].contains(&name.as_str()));
            Value::Object(kept.map(|(name, value)| (name.clone(), timeless(value))).collect())
        }
        Value::Array(items) => items.iter().map(timeless).collect(),
        other => other.clone(),
    }
}

#[test]
fn the_library_s_audit_is_the_program_s() {
    let folder = folder();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (original, released, hidden) =
        (file("original.csv"), file("released.csv"), file("hidden.csv"));
    let load = |name: &str| Dataset::load(name, &ReadOptions::default()).unwrap();
    let release = |name: &str| Release::by_key(load(&original), load(name), "id").unwrap();
    let (first, second) = (release(&released), release(&hidden));
    let digests = [("original", &original), ("released", &released), ("released", &hidden)];
    let digests = digests.map(|(role, file)| FileDigest::of(role, file).unwrap()).to_vec();
    let record = Audit::of(&first)
        .compared_with(hidden.as_str(), &second)
        .attributes(["income", "tax", "age"])
        .key("id")
        .sample(30)
        .held_out(10)
        .seed(4)
        .limits(Limits { nodes: Some(100_000), ..Limits::default() })
        .max_risk(0.2, "rule 12")
        .without_each_attribute(true)
        .typed_as("", digests.clone())
        .run(&())
        .unwrap();
    let files = ["--original", &original, "--released", &released, "--released", &hidden];
    let more = "--attributes income,tax,age --key id --sample 30 --test-sample 10 --seed 4 --nodes \
                100000 --max-risk 0.2 --report r.json --format json --max-risk-source";
    let more: Vec<&str> = more.split_whitespace().chain(["rule 12"]).collect();
    let output = unmask_in(folder.path(), &[&["audit"], &files[..], &more[..]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = json(std::str::from_utf8(&output.stdout).unwrap());
    assert_eq!(timeless(&serde_json::to_value(&record).unwrap()), timeless(&printed));
    assert_eq!(record.releases[1].file, hidden);

    let keys = Keys::of(&first)
        .compared_with(hidden.as_str(), &second)
        .attributes(["income", "tax", "age"])
        .key("id")
        .sample(30)
        .typed_as("", digests)
        .run(&())
        .unwrap();
    let more =
        ["--attributes", "income,tax,age", "--key", "id", "--sample", "30", "--format", "json"];
    let printed =
        json(&success(&unmask_in(folder.path(), &[&["keys"], &files[..], &more[..]].concat())));
    assert_eq!(timeless(&serde_json::to_value(&keys).unwrap()), timeless(&printed));
}
