//! Speed of the worst case: every cell of the published tables, the MILP beside
//! it, and how time grows with records and attributes.
//!
//! Single runs, not criterion: a cell takes from milliseconds to minutes, and
//! the ratios are large. Four parts, each with a file of its own under
//! results/bench: `cargo bench --bench worst_case -- cells milp growth anytime`
//! names those to run, all by default. `UNMASK_BENCH_MILP_CAP` and
//! `UNMASK_BENCH_LONG` (seconds) shorten the two long ones.

#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::Mutex;
use std::time::{Duration, Instant};
use support::worst_case::{cells, problem, release};
use unmask::learning::SolverChoice;
use unmask::linkage::Release;
use unmask::protection::{Noise, ProtectionMethod};
use unmask::report::plots::{Chart, Mark, Series, panels};
use unmask_solvers::{BlockProblem, Limits, Listener, SearchState, SolveOutcome, check};

fn noise(p: f64) -> Box<dyn ProtectionMethod> {
    Box::new(Noise::new(p))
}

/// Seconds to make and solve the problem, and the outcome.
fn exact(release: &Release, n: usize, limit: Option<u64>) -> (f64, SolveOutcome) {
    let started = Instant::now();
    let problem = problem(release, n);
    let outcome = solve(SolverChoice::Exact, &problem, limit);
    (started.elapsed().as_secs_f64(), outcome)
}

fn solve(solver: SolverChoice, problem: &BlockProblem, limit: Option<u64>) -> SolveOutcome {
    let limits = Limits { time: limit.map(Duration::from_secs), ..Limits::default() };
    solver.solver().solve(problem, &limits, &()).expect("solves")
}

fn interval(outcome: &SolveOutcome) -> String {
    match outcome.proven_optimal() {
        true => outcome.violated_blocks().to_string(),
        false => format!("[{}, {}]", outcome.bound(), outcome.violated_blocks()),
    }
}

/// A setting in seconds from the environment.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Every published cell.
fn published_cells() -> String {
    let mut text = String::from(
        "# The worst case: every cell of the published tables, N = 400, n = 7\n\n\
         | table | cell | equal weights miss | optimum misses | seconds | nodes |\n|---|---|---|---|---|---|\n",
    );
    let mut all = Vec::new();
    for cell in cells() {
        let release = release(&*cell.method, 400);
        let (seconds, outcome) = exact(&release, 7, None);
        let equal = 400 - check::count_satisfied(&problem(&release, 7), &[1.0; 7]).expect("count");
        let line = format!(
            "| {} | {} | {equal} | {} | {seconds:.3} | {} |",
            cell.table,
            cell.name,
            interval(&outcome),
            outcome.nodes()
        );
        add(&mut text, line);
        assert!(outcome.proven_optimal(), "{} is proven", cell.name);
        all.push(seconds);
    }
    all.sort_by(f64::total_cmp);
    let (median, worst) = (all[all.len() / 2], all[all.len() - 1]);
    add(&mut text, format!("\nAll proven optimal. Median {median:.3} s, worst {worst:.3} s."));
    text
}

/// The cells that take longest in each table.
const HARD: [&str; 4] = ["rank swapping p=6", "Mic2 k=20", "noise p=16", "Mic553-8.2.5"];

/// How many times faster the exact search is shown to be at least, unless the MILP ends before.
const SHOWN: f64 = 110.0;

/// The MILP on the slowest cell of each table; the exact search is the best of five runs.
fn against_milp() -> String {
    let cap = setting("UNMASK_BENCH_MILP_CAP", 120);
    let mut text = format!(
        "# The worst case: exact search against the published MILP\n\n\
         HiGHS on the reduced rows, capped at {cap} s, or at {SHOWN} times the exact search where that is \
         longer; N = 400, n = 7.\n\n\
         | cell | exact, seconds | exact misses | MILP, seconds | MILP misses | times faster |\n\
         |---|---|---|---|---|---|\n"
    );
    for cell in cells().into_iter().filter(|cell| HARD.contains(&cell.name.as_str())) {
        let release = release(&*cell.method, 400);
        let runs: Vec<(f64, SolveOutcome)> = (0..5).map(|_| exact(&release, 7, None)).collect();
        let best = runs.iter().map(|run| run.0).fold(f64::INFINITY, f64::min);
        let started = Instant::now();
        let cap = cap.max((SHOWN * best).ceil() as u64);
        let milp = solve(SolverChoice::MilpHighs, &problem(&release, 7), Some(cap));
        let seconds = started.elapsed().as_secs_f64();
        let at_least = if milp.proven_optimal() { "" } else { ">= " };
        let line = format!(
            "| {} | {best:.3} | {} | {at_least}{seconds:.1} | {} | {at_least}{:.0} |",
            cell.name,
            interval(&runs[0].1),
            interval(&milp),
            seconds / best
        );
        add(&mut text, line);
    }
    text
}

