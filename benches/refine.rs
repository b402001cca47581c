//! How far refinement lowers the loss of MDAV, and how long it takes:
//! `cargo bench --bench refine`.
//!
//! Three files, k = 3, 5 and 10, all attributes on z-scores: the default limit
//! of moves and a longer one. The known losses are those a simple iterated
//! search reached. Single runs with seed 1.

use std::time::Instant;
use unmask::dataset::catalog::EIA_ATTRIBUTES as EIA;
use unmask::dataset::{Dataset, ReadOptions};
use unmask::distance::Scale;
use unmask::protection::microaggregation::{Mdav, Refinement};
use unmask::protection::{Protected, ProtectionMethod};
use unmask::utility::Utility;

/// Moves of the longer search.
const LONG: u64 = 5 * Refinement::ITERATIONS;

/// File, attributes (none: all), and the known loss in percent at k = 3, 5, 10.
const FILES: [(&str, &[&str], [f64; 3]); 3] = [
    ("census", &[], [4.74, 7.41, 11.53]),
    ("tarragona", &[], [14.50, 20.21, 30.23]),
    ("eia", &EIA, [0.35, 0.73, 2.20]),
];

fn main() {
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let mut text = format!(
        "# Refinement\n\nMade by `make bench`: information loss (SSE/SST, percent) of MDAV before and \
         after `--refine`, single runs with seed 1 on {} cores. Default: {} moves in each of two \
         searches; long: {LONG}. Known: what a simple iterated search reached; the aim is half of \
         the way there in 10 s and all of it in 60 s. Share: how much of the way from MDAV to known.\n\n\
         | file | k | MDAV | half of the way | known | default | seconds | share | long | seconds | share |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
        std::thread::available_parallelism().map_or(1, usize::from),
        Refinement::ITERATIONS,
    );
    for (file, attributes, known) in FILES {
        for (k, known) in [3, 5, 10].into_iter().zip(known) {
            let row = row(file, attributes, k, known);
            println!("{row}");
            text.push_str(&row);
            text.push('\n');
        }
    }
    std::fs::write("results/bench/refine.md", text).expect("results/bench can be written");
}

fn row(file: &str, names: &[&str], k: usize, known: f64) -> String {
    let data = Dataset::load(file, &ReadOptions::default()).expect("a built-in file");
    let all: Vec<&str> = data.attributes().iter().map(|a| a.name.as_str()).collect();
    let names = if names.is_empty() { &all } else { names };
    let attributes: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let method = Mdav::new(k);
    let start = method.protect(&data, &attributes, 1, &()).expect("protects");
    let loss = |protected: &Protected| {
        Utility::measure(&data, &protected.released, names).expect("measures").il_percent
    };
    let mdav = loss(&start);
    let refined = |iterations| {
        let begun = Instant::now();
        let refinement = Refinement { iterations, scale: Scale::Zscore };
        let refined = refinement.improve(&method, &data, &start, 1, &()).expect("refines");
        let (seconds, loss) = (begun.elapsed().as_secs_f64(), loss(&refined));
        format!("{loss:.3} | {seconds:.1} | {:.0}%", 100.0 * (mdav - loss) / (mdav - known))
    };
    let half = (mdav + known) / 2.0;
    let (short, long) = (refined(Refinement::ITERATIONS), refined(LONG));
    format!("| {file} | {k} | {mdav:.2} | {half:.2} | {known:.2} | {short} | {long} |")
}
