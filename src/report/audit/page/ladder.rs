//! The ladder of attacks.

use crate::audit::AuditRecord;
use crate::linkage::AttackRow;
use crate::report::document::DocumentSection;
use crate::report::plots::{Bar, BarChart};
use crate::table::Table;
use crate::words::{count, interval, isolated, percent, points, short_percent};

impl AuditRecord {
    pub(super) fn ladder_section(&self) -> DocumentSection {
        let ladder = self.ladder();
        let known = self.attributes.iter().map(|a| isolated(a)).collect::<Vec<_>>().join(", ");
        let mut section = DocumentSection::new("attacks", "Who the attacker is")
            .page_text(format!(
                "Every attacker holds the original values of {known} and looks for {} people among \
                 {} released records; they differ in what else they know.",
                self.records + self.suppressed,
                self.released_records
            ))
            .text(self.ceiling.sentences())
            .chart(self.ladder_chart(&ladder))
            .table(
                "Attacks on the same records; gain in percentage points over dbrl1",
                self.ladder_table(&ladder),
            )
            .notes(self.notes());
        if let Some(held_out) = &self.held_out {
            section = section.text(format!(
                "On {} other records the same weights re-identify {} ({}), equal weights {} ({}).",
                held_out.records,
                held_out.worst_case_weights,
                percent(held_out.worst_case_weights_rate),
                held_out.dbrl1,
                percent(held_out.dbrl1_rate)
            ));
        } else {
            section = section.page_text(
                "The worst case is a maximum over weights chosen for these very records; \
                 --test-sample shows what the same weights do on others.",
            );
        }
        section
    }

    fn ladder_chart(&self, ladder: &[AttackRow]) -> String {
        let bar = |row: &AttackRow| Bar {
            label: row.attack.clone(),
            value: row.rate,
            interval: row.interval,
            emphasis: row.attack == "worst case",
        };
        let threshold = self.threshold.as_ref();
        BarChart {
            title: "Share of records re-identified by each attack".into(),
            description: format!(
                "Bars from {} by guessing to {} in the worst case; the table below holds the \
                 numbers.",
                short_percent(ladder.first().map_or(0.0, |row| row.rate)),
                short_percent(self.worst_case.rate)
            ),
            bars: ladder.iter().map(bar).collect(),
            marks: threshold.map(|t| (t.max_risk, "threshold".to_owned())).into_iter().collect(),
        }
        .svg()
    }

    fn ladder_table(&self, ladder: &[AttackRow]) -> Table {
        let mut header =
            vec!["attack", "rate", "found", "certain", "of", "95% interval", "tied", "gain"];
        if self.held_out.is_some() {
            header.extend(["held out", "its 95% interval"]);
        }
        let mut table = Table::new(header);
        for row in ladder {
            let mut cells = vec![
                row.attack.clone(),
                percent(row.rate),
                count(row.reidentified),
                row.certain.to_string(),
                row.of.to_string(),
                interval(row.interval),
                row.tied.to_string(),
                row.gain.map_or_else(|| "-".into(), points),
            ];
            if let Some(held_out) = &self.held_out {
                let (rate, ends) = match row.attack.as_str() {
                    "dbrl1" => (Some(held_out.dbrl1_rate), Some(held_out.dbrl1_interval)),
                    "worst case" => (
                        Some(held_out.worst_case_weights_rate),
                        Some(held_out.worst_case_weights_interval),
                    ),
                    _ => (None, None),
                };
                cells.extend([rate.map_or_else(|| "-".into(), percent), interval(ends)]);
            }
            table.row(cells);
        }
        table
    }
}
