//! Speed of the protection methods on normal data with seven attributes.

#[path = "../tests/support/mod.rs"]
mod support;
#[path = "../tests/textbook/mdav.rs"]
mod textbook;

use criterion::{BatchSize, Criterion};
use std::hint::black_box;
use support::bench::{self, Row};
use unmask::distance::Points;
use unmask::protection::microaggregation::{TailRule, mdav};
use unmask::protection::{Noise, ProtectionMethod, RankSwapping};

fn bench_mdav(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mdav");
    group.sample_size(10);
    for records in [1_000, 10_000, 100_000] {
        let columns = support::normal_columns(records, 7, 1);
        let points = Points::numeric(columns.clone());
        group.bench_function(format!("tree-{records}"), |b| {
            b.iter(|| mdav(black_box(&points), 5, TailRule::LastGroup, &|_| ()));
        });
        if records <= 10_000 {
            group.bench_function(format!("textbook-{records}"), |b| {
                b.iter(|| textbook::mdav(black_box(&columns), 5, TailRule::LastGroup));
            });
        }
    }
}

fn bench_method(criterion: &mut Criterion, method: &dyn ProtectionMethod) {
    let data = support::dataset(&support::normal_columns(1_000_000, 7, 1));
    let names = data.names()[..7].to_vec();
    let protect = || method.protect(&data, &names, 1, &()).expect("protects");
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let mut group = criterion.benchmark_group(method.name());
    group.sample_size(10);
    group.bench_function("all-threads", |b| {
        b.iter_batched(|| (), |()| protect(), BatchSize::PerIteration)
    });
    group.bench_function("one-thread", |b| {
        b.iter_batched(|| (), |()| one.install(protect), BatchSize::PerIteration);
    });
}

fn main() {
    let mut criterion =
        Criterion::default().configure_from_args().output_directory(&bench::criterion_folder());
    bench_mdav(&mut criterion);
    bench_method(&mut criterion, &Noise::new(10.0));
    bench_method(&mut criterion, &RankSwapping::new(5.0));
    criterion.final_summary();
    let row = |id, what, baseline, target| Row { id, what, baseline, target };
    bench::report(
        "protection",
        "Protection methods",
        &[
            row(
                "mdav/tree-1000",
                "MDAV k=5, 1,000 x 7 (baseline: textbook)",
                Some("mdav/textbook-1000"),
                None,
            ),
            row(
                "mdav/tree-10000",
                "MDAV k=5, 10,000 x 7 (baseline: textbook)",
                Some("mdav/textbook-10000"),
                Some(0.15),
            ),
            row("mdav/tree-100000", "MDAV k=5, 100,000 x 7", None, Some(10.0)),
            row(
                "noise/all-threads",
                "noise p=10, 1,000,000 x 7 (baseline: one thread)",
                Some("noise/one-thread"),
                Some(1.0),
            ),
            row(
                "rank-swapping/all-threads",
                "rank swapping p=5, 1,000,000 x 7 (baseline: one thread)",
                Some("rank-swapping/one-thread"),
                Some(1.0),
            ),
        ],
    );
}
