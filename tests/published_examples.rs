//! Numbers that papers print, from the same data.

mod support;

use unmask::dataset::{Dataset, ReadOptions};
use unmask::distance::Scale;
use unmask::progress::Silent;
use unmask::protection::ProtectionMethod;
use unmask::protection::microaggregation::{
    AttributeBlocks, Microaggregation, PartitionRule, TailRule,
};
use unmask::utility::Utility;

const EIA: [&str; 11] = [
    "UTILITYID",
    "RESREVENUE",
    "RESSALES",
    "COMREVENUE",
    "COMSALES",
    "INDREVENUE",
    "INDSALES",
    "OTHREVENUE",
    "OTHRSALES",
    "TOTREVENUE",
    "TOTSALES",
];

#[test]
fn mdav_on_z_scores_loses_what_the_literature_reports() {
    let published = include_str!("../experiments/mdav/published.csv");
    for line in published.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (name, k) = (fields[0], fields[2].parse().unwrap());
        let data = Dataset::load(name, &ReadOptions::default()).unwrap();
        let attributes: Vec<&str> = match name {
            "eia" => EIA.to_vec(),
            _ => data.attributes().iter().map(|a| a.name.as_str()).collect(),
        };
        let mdav = Microaggregation {
            k: vec![k],
            blocks: AttributeBlocks::All,
            cluster_on: Scale::Zscore,
            rule: PartitionRule::Mdav(TailRule::LastGroup),
        };
        let positions = data.positions(&attributes).unwrap();
        let released = mdav.protect(&data, &positions, 1, &Silent).unwrap().released;
        let loss = Utility::measure(&data, &released, &attributes).unwrap().il_percent;
        assert_eq!(format!("{loss:.2}"), fields[3], "{name} k={k}");
    }
}
