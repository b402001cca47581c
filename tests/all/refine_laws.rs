//! Laws of the refinement of microaggregated groups.

use crate::support::{dataset, misuse, normal_columns, protect_in, refusal, success, unmask_in};
use proptest::prelude::*;
use unmask::dataset::Dataset;
use unmask::distance::{Points, Scale};
use unmask::protection::microaggregation::{
    AtLeast, AttributeBlocks, GroupRule, Mdav, PcProjection, Refinement, TailRule, Tally,
    ZProjection, mdav, refine,
};
use unmask::protection::{Method, Noise, Protected, ProtectionMethod};

/// Sum of squared errors by its definition.
fn squared_error(columns: &[Vec<f64>], groups: &[Vec<u32>]) -> f64 {
    let of = |column: &Vec<f64>, group: &Vec<u32>| {
        let values: Vec<f64> = group.iter().map(|&i| column[i as usize]).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>()
    };
    columns.iter().map(|c| groups.iter().map(|g| of(c, g)).sum::<f64>()).sum()
}

/// Every way to divide 0..n into groups of at least `k`.
fn all_partitions(n: u32, k: usize) -> Vec<Vec<Vec<u32>>> {
    let mut open: Vec<Vec<Vec<u32>>> = vec![Vec::new()];
    for record in 0..n {
        let mut longer = Vec::new();
        for groups in &open {
            for place in 0..=groups.len() {
                let mut groups = groups.clone();
                if place == groups.len() {
                    groups.push(Vec::new());
                }
                groups[place].push(record);
                longer.push(groups);
            }
        }
        open = longer;
    }
    open.retain(|groups| groups.iter().all(|group| group.len() >= k));
    open
}

fn is_partition(groups: &[Vec<u32>], n: usize) -> bool {
    let mut records: Vec<u32> = groups.concat();
    records.sort_unstable();
    records == (0..n as u32).collect::<Vec<_>>()
}

fn coarse_columns(records: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<f64>>> {
    (1usize..6, records).prop_flat_map(|(count, records)| {
        let value = (-6i32..6).prop_map(f64::from);
        prop::collection::vec(prop::collection::vec(value, records), count)
    })
}

/// At least `k` records, and as many different remainders by 3 as `different` says.
struct Mixed {
    k: usize,
    different: usize,
    levels: Vec<Vec<u32>>,
}

impl GroupRule for Mixed {
    fn smallest(&self) -> usize {
        self.k
    }

    fn levels(&self) -> &[Vec<u32>] {
        &self.levels
    }

    fn allows(&self, group: &Tally) -> bool {
        let found = (0..3).filter(|rest| group.counts[0].count(*rest) > 0).count();
        group.records >= self.k && found >= self.different
    }
}

/// What [`Mixed`] asks, from the records alone.
fn is_mixed(group: &[u32], different: usize) -> bool {
    (0..3).filter(|rest| group.iter().any(|i| i % 3 == *rest)).count() >= different
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_error_never_rises_and_every_group_keeps_k(
        columns in coarse_columns(6..70), k in 2usize..6, seed in 0u64..1000, moves in 1u64..12_000
    ) {
        let n = columns[0].len();
        let start = mdav(&Points::numeric(columns.clone()), k.min(n), TailRule::LastGroup, &|_| ());
        let refined = refine(&columns, &start, &AtLeast(k.min(n)), moves, (seed, 0), &|_| ());
        prop_assert!(is_partition(&refined, n));
        prop_assert!(refined.iter().all(|group| group.len() >= k.min(n)));
        let (before, after) = (squared_error(&columns, &start), squared_error(&columns, &refined));
        prop_assert!(after <= before * (1.0 + 1e-12), "{before} rose to {after}");
    }

    #[test]
    fn a_rule_beyond_size_is_kept(
        columns in coarse_columns(12..60), different in 1usize..4, seed in 0u64..1000
    ) {
        let n = columns[0].len() / 3 * 3;
        let columns: Vec<Vec<f64>> = columns.iter().map(|c| c[..n].to_vec()).collect();
        let start: Vec<Vec<u32>> = (0..n as u32 / 3).map(|g| vec![3 * g, 3 * g + 1, 3 * g + 2]).collect();
        let rule = Mixed { k: 3, different, levels: vec![(0..n as u32).map(|i| i % 3).collect()] };
        let refined = refine(&columns, &start, &rule, 10_000, (seed, 0), &|_| ());
        prop_assert!(is_partition(&refined, n));
        prop_assert!(refined.iter().all(|group| group.len() >= 3 && is_mixed(group, different)));
        let (before, after) = (squared_error(&columns, &start), squared_error(&columns, &refined));
        prop_assert!(after <= before * (1.0 + 1e-12));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_best_of_all_partitions_is_found_on_small_files(
        columns in coarse_columns(4..10), k in 2usize..4, seed in 0u64..1000
    ) {
        let n = columns[0].len();
        let start = mdav(&Points::numeric(columns.clone()), k, TailRule::LastGroup, &|_| ());
        let refined = refine(&columns, &start, &AtLeast(k), 20_000, (seed, 0), &|_| ());
        let errors = all_partitions(n as u32, k).into_iter().map(|p| squared_error(&columns, &p));
        let best = errors.fold(f64::INFINITY, f64::min);
        let ours = squared_error(&columns, &refined);
        prop_assert!(ours <= best + 1e-9 * (1.0 + best), "{ours}, but {best} is possible");
    }
}

fn protect_on(threads: usize, method: &Method, data: &Dataset, seed: u64) -> Protected {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    pool.install(|| method.protect(data, &data.names(), seed, &())).expect("protects")
}

#[test]
fn a_seed_gives_the_same_groups_on_any_number_of_threads_and_for_any_start() {
    let data = dataset(&normal_columns(90, 5, 4));
    let (groups, refine) = (AttributeBlocks::Of(2), Some(20_000));
    let tail = TailRule::NearestGroup;
    let methods = [
        Method::Mdav(Mdav { groups: groups.clone(), tail, refine, ..Mdav::new(3) }),
        Method::ZProjection(ZProjection { groups: groups.clone(), refine, ..ZProjection::new(3) }),
        Method::PcProjection(PcProjection {
            groups,
            optimal: true,
            refine,
            ..PcProjection::new(3)
        }),
    ];
    for method in methods {
        let [one, four] = [1, 4].map(|threads| protect_on(threads, &method, &data, 7));
        assert_eq!(one.partitions, four.partitions);
        assert_eq!(one.partitions.len(), 3, "one partition per block of attributes");
        let bytes =
            |p: &Protected| p.released.to_bytes(std::path::Path::new("x.csv")).expect("bytes");
        assert_eq!(bytes(&one), bytes(&four));
    }
}

#[test]
fn equal_records_and_overflowing_distances_do_no_harm() {
    let same = [vec![1.0; 40]];
    let start: Vec<Vec<u32>> = (0..20).map(|g| vec![2 * g, 2 * g + 1]).collect();
    assert_eq!(refine(&same, &start, &AtLeast(2), 5_000, (1, 0), &|_| ()), start);
    let huge = [(0..40).map(|i| f64::from(i) * 1e200).collect::<Vec<f64>>()];
    let refined = refine(&huge, &start, &AtLeast(2), 5_000, (1, 0), &|_| ());
    assert!(is_partition(&refined, 40) && refined.iter().all(|g| g.len() >= 2));
}

#[test]
fn a_method_without_groups_is_refused() {
    let noise = Noise::new(5.0);
    let refinement = Refinement { iterations: 10, scale: Scale::Zscore };
    let data = dataset(&normal_columns(20, 2, 1));
    let start = noise.protect(&data, &data.names()[..2], 1, &()).expect("protects");
    let error = refinement.improve(&noise, &data, &start, 1, &()).expect_err("is refused");
    assert!(error.to_string().contains("noise"), "{error}");
}

/// The arguments of a refinement of the Census file, and more.
fn protect_census<'a>(extra: &[&'a str]) -> Vec<&'a str> {
    [&["protect", "mdav", "census", "--k", "3", "-o", "out.csv", "--force"], extra].concat()
}

