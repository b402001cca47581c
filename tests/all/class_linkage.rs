//! Linking to classes of a release, against linking to its records.

use crate::support::{column, dataset, normal_columns};
use proptest::prelude::*;
use unmask::disclosure::ClassLinkage;
use unmask::distance::Standardization;
use unmask::learning::{Aggregation, Count, Learner, PairRows, RowSet, SolverChoice, worst_case};
use unmask::linkage::Release;
use unmask_solvers::Limits;

const NAMES: [&str; 2] = ["x0", "x1"];

/// An original, and a release on a coarse grid: many of its records are equal.
fn release_with_twins() -> impl Strategy<Value = Release> {
    let file = |records| {
        let original = prop::collection::vec(prop::collection::vec(-9i32..9, records), 2);
        let released = prop::collection::vec(prop::collection::vec(-1i32..2, records), 2);
        (original, released)
    };
    let numbers = |columns: Vec<Vec<i32>>, scale: f64| -> Vec<Vec<f64>> {
        let number = |v| f64::from(v) * scale;
        columns.into_iter().map(|c| c.into_iter().map(number).collect()).collect()
    };
    (4usize..30).prop_flat_map(file).prop_map(move |(original, released)| {
        let (original, released) = (numbers(original, 1.0), numbers(released, 7.0));
        Release::by_row(dataset(&original), dataset(&released)).unwrap()
    })
}

/// Which records `weights` find: compared with every released record by the definition.
fn found_by_definition(release: &Release, weights: [f64; 2]) -> Vec<bool> {
    let values = |file| [0, 1].map(|j| column(file, j));
    let (original, released) = (values(release.original()), values(release.released()));
    let row = |j: usize| [released[0][j], released[1][j]];
    let distance = |i: usize, j: usize| -> f64 {
        let of = |a: usize| weights[a] * (original[a][i] - released[a][j]).powi(2);
        of(0) + of(1)
    };
    let is_found = |i: usize| {
        let own = release.own()[i] as usize;
        (0..released[0].len()).all(|j| row(j) == row(own) || distance(i, j) > distance(i, own))
    };
    (0..original[0].len()).map(is_found).collect()
}

fn found(release: &Release, weights: [f64; 2]) -> Vec<bool> {
    let (scale, aggregation) = (Standardization::Raw, Aggregation::WeightedMean);
    PairRows::new(release, &NAMES, scale, aggregation).unwrap().reidentified(&weights, &()).unwrap()
}

fn most(release: &Release) -> usize {
    let learner = Learner {
        standardization: Standardization::Raw,
        aggregation: Aggregation::WeightedMean,
        count: Count::Certain,
        solver: SolverChoice::Exact,
        rows: RowSet::All,
        limits: Limits::default(),
        certificates: None,
    };
    let found = worst_case(release, &NAMES, &learner, &()).unwrap();
    assert_eq!(found.certain() as f64, found.upper_bound(), "is proven");
    found.certain()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_class_is_found_when_all_other_classes_are_farther(
        release in release_with_twins(), weight in 1u32..8
    ) {
        let weights = [f64::from(weight), 1.0];
        let classes = ClassLinkage::new(&release, &NAMES).unwrap();
        prop_assert_eq!(found(&classes.release, weights), found_by_definition(&release, weights));
    }

    #[test]
    fn no_weights_find_more_classes_than_the_worst_case(
        release in release_with_twins(), weights in prop::array::uniform2(0.01f64..1.0)
    ) {
        let classes = ClassLinkage::new(&release, &NAMES).unwrap();
        prop_assume!(classes.release.released().records() > 1);
        let by_weights = found_by_definition(&release, weights).iter().filter(|f| **f).count();
        let most_classes = most(&classes.release);
        prop_assert!(by_weights <= most_classes);
        prop_assert!(most(&release) <= most_classes, "a record that is found gives its class");
    }

    #[test]
    fn guessing_in_all_classes_finds_one_record_of_each(release in release_with_twins()) {
        let classes = ClassLinkage::new(&release, &NAMES).unwrap();
        let guessed = classes.guessed(&vec![true; release.records()]);
        let count = classes.release.released().records();
        prop_assert!((guessed - count as f64).abs() < 1e-9);
    }
}

#[test]
fn classes_of_records_without_twins_are_the_records() {
    let release =
        Release::by_row(dataset(&normal_columns(60, 2, 1)), dataset(&normal_columns(60, 2, 2)));
    let release = release.unwrap();
    let classes = ClassLinkage::new(&release, &NAMES).unwrap().release;
    assert_eq!((classes.own(), classes.released()), (release.own(), release.released()));
}

#[test]
fn who_knows_a_sample_of_persons_still_sees_the_whole_release() {
    let columns = normal_columns(50, 2, 3);
    let release = Release::by_row(dataset(&columns), dataset(&columns)).unwrap();
    let (sample, known) = (release.sample(20, 7).unwrap(), release.known(20, 7).unwrap());
    assert_eq!(known.original(), sample.original());
    assert_eq!(known.rows(), sample.rows());
    assert_eq!(known.released(), release.released());
    assert!(known.own().iter().eq(known.rows()), "row i belongs to row i of the whole file");
    assert!(release.known(51, 7).is_err() && release.known(1, 7).is_err());
}
