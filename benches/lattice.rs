//! Speed of the lattice on the complete records of Adult, writes results/bench/lattice.md.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use unmask::dataset::catalog::ADULT_QUASI_IDENTIFIERS as QUASI;
use unmask::dataset::{Dataset, ReadOptions, Values};
use unmask::lattice::{
    Criteria, Hierarchy, Lattice, LatticeMetric, enumerate, generalize, load_hierarchies, search,
};

const REPEATS: usize = 9;
/// Every so many nodes the baseline counts one.
const SAMPLED: usize = 216;

fn main() {
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("adult.csv");
    let data = complete_adult();
    data.save(&file, true).expect("the folder can be written");
    let hierarchies = load_hierarchies(&adult_folder(), &data, &QUASI).expect("they cover Adult");
    let mut text = String::from(
        "# Lattice\n\nMade by `make bench`: the 30,162 complete records of adult-train, 8 \
         quasi-identifiers with the hierarchies of experiments/schrittwieser/adult, k = 5, all cores; \
         the least of 9 runs. The baseline counts a node by a scan of all records; it does so for one \
         node in 216 and is multiplied. A whole process reads the CSV file and the hierarchies, and \
         enumerate writes its table.\n\n\
         | what | nodes | seconds | baseline, seconds | times faster | target, seconds |\n\
         |---|---|---|---|---|---|\n",
    );
    let mut add = |row: String| {
        println!("{row}");
        text.push_str(&row);
        text.push('\n');
    };
    let baseline = scan_seconds(&data, &hierarchies);
    let criteria = Criteria::k(5);
    for metric in [LatticeMetric::Samarati, LatticeMetric::Precision, LatticeMetric::DmStar] {
        let run = || search(&data, &hierarchies, &criteria, metric, &()).expect("a node").nodes;
        add(row(&format!("search, {}", metric.name()), least(run), Some(baseline), None));
    }
    let all = || enumerate(&data, &hierarchies, &criteria, &()).expect("nodes").len();
    add(row("enumerate", least(all), Some(baseline), None));
    let process = |action: &str, rest: &[&str]| least(|| whole_process(action, &file, rest));
    let output = folder.path().join("nodes.csv").display().to_string();
    add(row("search, whole process", process("search", &[]), None, Some(0.2)));
    let enumerated = process("enumerate", &["--force", "-o", &output]);
    add(row("enumerate, whole process", enumerated, None, Some(1.0)));
    let larger = with_two_more(&data, &hierarchies);
    let all = || enumerate(&data, &larger, &criteria, &()).expect("nodes").len();
    add(row("enumerate, 10 quasi-identifiers", least(all), None, None));
    if let Some(memory) = peak_memory() {
        text.push_str(&format!("\nPeak memory of the benchmark: {memory} MB.\n"));
    }
    std::fs::write("results/bench/lattice.md", text).expect("results/bench can be written");
}

/// Nodes, and the least seconds of several runs.
fn least(run: impl Fn() -> usize) -> (usize, f64) {
    let timed = |_| {
        let started = Instant::now();
        let nodes = run();
        (nodes, started.elapsed().as_secs_f64())
    };
    let runs = (0..REPEATS).map(timed);
    runs.reduce(|a, b| if b.1 < a.1 { b } else { a }).expect("at least one run")
}

fn row(what: &str, found: (usize, f64), baseline: Option<f64>, target: Option<f64>) -> String {
    let (nodes, seconds) = found;
    let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    format!(
        "| {what} | {nodes} | {seconds:.4} | {} | {} | {} |",
        shown(baseline.map(|b| format!("{b:.1}"))),
        shown(baseline.map(|b| format!("{:.0}", b / seconds))),
        shown(target.map(|t| t.to_string())),
    )
}

fn adult_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/schrittwieser/adult")
}

fn complete_adult() -> Dataset {
    let all = Dataset::load("adult-train", &ReadOptions::default()).expect("it is built in");
    let complete = all.complete_records().expect("records are left");
    assert_eq!(complete.records(), 30_162);
    complete
}

/// Seconds of the plain way on all nodes: generalize the records, count them by their names.
fn scan_seconds(data: &Dataset, hierarchies: &[Hierarchy]) -> f64 {
    let levels: Vec<usize> = hierarchies.iter().map(Hierarchy::levels).collect();
    let lattice = Lattice::new(&levels).expect("a lattice");
    let started = Instant::now();
    for index in (SAMPLED / 2..lattice.len()).step_by(SAMPLED) {
        let release = generalize(data, hierarchies, &lattice.node(index)).expect("a release");
        std::hint::black_box(smallest_class(&release));
    }
    started.elapsed().as_secs_f64() * SAMPLED as f64
}

fn smallest_class(release: &Dataset) -> usize {
    let columns: Vec<&Values> = QUASI
        .iter()
        .map(|name| &release.attributes()[release.position(name).expect("it is there")].values)
        .collect();
    let code = |values: &Values, i: usize| match values {
        Values::Numeric(column) => column.get(i).map(f64::to_bits),
        Values::Categorical(column) => column.code(i).map(u64::from),
    };
    let mut counts: HashMap<Vec<Option<u64>>, usize> = HashMap::new();
    for i in 0..release.records() {
        *counts.entry(columns.iter().map(|values| code(values, i)).collect()).or_default() += 1;
    }
    counts.into_values().min().unwrap_or(0)
}

/// Runs the program; gives the number of nodes.
fn whole_process(action: &str, file: &Path, rest: &[&str]) -> usize {
    let output = Command::new(env!("CARGO_BIN_EXE_unmask"))
        .args(["lattice", action])
        .arg(file)
        .arg("--hierarchies")
        .arg(adult_folder())
        .args(["--quasi", &QUASI.join(","), "--k", "5", "--format", "json"])
        .args(rest)
        .output()
        .expect("the program starts");
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    printed["nodes"].as_u64().expect("a number of nodes") as usize
}

/// Two quasi-identifiers more: 51,840 nodes.
fn with_two_more(data: &Dataset, hierarchies: &[Hierarchy]) -> Vec<Hierarchy> {
    let position = data.position("relationship").expect("Adult has it");
    let Values::Categorical(column) = &data.attributes()[position].values else {
        panic!("relationships are labels");
    };
    let names: BTreeSet<&String> = column.labels().iter().collect();
    let relationship = names.iter().map(|name| [name.as_str(), "*"]);
    let hours = (1..100).map(|hours: u32| {
        let span = |width: u32| format!("{}", hours / width * width);
        [hours.to_string(), span(10), format!("{} wide", span(20)), "*".to_owned()]
    });
    let mut all = hierarchies.to_vec();
    all.push(Hierarchy::new("relationship", relationship).expect("a hierarchy"));
    all.push(Hierarchy::new("hours-per-week", hours).expect("a hierarchy"));
    all
}

/// The most memory this process has held, where the system says so.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kb| kb / 1024)
}
