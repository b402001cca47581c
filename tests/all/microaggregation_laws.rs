//! Laws of V-MDAV and l-diverse V-MDAV, on random files.

#[path = "../textbook/v_mdav.rs"]
mod textbook;

use crate::support::normal_columns;
use proptest::prelude::*;
use textbook::Kind;
use unmask::anonymity::{Anonymity, AnonymityOptions, Diversity, LevelRule, Levels};
use unmask::dataset::{Attribute, Categorical, Dataset, Values};
use unmask::distance::{Points, Scale};
use unmask::protection::microaggregation::{
    DiversityRule, LDiverseVMdav, Mdav, Missing, Refinement, VMdav, l_diverse_v_mdav, refine,
    v_mdav,
};
use unmask::protection::{Protected, ProtectionMethod};
use unmask::utility::Utility;

/// Small files with many ties: values on a coarse grid.
fn coarse_columns() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (1usize..4, 6usize..90).prop_flat_map(|(count, records)| {
        let value = (-6i32..6).prop_map(f64::from);
        prop::collection::vec(prop::collection::vec(value, records), count)
    })
}

const GAMMAS: [f64; 5] = [0.0, 0.2, 0.7, 1.1, 2.0];

/// A small file, the levels of one or two sensitive attributes, l, k and gamma.
fn sensitive_file() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<Vec<u32>>, usize, usize, f64)> {
    coarse_columns().prop_flat_map(|columns| {
        let records = columns[0].len();
        // Squared, so that low levels are frequent and high ones rare.
        let level = (0u32..9).prop_map(|v| v * v / 16);
        let levels = prop::collection::vec(prop::collection::vec(level, records), 1..3);
        let gamma = prop::sample::select(GAMMAS.to_vec());
        (Just(columns), levels, 2usize..5, 0usize..4, gamma)
    })
}

fn is_partition(groups: &[Vec<u32>], records: usize) -> bool {
    let mut seen = groups.concat();
    seen.sort_unstable();
    seen == (0..records as u32).collect::<Vec<_>>()
}

