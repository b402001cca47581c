//! Laws every protection method keeps, on random files.

#[path = "../textbook/mdav.rs"]
mod textbook;

use crate::support::methods::{all_methods, fitting, microaggregations, random_methods};
use crate::support::{column, dataset, normal_columns};
use proptest::prelude::*;
use unmask::dataset::Dataset;
use unmask::distance::Points;
use unmask::protection::microaggregation::{Mdav, TailRule, mdav};
use unmask::protection::{Method, Noise, NoiseKind, Protected, RankSwapping, Recipe, SwapVariant};
use unmask::statistics::{correlation_matrix, covariance_matrix, mean, standard_deviation};

fn protect(method: &Method, data: &Dataset, seed: u64) -> Protected {
    method.protect(data, &data.names(), seed, &()).expect("protects")
}

/// Small files with many ties: values on a coarse grid.
fn coarse_columns() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (2usize..5, 12usize..90).prop_flat_map(|(count, records)| {
        let value = (-6i32..6).prop_map(f64::from);
        prop::collection::vec(prop::collection::vec(value, records), count)
    })
}

fn varies(columns: &[Vec<f64>]) -> bool {
    columns.iter().all(|c| c.iter().any(|v| *v != c[0]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_group_has_at_least_k_records_and_fewer_than_2k(
        columns in coarse_columns(), k in 2usize..6, which in 0..microaggregations(2).len()
    ) {
        prop_assume!(varies(&columns));
        let data = dataset(&columns);
        let method = &microaggregations(k)[which];
        let protected = protect(method, &data, 1);
        for partition in &protected.partitions {
            let mut seen: Vec<u32> = partition.groups.concat();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..data.records() as u32).collect::<Vec<_>>());
            prop_assert!(partition.smallest() >= k);
            // Leftovers that join the nearest group are the one exception.
            let tail = |m: &Method| matches!(m, Method::Mdav(Mdav { tail: TailRule::NearestGroup, .. }));
            if !tail(method) && !matches!(method, Method::VMdav(_)) {
                prop_assert!(partition.largest() < 2 * k);
            }
        }
        if matches!(method, Method::Mdav(Mdav { tail: TailRule::LastGroup, .. })) {
            for partition in &protected.partitions {
                let (_, others) = partition.groups.split_last().unwrap();
                prop_assert!(others.iter().all(|g| g.len() == k));
            }
        }
    }

    #[test]
    fn microaggregation_keeps_the_mean_of_each_attribute(
        columns in coarse_columns(), k in 2usize..6, which in 0..microaggregations(2).len()
    ) {
        prop_assume!(varies(&columns));
        let protected = protect(&microaggregations(k)[which], &dataset(&columns), 1);
        for (j, original) in columns.iter().enumerate() {
            let released = column(&protected.released, j);
            prop_assert!((mean(original) - mean(&released)).abs() < 1e-11);
        }
    }

    #[test]
    fn mdav_makes_exactly_the_groups_of_the_textbook(
        columns in coarse_columns(), k in 2usize..6,
        tail in prop::sample::select(vec![TailRule::LastGroup, TailRule::NearestGroup])
    ) {
        prop_assert_eq!(mdav(&Points::numeric(columns.clone()), k, tail, &|_| ()), textbook::mdav(&columns, k, tail));
    }

    #[test]
    fn rank_swapping_moves_no_value_further_than_r_ranks_and_keeps_the_multiset(
        values in prop::collection::vec(-1000i32..1000, 10..300), p in 10.0f64..100.0,
        swap in prop::sample::select(vec![SwapVariant::Upward, SwapVariant::Symmetric]),
        seed in 0u64..1000
    ) {
        let original: Vec<f64> = values.into_iter().map(f64::from).collect();
        let r = (p * original.len() as f64 / 100.0).floor() as usize;
        let method = Method::RankSwapping(RankSwapping { swap, ..RankSwapping::new(p) });
        let released = column(&protect(&method, &dataset(std::slice::from_ref(&original)), seed).released, 0);
        let sorted = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values
        };
        let ranked = sorted(&original);
        prop_assert_eq!(&ranked, &sorted(&released));
        for (before, after) in original.iter().zip(&released) {
            // Equal values share a range of ranks; the nearest ends of the two ranges count.
            let range = |v: &f64| (ranked.partition_point(|x| x < v), ranked.partition_point(|x| x <= v) - 1);
            let ((low, high), (to_low, to_high)) = (range(before), range(after));
            let moved = to_low.saturating_sub(high).max(low.saturating_sub(to_high));
            prop_assert!(moved <= r, "moved {} ranks of {}", moved, r);
        }
    }
}

#[test]
fn mdav_makes_the_textbook_groups_of_five_thousand_normal_records() {
    let columns = normal_columns(5_000, 7, 11);
    let ours = mdav(&Points::numeric(columns.clone()), 5, TailRule::LastGroup, &|_| ());
    assert_eq!(ours, textbook::mdav(&columns, 5, TailRule::LastGroup));
}

#[test]
fn mdav_groups_identical_records_without_trouble() {
    let columns = vec![vec![1.0; 500], vec![2.0; 500]];
    let ours = mdav(&Points::numeric(columns.clone()), 3, TailRule::LastGroup, &|_| ());
    assert_eq!(ours, textbook::mdav(&columns, 3, TailRule::LastGroup));
}

