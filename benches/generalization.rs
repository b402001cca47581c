//! Generalization by anti-unification: Adult, a plain recursion, and a million records.

#[path = "../tests/support/mod.rs"]
mod support;
#[path = "../tests/textbook/anti_unification.rs"]
mod textbook;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion};
use rand::RngExt;
use std::hint::black_box;
use support::bench::{self, Row};
use unmask::dataset::catalog::ADULT_QUASI_IDENTIFIERS as ATTRIBUTES;
use unmask::dataset::{Attribute, Dataset, Discretization, ReadOptions, Role, Values};
use unmask::protection::generalization::{AntiUnification, Condition, Unknown, Variant};
use unmask::random::generator;

fn adult() -> Dataset {
    let age: Discretization = "age:5:20:90".parse().expect("well-formed");
    let file = Dataset::load("adult-train", &ReadOptions::default()).expect("built in");
    let mut file = file.discretize(&[age]).expect("age is numeric");
    file.set_role(&["salary"], Role::Confidential).expect("a column");
    file
}

/// Labels with the numbers of values that Adult has, low ones frequent, each attribute by itself.
fn made(records: usize) -> Dataset {
    let column = |(j, name): (usize, &str)| {
        let values = [16, 9, 16, 7, 15, 5, 2, 42][j];
        let mut random = generator(1, j as u64);
        let label = |_| {
            let place: f64 = random.random();
            Some(format!("v{}", (place * place * place * f64::from(values)) as u32))
        };
        Attribute::nominal(name, (0..records).map(label).collect::<Vec<_>>())
    };
    let mut attributes: Vec<Attribute> = ATTRIBUTES.into_iter().enumerate().map(column).collect();
    let mut random = generator(1, 99);
    let class = |_| Some(if random.random_range(0..4) == 0 { "high" } else { "low" });
    attributes.push(Attribute::nominal("salary", (0..records).map(class).collect::<Vec<_>>()));
    let mut file = Dataset::new("made", attributes).expect("a data set");
    file.set_role(&["salary"], Role::Confidential).expect("a column");
    file
}

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn method(k: usize, conditions: [Condition; 2], variant: Variant) -> AntiUnification {
    let conditions = conditions.to_vec();
    AntiUnification { k, indifferent: 2, conditions, variant, unknown: Unknown::OwnValue }
}

const FEWEST_FIRST: [Condition; 2] = [Condition::Fewest, Condition::Most];
const MOST_FIRST: [Condition; 2] = [Condition::Most, Condition::Fewest];

fn labels(file: &Dataset, name: &str) -> Vec<Option<String>> {
    match &file.attributes()[file.position(name).expect("a column")].values {
        Values::Categorical(c) => (0..c.len()).map(|i| c.get(i).map(str::to_owned)).collect(),
        Values::Numeric(_) => Vec::new(),
    }
}

fn bench(group: &mut Group<'_>, name: &str, file: &Dataset, method: &AntiUnification) {
    let quasi = ATTRIBUTES.map(String::from);
    group.bench_function(name, |b| {
        b.iter(|| method.generalize(black_box(file), &quasi, &()).expect("generalizes"));
    });
}

fn bench_textbook(group: &mut Group<'_>, file: &Dataset) {
    let columns: Vec<Vec<Option<String>>> = ATTRIBUTES.iter().map(|a| labels(file, a)).collect();
    let records: Vec<textbook::Record> =
        (0..file.records()).map(|i| columns.iter().map(|c| c[i].clone()).collect()).collect();
    let classes: Vec<String> = labels(file, "salary").into_iter().flatten().collect();
    let plain = textbook::Textbook {
        records: &records,
        classes: &classes,
        k: 5,
        unknown: Unknown::OwnValue,
    };
    group.bench_function("textbook-2000", |b| {
        b.iter(|| plain.anonymize(">,<", 2, Variant::Literal));
    });
}

fn main() {
    let mut criterion =
        Criterion::default().configure_from_args().output_directory(&bench::criterion_folder());
    let mut group = criterion.benchmark_group("generalization");
    group.sample_size(10);
    let adult = adult();
    for (name, conditions, variant) in [
        ("adult-literal-fewest", FEWEST_FIRST, Variant::Literal),
        ("adult-literal-most", MOST_FIRST, Variant::Literal),
        ("adult-progressive-most", MOST_FIRST, Variant::Progressive),
    ] {
        bench(&mut group, name, &adult, &method(5, conditions, variant));
    }
    let some = adult.select(&(0..2000).collect::<Vec<_>>()).expect("records");
    let literal = method(5, MOST_FIRST, Variant::Literal);
    bench(&mut group, "adult-2000", &some, &literal);
    bench_textbook(&mut group, &some);
    let literal = method(5, FEWEST_FIRST, Variant::Literal);
    bench(&mut group, "million", &made(1_000_000), &literal);
    group.finish();
    criterion.final_summary();
    let row = |id, what, baseline, target| Row { id, what, baseline, target };
    bench::report(
        "generalization",
        "Generalization by anti-unification",
        &[
            row(
                "generalization/adult-literal-fewest",
                "Adult, 32,561 x 8, literal (<,>), K = 5",
                None,
                Some(0.2),
            ),
            row(
                "generalization/adult-literal-most",
                "Adult, literal (>,<), K = 5",
                None,
                Some(0.2),
            ),
            row(
                "generalization/adult-progressive-most",
                "Adult, progressive (>,<), K = 5",
                None,
                Some(0.2),
            ),
            row(
                "generalization/adult-2000",
                "2,000 records of Adult, literal (>,<), K = 5 (baseline: the published recursion)",
                Some("generalization/textbook-2000"),
                None,
            ),
            row(
                "generalization/million",
                "1,000,000 x 8 made, literal (<,>), K = 5",
                None,
                Some(10.0),
            ),
        ],
    );
}