/// Fails unless both make the same groups, a partition that keeps l and k.
fn diverse_groups_are_those_of_the_textbook(
    columns: &[Vec<f64>],
    levels: &[Vec<u32>],
    (l, k): (usize, usize),
    gamma: f64,
    entropy: bool,
) -> Result<(), TestCaseError> {
    let textbook = textbook::Rule { l: l as f64, k, entropy, levels };
    let all: Vec<u32> = (0..columns[0].len() as u32).collect();
    prop_assume!(all.len() >= k && textbook.is_diverse(&all));
    let kind = if entropy { Diversity::Entropy } else { Diversity::Distinct };
    let rule = DiversityRule::new(l, k, kind, levels.to_vec());
    let ours = l_diverse_v_mdav(&Points::numeric(columns.to_vec()), &rule, gamma, &|_| ());
    prop_assert_eq!(&ours, &textbook::l_diverse_v_mdav(columns, &textbook, gamma));
    prop_assert!(is_partition(&ours, all.len()));
    prop_assert!(ours.iter().all(|g| g.len() >= k && textbook.is_diverse(g)));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn v_mdav_makes_exactly_the_groups_of_the_textbook(
        columns in coarse_columns(), k in 2usize..6, gamma in prop::sample::select(GAMMAS.to_vec())
    ) {
        let ours = v_mdav(&Points::numeric(columns.clone()), k, gamma, &|_| ());
        let numbers = vec![Kind::Number; columns.len()];
        prop_assert_eq!(ours, textbook::v_mdav(&columns, &numbers, k, gamma));
    }

    #[test]
    fn v_mdav_groups_have_k_to_2k_minus_1_records_before_leftovers_join(
        columns in coarse_columns(), k in 2usize..6, gamma in 0.0f64..3.0
    ) {
        let records = columns[0].len();
        let groups = v_mdav(&Points::numeric(columns), k, gamma, &|_| ());
        prop_assert!(is_partition(&groups, records));
        prop_assert!(groups.iter().all(|g| g.len() >= k));
        let beyond: usize = groups.iter().map(|g| g.len().saturating_sub(2 * k - 1)).sum();
        prop_assert!(beyond < k, "only the fewer than k leftovers go beyond 2k - 1");
    }

    #[test]
    fn gamma_0_gives_groups_of_k(columns in coarse_columns(), k in 2usize..6) {
        let records = columns[0].len();
        let groups = v_mdav(&Points::numeric(columns), k, 0.0, &|_| ());
        prop_assert_eq!(groups.len(), records / k);
        let more: usize = groups.iter().map(|g| g.len() - k).sum();
        prop_assert_eq!(more, records % k);
    }

    #[test]
    fn l_diverse_v_mdav_makes_exactly_the_groups_of_the_textbook(
        (columns, levels, l, more, gamma) in sensitive_file(), entropy in any::<bool>()
    ) {
        let k = l + more;
        diverse_groups_are_those_of_the_textbook(&columns, &levels, (l, k), gamma, entropy)?;
    }

    #[test]
    fn many_levels_are_grouped_as_the_textbook_says(
        columns in coarse_columns(), l in 2usize..5, more in 0usize..3, spread in 65u32..200,
        gamma in prop::sample::select(GAMMAS.to_vec()), entropy in any::<bool>()
    ) {
        // More combinations than there are labels for, and some of them twice.
        let level = |i: usize, step: u32| i as u32 * step % spread / 2 * 2;
        let of = |step| (0..columns[0].len()).map(|i| level(i, step)).collect::<Vec<u32>>();
        let levels = vec![of(7), of(31)];
        let k = l + more;
        diverse_groups_are_those_of_the_textbook(&columns, &levels, (l, k), gamma, entropy)?;
    }

    #[test]
    fn the_release_is_l_diverse_and_k_anonymous_when_measured(
        (columns, _, l, more, gamma) in sensitive_file(), count in 3u32..9,
        quantile in any::<bool>(), entropy in any::<bool>()
    ) {
        let data = with_sensitive(&columns);
        let levels = Levels { count, rule: if quantile { LevelRule::Quantile } else { LevelRule::EqualWidth } };
        let method = LDiverseVMdav {
            l,
            k: Some(l + more),
            gamma,
            sensitive: vec!["s".into()],
            levels: Some(levels.count),
            level_rule: Some(levels.rule),
            diversity: if entropy { Diversity::Entropy } else { Diversity::Distinct },
            cluster_on: Scale::Raw,
            missing: Missing::default(),
            refine: None,
        };
        let names = data.names()[1..].to_vec();
        let Ok(protected) = method.protect(&data, &names, 1, &()) else {
            // Refused: the file itself is too small or not diverse enough.
            let whole = measured(&data, &[], levels);
            let degree = if entropy { whole.1 } else { whole.0 as f64 };
            prop_assert!(degree < l as f64 || data.records() < l + more);
            return Ok(());
        };
        prop_assert_eq!(&protected.released.attributes()[0], &data.attributes()[0]);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (distinct, exp_entropy, k) = measured(&protected.released, &names, levels);
        prop_assert!(k >= l + more);
        let degree = if entropy { exp_entropy } else { distinct as f64 };
        prop_assert!(degree >= l as f64);
    }

    #[test]
    fn mixed_attributes_are_grouped_as_the_textbook_says(
        rows in prop::collection::vec((-5i32..5, 0usize..4, 0usize..5), 8..60), k in 2usize..5,
        gamma in prop::sample::select(GAMMAS.to_vec())
    ) {
        let data = mixed(&rows);
        let v_mdav = VMdav { gamma, cluster_on: Scale::Raw, ..VMdav::new(k) };
        let mdav = Mdav { cluster_on: Scale::Raw, ..Mdav::new(k) };
        let protected = microaggregated(&data, &v_mdav);
        let (columns, kinds) = coordinates(&data);
        let expected = textbook::v_mdav(&columns, &kinds, k, gamma);
        prop_assert_eq!(&protected.partitions[0].groups, &expected);
        for method in [&v_mdav as &dyn ProtectionMethod, &mdav] {
            let protected = microaggregated(&data, method);
            prop_assert!(is_partition(&protected.partitions[0].groups, rows.len()));
            for group in &protected.partitions[0].groups {
                prop_assert!(group.len() >= k);
                for j in 1..3 {
                    let before = codes(&data, j, group);
                    let expected = if j == 1 { lower_median(&before) } else { mode(&before) };
                    let after = codes(&protected.released, j, group);
                    prop_assert!(after.iter().all(|c| *c == expected));
                }
            }
        }
    }
}

