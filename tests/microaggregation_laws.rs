//! Laws of V-MDAV and l-diverse V-MDAV, on random files.

mod support;
#[path = "textbook/v_mdav.rs"]
mod textbook;

use proptest::prelude::*;
use support::{dataset, normal_columns};
use unmask::dataset::{Attribute, Dataset};
use unmask::distance::{Points, Scale};
use unmask::progress::Silent;
use unmask::protection::ProtectionMethod;
use unmask::protection::microaggregation::{
    AttributeBlocks, DiversityRule, LDiverseVMdav, Microaggregation, PartitionRule, TailRule,
    l_diverse_v_mdav, mdav, v_mdav,
};
use unmask::risk::{Anonymity, AnonymityOptions, Diversity, LevelRule, Levels};

/// Small files with many ties: values on a coarse grid.
fn coarse_columns() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (1usize..4, 6usize..70).prop_flat_map(|(count, records)| {
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn v_mdav_makes_exactly_the_groups_of_the_textbook(
        columns in coarse_columns(), k in 2usize..6, gamma in prop::sample::select(GAMMAS.to_vec())
    ) {
        let ours = v_mdav(&Points::numeric(columns.clone()), k, gamma, &|_| ());
        prop_assert_eq!(ours, textbook::v_mdav(&columns, k, gamma));
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
        let textbook = textbook::Rule { l: l as f64, k, entropy, levels: &levels };
        let all: Vec<u32> = (0..columns[0].len() as u32).collect();
        prop_assume!(all.len() >= k && textbook.is_diverse(&all));
        let kind = if entropy { Diversity::Entropy } else { Diversity::Distinct };
        let rule = DiversityRule::new(l, k, kind, levels.clone());
        let ours = l_diverse_v_mdav(&Points::numeric(columns.clone()), &rule, gamma, &|_| ());
        prop_assert_eq!(&ours, &textbook::l_diverse_v_mdav(&columns, &textbook, gamma));
        prop_assert!(is_partition(&ours, all.len()));
        prop_assert!(ours.iter().all(|g| g.len() >= k && textbook.is_diverse(g)));
    }
}
