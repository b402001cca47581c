//! Laws of linkage and risk: what must hold for every release.

use crate::support::column;
use proptest::prelude::*;
use rand::RngExt;
use rand::seq::SliceRandom;
use unmask::anonymity::{Anonymity, AnonymityOptions};
use unmask::dataset::{Attribute, Dataset, ReadOptions};
use unmask::disclosure::{IntervalRule, distance_linkage_disclosure, interval_disclosure};
use unmask::distance::{AttributeDistances, Standardization};
use unmask::linkage::{Attack, FellegiSunter, Link, Release, TieRule};
use unmask::protection::microaggregation::Mdav;
use unmask::protection::{Noise, ProtectionMethod};
use unmask::random::generator;
use unmask::statistics::wilson_interval;

const NAMES: [&str; 7] = ["AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC"];

fn census() -> Dataset {
    Dataset::load("census", &ReadOptions::default()).expect("built in")
}

fn read(name: &str, text: &str) -> Dataset {
    Dataset::from_csv(name, text.as_bytes(), &ReadOptions::default()).expect("well-formed")
}

/// Census with `p` percent noise, the first `records` records.
fn noisy(p: f64, records: usize) -> Release {
    let census = census();
    let names = census.names()[..13].to_vec();
    let released = Noise::new(p).protect(&census, &names, 3, &()).expect("protects").released;
    let rows: Vec<usize> = (0..records).collect();
    let first = |file: &Dataset| file.select(&rows).expect("rows");
    Release::by_row(first(&census), first(&released)).expect("as many rows")
}

/// The attacks that work on identical files, where differences have no covariance.
fn attacks() -> Vec<Attack> {
    vec![
        Attack::Dbrl1,
        Attack::Dbrl2,
        Attack::MahalanobisCov0 { pseudo_inverse: false },
        Attack::Kernel { degree: 2 },
        Attack::Gower,
        Attack::Weighted { weights: vec![3.0, 1.0, 0.0, 2.0, 0.5, 1.0, 1.0] },
        Attack::Assignment,
    ]
}

#[test]
fn identical_files_link_completely_without_ties() {
    let release = Release::by_row(census(), census()).expect("as many rows");
    for attack in attacks() {
        let links = attack.link(&release, &NAMES, &()).expect("links");
        assert_eq!(links.reidentified(TieRule::Miss), 1080.0, "{}", attack.name());
        assert_eq!(links.tied(), 0, "{}", attack.name());
    }
    let disclosed = distance_linkage_disclosure(&release, &NAMES, &()).expect("measures");
    assert_eq!(disclosed.rate(), 1.0);
    for rule in [IntervalRule::Rank, IntervalRule::Sigma] {
        assert_eq!(interval_disclosure(&release, &NAMES, rule, 1.0).expect("measures").rate(), 1.0);
    }
}

#[test]
fn weight_on_one_attribute_alone_links_as_that_attribute() {
    let release = noisy(16.0, 1080);
    for (k, name) in NAMES.iter().enumerate() {
        let weights: Vec<f64> = (0..7).map(|j| f64::from(u8::from(j == k))).collect();
        let weighted = Attack::Weighted { weights }.link(&release, &NAMES, &());
        let single = Attack::Single { attribute: name.to_string() };
        let single = single.link(&release, &NAMES, &());
        assert_eq!(weighted.expect("links"), single.expect("links"));
    }
}

#[test]
fn equal_weights_link_as_no_weights() {
    let release = noisy(16.0, 1080);
    let links = |attack: Attack| attack.link(&release, &NAMES, &()).expect("links");
    assert_eq!(links(Attack::Weighted { weights: vec![1.0; 7] }), links(Attack::Dbrl1));
}

#[test]
fn a_kernel_of_degree_one_links_as_euclid() {
    let release = noisy(16.0, 400);
    let hits = |attack: Attack| {
        let links = attack.link(&release, &NAMES, &()).expect("links");
        links.0.iter().map(|l| l.linked).collect::<Vec<_>>()
    };
    assert_eq!(hits(Attack::Kernel { degree: 1 }), hits(Attack::Dbrl1));
}

/// Rates and ties do not change, whoever stands where.
fn same_outcome(a: &Release, b: &Release) {
    for attack in attacks() {
        let links = |release| attack.link(release, &NAMES, &()).expect("links");
        let (first, second) = (links(a), links(b));
        for rule in [TieRule::Miss, TieRule::Hit] {
            assert_eq!(first.reidentified(rule), second.reidentified(rule), "{}", attack.name());
        }
        assert_eq!(first.tied(), second.tied(), "{}", attack.name());
    }
}

