//! How long linkage takes: `cargo bench --bench linkage`.
//!
//! Normal data, the release being the original plus 16% noise: dbrl1 on 100,000
//! and 1,000,000 records of 7 attributes, and the one-to-one assignment of 2,000
//! records. Each line is the best of a few runs, and the peak memory so far.

use rand_distr::{Distribution, StandardNormal};
use std::time::Instant;
use unmask::dataset::{Attribute, Dataset};
use unmask::linkage::{Attack, Release, TieRule};
use unmask::progress::Silent;
use unmask::seed::generator;

const ATTRIBUTES: usize = 7;
const NOISE: f64 = 0.16;

fn main() {
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let large = std::env::var("UNMASK_BENCH_LARGE").map_or(1_000_000, |n| n.parse().unwrap_or(0));
    run("dbrl1", &Attack::Dbrl1, 100_000, 5);
    if large > 0 {
        run("dbrl1", &Attack::Dbrl1, large, 2);
    }
    run("kernel", &Attack::Kernel { degree: 2 }, 20_000, 2);
    run("assignment", &Attack::Assignment, 2_000, 3);
    run("probabilistic", &Attack::Probabilistic { tolerance: 0.25 }, 2_000, 1);
}

fn run(name: &str, attack: &Attack, records: usize, repeats: usize) {
    let release = release(records);
    let names: Vec<String> = (0..ATTRIBUTES).map(|k| format!("v{k}")).collect();
    let mut best = f64::INFINITY;
    let mut rate = 0.0;
    for _ in 0..repeats {
        let started = Instant::now();
        let links = attack.link(&release, &names, &Silent).expect("the data fit the attack");
        best = best.min(started.elapsed().as_secs_f64());
        rate = links.rate(TieRule::Miss);
    }
    let memory = peak_memory().map_or(String::new(), |mb| format!("  peak memory {mb} MB"));
    println!("{name:<14} {records:>9} x {ATTRIBUTES}  {best:8.3} s  rate {rate:.4}{memory}");
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
