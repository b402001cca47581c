//! Several releases beside each other.

use crate::audit::{AuditRecord, ReleaseRecord, UtilitySummary};
use crate::report::document::DocumentSection;
use crate::report::plots::{MapPoint, RiskUtilityMap};
use crate::table::Table;
use crate::words::percent;

/// What no attacker examined exceeds; a dash where some attacker could not be bounded.
fn at_most(release: &ReleaseRecord) -> String {
    match release.verdict.bounded {
        true => percent(release.risk()),
        false => "-".to_owned(),
    }
}

impl AuditRecord {
    pub(super) fn map_section(&self) -> DocumentSection {
        let point = |r: &ReleaseRecord| {
            Some(MapPoint {
                name: r.name.clone(),
                loss: r.utility.as_ref()?.il_percent,
                risk: r.risk(),
                frontier: r.frontier,
            })
        };
        let chart = RiskUtilityMap {
            title: "Risk against information loss of the releases".into(),
            description: "Each release by its information loss and what no attacker examined exceeds; filled \
                          ones are on the frontier."
                .into(),
            loss: "information loss (SSE/SST)".into(),
            points: self.releases.iter().filter_map(point).collect(),
            threshold: self.threshold.as_ref().map(|t| t.max_risk),
        };
        DocumentSection::new("releases", "Risk against utility")
            .page_text(
                "Lower is safer, further left says more. No other release is better in both than \
                 those on the frontier (filled). Risk is what no attacker examined exceeds, among the \
                 people whose values were released. The first file is audited in full; the others \
                 get their attackers and utility.",
            )
            .chart(chart.svg())
            .table("The releases", self.release_table())
    }

    fn release_table(&self) -> Table {
        let mut table = Table::new([
            "release",
            "file",
            "found",
            "at most",
            "dbrl1",
            "SSE/SST",
            "IL1s",
            "frontier",
            "threshold",
        ]);
        for r in &self.releases {
            let loss = |value: &dyn Fn(&UtilitySummary) -> f64| {
                r.utility.as_ref().map_or_else(|| "-".into(), |u| format!("{:.2}%", value(u)))
            };
            let judged = match r.exceeded {
                None => "-",
                Some(true) => "exceeded",
                Some(false) => "kept",
            };
            table.row([
                r.name.clone(),
                r.file.clone(),
                percent(r.verdict.among_released(r.verdict.rate)),
                at_most(r),
                r.dbrl1_rate.map_or_else(|| "-".into(), percent),
                loss(&|u| u.il_percent),
                loss(&|u| u.il1s_percent),
                if r.frontier { "yes" } else { "no" }.into(),
                judged.into(),
            ]);
        }
        table
    }
}