#[test]
fn permuting_the_rows_of_both_files_together_changes_nothing() {
    let release = noisy(16.0, 600);
    let mut rows: Vec<usize> = (0..600).collect();
    rows.shuffle(&mut generator(2, 0));
    let permuted = |file: &Dataset| file.select(&rows).expect("rows");
    let other = Release::by_row(permuted(release.original()), permuted(release.released()));
    same_outcome(&release, &other.expect("as many rows"));
}

#[test]
fn scaling_and_shifting_an_attribute_changes_nothing() {
    let release = noisy(16.0, 600);
    let rescaled = |file: &Dataset| {
        let attribute = |(k, a): (usize, &Attribute)| {
            let column = file.numeric(&a.name, "the test").expect("numeric");
            let values = column.present().map(|v| v * (k as f64 + 0.3) - 17.0).collect();
            Attribute::numeric(a.name.clone(), values).expect("finite")
        };
        let attributes = file.attributes().iter().enumerate().map(attribute).collect();
        Dataset::new(file.name(), attributes).expect("records")
    };
    let other = Release::by_row(rescaled(release.original()), rescaled(release.released()));
    same_outcome(&release, &other.expect("as many rows"));
}

#[test]
fn ties_count_nothing_their_share_or_one() {
    let original = read("o", "a,b\n1,1\n2,2\n10,10\n20,30\n");
    let released = read("r", "a,b\n1,1\n1,1\n10,10\n20,30\n");
    let release = Release::by_row(original, released).expect("as many rows");
    let links = Attack::Single { attribute: "a".into() };
    let links = links.link_with_second(&release, &["a"], &()).expect("links");
    assert_eq!((links.0[0].tied, links.0[1].tied), (2, 2));
    assert_eq!(links.reidentified(TieRule::Miss), 2.0);
    assert_eq!(links.reidentified(TieRule::Share), 3.0);
    assert_eq!(links.reidentified(TieRule::Hit), 4.0);
    assert_eq!((links.tied(), links.expected_ties()), (2, 1.0));
    assert_eq!(links.0[0].second, Some(links.0[0].distance));
}

#[test]
fn microaggregated_records_tie_within_their_group() {
    let census = census();
    let names = census.names()[..13].to_vec();
    let released = Mdav::new(5).protect(&census, &names, 1, &()).expect("protects").released;
    let release = Release::by_row(census, released).expect("as many rows");
    for attack in [Attack::Dbrl1, Attack::Gower, Attack::Kernel { degree: 3 }, Attack::Assignment] {
        let links = attack.link(&release, &NAMES, &()).expect("links");
        assert!(links.0.iter().all(|l| l.tied >= 5), "{}", attack.name());
        assert_eq!(links.reidentified(TieRule::Miss), 0.0, "{}", attack.name());
        assert!(links.reidentified(TieRule::Share) > 50.0, "{}", attack.name());
    }
}

#[test]
fn a_keyed_release_links_as_its_rows_did_and_takes_part_of_the_records() {
    let original = read("o", "id,a,b\nx,1,5\ny,2,3\nz,9,1\n");
    let released = read("r", "id,a,b\nw,5,5\nz,9,1\ny,2,3\nv,0,0\nx,1,5\n");
    let release = Release::by_key(original, released, "id").expect("keys fit");
    assert_eq!(release.own(), [4, 2, 1]);
    let raw = Attack::Gower.link(&release, &["a", "b"], &()).expect("links");
    assert_eq!(raw.reidentified(TieRule::Miss), 3.0);
    assert_eq!(raw.0[2].linked, 1);
    assert_eq!(release.default_attributes(Some("id")).expect("two").names, ["a", "b"]);
    let sample = release.sample(2, 1).expect("two of three");
    assert_eq!((sample.records(), sample.released().records()), (2, 2));
}

