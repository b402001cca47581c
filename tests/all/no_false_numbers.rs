//! What cannot be measured is refused, left out or a dash: no command shows a number that is none.

use crate::support::{refusal, success, unmask_in};
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;
use unmask::dataset::{Dataset, ReadOptions};
use unmask::utility::Utility;

/// The name of a column, and its cell by record.
type HardColumn = (&'static str, fn(usize) -> String);

/// Columns of 24 records that are hard to compute with.
const HARD: [HardColumn; 10] = [
    ("suppressed", |_| "*".into()),
    ("missing", |_| "NA".into()),
    ("one-value", |i| if i == 3 { "7".into() } else { "*".into() }),
    ("two-values", |i| if i < 2 { i.to_string() } else { "NA".into() }),
    ("constant", |_| "5".into()),
    ("huge", |i| format!("{}e307", [1, -9, 17, 3][i % 4])),
    ("large", |i| format!("{}e160", [1, -9, 17, 3][i % 4])),
    ("offset", |i| format!("{}", 1e300 + 1e285 * i as f64)),
    ("tiny", |i| format!("{}e-300", i % 7 + 1)),
    ("lone-huge", |i| if i == 5 { "1e308".into() } else { (i % 5).to_string() }),
];

/// A file of two ordinary columns, labels, and `hard`.
fn file(name: &str, cell: impl Fn(usize) -> String) -> String {
    let row = |i: usize| {
        let town = ["graz", "linz", "wien"][i % 3];
        format!("{},{},{town},{}\n", i * 7 % 24, i * i % 23, cell(i))
    };
    format!("x,y,town,{name}\n{}", (0..24).map(row).collect::<String>())
}

/// Words of `text` that stand for what is no number.
fn no_numbers(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let is_none = |word: &&str| ["nan", "inf", "infinity"].contains(&&*word.to_lowercase());
    words.filter(is_none).collect()
}

fn assert_numbers(output: &Output, what: &str) {
    let (out, error) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 2 | 3)), "{what}: exit {code:?}: {error}");
    assert!(!error.contains("Usage:") && !error.contains("possible values"), "{what}: {error}");
    for text in [&out, &error] {
        assert!(no_numbers(text).is_empty(), "{what}: {text}");
    }
}

/// Every command that reads a file or two; `H` is the hard column.
const COMMANDS: [&str; 25] = [
    "utility o.csv r.csv",
    "utility o.csv r.csv --attributes x,H",
    "utility r.csv o.csv --attributes x,H",
    "measure r.csv --quasi x,H --confidential town",
    "measure r.csv --quasi town --confidential H",
    "measure r.csv --quasi town --confidential H --levels 3",
    "link --original o.csv --released r.csv --attributes x,y,H",
    "link --original r.csv --released r.csv --attributes x,H",
    "link --original o.csv --released r.csv --attributes x,H --attack kernel",
    "link --original o.csv --released r.csv --attributes x,H --attack mahalanobis",
    "link --original o.csv --released r.csv --attributes x,H --attack probabilistic",
    "link --original o.csv --released r.csv --attributes x,H --attack interval --interval 5",
    "link --original o.csv --released r.csv --attributes x,H --attack interval --interval 5 --interval-rule sigma",
    "link --original o.csv --released r.csv --attributes H --attack interval",
    "audit --original o.csv --released r.csv --attributes x,y,H --rows-correspond",
    "audit --original r.csv --released r.csv --attributes x,y,H --rows-correspond",
    "keys --original o.csv --released r.csv --attributes x,y,H",
    "classify --train r.csv --test r.csv --class town",
    "classify --train r.csv --test o.csv --class town",
    "protect noise r.csv --p 10 --attributes x,H -o p.csv --force",
    "protect noise r.csv --p 10 --attributes x,H --noise correlated -o p.csv --force",
    "protect noise r.csv --p 10 --attributes x,H --noise covariance-preserving -o p.csv --force",
    "protect rank-swapping r.csv --p 20 --attributes x,H -o p.csv --force",
    "protect anti-unification r.csv --k 3 --confidential town --indifferent 1 --attributes x,H \
     --discretize x:5:0:20 --discretize H:5:0:20 -o p.csv --force",
    "lattice enumerate r.csv --quasi H --hierarchies h --k 2 -o p.csv --force",
];

/// The methods that form groups.
const GROUPS: [&str; 6] = [
    "mdav --k 3",
    "v-mdav --k 3",
    "l-diverse-v-mdav --l 2 --sensitive y --levels 3",
    "individual-ranking --k 3",
    "z-projection --k 3",
    "pc-projection --k 3",
];

