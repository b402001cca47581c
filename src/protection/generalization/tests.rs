//! The known counts on Adult.

use super::*;
use crate::dataset::{Discretization, ReadOptions};
use crate::progress::Silent;

const ADULT: [&str; 8] = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
];

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
    let quasi = file.positions(&ADULT).unwrap();
    let found = method.generalize(file, &quasi, &Silent).unwrap().summary;
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
