//! How long linkage takes: `cargo bench --bench linkage`.
//!
//! Normal data, the release being the original plus 16% noise: dbrl1 on up to
//! 1,000,000 records of 7 attributes, and the one-to-one attacks on 2,000 (all pairs) and
//! 100,000 (sparse candidates). Each
//! row is the best of a few runs, and the peak memory so far; the baseline is a
//! plain double loop over the same records in the same run.

use rand_distr::{Distribution, StandardNormal};
use std::time::Instant;
use unmask::dataset::{Attribute, Dataset};
use unmask::linkage::{Attack, Release, TieRule};
use unmask::random::generator;

const ATTRIBUTES: usize = 7;
const NOISE: f64 = 0.16;

fn main() {
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let large = std::env::var("UNMASK_BENCH_LARGE").map_or(1_000_000, |n| n.parse().unwrap_or(0));
    let mut text = String::from(
        "# Linkage\n\nMade by `make bench`: normal data with 7 attributes, 16% noise, all cores. The \
         baseline is a plain double loop in the same run.\n\n\
         | attack | records | seconds | baseline, seconds | times faster | target, seconds | peak memory, MB |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let mut add = |row: String| {
        println!("{row}");
        text.push_str(&row);
        text.push('\n');
    };
    add(run(&Attack::Dbrl1, 20_000, 5, None, true));
    add(run(&Attack::Dbrl1, 100_000, 5, Some(0.5), false));
    if large > 0 {
        add(run(&Attack::Dbrl1, large, 2, Some(20.0), false));
    }
    add(run(&Attack::Kernel { degree: 2 }, 20_000, 2, None, false));
    add(run(&Attack::Assignment, 2_000, 3, None, false));
    add(run(&Attack::Probabilistic { tolerance: 0.25 }, 2_000, 1, None, false));
    add(run(&Attack::Assignment, 100_000, 1, Some(60.0), false));
    add(run(&Attack::Probabilistic { tolerance: 0.25 }, 100_000, 1, Some(60.0), false));
    std::fs::write("results/bench/linkage.md", text).expect("results/bench can be written");
}

fn run(
    attack: &Attack,
    records: usize,
    repeats: usize,
    target: Option<f64>,
    compare: bool,
) -> String {
    let release = release(records);
    let names: Vec<String> = (0..ATTRIBUTES).map(|k| format!("v{k}")).collect();
    let mut best = f64::INFINITY;
    for _ in 0..repeats {
        let started = Instant::now();
        let links = attack.link(&release, &names, &()).expect("the data fit the attack");
        best = best.min(started.elapsed().as_secs_f64());
        assert!(links.rate(TieRule::Miss) > 0.3, "noise this small leaves most records open");
    }
    let baseline = compare.then(|| double_loop(&release));
    let shown = |value: Option<f64>, digits: usize| {
        value.map_or("-".to_owned(), |v| format!("{v:.digits$}"))
    };
    format!(
        "| {} | {records} | {best:.3} | {} | {} | {} | {} |",
        attack.name(),
        shown(baseline, 3),
        shown(baseline.map(|b| b / best), 1),
        target.map_or("-".to_owned(), |t| t.to_string()),
        peak_memory().map_or("-".to_owned(), |mb| mb.to_string())
    )
}

/// Seconds of the plain way: every pair of records, one thread.
fn double_loop(release: &Release) -> f64 {
    let columns = |file: &Dataset| -> Vec<Vec<f64>> {
        let column =
            |name: &String| file.complete_numeric(name, "the benchmark").map(<[f64]>::to_vec);
        file.names()[..ATTRIBUTES].iter().map(|name| column(name).expect("complete")).collect()
    };
    let (original, released) = (columns(release.original()), columns(release.released()));
    let started = Instant::now();
    let is_right = |i: usize| {
        let distance = |j: usize| -> f64 {
            (0..ATTRIBUTES).map(|k| (original[k][i] - released[k][j]).powi(2)).sum()
        };
        let own = distance(i);
        (0..release.records()).all(|j| j == i || distance(j) > own)
    };
    std::hint::black_box((0..release.records()).filter(|i| is_right(*i)).count());
    started.elapsed().as_secs_f64()
}

fn release(records: usize) -> Release {
    let column = |k: u64, stream: u64| -> Vec<f64> {
        StandardNormal.sample_iter(generator(1, 2 * k + stream)).take(records).collect()
    };
    let noisy = |k: u64| -> Vec<f64> {
        column(k, 0).iter().zip(column(k, 1)).map(|(x, e): (&f64, f64)| x + NOISE * e).collect()
    };
    let file = |name: &str, columns: &dyn Fn(u64) -> Vec<f64>| {
        let attribute = |k| Attribute::numeric(format!("v{k}"), columns(k)).expect("finite");
        Dataset::new(name, (0..ATTRIBUTES as u64).map(attribute).collect()).expect("records")
    };
    let original = file("original", &|k| column(k, 0));
    Release::by_row(original, file("released", &noisy)).expect("as many rows")
}

/// The most memory this process has held, where the system says so.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kb| kb / 1024)
}
