//! Certificates of every cell of the published tables: written, checked, and how large they are.
//!
//! Single runs. Fails when a certificate is refused, is larger than [`MOST_BYTES`] or takes longer
//! than [`MOST_SECONDS`] to check. `cargo bench --bench certificates -- noise` measures the cells
//! whose names contain the words, and writes nothing.

#[path = "../tests/support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;
use support::worst_case::{Cell, cells, whole};
use unmask::learning::certificate::{Certificates, CertifiedFiles, verify};
use unmask::learning::{Count, Learner, WorstCase, worst_case};
use unmask::linkage::Release;

const FILE: &str = "results/bench/certificates.md";
const MOST_BYTES: u64 = 10_000_000;
const MOST_SECONDS: f64 = 60.0;

/// What is measured of a cell.
struct Measured {
    plain: f64,
    written: f64,
    checked: f64,
    bytes: u64,
    steps: u64,
    missed: usize,
}

fn learned(release: &Release, certificates: Option<&Certificates>) -> (f64, WorstCase) {
    let names = &release.original().names()[..7];
    let learner = Learner { count: Count::Certain, certificates, ..Learner::default() };
    let started = Instant::now();
    let found = worst_case(release, names, &learner, &()).expect("solves");
    (started.elapsed().as_secs_f64(), found)
}

fn measure(cell: &Cell, file: &Path) -> Measured {
    let whole = whole(&*cell.method);
    let release = whole.sample(400, 1).expect("a sample");
    let (plain, _) = learned(&release, None);
    let certificates = Certificates::new(CertifiedFiles {
        digests: Vec::new(),
        key: None,
        rename: Vec::new(),
        released_records: whole.released().records(),
    });
    let (written, found) = learned(&release, Some(&certificates));
    certificates.write(file, true).expect("written");
    let bytes = std::fs::read(file).expect("was written");
    let started = Instant::now();
    let verified = verify(&bytes[..], whole.original(), whole.released(), &[]);
    let checked = started.elapsed().as_secs_f64();
    let verified = verified.unwrap_or_else(|e| panic!("{}: {e}", cell.name));
    assert_eq!(verified[0].upper_bound, found.upper_bound(), "{}", cell.name);
    assert!(found.proven_optimal(), "{} is proven", cell.name);
    assert!(bytes.len() as u64 <= MOST_BYTES && checked <= MOST_SECONDS, "{}", cell.name);
    Measured {
        plain,
        written,
        checked,
        bytes: bytes.len() as u64,
        steps: verified[0].nodes,
        missed: 400 - found.certain(),
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let mut text = String::from(
        "# Certificates of the published tables\n\n\
         | table | cell | optimum misses | steps | search, seconds | with a certificate | \
         to check | kB |\n|---|---|---|---|---|---|---|---|\n",
    );
    let file = std::env::temp_dir().join(format!("unmask-bench-{}.unmask", std::process::id()));
    let mut all = Vec::new();
    for cell in cells() {
        if !words.iter().all(|word| cell.name.contains(word)) {
            continue;
        }
        let m = measure(&cell, &file);
        let line = format!(
            "| {} | {} | {} | {} | {:.3} | {:.3} | {:.3} | {:.1} |",
            cell.table,
            cell.name,
            m.missed,
            m.steps,
            m.plain,
            m.written,
            m.checked,
            m.bytes as f64 / 1e3
        );
        println!("{line}");
        writeln!(text, "{line}").expect("a String takes any text");
        all.push(m);
    }
    let _ = std::fs::remove_file(&file);
    let most = |of: fn(&Measured) -> f64| all.iter().map(of).fold(0.0, f64::max);
    let summary = format!(
        "\nMade by `make bench`: Census, 400 records, 7 attributes, the cells of \
         worst_case_cells.md; one run each, making the inequalities included. All {} are proven, \
         and each certificate is confirmed by the checker of `unmask verify`. Longest to check \
         {:.2} s (at most {MOST_SECONDS} s), largest {:.2} MB compressed (at most {} MB).",
        all.len(),
        most(|m| m.checked),
        most(|m| m.bytes as f64) / 1e6,
        MOST_BYTES / 1_000_000
    );
    println!("{summary}");
    if words.is_empty() {
        writeln!(text, "{summary}").expect("a String takes any text");
        std::fs::write(FILE, text).expect("results/bench can be written");
    }
}