fn run(folder: &Path, command: &str, hard: &str) -> Output {
    let words: Vec<String> = command.split(' ').map(|w| w.replace('H', hard)).collect();
    unmask_in(folder, &words.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn no_command_shows_what_is_no_number() {
    for (name, cell) in HARD {
        let folder = TempDir::new().unwrap();
        let path = folder.path();
        std::fs::write(path.join("o.csv"), file(name, |i| (i * 5 % 19).to_string())).unwrap();
        std::fs::write(path.join("r.csv"), file(name, cell)).unwrap();
        std::fs::create_dir(path.join("h")).unwrap();
        std::fs::write(path.join(format!("h/{name}.toml")), "rule = \"suppress\"\n").unwrap();
        let groups = GROUPS.map(|method| {
            let (method, rest) = method.split_once(' ').unwrap();
            format!("protect {method} r.csv {rest} --attributes x,H -o p.csv --force")
        });
        for command in COMMANDS.into_iter().chain(groups.iter().map(String::as_str)) {
            // JSON would have null in its place.
            assert_numbers(&run(path, command, name), &format!("{name}: {command}"));
            if let Ok(text) = std::fs::read_to_string(path.join("p.csv")) {
                assert!(no_numbers(&text).is_empty(), "{name}: {command}: {text}");
                std::fs::remove_file(path.join("p.csv")).unwrap();
            }
        }
    }
}

#[test]
fn noise_that_overflows_is_refused_and_loses_no_value() {
    for (name, cell) in HARD.iter().filter(|(name, _)| ["huge", "lone-huge"].contains(name)) {
        for kind in ["uncorrelated", "correlated", "covariance-preserving"] {
            let folder = TempDir::new().unwrap();
            std::fs::write(folder.path().join("r.csv"), file(name, cell)).unwrap();
            let command =
                format!("protect noise r.csv --p 100 --attributes x,H --noise {kind} -o p.csv");
            let error = refusal(&run(folder.path(), &command, name));
            assert!(error.contains("overflow") && error.contains("rescale"), "{kind}: {error}");
        }
    }
}

#[test]
fn an_interval_of_infinite_width_discloses_nothing_and_is_refused() {
    for (name, cell) in HARD.iter().filter(|(name, _)| ["huge", "large", "tiny"].contains(name)) {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("r.csv"), file(name, cell)).unwrap();
        let command = "link --original r.csv --released r.csv --attributes H --attack interval \
                       --interval-rule sigma";
        let error = refusal(&run(folder.path(), command, name));
        assert!(error.contains("rescale"), "{error}");
    }
}

fn parse(text: &str) -> Dataset {
    Dataset::from_csv("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap()
}

#[test]
fn a_wholly_suppressed_column_is_not_said_to_lose_nothing() {
    let original = parse(&file("z", |i| (i * 5 % 19).to_string()));
    let released = parse(&file("z", |_| "*".into()));
    let utility = Utility::measure_all(&original, &released).unwrap();
    assert_eq!(utility.nothing_left, ["z"]);
    assert_eq!(utility.attributes.len(), 2);
    assert!(utility.to_string().contains("too few values left to compare: z"), "{utility}");
    let error = Utility::measure(&original, &released, &["x", "z"]).unwrap_err().to_string();
    assert!(error.contains("column z") && error.contains("leave it out"), "{error}");
}

#[test]
fn a_wholly_suppressed_column_is_neither_unchanged_nor_certain() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
    write("o.csv", file("z", |i| (i * 5 % 19).to_string()));
    write("r.csv", file("z", |_| "*".into()));
    let keys = "keys --original o.csv --released r.csv --attributes x,y,H --format json";
    let found: serde_json::Value =
        serde_json::from_str(&success(&run(folder.path(), keys, "z"))).unwrap();
    let changes = &found["releases"][0]["changes"];
    assert_eq!(changes[0]["percent"], 0.0, "{changes}");
    assert!(changes[2]["percent"].is_null(), "{changes}");
    let measure = "measure r.csv --quasi town --confidential H";
    let error = refusal(&run(folder.path(), measure, "z"));
    assert!(error.contains("= z, has no value") && error.contains("leave it out"), "{error}");
    let audit = "audit --original o.csv --released r.csv --attributes x,y --confidential H \
                 --rows-correspond";
    let said = success(&run(folder.path(), audit, "z"));
    assert!(!said.contains("z is certain"), "{said}");
}

#[test]
fn covariances_of_less_than_two_complete_records_are_a_dash() {
    let gap = |i: usize, holes: usize| if i % 2 == holes { "*".into() } else { i.to_string() };
    let text = |holes: [usize; 2]| {
        let rows = (0..20).map(|i| format!("{},{}\n", gap(i, holes[0]), gap(i, holes[1])));
        format!("x,y\n{}", rows.collect::<String>())
    };
    let (original, released) = (parse(&text([2, 2])), parse(&text([0, 1])));
    let utility = Utility::measure_all(&original, &released).unwrap();
    assert_eq!(utility.complete_records, 0);
    assert_eq!(utility.covariance_difference, None);
    assert_eq!(utility.eigenvalue_difference, None);
    assert!(utility.to_string().contains("complete in both files: 0"), "{utility}");
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("o.csv"), text([2, 2])).unwrap();
    std::fs::write(folder.path().join("r.csv"), text([0, 1])).unwrap();
    let json = success(&run(folder.path(), "utility o.csv r.csv --format json", ""));
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(found["covariance_difference"].is_null() && found["complete_records"] == 0, "{json}");
}

#[test]
fn variances_whose_product_overflows_still_have_a_correlation() {
    let text = |factor: &str| {
        let rows = (0..30).map(|i| format!("{}{factor},{}{factor}\n", i * 7 % 30, i * 11 % 30));
        format!("x,y\n{}", rows.collect::<String>())
    };
    let (small, large) = (parse(&text("")), parse(&text("e100")));
    let swapped = |text: String| parse(&text.replace("x,y", "y,x"));
    let measured = |a: &Dataset, b: &Dataset| Utility::measure(a, b, &["x", "y"]).unwrap();
    let small = measured(&small, &swapped(text("")));
    let large = measured(&large, &swapped(text("e100")));
    let of = |utility: &Utility| utility.covariance_difference.unwrap();
    assert!((of(&small) - of(&large)).abs() < 1e-9, "{} {}", of(&small), of(&large));
}
