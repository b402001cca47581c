//! Hierarchies as tables and as rules: every value has a name on every level.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unmask::lattice::Hierarchy;

const VALUES: [&str; 5] = ["1970-03-19", "7", "12.5", "x", "081"];

fuzz_target!(|input: &str| {
    let hierarchy = match input.strip_prefix('t') {
        Some(rule) => Hierarchy::parse_toml("t.toml", "a", rule, &VALUES.map(String::from)),
        None => Hierarchy::parse_csv("t.csv", "a", input.as_bytes().get(1..).unwrap_or_default()),
    };
    if let Ok(hierarchy) = hierarchy {
        let rows = hierarchy.rows();
        assert!(rows.iter().all(|row| row.len() == hierarchy.levels()));
        let again = Hierarchy::new("a", &rows).expect("its rows are a hierarchy");
        assert_eq!(again.rows(), rows);
    }
});