#[test]
fn noise_has_the_asked_standard_deviation() {
    let data = dataset(&normal_columns(20_000, 3, 5));
    let asked = [1.0, 16.0, 80.0];
    let method = Method::Noise(Noise { p: asked.to_vec(), noise: NoiseKind::Uncorrelated });
    let released = protect(&method, &data, 9).released;
    for (j, p) in asked.iter().enumerate() {
        let (before, after) = (column(&data, j), column(&released, j));
        let noise: Vec<f64> = before.iter().zip(&after).map(|(x, y)| y - x).collect();
        let expected = p / 100.0 * standard_deviation(&before);
        // Four standard errors of a standard deviation of 20,000 normal values.
        assert!((standard_deviation(&noise) / expected - 1.0).abs() < 4.0 / (40_000f64).sqrt());
        assert!(mean(&noise).abs() < 4.0 * expected / 20_000f64.sqrt());
    }
}

/// Two columns with correlation 0.8 and one on its own.
fn correlated_data() -> Dataset {
    let mut columns = normal_columns(50_000, 3, 6);
    columns[1] = (0..50_000).map(|i| 0.8 * columns[0][i] + 0.6 * columns[1][i]).collect();
    dataset(&columns)
}

fn columns_of(data: &Dataset) -> Vec<Vec<f64>> {
    (0..data.attributes().len()).map(|j| column(data, j)).collect()
}

#[test]
fn correlated_noise_keeps_correlations_and_uncorrelated_noise_does_not() {
    let data = correlated_data();
    let correlation =
        |data: &Dataset| correlation_matrix(&covariance_matrix(&columns_of(data)))[(0, 1)];
    let after = |noise| {
        let method = Method::Noise(Noise { noise, ..Noise::new(50.0) });
        correlation(&protect(&method, &data, 3).released)
    };
    assert!((after(NoiseKind::Correlated) - correlation(&data)).abs() < 0.01);
    assert!((after(NoiseKind::Uncorrelated) - correlation(&data) / 1.25).abs() < 0.01);
}

#[test]
fn covariance_preserving_noise_keeps_means_and_covariances() {
    let data = correlated_data();
    let noise = NoiseKind::CovariancePreserving;
    let method = Method::Noise(Noise { noise, ..Noise::new(50.0) });
    let released = protect(&method, &data, 3).released;
    let difference =
        covariance_matrix(&columns_of(&released)) - covariance_matrix(&columns_of(&data));
    assert!(difference.abs().max() < 0.03, "{difference}");
    for j in 0..3 {
        assert!((mean(&column(&released, j)) - mean(&column(&data, j))).abs() < 0.02);
    }
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let path = std::path::Path::new("x.csv");
    for method in all_methods() {
        let (data, names) = fitting(&method, 6_000, 2);
        let bytes = |threads| {
            let protect = || {
                method
                    .protect(&data, &names, 8, &())
                    .unwrap_or_else(|e| panic!("{}: {e}", method.name()))
            };
            with_threads(threads, || protect().released.to_bytes(path).unwrap())
        };
        assert!(bytes(1) == bytes(4), "{} {}", method.name(), method.parameters());
    }
}

#[test]
fn noise_and_swaps_of_a_long_file_are_the_same_on_any_number_of_threads() {
    let data = dataset(&normal_columns(40_000, 4, 2));
    for method in random_methods() {
        let released = |threads| with_threads(threads, || protect(&method, &data, 8).released);
        assert_eq!(released(1), released(4), "{} {}", method.name(), method.parameters());
    }
}

#[test]
fn identifiers_and_confidential_attributes_are_left_alone() {
    for method in all_methods() {
        let (data, names) = fitting(&method, 300, 5);
        let protected = method
            .protect(&data, &names, 3, &())
            .unwrap_or_else(|e| panic!("{}: {e}", method.name()));
        let kept = protected.kept().unwrap_or_else(|| (0..data.records()).collect());
        assert_eq!(protected.released.records(), kept.len(), "{}", method.name());
        assert_eq!(protected.kept().is_none(), method.implementation().keeps_every_record());
        let before = data.select(&kept).unwrap();
        let column = |file: &Dataset, name: &str| {
            file.position(name).ok().map(|i| file.attributes()[i].values.clone())
        };
        for name in ["id", "secret"] {
            let after = column(&protected.released, name);
            // A generalization leaves out what could tell the records of a pattern apart.
            let left_out = after.is_none() && protected.generalization.is_some();
            assert!(left_out || after == column(&before, name), "{} {name}", method.name());
        }
        for name in &names {
            let changed = column(&protected.released, name) != column(&before, name);
            assert!(changed, "{} {name}", method.name());
        }
    }
}

#[test]
fn every_recipe_survives_being_written_and_read_and_makes_the_same_release() {
    for method in all_methods() {
        let (data, names) = fitting(&method, 120, 7);
        let recipe = Recipe { method, attributes: names, seed: Some(4) };
        let again = Recipe::parse(&recipe.to_toml().unwrap()).unwrap();
        assert_eq!(again, recipe);
        let json = serde_json::to_value(&recipe.method).unwrap();
        assert_eq!(serde_json::from_value::<Method>(json).unwrap(), recipe.method);
        let release =
            |r: &Recipe| r.method.protect(&data, &r.attributes, r.seed.unwrap(), &()).unwrap();
        assert_eq!(release(&recipe).released, release(&again).released, "{}", recipe.method.name());
    }
}

#[test]
fn different_seeds_give_different_releases() {
    let data = dataset(&normal_columns(500, 2, 2));
    for method in random_methods() {
        let released = |seed| protect(&method, &data, seed).released;
        assert_ne!(released(1), released(2), "{}", method.name());
    }
}
