//! What the released file itself shows.

use crate::audit::AuditRecord;
use crate::report::document::DocumentSection;
use crate::table::Table;
use crate::words::percent;

impl AuditRecord {
    pub(super) fn file_section(&self) -> DocumentSection {
        let (file, utility) =
            (&self.anonymity, self.releases.first().and_then(|r| r.utility.as_ref()));
        let share = file.uniques as f64 / file.records.max(1) as f64;
        let loss = match utility {
            Some(u) => format!(
                "information loss {:.2}% (SSE/SST), IL1s {:.2}%",
                u.il_percent, u.il1s_percent
            ),
            None => "information loss not measured: no numeric attribute that varies".into(),
        };
        let mut section = DocumentSection::new("file", "What the released file is like").text(format!(
            "The released file of {} records: k = {}, {} unique on these attributes ({}); {loss}.",
            file.records,
            file.k,
            file.uniques,
            percent(share)
        ));
        if !file.sensitive.is_empty() {
            section = section
                .table("l-diversity and t-closeness of the worst class", self.sensitive_table());
        } else {
            section = section.page_text(
                "l-diversity is not measured: no attribute is named as confidential (--confidential).",
            );
        }
        match utility {
            Some(u) => {
                let mut table = Table::new(["attribute", "SSE/SST", "IL1s"]);
                for a in &u.attributes {
                    let digits = |value: f64| format!("{value:.2}%");
                    table.row([a.attribute.clone(), digits(a.il_percent), digits(a.il1s_percent)]);
                }
                section.page_table("Information loss by attribute", table)
            }
            None => section,
        }
    }

    fn sensitive_table(&self) -> Table {
        let header = ["sensitive", "distinct l", "entropy l", "t-closeness", "certain records"];
        let mut table = Table::new(header);
        for s in &self.anonymity.sensitive {
            table.row([
                s.attribute.clone(),
                s.distinct_l.to_string(),
                format!("{:.2}", s.entropy_l),
                format!("{:.4}", s.t),
                format!("{:.2}%", 100.0 * s.certain.records.rate()),
            ]);
        }
        table
    }
}
