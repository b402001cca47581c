//! Which records are at risk.

use crate::audit::{AuditRecord, Exposed};
use crate::report::document::DocumentSection;
use crate::report::plots::Histogram;
use crate::table::Table;
use crate::words::percent;

impl AuditRecord {
    pub(super) fn exposure_section(&self) -> DocumentSection {
        let risk = &self.records_at_risk;
        let section = DocumentSection::new("records", "Which records are exposed");
        if risk.attacks.is_empty() {
            return section.text("There was no time to look at each record.");
        }
        let mut section = section
            .text(format!(
                "The best weights re-identify {} of {} records for certain. {} ({}) are \
                 re-identified for certain by every one of {} attacks on all attributes, {} ({}) \
                 by at least one.",
                risk.reidentified,
                risk.of,
                risk.by_every_attack,
                percent(risk.by_every_attack_rate),
                risk.attacks.len(),
                risk.by_any_attack,
                percent(risk.by_any_attack_rate)
            ))
            .page_text(format!("The attacks compared: {}.", risk.attacks.join(", ")))
            .chart(self.margin_chart())
            .data_table("Records by margin, as a table", self.margin_table())
            .page_table("The most exposed records", self.exposed_table());
        if self.internal {
            section = section.page_table("Their values", self.value_table());
        }
        section
    }

    fn margin_chart(&self) -> String {
        let risk = &self.records_at_risk;
        Histogram {
            title: "Records by the margin with which they are told apart".into(),
            description: format!(
                "{} records lie above zero, where they are re-identified; the table below holds \
                 the numbers.",
                risk.reidentified
            ),
            axis: "margin: (d − o) / (d + o), o own and d nearest other distance".into(),
            sides: ["not re-identified".into(), "re-identified".into()],
            counts: risk.margins.iter().map(|bin| bin.records).collect(),
        }
        .svg()
    }

    fn margin_table(&self) -> Table {
        let mut table = Table::new(["margin above", "up to", "records"]);
        for bin in self.records_at_risk.margins.iter().filter(|bin| bin.records > 0) {
            table.row([
                format!("{:.1}", bin.from),
                format!("{:.1}", bin.to),
                bin.records.to_string(),
            ]);
        }
        table
    }

    fn exposed_table(&self) -> Table {
        let exposed = &self.records_at_risk.most_exposed;
        let name = match exposed.first() {
            Some(Exposed { key: Some(_), .. }) => Some("key"),
            Some(Exposed { row: Some(_), .. }) => Some("row of the original file"),
            _ => None,
        };
        let mut table = Table::new(name.into_iter().chain(["margin", "attacks"]));
        for exposed in exposed {
            let attacks = format!("{} of {}", exposed.attacks, self.records_at_risk.attacks.len());
            let numbers = [format!("{:.3}", exposed.margin), attacks];
            table.row(exposed.name().into_iter().chain(numbers));
        }
        table
    }

    fn value_table(&self) -> Table {
        let mut table = Table::new(["record", "attribute", "original", "released"]);
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "missing".into());
        for exposed in &self.records_at_risk.most_exposed {
            for value in exposed.values.iter().flatten() {
                table.row([
                    exposed.name().unwrap_or_default(),
                    value.attribute.clone(),
                    shown(&value.original),
                    shown(&value.released),
                ]);
            }
        }
        table
    }
}
