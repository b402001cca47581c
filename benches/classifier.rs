//! How long a decision tree takes to train: `cargo bench --bench classifier`.
//!
//! Adult, with age in intervals of five years. Each row is the best of a few runs, as
//! the machine may be shared; the baseline is the textbook, which copies the
//! records at every node, once, on the same file in the same run.

#[path = "../tests/textbook/c45.rs"]
#[allow(dead_code)]
mod textbook;

use std::time::Instant;
use textbook::{Case, Tree, Value};
use unmask::classifier::C45;
use unmask::dataset::catalog::ADULT_QUASI_IDENTIFIERS as EIGHT;
use unmask::dataset::{Dataset, ReadOptions, Values};

fn main() {
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let raw = Dataset::load("adult-train", &ReadOptions::default()).expect("built in");
    let adult = raw.clone().discretize(&["age:5:20:90".parse().expect("well formed")]);
    let adult = adult.expect("age is numeric");
    let (seconds, size) = best(&adult, &EIGHT, 20);
    let (textbook, textbook_size) = textbook_seconds(&adult);
    assert_eq!(size, textbook_size, "both grow the same tree");
    let mut text = String::from(
        "# Decision trees\n\nMade by `make bench`: training on Adult, class salary, best of a few runs on \
         one thread. The baseline is the textbook (`tests/textbook/c45.rs`), once, in the same run; it \
         grows the same tree. Weka's J48 is reported to take 0.6 s for the first row.\n\n\
         | attributes | records | nodes | seconds | textbook, seconds | times faster | target, seconds |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let mut add = |row: String| {
        println!("{row}");
        text.push_str(&row);
        text.push('\n');
    };
    add(format!(
        "| 8 nominal | {} | {size} | {seconds:.3} | {textbook:.2} | {:.0} | 0.15 |",
        adult.records(),
        textbook / seconds
    ));
    let tenfold: Vec<usize> = (0..10 * adult.records()).map(|i| i / 10).collect();
    let tenfold = adult.select(&tenfold).expect("records");
    let (seconds, size) = best(&tenfold, &EIGHT, 3);
    add(format!("| 8 nominal | {} | {size} | {seconds:.3} | - | - | - |", tenfold.records()));
    let names = raw.attributes().iter().map(|a| a.name.as_str());
    let all: Vec<&str> = names.filter(|name| *name != "salary").collect();
    let (seconds, size) = best(&raw, &all, 5);
    add(format!(
        "| 8 nominal, 6 numeric | {} | {size} | {seconds:.3} | - | - | - |",
        raw.records()
    ));
    std::fs::write("results/bench/classifier.md", text).expect("results/bench can be written");
}

/// The shortest of `runs` trainings, and the size of the tree.
fn best(file: &Dataset, attributes: &[&str], runs: usize) -> (f64, usize) {
    let train = |_| {
        let started = Instant::now();
        let tree = C45::default().train(file, "salary", attributes).expect("trains");
        (started.elapsed().as_secs_f64(), tree.size())
    };
    (0..runs).map(train).fold((f64::INFINITY, 0), |a, b| if b.0 < a.0 { b } else { a })
}

fn textbook_seconds(file: &Dataset) -> (f64, usize) {
    let label = |name: &str, record: usize| {
        let position = file.position(name).expect("a column");
        match &file.attributes()[position].values {
            Values::Categorical(column) => column.get(record).map(str::to_owned),
            Values::Numeric(_) => None,
        }
    };
    let case = |record: usize| Case {
        values: EIGHT.iter().map(|name| label(name, record).map(Value::Label)).collect(),
        class: label("salary", record).expect("every class is known"),
        weight: 1.0,
    };
    let cases: Vec<Case> = (0..file.records()).map(case).collect();
    let started = Instant::now();
    let tree = Tree::train(&cases, true);
    (started.elapsed().as_secs_f64(), tree.outline(&EIGHT).len())
}