#[test]
fn one_to_one_links_use_no_released_record_twice_and_cost_no_more_than_the_truth() {
    let release = noisy(60.0, 500);
    let links = Attack::Assignment.link(&release, &NAMES, &()).expect("links");
    let mut used: Vec<u32> = links.0.iter().map(|l| l.linked).collect();
    used.sort_unstable();
    assert_eq!(used, (0..500).collect::<Vec<u32>>());
    let (original, released) = (release.original(), release.released());
    let own = Standardization::Own;
    let distances = AttributeDistances::new(original, released, &NAMES, own).expect("numeric");
    let mut d = [0.0; 7];
    let truth: f64 = (0..500)
        .map(|i| {
            distances.vector(i, i, &mut d);
            d.iter().sum::<f64>()
        })
        .sum();
    let found: f64 = links.0.iter().map(|l: &Link| l.distance * l.distance).sum();
    assert!(found <= truth);
    let dbrl1 = Attack::Dbrl1.link(&release, &NAMES, &()).expect("links");
    assert!(links.rate(TieRule::Miss) > dbrl1.rate(TieRule::Miss));
}

#[test]
fn expectation_maximization_recovers_planted_probabilities() {
    let (m, u) = ([0.95, 0.9, 0.8, 0.85, 0.7], [0.1, 0.05, 0.2, 0.3, 0.15]);
    let share = 0.02;
    let mut random = generator(4, 0);
    let mut counts = vec![0u64; 32];
    for _ in 0..1_000_000 {
        let rates = if random.random_bool(share) { &m } else { &u };
        let agrees = |k: usize| usize::from(random.random_bool(rates[k])) << k;
        counts[(0..5).map(agrees).sum::<usize>()] += 1;
    }
    for given in [None, Some(share)] {
        let found = FellegiSunter::fit(&counts, given);
        for k in 0..5 {
            assert!((found.m[k] - m[k]).abs() < 0.02, "m[{k}] = {}", found.m[k]);
            assert!((found.u[k] - u[k]).abs() < 0.005, "u[{k}] = {}", found.u[k]);
        }
        assert!((found.share - share).abs() < 0.002, "{}", found.share);
    }
}

#[test]
fn probabilistic_linkage_finds_most_records_of_a_lightly_protected_file() {
    let release = noisy(4.0, 400);
    let attack = Attack::Probabilistic { tolerance: 0.1 };
    let links = attack.link(&release, &NAMES, &()).expect("links");
    assert!(links.rate(TieRule::Share) > 0.8, "{}", links.rate(TieRule::Share));
}

#[test]
fn distances_of_nominal_ordinal_and_missing_values_are_as_stated() {
    let mut options = ReadOptions::default();
    let schema = "[attributes.level]\nkind = \"ordinal\"\norder = [\"low\", \"mid\", \"high\"]\n";
    options.schema = toml::from_str(schema).expect("well-formed");
    let file = |text: &str| Dataset::from_csv("f", text.as_bytes(), &options).expect("well-formed");
    let original = file("x,town,level\n1,a,low\n3,b,high\n?,?,?\n");
    let released = file("x,town,level\n3,a,high\n1,c,low\n?,?,?\n");
    let names = ["x", "town", "level"];
    let distances = |standardization| {
        AttributeDistances::new(&original, &released, &names, standardization).expect("compares")
    };
    let vector = |of: &AttributeDistances, i, j| {
        let mut d = [0.0; 3];
        of.vector(i, j, &mut d);
        d
    };
    let raw = distances(Standardization::Raw);
    assert_eq!(vector(&raw, 0, 0), [4.0, 0.0, 2.0 / 3.0]);
    assert_eq!(vector(&raw, 1, 0), [0.0, 1.0, 0.0]);
    assert_eq!(vector(&raw, 2, 2), [0.0, 0.0, 0.0]);
    // The mean is 2 and the variance 2: (1 - 2)² + 2.
    let one_missing = vector(&raw, 0, 2);
    assert!((one_missing[0] - 3.0).abs() < 1e-12);
    assert_eq!(one_missing[1..], [1.0, 1.0]);
    let range = distances(Standardization::Range);
    assert_eq!(vector(&range, 0, 0), [1.0, 0.0, 1.0]);
    assert_eq!(vector(&range, 2, 0), [1.0, 1.0, 1.0]);
    let release = Release::by_row(original.clone(), released.clone()).expect("as many rows");
    let links = Attack::Dbrl1.link(&release, &names, &()).expect("links");
    assert_eq!((links.0[2].linked, links.0[2].distance), (2, 0.0));
}

