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
    let published = [
        ("census", [(3, "5.69"), (5, "9.09"), (10, "14.16")]),
        ("tarragona", [(3, "16.93"), (5, "22.46"), (10, "33.19")]),
        ("eia", [(3, "0.48"), (5, "1.67"), (10, "3.84")]),
    ];
    let losses = published.into_iter().flat_map(|(name, row)| row.map(|(k, loss)| (name, k, loss)));
    for (name, k, published) in losses {
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
        assert_eq!(format!("{loss:.2}"), published, "{name} k={k}");
    }
}
