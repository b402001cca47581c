//! Released values that stand for others: nobody who compares values sees them, so the audit refuses.

use crate::support::{refusal, success, unmask_in};
use rand::RngExt;
use std::process::Output;
use tempfile::TempDir;
use unmask::audit::Audit;
use unmask::dataset::{Dataset, ReadOptions};
use unmask::linkage::Release;
use unmask::protection::{Method, Noise, Protection, RankSwapping};
use unmask::random::generator;

/// Ages, incomes, codes of a region and of a trade of 400 people.
fn people() -> Vec<[u32; 4]> {
    let mut random = generator(11, 0);
    let mut person = || {
        [
            random.random_range(18..=80),
            random.random_range(300..=6000),
            random.random_range(1..=16),
            random.random_range(1..=40),
        ]
    };
    (0..400).map(|_| person()).collect()
}

fn file(head: &str, write: impl Fn(&[u32; 4]) -> String) -> String {
    let rows: Vec<String> = people().iter().map(write).collect();
    format!("{head}\n{}\n", rows.join("\n"))
}

const HEAD: &str = "age,income,region,trade";

fn original() -> String {
    file(HEAD, |[age, income, region, trade]| format!("{age},{income},{region},{trade}"))
}

struct Case(TempDir);

impl Case {
    fn new(released: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("o.csv"), original()).expect("writes");
        std::fs::write(folder.path().join("r.csv"), released).expect("writes");
        Self(folder)
    }

    fn audit(&self, options: &[&str]) -> Output {
        let audit = ["audit", "--original", "o.csv", "--released", "r.csv", "--time-limit", "10s"];
        unmask_in(self.0.path(), &[&audit[..], options].concat())
    }

    fn refused(&self) -> String {
        refusal(&self.audit(&[]))
    }
}

fn decade(age: &u32) -> String {
    format!("{}-{}", age / 10 * 10, age / 10 * 10 + 9)
}

#[test]
fn values_that_run_the_other_way_round_are_refused() {
    for (name, released) in [
        (
            "age",
            file(HEAD, |[age, income, r, t]| format!("{},{},{r},{t}", 2021 - age, income / 500)),
        ),
        (
            "income",
            file(HEAD, |[age, i, r, t]| format!("{},{},{r},{t}", decade(age), 121 - i / 50)),
        ),
        (
            "income",
            file(HEAD, |[age, i, r, t]| {
                format!("{},{},{r},{t}", decade(age), 10_000.0 / f64::from(*i))
            }),
        ),
    ] {
        let error = Case::new(&released).refused();
        assert!(error.contains(&format!("column {name}")), "{error}");
        assert!(error.contains("the other way round"), "{error}");
    }
}

#[test]
fn codes_that_stand_for_codes_are_refused() {
    let recode = |code: &u32, of: u32| (code * 7 + 3) % of;
    let released = file(HEAD, |[age, income, region, trade]| {
        format!("{},{},{},{}", decade(age), income / 10 * 10, recode(region, 17), recode(trade, 41))
    });
    let error = Case::new(&released).refused();
    assert!(error.contains("codes stand for other codes"), "{error}");
    let letters = |code: &u32| char::from(b'a' + *code as u8);
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: String| {
        std::fs::write(folder.path().join(name), text).expect("writes");
    };
    write("o.csv", file("age,region", |[age, _, region, _]| format!("{age},{}", letters(region))));
    write(
        "r.csv",
        file("age,region", |[age, _, region, _]| {
            format!("{age},{}", letters(&((region * 3 + 5) % 17)))
        }),
    );
    let pair = ["audit", "--original", "o.csv", "--released", "r.csv", "--time-limit", "10s"];
    let error = refusal(&unmask_in(folder.path(), &pair));
    assert!(error.contains("region"), "{error}");
}