#[test]
fn categorical_records_link_where_their_labels_agree() {
    let file = |name| read(name, "a,b,c\nx,p,1\nx,q,2\ny,p,3\ny,q,4\n");
    let release = Release::by_row(file("o"), file("r")).expect("as many rows");
    for attack in [Attack::Dbrl1, Attack::Gower] {
        let links = attack.link(&release, &["a", "b"], &()).expect("links");
        assert_eq!(links.reidentified(TieRule::Miss), 4.0);
        let links = attack.link(&release, &["a"], &()).expect("links");
        assert_eq!(links.reidentified(TieRule::Share), 2.0);
    }
}

#[test]
fn a_sample_is_drawn_without_replacement_and_by_its_seed() {
    let release = noisy(1.0, 1080);
    let rows = |seed| {
        let sample = release.sample(400, seed).expect("400 of 1080");
        column(sample.original(), 0)
    };
    assert_eq!(rows(1), rows(1));
    assert_ne!(rows(1), rows(2));
    assert_eq!(release.sample(1080, 5).expect("all").original(), release.original());
}

#[test]
fn wilson_intervals_hold_the_rate_and_stay_within_one() {
    for (hits, size) in [(0.0, 5), (5.0, 5), (1.0, 3), (379.0, 400)] {
        let [low, high] = wilson_interval(hits, size);
        let rate = hits / size as f64;
        assert!(0.0 <= low && low <= rate && rate <= high && high <= 1.0);
    }
}

#[test]
fn the_l_diversity_paper_s_inpatient_table_measures_as_printed() {
    // Machanavajjhala et al. 2007, figure 3: 4-anonymous and 3-diverse.
    let text = "zip,age,illness\n\
        1305*,<=40,heart\n1305*,<=40,viral\n1305*,<=40,cancer\n1305*,<=40,cancer\n\
        1485*,>40,cancer\n1485*,>40,heart\n1485*,>40,viral\n1485*,>40,viral\n\
        1306*,<=40,heart\n1306*,<=40,viral\n1306*,<=40,cancer\n1306*,<=40,cancer\n";
    let options = AnonymityOptions { c: 3.0, levels: None };
    let found =
        Anonymity::measure(&read("f", text), &["zip", "age"], &["illness"], &options).expect("ok");
    assert_eq!((found.k, found.classes, found.uniques), (4, 3, 0));
    let illness = &found.sensitive[0];
    assert_eq!((illness.distinct_l, illness.recursive_l), (3, 3));
    assert!((illness.entropy_l - 8f64.sqrt()).abs() < 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// k, uniques and t by definition, on small files with missing values.
    #[test]
    fn classes_are_those_of_the_definition(
        cells in proptest::collection::vec((0..3u8, 0..4u8, 0..5u8), 1..60),
    ) {
        let token = |v: u8| if v == 0 { "?".to_owned() } else { v.to_string() };
        let lines: Vec<String> = cells.iter().map(|(a, b, s)| format!("{},x{},{s}", token(*a), token(*b))).collect();
        let text = format!("a,b,s\n{}\n", lines.join("\n"));
        prop_assume!(cells.iter().any(|c| c.0 != 0));
        let file = read("f", &text);
        let options = AnonymityOptions::default();
        let found = Anonymity::measure(&file, &["a", "b"], &["s"], &options).expect("measures");
        let class = |i: usize| -> Vec<u8> {
            let same = cells.iter().filter(|c| (c.0, c.1) == (cells[i].0, cells[i].1));
            same.map(|c| c.2).collect()
        };
        let classes: Vec<Vec<u8>> = (0..cells.len()).map(class).collect();
        prop_assert_eq!(found.k, classes.iter().map(Vec::len).min().unwrap_or(0));
        prop_assert_eq!(found.uniques, classes.iter().filter(|c| c.len() == 1).count());
        let mut levels: Vec<u8> = cells.iter().map(|c| c.2).collect();
        levels.sort_unstable();
        levels.dedup();
        let below = |of: &[u8], v: u8| of.iter().filter(|s| **s <= v).count() as f64 / of.len() as f64;
        let all: Vec<u8> = cells.iter().map(|c| c.2).collect();
        let emd = |of: &Vec<u8>| {
            let gaps = levels.iter().map(|v| (below(of, *v) - below(&all, *v)).abs());
            gaps.sum::<f64>() / (levels.len() - 1).max(1) as f64
        };
        let t = classes.iter().map(emd).fold(0.0, f64::max);
        prop_assert!((found.sensitive[0].t - t).abs() < 1e-9);
    }
}
