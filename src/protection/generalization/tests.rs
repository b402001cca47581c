//! The known counts on Adult.

use super::*;
use crate::dataset::catalog::ADULT_QUASI_IDENTIFIERS as ADULT;
use crate::dataset::{Discretization, ReadOptions};

fn adult() -> Dataset {
    let age: Discretization = "age:5:20:90".parse().unwrap();
    let file = Dataset::load("adult-train", &ReadOptions::default()).unwrap();
    let mut file = file.discretize(&[age]).unwrap();
    file.set_role(&["salary"], Role::Confidential).unwrap();
    file
}

/// Distinct patterns, patterns with repetitions, rest.
fn counts(file: &Dataset, k: usize, conditions: &str, variant: Variant) -> (usize, u64, usize) {
    let conditions = conditions.split(',').map(|c| c.parse().unwrap()).collect();
    let method =
        AntiUnification { k, indifferent: 2, conditions, variant, unknown: Unknown::OwnValue };
    let quasi = ADULT.map(String::from);
    let found = method.generalize(file, &quasi, &()).unwrap().summary;
    (found.patterns, found.patterns_with_repetitions, found.rest)
}

#[test]
fn adult_has_the_known_numbers_of_patterns_and_discarded_records() {
    let file = adult();
    for (k, conditions, literal, progressive) in [
        (5, "<,>", (1096, 1380, 3243), (2199, 2983, 3582)),
        (10, "<,>", (695, 869, 4944), (1186, 1641, 5327)),
        (5, ">,<", (3080, 7774, 3330), (3741, 11484, 3318)),
        (10, ">,<", (1493, 3577, 5110), (1836, 5170, 5230)),
    ] {
        assert_eq!(counts(&file, k, conditions, Variant::Literal), literal, "{k} {conditions}");
        let found = counts(&file, k, conditions, Variant::Progressive);
        assert_eq!(found, progressive, "{k} {conditions}");
    }
}

/// A file of `width` columns and `records` rows with few values, some of them unknown.
fn made(records: usize, width: usize, stream: u64) -> Dataset {
    use rand::RngExt;
    let mut random = crate::random::generator(11, stream);
    let labels = [None, Some("a"), Some("b"), Some("c"), Some("d")];
    let column = |a: usize| {
        let values: Vec<_> = (0..records).map(|_| labels[random.random_range(0..5)]).collect();
        crate::dataset::Attribute::nominal(format!("q{a}"), values)
    };
    Dataset::new("made", (0..width).map(column).collect()).unwrap()
}

/// The tuples that one round identifies.
fn identified(tuples: &coded::Tuples, search: analyze_set::PatternSearch) -> Vec<bool> {
    let mut identified = vec![false; tuples.len() as usize];
    for found in analyze_set::analyze_set(search, tuples, (0..tuples.len()).collect()) {
        found.members.iter().for_each(|&t| identified[t as usize] = true);
    }
    identified
}

#[test]
fn a_larger_k_never_identifies_more_records_in_one_round() {
    for stream in 0..60 {
        let file = made(120, 4, stream);
        let coded = Coded::new(&file, &[0, 1, 2, 3], &[]);
        let tuples = &coded.classes[0].tuples;
        for condition in [Condition::Fewest, Condition::Most] {
            for unknown in [Unknown::OwnValue, Unknown::NeverEqual, Unknown::Wildcard] {
                let search = |k| analyze_set::PatternSearch { k, condition, length: 2, unknown };
                for k in 2..8 {
                    let (more, fewer) =
                        (identified(tuples, search(k)), identified(tuples, search(k + 1)));
                    assert!(more.iter().zip(&fewer).all(|(more, fewer)| more >= fewer));
                }
            }
        }
    }
}

#[test]
fn a_pattern_that_covers_too_few_records_is_an_internal_error() {
    let file = made(40, 3, 1);
    let method = |k, indifferent| AntiUnification {
        k,
        indifferent,
        conditions: vec![Condition::Fewest],
        variant: Variant::Literal,
        unknown: Unknown::OwnValue,
    };
    let coded = Coded::new(&file, &[0, 1, 2], &[]);
    let rounds = || vec![analyze_partition::analyze_class(&method(2, 1), &coded.classes[0].tuples)];
    assert!(outcome::Outcome::new(&method(2, 1), &coded, rounds()).is_ok());
    for stricter in [method(39, 1), method(2, 0)] {
        let error = outcome::Outcome::new(&stricter, &coded, rounds()).err().unwrap();
        assert_eq!(error.exit_code(), 1);
    }
}
