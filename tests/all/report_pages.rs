//! Report pages in a real browser.

use crate::support::browser::Browser;
use crate::support::{normal_columns, unmask_in};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use unmask::words::{people_at_least, people_at_most};

/// What every page is asked: what a person would read off it.
const READ: &str = r##"
  var text = function (node) { return node.textContent; };
  var cells = function (row) { return Array.from(row.children).map(text); };
  var table = function (section) {
    var found = document.querySelector("#" + section + " table");
    if (!found) { return null; }
    return { header: cells(found.querySelector("thead tr")),
             rows: Array.from(found.querySelectorAll("tbody tr")).map(cells) };
  };
  return {
    verdict: text(document.getElementById("verdict")),
    badge: (document.querySelector(".badge") || { textContent: "" }).textContent,
    ladder: table("attacks"),
    keys: table("key-attributes"),
    notes: Array.from(document.querySelectorAll(".note")).map(text),
    record: JSON.parse(text(document.getElementById("record"))),
    charts: document.querySelectorAll("figure svg").length,
    told: document.querySelectorAll("figure svg > title + desc").length,
    scripts: document.scripts.length,
    bold: document.querySelectorAll("main b, main img, main iframe, main script").length,
    regions: document.querySelectorAll(".scroll:not([tabindex='0'])").length,
    unlabeled: Array.from(document.querySelectorAll("nav a")).filter(function (a) {
      return !document.querySelector(a.getAttribute("href")); }).length
  };
"##;

/// Scripts on a watched page: the watch, the record, the page's own, the probe.
const SCRIPTS: u64 = 4;

/// Runs `unmask audit` and gives the page.
fn page(folder: &Path, arguments: &[&str]) -> PathBuf {
    let mut all = vec!["audit", "--original", "original.csv", "--released", "released.csv"];
    all.extend(arguments);
    all.extend(["--report", "report.html"]);
    let output = unmask_in(folder, &all);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{error}");
    folder.join("report.html")
}

fn write(folder: &Path, name: &str, header: &[&str], columns: &[Vec<String>]) {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let header: Vec<String> = header.iter().map(|name| quoted(name)).collect();
    let mut lines = vec![header.join(",")];
    for i in 0..columns[0].len() {
        let row: Vec<&str> = columns.iter().map(|c| c[i].as_str()).collect();
        lines.push(row.join(","));
    }
    std::fs::write(folder.join(name), lines.join("\n") + "\n").unwrap();
}

/// Two files of `records` normal values, the second with noise.
fn numeric_files(folder: &Path, header: &[&str], records: usize) {
    let original = normal_columns(records, header.len(), 1);
    let noise = normal_columns(records, header.len(), 2);
    let text = |share: f64| -> Vec<Vec<String>> {
        let moved = |(o, n): (&f64, &f64)| format!("{:.6}", o + share * n);
        let columns = original.iter().zip(&noise);
        columns.map(|(o, n)| o.iter().zip(n).map(moved).collect()).collect()
    };
    write(folder, "original.csv", header, &text(0.0));
    write(folder, "released.csv", header, &text(0.5));
}

/// What must hold on every page.
fn assert_sound(answer: &Value) {
    assert_eq!(answer["noted"], serde_json::json!([]), "errors, warnings and refused requests");
    assert_eq!(answer["requests"], serde_json::json!([]), "nothing is fetched");
    assert_eq!(answer["width"], 390);
    assert!(answer["scroll_width"].as_u64() <= answer["width"].as_u64(), "no horizontal scroll");
    assert_eq!(answer["scripts"], SCRIPTS, "no script but ours");
    assert_eq!(answer["bold"], 0, "no element from the data");
    assert_eq!(answer["charts"], answer["told"], "every chart has title and description");
    assert!(answer["charts"].as_u64().unwrap() >= 3);
    assert_eq!(answer["regions"], 0, "every table that scrolls can be reached by keyboard");
    assert_eq!(answer["unlabeled"], 0, "every link of the navigation leads somewhere");
    assert_agrees_with_record(answer);
}

/// The page's verdict, ladder and weights are those of the record inside it.
fn assert_agrees_with_record(answer: &Value) {
    let record = &answer["record"];
    let verdict = answer["verdict"].as_str().unwrap();
    let worst = &record["worst_case"];
    let unbounded = record["verdict"]["unbounded"].as_array().unwrap();
    let rate = record["verdict"]["rate"].as_f64().unwrap();
    let share = match unbounded.is_empty() {
        true if rate == 1.0 => "Everybody".to_owned(),
        true => people_at_most(record["verdict"]["upper_bound"].as_f64().unwrap()),
        false => people_at_least(rate),
    };
    assert!(verdict.contains(&share), "{verdict}");
    let rows = answer["ladder"]["rows"].as_array().unwrap();
    let attacks = record["attacks"].as_array().unwrap();
    assert_eq!(rows.len(), attacks.len() + 1, "every attack and the worst case");
    for (row, attack) in rows.iter().zip(attacks) {
        assert_eq!(row[0], attack["attack"]);
        assert_eq!(row[1], format!("{:.2}%", 100.0 * attack["rate"].as_f64().unwrap()));
        assert_eq!(row[3], attack["certain"].to_string());
        assert_eq!(row[4], attack["of"].to_string());
    }
    assert_eq!(rows[rows.len() - 1][0], "worst case");
    let keys = answer["keys"]["rows"].as_array().unwrap();
    let shown = |row: &Value| row[1].as_str().unwrap().parse::<f64>().unwrap();
    let sum: f64 = keys.iter().map(shown).sum();
    assert!((sum - 1.0).abs() < 1e-5, "weights sum to 1, not {sum}");
    let weights = worst["weights"].as_object().unwrap();
    assert_eq!(keys.len(), weights.len());
    for row in keys {
        let weight = &weights[row[0].as_str().unwrap()];
        assert!((shown(row) - weight.as_f64().unwrap()).abs() < 1e-6);
    }
}