#[test]
fn the_command_line_comes_half_of_the_way_to_the_known_loss_of_census() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = protect_census(&["--refine=500000", "--format", "json"]);
    let text = success(&unmask_in(folder.path(), &arguments));
    let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(summary["parameters"]["refine"], 500_000);
    let percent = |key: &str| summary[key]["il_percent"].as_f64().expect("a number");
    assert!((percent("information_loss_before_refine") - 5.69).abs() < 0.005);
    assert!(percent("information_loss") < (5.69 + 4.74) / 2.0);
    assert!(summary["groups"][0]["smallest"].as_u64() >= Some(3));
}

#[test]
fn the_text_names_the_limit_and_the_loss_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = protect_census(&["--refine=2000"]);
    let text = success(&unmask_in(folder.path(), &arguments));
    assert!(text.contains("refine=2000"), "{text}");
    assert!(text.contains("before --refine   5.69%"), "{text}");
}

#[test]
fn one_label_for_all_is_nothing_to_refine() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), "size\nlow\nlow\nlow\nlow\n").expect("writes");
    for kind in ["size", ""] {
        let mut arguments = vec!["protect", "mdav", "in.csv", "--k", "2", "--refine"];
        arguments.extend(["--attributes", "size", "-o", "out.csv", "--force"]);
        let schema = "[attributes.size]\nkind = \"ordinal\"\norder = [\"low\", \"high\"]\n";
        std::fs::write(folder.path().join("schema.toml"), schema).expect("writes");
        if !kind.is_empty() {
            arguments.extend(["--project", "schema.toml"]);
        }
        let text = success(&unmask_in(folder.path(), &arguments));
        assert!(text.contains("labels changed    0.00%"), "{text}");
    }
}

#[test]
fn misplaced_parameters_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let none = refusal(&unmask_in(folder.path(), &protect_census(&["--refine=0"])));
    assert!(none.contains("at least one move"), "{none}");
    for method in [&["noise", "--p", "5"][..], &["individual-ranking", "--k", "3"]] {
        let arguments = [method, &["--refine"]].concat();
        let error = misuse(&protect_in(folder.path(), "census", &arguments));
        assert!(error.contains("unexpected argument '--refine'"), "{error}");
    }
}
