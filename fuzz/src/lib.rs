//! What the targets share: small files, and what must hold of any that can be read.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use unmask::dataset::{Dataset, ReadOptions};
use unmask::experiment::{Experiment, RunOptions, journal, run_all};
use unmask::files::FileDigest;
use unmask::lattice::Hierarchy;
use unmask::listener::{Listener, SearchState};
use unmask::protection::{Method, Noise, Protection};

/// Files of the formats beside CSV and Parquet.
pub const FORMATS: [&str; 6] = ["t.arrow", "t.dta", "t.sav", "t.zsav", "t.xpt", "t.xlsx"];

/// Four people.
pub const PEOPLE: &str = "name,sex,birthdate,income,town\n\
    Bob,m,1970-03-19,1e3,graz\n\
    Dave,m,1970-03-20,0.10,?\n\
    Alice,f,1970-04-18,-5,\"linz, old\"\n\
    Eve,f,1970-04-21,NA,*\n";

/// A specification that reads `numbers.csv`.
pub const SPECIFICATION: &str = r#"
title = "Noise on people"
attacks = ["dbrl1"]

[data]
file = "numbers.csv"
attributes = ["x", "y", "z"]

[sample]
records = 10
runs = 2
seed = 1

[[protection]]
name = "Noise"
method = "noise"
p = [4, 8]
"#;

/// The data set in the CSV `text`.
pub fn data(text: &str) -> Dataset {
    Dataset::from_csv("t.csv", text.as_bytes(), &ReadOptions::default()).expect("it is well-formed")
}

/// Thirty records of three numbers.
pub fn numbers() -> Dataset {
    let number = |i: u32, factor: u32| f64::from(i * factor % 31) / 8.0;
    let row = |i: u32| format!("{},{},{}\n", number(i, 7), number(i, 11), number(i, 13));
    data(&format!("x,y,z\n{}", (0..30).map(row).collect::<String>()))
}

/// Those, with noise.
pub fn noisy() -> Dataset {
    let protection = Protection::by(Method::Noise(Noise::new(60.0))).seed(1);
    protection.apply(&numbers(), &()).expect("they vary").protected.released
}

/// The two files that certificates are about, as they are read, and their checksums.
pub fn certified(folder: &Path) -> (Dataset, Dataset, Vec<FileDigest>) {
    let saved = |name: &str, file: &Dataset| {
        let path = folder.join(name);
        file.save(&path, true).expect("the folder takes files");
        Dataset::load(&path.to_string_lossy(), &ReadOptions::default()).expect("it was written")
    };
    let digest = |role, name: &str| {
        FileDigest::of(role, &folder.join(name).to_string_lossy()).expect("it is there")
    };
    let (original, released) = (saved("o.csv", &numbers()), saved("r.csv", &noisy()));
    (original, released, vec![digest("original", "o.csv"), digest("released", "r.csv")])
}

/// Goes to a folder of its own, in which the files that [`SPECIFICATION`] names are.
pub fn enter_folder() {
    let folder = tempfile::tempdir().expect("a folder").keep();
    numbers().save(&folder.join("numbers.csv"), true).expect("the folder takes files");
    data(PEOPLE).save(&folder.join("people.csv"), true).expect("the folder takes files");
    std::fs::create_dir(folder.join("fuzz")).expect("the folder takes folders");
    std::env::set_current_dir(&folder).expect("it was made");
}

/// The experiment of [`SPECIFICATION`], and how it is run; after [`enter_folder`].
pub fn experiment() -> (Experiment, RunOptions) {
    let experiment = Experiment::parse("fuzz/t.toml", SPECIFICATION).expect("it is well-formed");
    (experiment, RunOptions::default().results(Path::new("results")).threads(1))
}

/// Stops after the first job.
struct One(AtomicU64);

impl Listener for One {
    fn advance(&self, steps: u64, _total: u64) {
        self.0.fetch_add(steps, SeqCst);
    }

    fn search(&self, _state: &SearchState) {}

    fn interrupted(&self) -> bool {
        self.0.load(SeqCst) > 1
    }
}

/// The journal that a run leaves which was stopped after its first job; after [`enter_folder`].
pub fn journal_of_a_stopped_run() -> Vec<u8> {
    let (experiment, options) = experiment();
    run_all(&[experiment], &options, &One(0.into())).expect("it runs");
    let path = Path::new("results/fuzz/t").join(journal::FILE_NAME);
    std::fs::read(path).expect("two jobs are left")
}

/// Hierarchies of sex and birthdate of [`PEOPLE`].
pub fn hierarchies() -> Vec<Hierarchy> {
    let values = ["1970-03-19", "1970-03-20", "1970-04-18", "1970-04-21"].map(String::from);
    let dates = Hierarchy::parse_toml("t.toml", "birthdate", "rule = \"date\"", &values);
    let sexes = Hierarchy::parse_csv("t.csv", "sex", b"m;p\nf;p\n");
    [sexes, dates].into_iter().collect::<Result<_, _>>().expect("they are well-formed")
}

/// What is read, written and read again is the same, and so are its bytes from then on.
pub fn written_and_read(file: &Dataset, options: &ReadOptions, path: &str) {
    let bytes = file.to_bytes(Path::new(path)).expect("what was read can be written");
    let read = match path.ends_with(".csv") {
        true => Dataset::from_csv(path, &bytes, options),
        false => Dataset::from_parquet(path, bytes.clone(), options),
    };
    let read = read.expect("what was written can be read");
    assert_eq!(read.names(), file.names());
    assert_eq!(read.records(), file.records());
    assert_eq!(read.to_bytes(Path::new(path)).expect("it was written before"), bytes);
}
