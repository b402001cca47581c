//! Small files with random mistakes in them are read or refused, by everything that reads files.
//!
//! `make fuzz` looks further, for longer. `UNMASK_MUTANTS=100000` makes more of them here.

use rand::{Rng, RngExt};
use std::path::Path;
use unmask::dataset::{Dataset, ReadOptions};
use unmask::experiment::Experiment;
use unmask::fingerprint::{ClusterChoice, Leak, Plan, PlanOptions};
use unmask::lattice::{Hierarchy, LatticeMetric};
use unmask::project::Project;
use unmask::random::generator;

const PEOPLE: &str = "name,sex,birthdate,income,town\nBob,m,1970-03-19,1e3,graz\n\
    Dave,m,1970-03-20,0.10,?\nAlice,f,1970-04-18,-5,\"linz, old\"\nEve,f,1970-04-21,NA,*\n";

/// Parts that files of any kind are made of.
const PARTS: [&str; 24] = [
    "\n",
    "\r\n",
    ",",
    ";",
    "\"",
    "\"\"",
    "'",
    "*",
    "?",
    "NA",
    "-1",
    "1e308",
    "1e-320",
    "nan",
    "=",
    "[",
    "]",
    "[20, 30[",
    "{a|b}",
    "18446744073709551616",
    "\u{feff}",
    "\0",
    "é",
    "../x",
];

/// `seed` with a few bytes changed, cut out, repeated or put in.
fn mutant(seed: &[u8], random: &mut impl Rng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..random.random_range(1..4) {
        let length = bytes.len();
        let at = random.random_range(0..=length);
        let end = (at + random.random_range(0..40)).min(length);
        match random.random_range(0..6) {
            0 if at < length => bytes[at] ^= 1 << random.random_range(0..8),
            1 if at < length => bytes[at] = random.random(),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let copied = bytes[at..end].to_vec();
                let to = random.random_range(0..=length);
                drop(bytes.splice(to..to, copied));
            }
            4 => bytes.truncate(at),
            _ => {
                let part = PARTS[random.random_range(0..PARTS.len())];
                drop(bytes.splice(at..at, part.bytes()));
            }
        }
    }
    bytes
}

/// Calls `read` with mutants of `seed`.
fn with_mutants(seed: &[u8], mut read: impl FnMut(Vec<u8>)) {
    let asked = std::env::var("UNMASK_MUTANTS").ok().and_then(|count| count.parse().ok());
    let mut random = generator(7, seed.len() as u64);
    (0..asked.unwrap_or(1_000u32)).for_each(|_| read(mutant(seed, &mut random)));
}

/// The same with those that are text.
fn with_texts(seed: &str, mut read: impl FnMut(String)) {
    with_mutants(seed.as_bytes(), |bytes| read(String::from_utf8_lossy(&bytes).into_owned()));
}

/// What is read, written and read again has the same bytes from then on.
fn written_and_read(file: &Dataset, options: &ReadOptions, path: &str) {
    let bytes = file.to_bytes(Path::new(path)).unwrap();
    let read = match path.ends_with(".csv") {
        true => Dataset::from_csv(path, &bytes, options),
        false => Dataset::from_parquet(path, bytes.clone(), options),
    };
    let read = read.unwrap_or_else(|e| panic!("{e}: {:?}", String::from_utf8_lossy(&bytes)));
    assert_eq!(read.names(), file.names());
    assert_eq!(read.to_bytes(Path::new(path)).unwrap(), bytes);
}

fn people() -> Dataset {
    Dataset::from_csv("t.csv", PEOPLE.as_bytes(), &ReadOptions::default()).unwrap()
}

#[test]
fn csv_with_mistakes_is_read_or_refused() {
    let semicolons = "a;b\r\n1;2\r\n\r\n'x';'y;z'\r\n";
    for (seed, delimiter, quote) in
        [(PEOPLE, b',', b'"'), ("x\n7\n\n 8\n*\n\"9\n\"\n", b',', b'"'), (semicolons, b';', b'\'')]
    {
        let options = ReadOptions { delimiter: Some(delimiter), quote, ..ReadOptions::default() };
        with_mutants(seed.as_bytes(), |bytes| {
            if let Ok(file) = Dataset::from_csv("t.csv", &bytes, &options) {
                written_and_read(&file, &options, "t.csv");
            }
        });
    }
}