/// Prints a line and adds it to `text`.
fn add(text: &mut String, line: String) {
    println!("{line}");
    text.push_str(&line);
    text.push('\n');
}

/// How time grows with records and with attributes, noise 16%.
fn growth() -> String {
    let limit = 120;
    let mut text = format!(
        "# The worst case: how time grows\n\nNoise p=16, limit {limit} s.\n\n\
         | N | n | optimum misses | seconds | nodes |\n|---|---|---|---|---|\n"
    );
    let mut measure = |records: usize, n: usize| {
        let (seconds, outcome) = exact(&release(&*noise(16.0), records), n, Some(limit));
        let missed = interval(&outcome);
        add(
            &mut text,
            format!("| {records} | {n} | {missed} | {seconds:.3} | {} |", outcome.nodes()),
        );
        seconds
    };
    let by_records: Vec<(f64, f64)> =
        [100, 200, 400, 800, 1080].map(|records| (records as f64, measure(records, 7))).to_vec();
    let by_attributes: Vec<(f64, f64)> = (3..=13).map(|n| (n as f64, measure(400, n))).collect();
    let chart = |title: &str, x_label: &str, points| Chart {
        title: title.into(),
        x_label: x_label.into(),
        y_label: "seconds to proof".into(),
        log_y: true,
        series: vec![(Series { name: "exact, noise p=16".into(), points }, Mark::Line)],
        ..Chart::default()
    };
    let charts = [
        chart("noise p=16, 7 attributes", "records", by_records),
        chart(&format!("noise p=16, 400 records (limit {limit} s)"), "attributes", by_attributes),
    ];
    let svg = panels(&charts);
    std::fs::write("results/bench/worst_case_growth.svg", svg)
        .expect("results/bench can be written");
    add(&mut text, "\n![time against records and attributes](worst_case_growth.svg)".into());
    text
}

/// The interval at given times of one long run.
struct Watch(Mutex<Vec<(f64, u64, u64)>>);

impl Listener for Watch {
    fn search(&self, state: &SearchState) {
        let state = (state.elapsed.as_secs_f64(), state.bound, state.best);
        self.0.lock().expect("not poisoned").push(state);
    }
}

/// The proven interval of the hardest cell after 10, 60 and 600 seconds.
fn anytime() -> String {
    let long = setting("UNMASK_BENCH_LONG", 600);
    let problem = problem(&release(&*noise(16.0), 400), 13);
    let watch = Watch(Mutex::new(Vec::new()));
    let limits = Limits { time: Some(Duration::from_secs(long)), ..Limits::default() };
    let solver = SolverChoice::Exact.solver();
    let outcome = solver.solve(&problem, &limits, &watch).expect("solves");
    let mut text = String::from(
        "# The worst case: the proven interval over time\n\nN = 400, n = 13, noise p=16.\n\n\
         | seconds | missed |\n|---|---|\n",
    );
    let states = watch.0.into_inner().expect("not poisoned");
    let end = outcome.elapsed().as_secs_f64();
    for at in [1.0, 10.0, 60.0].into_iter().filter(|at| *at < end) {
        if let Some((_, bound, best)) = states.iter().rfind(|s| s.0 <= at) {
            add(&mut text, format!("| {at} | [{bound}, {best}] |"));
        }
    }
    let proven = if outcome.proven_optimal() { "proven" } else { "limit" };
    add(&mut text, format!("| {end:.1} ({proven}) | {} |", interval(&outcome)));
    text
}

/// A part of the benchmark: its name, and what makes its text.
type Part = (&'static str, fn() -> String);

fn main() {
    let parts: [Part; 4] = [
        ("cells", published_cells),
        ("milp", against_milp),
        ("growth", growth),
        ("anytime", anytime),
    ];
    let named: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for (name, run) in parts {
        if named.is_empty() || named.iter().any(|n| n == name) {
            let text = format!(
                "{}\nMade by `make bench`: Census, first n attributes in file order, one sample of N records \
                 (seed 1), the problem made and solved on {cores} cores. Machines differ and are shared, so \
                 the ratios within a run count.\n",
                run()
            );
            let path = format!("results/bench/worst_case_{name}.md");
            std::fs::write(path, text).expect("results/bench can be written");
        }
    }
}