/// Squared distances of all pairs in each group, divided by its size: the squared error of
/// numbers, and its like for labels.
fn spread(columns: &[Vec<f64>], kinds: &[Kind], groups: &[Vec<u32>]) -> f64 {
    let between = |a: u32, b: u32| -> f64 {
        let term = |(column, kind): (&Vec<f64>, &Kind)| {
            let gap = (column[a as usize] - column[b as usize]).abs();
            match kind {
                Kind::Number => gap * gap,
                Kind::Ordinal => gap,
                Kind::Nominal => f64::from(u8::from(gap > 0.0)),
            }
        };
        columns.iter().zip(kinds).map(term).sum()
    };
    let of = |group: &Vec<u32>| {
        let pairs = group.iter().flat_map(|&a| group.iter().map(move |&b| (a, b)));
        pairs.map(|(a, b)| between(a, b)).sum::<f64>() / (2.0 * group.len() as f64)
    };
    groups.iter().map(of).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn refining_mixed_groups_never_spreads_them(
        rows in prop::collection::vec((-5i32..5, 0usize..4, 0usize..5), 8..60), k in 2usize..5,
        seed in 0u64..100
    ) {
        let data = mixed(&rows);
        let method = VMdav { cluster_on: Scale::Raw, ..VMdav::new(k) };
        let start = microaggregated(&data, &method);
        let refinement = Refinement { iterations: 5_000, scale: Scale::Raw };
        let refined = refinement.improve(&method, &data, &start, seed, &()).unwrap();
        let (columns, kinds) = coordinates(&data);
        let groups = |p: &Protected| p.partitions[0].groups.clone();
        let [before, after] = [&start, &refined].map(|p| spread(&columns, &kinds, &groups(p)));
        prop_assert!(after <= before * (1.0 + 1e-9), "{before} rose to {after}");
        prop_assert!(is_partition(&groups(&refined), rows.len()));
        prop_assert!(groups(&refined).iter().all(|group| group.len() >= k));
    }
}

#[test]
fn large_groups_that_cannot_be_split_are_refined_fast() {
    let columns = normal_columns(3_000, 5, 2);
    // One record in a hundred has the rare level that every group needs.
    let sensitive: Vec<u32> = (0..3_000).map(|i| u32::from(i % 100 == 0)).collect();
    let rule = DiversityRule::new(2, 2, Diversity::Distinct, vec![sensitive]);
    let start = l_diverse_v_mdav(&Points::numeric(columns.clone()), &rule, 0.2, &|_| ());
    let begun = std::time::Instant::now();
    let refined = refine(&columns, &start, &rule, 300_000, (1, 0), &|_| ());
    assert!(begun.elapsed().as_secs() < 20, "moves must not cost a look at all members");
    assert!(refined.iter().all(|group| rule.is_met(group)));
    let numbers = vec![Kind::Number; columns.len()];
    let [before, after] = [&start, &refined].map(|groups| spread(&columns, &numbers, groups));
    assert!(after < 0.8 * before, "{before} fell to {after} only");
}

#[test]
fn refining_diverse_groups_keeps_l_and_never_raises_the_loss() {
    let data = with_sensitive(&normal_columns(400, 3, 12));
    for diversity in [Diversity::Distinct, Diversity::Entropy] {
        let method = LDiverseVMdav {
            k: Some(4),
            sensitive: vec!["s".into()],
            levels: Some(6),
            level_rule: Some(LevelRule::Quantile),
            diversity,
            ..LDiverseVMdav::new(3)
        };
        let names = data.names()[1..4].to_vec();
        let rule = method.rule(&data, &names).unwrap();
        let start = method.protect(&data, &names, 1, &()).unwrap();
        let refinement = Refinement { iterations: 50_000, scale: Scale::Zscore };
        let refined = refinement.improve(&method, &data, &start, 5, &()).unwrap();
        assert!(refined.partitions[0].groups.iter().all(|group| rule.is_met(group)));
        let loss = |released: &Dataset| {
            Utility::measure(&data, released, &["x0", "x1", "x2"]).unwrap().il_percent
        };
        assert!(loss(&refined.released) < loss(&start.released));
    }
}

/// `columns` after a sensitive attribute `s` made of them, skewed.
fn with_sensitive(columns: &[Vec<f64>]) -> Dataset {
    let sensitive =
        (0..columns[0].len()).map(|i| (columns[0][i] + i as f64 % 7.0).powi(2)).collect();
    let mut attributes = vec![Attribute::numeric("s", sensitive).unwrap()];
    for (j, column) in columns.iter().enumerate() {
        attributes.push(Attribute::numeric(format!("x{j}"), column.clone()).unwrap());
    }
    Dataset::new("made.csv", attributes).unwrap()
}