#[test]
fn parquet_with_mistakes_is_read_or_refused() {
    let seed = people().to_bytes(Path::new("t.parquet")).unwrap();
    with_mutants(&seed, |bytes| {
        if let Ok(file) = Dataset::from_parquet("t.parquet", bytes, &ReadOptions::default()) {
            written_and_read(&file, &ReadOptions::default(), "t.parquet");
        }
    });
}

#[test]
fn projects_with_mistakes_are_read_or_refused() {
    let seed = "[attributes.income]\nkind = \"numeric\"\nrole = \"confidential\"\n\
                [attributes.sex]\nkind = \"ordinal\"\norder = [\"m\", \"f\"]\n\
                [reading]\nquote = \"'\"\nmissing = [\"?\"]\n[limits]\nmax_risk = 0.2\nmin_k = 5\n";
    with_texts(seed, |text| {
        let Ok(project) = Project::from_toml(&text, "t.toml") else { return };
        let options = project.read_options();
        drop(Dataset::from_csv("t.csv", PEOPLE.as_bytes(), &options));
    });
}

#[test]
fn specifications_with_mistakes_are_read_or_refused() {
    let seed = "title = \"t\"\nattacks = [\"dbrl1\", \"worst-case\"]\n[data]\nfile = \"tarragona\"\n\
                known = 2\n[sample]\nrecords = 10\nruns = 2\nseed = 1\n[[protection]]\n\
                name = \"n\"\nmethod = \"noise\"\np = [4, 8]\n";
    with_texts(seed, |text| {
        if let Ok(experiment) = Experiment::parse("demo/t.toml", &text) {
            experiment.cells();
        }
    });
}

#[test]
fn hierarchies_with_mistakes_are_read_or_refused() {
    let whole = |hierarchy: Hierarchy| {
        let rows = hierarchy.rows();
        assert!(rows.iter().all(|row| row.len() == hierarchy.levels()));
        assert_eq!(Hierarchy::new("a", &rows).unwrap().rows(), rows);
    };
    let table = "1970-03-19;1970-03;1970\n1970-04-18;1970-04;1970\n";
    with_mutants(table.as_bytes(), |bytes| {
        let _ = Hierarchy::parse_csv("t.csv", "a", &bytes).map(whole);
    });
    let values = ["1970-03-19", "7", "12.5", "x", "081"].map(String::from);
    for rule in [
        "rule = \"date\"\nlevels = [\"month\", \"year\"]\nsuppress = true\n",
        "rule = \"number\"\nwidths = [5, 10]\nstart = 0\n",
        "rule = \"zip\"\nmasked = [1, 2]\nmask = \"X\"\n",
        "rule = \"list\"\n[[levels]]\nGovernment = [\"7\", \"12.5\"]\nOther = [\"x\"]\n",
    ] {
        for value in &values {
            let one = std::slice::from_ref(value);
            with_texts(rule, |text| {
                let _ = Hierarchy::parse_toml("t.toml", "a", &text, one).map(whole);
            });
        }
    }
}

#[test]
fn plans_with_mistakes_are_read_or_refused() {
    let people = people();
    let dates = ["1970-03-19", "1970-03-20", "1970-04-18", "1970-04-21"].map(String::from);
    let hierarchies = [
        Hierarchy::parse_csv("t.csv", "sex", b"m;p\nf;p\n").unwrap(),
        Hierarchy::parse_toml("t.toml", "birthdate", "rule = \"date\"", &dates).unwrap(),
    ];
    let options = PlanOptions::new(2, LatticeMetric::Samarati);
    let plan = Plan::make(&people, &hierarchies, &["name".to_owned()], &options, &()).unwrap();
    with_texts(&plan.to_toml().unwrap(), |text| {
        let Ok(mut plan) = Plan::from_toml(&text, "plan.toml") else { return };
        let again = Plan::from_toml(&plan.to_toml().unwrap(), "plan.toml").unwrap();
        assert_eq!(again.to_toml().unwrap(), plan.to_toml().unwrap());
        let recipients = ["graz".to_owned(), "tokyo".to_owned()];
        if plan.check_file(&people).is_ok() {
            let _ = plan.assign(&recipients, &ClusterChoice::default());
        }
        if let Ok(leak) = Leak::read(&people, &plan.hierarchies) {
            let quasi = plan.quasi();
            leak.parts.iter().for_each(|part| drop(part.identify(&plan.assignments, &quasi)));
        }
    });
}