/// Where pictures are kept, with what was compiled.
fn pictures() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report-pages");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_page_of_a_numeric_file_reads_as_its_record_says() {
    let Some(browser) = Browser::find("the page of a numeric file") else { return };
    let folder = TempDir::new().unwrap();
    numeric_files(folder.path(), &["income", "tax", "age", "rent"], 60);
    let page = page(folder.path(), &["--max-risk", "0.2"]);
    let answer = browser.ask(&page, 390, READ);
    assert_sound(&answer);
    assert_eq!(answer["badge"], "Limit exceeded");
    let verdict = answer["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("At most ") || verdict.starts_with("At least "), "{verdict}");
    for (width, height) in [(390, 6000), (820, 4800), (1280, 4200)] {
        for (dark, scheme) in [(false, "light"), (true, "dark")] {
            let to = pictures().join(format!("numeric-{width}-{scheme}.png"));
            browser.picture(&page, width, height, dark, &to);
        }
    }
}

#[test]
fn the_page_of_a_mixed_file_says_which_attacks_do_not_apply() {
    let Some(browser) = Browser::find("the page of a mixed file") else { return };
    let folder = TempDir::new().unwrap();
    let ages: Vec<String> = (0..40).map(|i| (20 + (i * 7) % 50).to_string()).collect();
    let towns: Vec<String> = (0..40).map(|i| ["Vic", "Reus", "Valls"][i % 3].into()).collect();
    let moved: Vec<String> = (0..40).map(|i| (20 + (i * 7) % 50 + i % 3).to_string()).collect();
    write(folder.path(), "original.csv", &["age", "town"], &[ages, towns.clone()]);
    write(folder.path(), "released.csv", &["age", "town"], &[moved, towns]);
    let page = page(folder.path(), &["--attributes", "age,town"]);
    let answer = browser.ask(&page, 390, READ);
    assert_sound(&answer);
    assert_eq!(answer["badge"], "No limit given");
    let notes = answer["notes"].to_string();
    assert!(notes.contains("Not tried: kernel: needs numbers, but town holds labels"), "{notes}");
    assert!(!notes.contains("Vic"), "no value of a record: {notes}");
    let attacks: Vec<&str> =
        answer["ladder"]["rows"].as_array().unwrap().iter().filter_map(|r| r[0].as_str()).collect();
    assert!(attacks.contains(&"gower") && attacks.contains(&"dbrl1"), "{attacks:?}");
}

#[test]
fn the_page_of_a_tiny_file_is_whole() {
    let Some(browser) = Browser::find("the page of a tiny file") else { return };
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("original.csv"), "x\n1\n2\n").unwrap();
    std::fs::write(folder.path().join("released.csv"), "x\n1.1\n1.9\n").unwrap();
    let answer = browser.ask(&page(folder.path(), &["--max-risk", "1"]), 390, READ);
    assert_sound(&answer);
    assert_eq!(answer["badge"], "Within the limit");
    assert!(answer["verdict"].as_str().unwrap().contains("Everybody is found"));
}

#[test]
fn names_from_the_data_are_text_and_do_not_break_the_layout() {
    let Some(browser) = Browser::find("hostile names") else { return };
    let folder = TempDir::new().unwrap();
    let long = "x".repeat(200);
    let header = [
        "<script>alert(1)</script>",
        "it's \"quoted\" & <b>bold</b>",
        long.as_str(),
        "💰👩‍👩‍👧 salário",
        "الدخل السنوي",
        "{{ 7 * 7 }}</script><!--",
    ];
    numeric_files(folder.path(), &header, 40);
    let page = page(folder.path(), &[]);
    let answer = browser.ask(&page, 390, READ);
    assert_sound(&answer);
    let keys = answer["keys"]["rows"].as_array().unwrap();
    let mut shown: Vec<&str> = keys.iter().filter_map(|row| row[0].as_str()).collect();
    let mut named = header;
    shown.sort_unstable();
    named.sort_unstable();
    assert_eq!(shown, named, "names stand as they are");
    let to = pictures().join("hostile-390-light.png");
    browser.picture(&page, 390, 6000, false, &to);
}

#[test]
fn the_page_of_key_attributes_is_sound() {
    let Some(browser) = Browser::find("the page of key attributes") else { return };
    let folder = TempDir::new().unwrap();
    numeric_files(folder.path(), &["income", "tax", "age"], 40);
    let arguments = ["keys", "--original", "original.csv", "--released", "released.csv"];
    let all = [&arguments[..], &["--report", "keys.html"]].concat();
    crate::support::success(&unmask_in(folder.path(), &all));
    let ask = READ.replace("table(\"attacks\")", "table(\"weights\")");
    let answer = browser.ask(&folder.path().join("keys.html"), 390, &ask);
    assert_eq!(answer["noted"], serde_json::json!([]));
    assert!(answer["scroll_width"].as_u64() <= answer["width"].as_u64());
    let table = &answer["ladder"];
    assert_eq!(table["header"], serde_json::json!(["attribute", "income", "tax", "age"]));
    let weights = table["rows"].as_array().unwrap().iter().find(|r| r[0] == "weight").unwrap();
    let sum: f64 = (1..4).map(|i| weights[i].as_str().unwrap().parse::<f64>().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    let to = pictures().join("keys-1280-light.png");
    browser.picture(&folder.path().join("keys.html"), 1280, 2400, false, &to);
}