#[test]
fn lost_separators_of_thousands_are_refused() {
    let misread = |income: &u32| match income {
        1000.. => format!("{}.{:03}", income / 1000, income % 1000),
        small => small.to_string(),
    };
    let released =
        file(HEAD, |[age, income, r, t]| format!("{},{},{r},{t}.5", decade(age), misread(income)));
    let error = Case::new(&released).refused();
    assert!(error.contains("income"), "{error}");
    let cells = |income: &u32| {
        let low = income / 50 * 50;
        format!("{}-{}", misread(&low), misread(&(low + 49)))
    };
    let released =
        file(HEAD, |[age, income, r, t]| format!("{},{},{r},{t}.5", decade(age), cells(income)));
    let error = Case::new(&released).refused();
    assert!(error.contains("income"), "{error}");
}

#[test]
fn columns_under_other_names_or_in_pieces_are_refused_with_the_names() {
    let released = file("AGE,INCOME,region,trade", |[age, income, r, t]| {
        format!("{age},{},{r},{t}", income / 10 * 10)
    });
    let error = Case::new(&released).refused();
    assert!(error.contains("AGE=age,INCOME=income"), "{error}");
    let case = Case::new(&released);
    let renamed = case.audit(&["--rename", "AGE=age,INCOME=income"]);
    assert!(success(&renamed).contains("Everybody") || success(&renamed).contains("found"));
    let released = file("age,thousands,rest,region,trade", |[age, i, r, t]| {
        format!("{age},{},{},{r},{t}", i / 1000, i % 1000)
    });
    let error = Case::new(&released).refused();
    assert!(error.contains("thousands, rest") && error.contains("lacks income"), "{error}");
}

#[test]
fn no_limit_is_kept_while_new_columns_tell_people_apart() {
    let head = format!("{HEAD},note");
    let mut random = generator(3, 1);
    let shuffled: Vec<u32> = (0..400).map(|_| random.random_range(0..1_000_000)).collect();
    let rows = people();
    let line = |(i, [_, _, _, trade]): (usize, &[u32; 4])| {
        format!("40-59,3000,1,{},{}", trade / 10, shuffled[i])
    };
    let released =
        format!("{head}\n{}\n", rows.iter().enumerate().map(line).collect::<Vec<_>>().join("\n"));
    let output = Case::new(&released).audit(&["--max-risk", "0.9", "--rows-correspond"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("columns that the original lacks"), "{text}");
}

#[test]
fn insisting_on_rows_makes_no_sentence_unconditional() {
    let mut lines: Vec<String> =
        people().iter().map(|[a, i, r, t]| format!("{a},{i},{r},{t}")).collect();
    lines.rotate_left(7);
    let released = format!("{HEAD}\n{}\n", lines.join("\n"));
    let text = success(&Case::new(&released).audit(&["--rows-correspond"]));
    assert!(text.contains("If rows belong together, against what these files tell"), "{text}");
    assert!(!text.contains("insist with"), "{text}");
}

/// No protection of any strength is taken for a translation.
#[test]
fn protected_files_are_no_translations() {
    let census = Dataset::load("census", &ReadOptions::default()).expect("built in");
    let survey = Dataset::load("survey", &ReadOptions::default()).expect("built in");
    let methods = [
        Method::Noise(Noise::new(5.0)),
        Method::Noise(Noise::new(500.0)),
        Method::RankSwapping(RankSwapping::new(2.0)),
        Method::RankSwapping(RankSwapping::new(100.0)),
    ];
    for (file, names) in [(census, vec!["AGI", "FICA", "PTOTVAL"]), (survey, vec!["age"])] {
        for method in &methods {
            let made = Protection::by(method.clone()).attributes(names.clone()).seed(3);
            let released = made.apply(&file, &()).expect("protects").protected.released;
            let release = Release::by_row(file.clone(), released).expect("rows");
            let audit =
                Audit::of(&release).attributes(names.clone()).sample(30).rows_correspond(true);
            let found = audit.time_limit(std::time::Duration::from_secs(5)).run(&());
            assert!(found.is_ok(), "{}: {:?}", method.name(), found.err());
        }
    }
}
