//! An audit ends in time with what it has, and never with nothing.

use crate::support::{column, success, unmask_in};
use rand_distr::{Distribution, StandardNormal};
use serde_json::Value;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use unmask::dataset::{Attribute, Dataset, ReadOptions};
use unmask::random::generator;

/// Attempts on a machine that others keep busy.
const ATTEMPTS: usize = 3;

/// A folder with `o.csv`, so many records like those of the census, and `r.csv`, with noise.
fn folder(records: usize) -> TempDir {
    let census = Dataset::load("census", &ReadOptions::default()).unwrap();
    let noisy = |values: &[f64], share: f64, stream: u64| -> Vec<f64> {
        let mut random = generator(17, stream);
        let mut noise = || -> f64 { StandardNormal.sample(&mut random) };
        values.iter().map(|v| (v * (1.0 + share * noise()) * 100.0).round() / 100.0).collect()
    };
    let (mut original, mut released) = (Vec::new(), Vec::new());
    for (k, attribute) in census.attributes().iter().enumerate() {
        let values: Vec<f64> = column(&census, k).into_iter().cycle().take(records).collect();
        let known = noisy(&values, 0.2, 2 * k as u64);
        let told = noisy(&known, 0.3, 2 * k as u64 + 1);
        original.push(Attribute::numeric(&attribute.name, known).unwrap());
        released.push(Attribute::numeric(&attribute.name, told).unwrap());
    }
    let folder = TempDir::new().unwrap();
    for (name, attributes) in [("o.csv", original), ("r.csv", released)] {
        let file = Dataset::new(name, attributes).unwrap();
        file.save(&folder.path().join(name), false).unwrap();
    }
    folder
}

const AUDIT: [&str; 7] =
    ["audit", "--original", "o.csv", "--released", "r.csv", "--format", "json"];

fn audit(folder: &Path, seconds: &str, more: &[&str]) -> Output {
    unmask_in(folder, &[&AUDIT, &["--time-limit", seconds][..], more].concat())
}

/// The record of an audit that must give an interval of all `records`.
fn interval(output: &Output, records: u64) -> Value {
    let record: Value = serde_json::from_str(&success(output)).unwrap();
    let verdict = &record["verdict"];
    assert_eq!(verdict["of"], records);
    let share = |name: &str| verdict[name].as_f64().unwrap();
    assert!(0.0 < share("rate") && share("rate") <= share("upper_bound"), "{verdict}");
    assert!(share("upper_bound") <= 1.0);
    let expected = share("rate") * records as f64;
    assert!((share("expected") - expected).abs() < 1e-6 * expected, "{verdict}");
    assert!(record["attacks"].as_array().unwrap().iter().any(|row| row["attack"] == "dbrl1"));
    record
}

/// Audits in `seconds`, which must not take more than a tenth and two seconds longer.
fn audit_in_time(records: u64, seconds: u64, more: &[&str]) -> Value {
    let folder = folder(records as usize);
    let most = Duration::from_secs(seconds).mul_f64(1.1) + Duration::from_secs(2);
    let mut took = Vec::new();
    for _ in 0..ATTEMPTS {
        let begun = Instant::now();
        let output = audit(folder.path(), &format!("{seconds}s"), more);
        took.push(begun.elapsed());
        let record = interval(&output, records);
        if took.last().is_some_and(|took| *took <= most) {
            return record;
        }
    }
    panic!("{records} records took {took:?}, more than {most:?}");
}

#[test]
fn a_report_on_400_records_keeps_to_the_time_limit() {
    let more = ["--report", "page.html", "--report", "page.md", "--force"];
    let record = audit_in_time(400, 3, &more);
    assert_eq!(record["records"], 400);
}

#[test]
fn an_audit_of_5_000_records_keeps_to_the_time_limit() {
    audit_in_time(5_000, 3, &[]);
}

#[test]
fn an_audit_of_100_000_records_keeps_to_the_time_limit() {
    let record = audit_in_time(100_000, 6, &[]);
    assert_eq!(record["verdict"]["sampled"], true);
    assert_eq!(record["verdict"]["proven"], false);
}

#[test]
fn no_time_at_all_still_gives_an_interval_and_says_who_is_not_bounded() {
    for records in [400, 5_000] {
        let folder = folder(records);
        let record = interval(&audit(folder.path(), "1ms", &[]), records as u64);
        let verdict = &record["verdict"];
        assert_eq!(verdict["bounded"], false);
        let unbounded = verdict["unbounded"].as_array().unwrap();
        assert!(unbounded.iter().any(|name| name == "worst case (original)"), "{verdict}");
        assert_eq!(record["worst_case"]["stop_reason"], "time-limit");
        let warnings = verdict["warnings"].to_string();
        assert!(warnings.contains("Reading the files took"), "{warnings}");
    }
}

#[test]
fn several_releases_share_one_time_limit() {
    let folder = folder(5_000);
    std::fs::copy(folder.path().join("r.csv"), folder.path().join("s.csv")).unwrap();
    let begun = Instant::now();
    let record = interval(&audit(folder.path(), "1ms", &["--released", "s.csv"]), 5_000);
    assert_eq!(record["releases"].as_array().unwrap().len(), 2);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[cfg(unix)]
fn interrupted(folder: &Path, more: &[&str], after: Duration) -> (Output, Duration) {
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_unmask"))
        .args(AUDIT)
        .args(more)
        .current_dir(folder)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let (id, begun) = (child.id().to_string(), Instant::now());
    std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    (output, begun.elapsed())
}

#[cfg(unix)]
#[test]
fn an_early_interrupt_gives_the_best_interval_within_two_seconds() {
    ends_within_two_seconds(5_000, &[]);
}

#[cfg(all(unix, feature = "milp"))]
#[test]
fn an_interrupt_ends_the_published_program_with_its_best_interval_within_two_seconds() {
    for solver in ["milp-highs", "milp-good-lp"] {
        let record = ends_within_two_seconds(400, &["--solver", solver, "--time-limit", "none"]);
        assert_eq!(record["worst_case"]["stop_reason"], "interrupted", "{solver}");
    }
}

/// An audit of so many records that is interrupted early; gives its record.
#[cfg(unix)]
fn ends_within_two_seconds(records: u64, more: &[&str]) -> Value {
    let folder = folder(records as usize);
    let mut took = Vec::new();
    for attempt in 1..=ATTEMPTS as u64 {
        let (output, after) = interrupted(folder.path(), more, Duration::from_secs(2 * attempt));
        took.push((output.status.code(), after));
        if output.status.code() != Some(130) {
            let record = interval(&output, records);
            if after <= Duration::from_secs(2) {
                return record;
            }
        }
    }
    panic!("exit codes and times: {took:?}");
}
