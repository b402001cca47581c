//! Writes `corpus/<target>/`: a few small inputs for each target, made by the library itself.

use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::path::Path;
use unmask::audit::Audit;
use unmask::dataset::Dataset;
use unmask::fingerprint::{Plan, PlanOptions};
use unmask::lattice::LatticeMetric;
use unmask::learning::Learner;
use unmask::learning::certificate::{Certificates, CertifiedFiles};
use unmask_fuzz::*;

fn main() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let write = |target: &str, name: &str, bytes: &[u8]| {
        let folder = corpus.join(target);
        std::fs::create_dir_all(&folder).expect("the corpus can be written");
        std::fs::write(folder.join(name), bytes).expect("the corpus can be written");
    };
    // The first byte of a CSV input says how it is read.
    let csv = |first: u8, text: &str| [&[first], text.as_bytes()].concat();
    write("csv", "people", &csv(0, PEOPLE));
    write("csv", "semicolons", &csv(1, "a;b\r\n1;2\r\n\r\n'x';'y;z'\r\n"));
    write("csv", "one-column", &csv(2, "7\n\n 8\n*\n\"9\n\"\n"));
    write("csv", "intervals", &csv(4, "age,zip\n20-29,08***\n\"[30, 40[\",{081|082}\n"));
    let parquet =
        |file: &Dataset| file.to_bytes(Path::new("t.parquet")).expect("it can be written");
    write("parquet", "people", &parquet(&data(PEOPLE)));
    write("parquet", "numbers", &parquet(&numbers()));
    // The first byte says which of the formats it is.
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/formats/files");
    let small = FORMATS.map(|format| format.replace("t.", "small."));
    for (i, file) in small.iter().enumerate() {
        let file = match file.as_str() {
            "small.arrow" => "types.arrow",
            "small.dta" => "missing.dta",
            other => other,
        };
        let bytes = std::fs::read(tests.join(file)).expect("it is committed");
        write("formats", file, &[&[i as u8], &bytes[..]].concat());
    }
    write("project", "people", PROJECT.as_bytes());
    write("experiment", "noise", SPECIFICATION.as_bytes());
    for (name, text) in EXPERIMENTS {
        write("experiment", name, text.as_bytes());
    }
    for (name, text) in HIERARCHIES {
        write("hierarchy", name, text.as_bytes());
    }
    write("plan", "people", plan().to_toml().expect("it can be written").as_bytes());
    enter_folder();
    write("journal", "half", b"d");
    write("journal", "flipped", b"d\x01\x10\x03");
    write("journal", "cut", b"d\x02\x00\xe0");
    write("journal", "doubled", b"d\x00\x01\xff");
    write("journal", "of-another", &[b"j", &journal_of_a_stopped_run()[..]].concat());
    write("certificate", "noise", &certificate());
}

const PROJECT: &str = r#"
[reading]
delimiter = ","
encoding = "windows-1252"
missing = ["NA", "?"]

[attributes.income]
kind = "number"
role = "confidential"
bounds = "-5..2000"

[attributes.birthdate]
kind = "date"
date_format = "%Y-%m-%d"

[attributes.sex]
kind = "ordinal"
role = "quasi-identifier"
order = ["m", "f"]

[limits]
max_risk = 0.2
min_k = 2
"#;

const EXPERIMENTS: [(&str, &str); 2] = [
    (
        "information-loss",
        "title = \"t\"\nkind = \"information-loss\"\n[[file]]\ndata = \"numbers.csv\"\n\
         [[protection]]\nname = \"MDAV\"\nmethod = \"mdav\"\nk = [3, 5]\n",
    ),
    (
        "microaggregation",
        "title = \"t\"\nkind = \"microaggregation\"\nk = [2, 3]\n[[file]]\ndata = \"numbers.csv\"\n\
         sensitive = \"z\"\n",
    ),
];

/// The first byte of a hierarchy says whether it is a table or a rule.
const HIERARCHIES: [(&str, &str); 5] = [
    ("table", "c1970-03-19;1970-03;1970\n1970-04-18;1970-04;1970\n"),
    ("date", "trule = \"date\"\nlevels = [\"month\", \"year\"]\nsuppress = true\n"),
    ("number", "trule = \"number\"\nwidths = [5, 10]\nstart = 0\n"),
    ("zip", "trule = \"zip\"\nmasked = [1, 2]\nmask = \"X\"\n"),
    ("list", "trule = \"list\"\n[[levels]]\nGovernment = [\"7\", \"12.5\"]\nOther = [\"x\"]\n"),
];

fn plan() -> Plan {
    let options = PlanOptions::new(2, LatticeMetric::Samarati);
    let dropped = ["name".to_owned()];
    Plan::make(&data(PEOPLE), &hierarchies(), &dropped, &options, &()).expect("it has solutions")
}

/// Unpacked: the target packs what it gets.
fn certificate() -> Vec<u8> {
    let folder = std::env::current_dir().expect("it was entered");
    let (original, released, digests) = certified(&folder);
    let records = released.records();
    let files =
        CertifiedFiles { digests, key: None, rename: Vec::new(), released_records: records };
    let certificates = Certificates::new(files);
    let release = unmask::linkage::Release::by_row(original, released).expect("rows correspond");
    let learner = Learner { certificates: Some(&certificates), ..Learner::default() };
    let audit = Audit::of(&release).rows_correspond(true).learner(learner);
    audit.run(&()).expect("it is audited");
    let path = folder.join("proof.unmask");
    certificates.write(&path, true).expect("the folder takes files");
    let packed = std::fs::read(path).expect("it was written");
    let mut unpacked = Vec::new();
    MultiGzDecoder::new(&packed[..]).read_to_end(&mut unpacked).expect("it is packed");
    unpacked
}
