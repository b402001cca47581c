//! Laws of V-MDAV and l-diverse V-MDAV, on random files.

mod support;
#[path = "textbook/v_mdav.rs"]
mod textbook;

use proptest::prelude::*;
use unmask::distance::Points;
use unmask::protection::microaggregation::v_mdav;

/// Small files with many ties: values on a coarse grid.
fn coarse_columns() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (1usize..4, 6usize..70).prop_flat_map(|(count, records)| {
        let value = (-6i32..6).prop_map(f64::from);
        prop::collection::vec(prop::collection::vec(value, records), count)
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
        columns in coarse_columns(), k in 2usize..6, gamma in prop::sample::select(vec![0.0, 0.2, 0.7, 1.1, 2.0])
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
}
