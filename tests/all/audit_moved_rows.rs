//! Rows that were moved, units that were changed, releases beside the first one, people who are not
//! in the release, and columns that name people in other words: none of them may reassure.

use rand::seq::SliceRandom;
use unmask::audit::{Audit, AuditRecord};
use unmask::dataset::{Attribute, Dataset, ReadOptions, Values};
use unmask::learning::Count;
use unmask::linkage::Release;
use unmask::protection::microaggregation::Mdav;
use unmask::protection::{Noise, ProtectionMethod};
use unmask::random::generator;

const FIVE: [&str; 5] = ["age", "sex", "region", "education", "occupation"];
const MONEY: [&str; 4] = ["AGI", "FICA", "TAXINC", "FEDTAX"];

fn load(name: &str) -> Dataset {
    Dataset::load(name, &ReadOptions::default()).unwrap()
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

/// `file` with its rows shuffled among each `size` that follow each other.
fn shuffled_by(file: &Dataset, size: usize) -> Dataset {
    let mut rows: Vec<usize> = (0..file.records()).collect();
    let mut random = generator(3, 0);
    rows.chunks_mut(size).for_each(|chunk| chunk.shuffle(&mut random));
    file.select(&rows).unwrap()
}

/// `file` with every number of `names` changed.
fn mapped(file: &Dataset, names: &[&str], change: impl Fn(f64) -> f64) -> Dataset {
    let columns = names.iter().map(|name| {
        let Values::Numeric(column) = file.values(name).unwrap() else { panic!("{name}: numbers") };
        let values = column.present().map(&change).collect();
        (file.position(name).unwrap(), Attribute::numeric(*name, values).unwrap().values)
    });
    file.with_columns(columns.collect::<Vec<_>>())
}

fn refused(original: &Dataset, released: Dataset, attributes: &[&str]) -> String {
    let release = Release::by_row(original.clone(), released).unwrap();
    let audit = Audit::of(&release).attributes(attributes.iter().copied());
    audit.run(&()).expect_err("is refused").to_string()
}

fn audited(audit: Audit<'_>, attributes: &[&str]) -> AuditRecord {
    audit.attributes(attributes.iter().copied()).run(&()).expect("audits")
}

#[test]
fn unprotected_rows_moved_a_little_are_refused() {
    let survey = load("survey");
    for size in [2, 3, 10] {
        let error = refused(&survey, shuffled_by(&survey, size), &FIVE);
        assert!(error.contains("rows seem to have been moved"), "{size}: {error}");
    }
}

#[test]
fn unprotected_rows_of_which_half_were_moved_are_refused() {
    let survey = load("survey");
    let mut rows: Vec<usize> = (0..survey.records()).collect();
    rows[1500..].shuffle(&mut generator(5, 0));
    let error = refused(&survey, survey.select(&rows).unwrap(), &FIVE);
    assert!(error.contains("rows seem to have been moved"), "{error}");
}

/// `file` without one of its rows, and its last row twice.
fn slipped(file: &Dataset, at: usize) -> Dataset {
    let last = file.records() - 1;
    let rows: Vec<usize> = (0..=last).map(|i| if i < at { i } else { last.min(i + 1) }).collect();
    file.select(&rows).unwrap()
}

#[test]
fn protected_rows_that_slipped_by_one_from_some_place_on_are_refused() {
    let census = load("census");
    let noisy = Noise::new(5.0).protect(&census, &names(&MONEY), 1, &()).unwrap().released;
    for at in [100, 400, 900] {
        let error = refused(&census, slipped(&noisy, at), &MONEY);
        assert!(error.contains("pairs are not clearly nearer than random pairs"), "{at}: {error}");
    }
}

#[test]
fn protected_rows_moved_among_their_neighbors_are_refused() {
    let census = load("census");
    let noisy = Noise::new(5.0).protect(&census, &names(&MONEY), 1, &()).unwrap().released;
    for size in [3, 20] {
        let error = refused(&census, shuffled_by(&noisy, size), &MONEY);
        assert!(error.contains("do not seem to correspond"), "{size}: {error}");
    }
}

/// `file` with so many of its rows, drawn at random, shuffled among each other.
fn mixed(file: &Dataset, moved: usize) -> Dataset {
    let mut random = generator(11, 0);
    let mut rows: Vec<usize> = (0..file.records()).collect();
    let places = rand::seq::index::sample(&mut random, rows.len(), moved).into_vec();
    let mut to = places.clone();
    to.shuffle(&mut random);
    places.iter().zip(to).for_each(|(&place, row)| rows[place] = row);
    file.select(&rows).unwrap()
}

#[test]
fn protected_rows_mixed_over_the_whole_file_are_refused_though_some_stay_in_place() {
    let census = load("census");
    for (p, moved) in [(2.0, 400), (2.0, 972), (5.0, 972)] {
        let noisy = Noise::new(p).protect(&census, &names(&MONEY), 1, &()).unwrap().released;
        let error = refused(&census, mixed(&noisy, moved), &MONEY);
        assert!(error.contains("do not seem to correspond"), "{p}, {moved}: {error}");
    }
}

#[test]
fn rows_shuffled_under_other_units_are_refused() {
    let census = load("census");
    for (factor, offset) in [(1000.0, 0.0), (1.0, 1e9), (-1.0, 0.0)] {
        let released = mapped(&shuffled_by(&census, 2000), &MONEY, |v| factor * v + offset);
        let error = refused(&census, released, &MONEY);
        assert!(error.contains("do not seem to correspond"), "{factor}, {offset}: {error}");
    }
}

#[test]
fn every_release_on_a_map_is_examined_before_any_attack() {
    let survey = load("survey");
    let protected = Mdav::new(5).protect(&survey, &names(&["age"]), 1, &()).unwrap().released;
    let first = Release::by_row(survey.clone(), protected).unwrap();
    let shuffled = Release::by_row(survey.clone(), shuffled_by(&survey, 3000)).unwrap();
    let audit = Audit::of(&first).attributes(FIVE).compared_with("other.csv", &shuffled);
    let error = audit.run(&()).unwrap_err().to_string();
    assert!(error.contains("do not seem to correspond"), "{error}");
}

#[test]
fn a_release_is_attacked_by_what_varies_in_it_and_not_in_the_first_one() {
    let census = load("census");
    let constant = mapped(&census, &MONEY[1..], |_| 7.0);
    let noisy = Noise::new(50.0).protect(&constant, &names(&["AGI"]), 1, &()).unwrap().released;
    let first = Release::by_row(census.clone(), noisy).unwrap();
    let unprotected = Release::by_row(census.clone(), census).unwrap();
    let audit = Audit::of(&first).max_risk(0.3, "a test").sample(100);
    let record = audited(audit.compared_with("census.csv", &unprotected), &MONEY);
    let other = &record.releases[1];
    assert_eq!(other.verdict.rate, 1.0, "{:?}", other.verdict);
    assert_eq!((other.exceeded, record.exceeded()), (Some(true), true));
}

#[test]
fn a_limit_is_about_the_people_who_are_in_the_release() {
    let survey = load("survey");
    let tenth = survey.select(&(0..300).collect::<Vec<_>>()).unwrap();
    let release = Release::by_key(survey, tenth, "person_id").unwrap();
    let audit = Audit::of(&release).key("person_id").max_risk(0.2, "a test");
    let record = audited(audit, &FIVE);
    assert_eq!((record.verdict.of, record.verdict.suppressed), (3000, 2700));
    assert!(record.verdict.rate < 0.11, "suppressed records count as not found");
    assert_eq!(record.verdict.kept, Some(false));
    assert!(record.threshold.unwrap().risk > 0.98);
    let said = record.verdict.sentence();
    assert!(
        said.contains("2700 of the 3000 people of the original are not in the release"),
        "{said}"
    );
    assert!(!said.contains("assumed to know that the person is in the file"), "{said}");
}

#[test]
fn what_is_not_certain_is_not_nobody() {
    let census = load("census");
    let protected = Mdav::new(5).protect(&census, &names(&MONEY), 1, &()).unwrap().released;
    let release = Release::by_row(census, protected).unwrap();
    let record = audited(Audit::of(&release).count(Count::Certain), &MONEY);
    assert_eq!(record.verdict.rate, 0.0);
    assert_eq!(record.verdict.headline(), "Nobody is found for certain by any attacker examined.");
    let text = unmask::report::text(&record.document().unwrap());
    assert!(text.contains("0 of 1080 people are found for certain (0.0%); guesses"), "{text}");
}

#[test]
fn bounds_are_shares_of_people() {
    let columns = crate::support::normal_columns(120, 30, 4);
    let file = crate::support::dataset(&columns);
    let every: Vec<String> = file.names().to_vec();
    let release = Release::by_row(file.clone(), file).unwrap();
    let audit = Audit::of(&release).attributes(every);
    let record = audit.time_limit(std::time::Duration::from_secs(3)).run(&()).unwrap();
    assert!(record.verdict.upper_bound <= 1.0, "{:?}", record.verdict);
    let scales = &record.worst_case.scales;
    assert!(scales.iter().all(|scale| scale.file.upper_bound_rate <= 1.0), "{scales:?}");
}

/// The survey with persons' numbers written otherwise.
fn recoded(write: impl Fn(usize) -> String) -> Release {
    let survey = load("survey");
    let text = |number: &dyn Fn(usize) -> String| {
        let rows = (0..survey.records()).map(|i| format!("{},{}", number(i), i % 90));
        std::iter::once("code,age".to_owned()).chain(rows).collect::<Vec<_>>().join("\n")
    };
    let read = |text: String| Dataset::from_csv("x", text.as_bytes(), &ReadOptions::default());
    let number = |i: usize| (i * 7919 % 10_007 + 1000).to_string();
    let [original, released] = [text(&number), text(&write)].map(|text| read(text).unwrap());
    Release::by_row(original, released).unwrap()
}

#[test]
fn numbers_of_persons_in_other_words_are_told() {
    let number = |i: usize| i * 7919 % 10_007 + 1000;
    for (write, identifies) in [
        (&(|i| (number(i) + 1).to_string()) as &dyn Fn(usize) -> String, true),
        (&|i| format!("{}", number(i) as f64 / 1000.0), true),
        (&|i| format!("P-{}", number(i)), false),
    ] {
        let record = audited(Audit::of(&recoded(write)).rows_correspond(true), &["age"]);
        let said = match identifies {
            true => &record.coverage.direct_identifiers,
            false => &record.coverage.warnings,
        };
        assert_eq!(said.len(), 1, "{:?}", record.coverage);
        assert!(said[0].recoded && said[0].name == "code");
    }
}

#[test]
fn more_attributes_than_weights_are_refused_with_the_remedy() {
    let file = crate::support::dataset(&crate::support::normal_columns(110, 65, 4));
    let every: Vec<String> = file.names().to_vec();
    let release = Release::by_row(file.clone(), file).unwrap();
    let error = Audit::of(&release).attributes(every).run(&()).unwrap_err().to_string();
    assert!(error.contains("at most 64; name fewer with `attributes`"), "{error}");
}