/// Distinct and entropy diversity of `s`, and k, on the quasi-identifiers `names`;
/// of the whole file where there are none.
fn measured(data: &Dataset, names: &[&str], levels: Levels) -> (usize, f64, usize) {
    let constant = Attribute::numeric("all", vec![0.0; data.records()]).unwrap();
    let mut attributes = data.attributes().to_vec();
    attributes.push(constant);
    let data = Dataset::new("measured", attributes).unwrap();
    let quasi = if names.is_empty() { vec!["all"] } else { names.to_vec() };
    let options = AnonymityOptions { c: 3.0, levels: Some(levels) };
    let found = Anonymity::measure(&data, &quasi, &["s"], &options).unwrap();
    (found.sensitive[0].distinct_l, found.sensitive[0].entropy_l, found.k)
}

/// A number, an ordinal and a nominal attribute.
fn mixed(rows: &[(i32, usize, usize)]) -> Dataset {
    let sizes = ["small", "middle", "large", "huge"];
    let towns = ["a", "b", "c", "d", "e"];
    let ordinal = Categorical::nominal(rows.iter().map(|r| Some(sizes[r.1])));
    let ordinal = ordinal.ordinal(&sizes.map(String::from)).unwrap();
    let mut size = Attribute::nominal("size", [Some("")]);
    size.values = Values::Categorical(ordinal);
    let attributes = vec![
        Attribute::numeric("x", rows.iter().map(|r| f64::from(r.0) / 4.0).collect()).unwrap(),
        size,
        Attribute::nominal("town", rows.iter().map(|r| Some(towns[r.2]))),
    ];
    Dataset::new("mixed.csv", attributes).unwrap()
}

/// Coordinates of a [`mixed`] file: ordinal codes divided by the number of levels.
fn coordinates(data: &Dataset) -> (Vec<Vec<f64>>, Vec<Kind>) {
    let all: Vec<u32> = (0..data.records() as u32).collect();
    let numbers = |j| codes(data, j, &all).into_iter().map(f64::from);
    let x = crate::support::column(data, 0);
    let columns = vec![x, numbers(1).map(|c| c / 4.0).collect(), numbers(2).collect()];
    (columns, vec![Kind::Number, Kind::Ordinal, Kind::Nominal])
}

fn codes(data: &Dataset, position: usize, records: &[u32]) -> Vec<u32> {
    let Values::Categorical(column) = &data.attributes()[position].values else { panic!() };
    records.iter().map(|&i| column.code(i as usize).unwrap()).collect()
}

fn lower_median(codes: &[u32]) -> u32 {
    let mut sorted = codes.to_vec();
    sorted.sort_unstable();
    sorted[(sorted.len() - 1) / 2]
}

fn mode(codes: &[u32]) -> u32 {
    let count = |code: &u32| codes.iter().filter(|c| *c == code).count();
    let most = codes.iter().map(count).max().unwrap();
    *codes.iter().filter(|c| count(c) == most).min().unwrap()
}

fn microaggregated(data: &Dataset, method: &dyn ProtectionMethod) -> Protected {
    method.protect(data, &data.names()[..3], 1, &()).unwrap()
}

#[test]
fn eight_hundred_normal_records_are_grouped_as_the_textbook_says() {
    let columns = normal_columns(800, 4, 3);
    let numbers = vec![Kind::Number; 4];
    let ours = v_mdav(&Points::numeric(columns.clone()), 4, 0.7, &|_| ());
    assert_eq!(ours, textbook::v_mdav(&columns, &numbers, 4, 0.7));
}

/// As many groups as are searched in a tree, and many records left for them.
#[test]
fn nine_hundred_records_of_unequal_levels_are_grouped_as_the_textbook_says() {
    let columns = normal_columns(900, 3, 5);
    let levels: Vec<u32> = columns[2].iter().map(|x| (2.0 * x + 8.0) as u32).collect();
    for (l, gamma, entropy) in [(2, 0.2, true), (3, 1.1, true), (2, 0.7, false), (4, 0.2, true)] {
        let levels = std::slice::from_ref(&levels);
        diverse_groups_are_those_of_the_textbook(&columns[..2], levels, (l, l), gamma, entropy)
            .unwrap();
    }
}

#[test]
fn the_same_file_gives_the_same_groups_on_any_number_of_threads() {
    let data = with_sensitive(&normal_columns(3_000, 4, 8));
    let method = LDiverseVMdav {
        gamma: 0.7,
        sensitive: vec!["s".into()],
        levels: Some(6),
        level_rule: Some(LevelRule::Quantile),
        diversity: Diversity::Entropy,
        ..LDiverseVMdav::new(3)
    };
    let names = data.names()[1..5].to_vec();
    let released = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| method.protect(&data, &names, threads as u64, &()).unwrap())
    };
    assert_eq!(released(1).released, released(3).released);
}
