//! Key attributes of releases, laid out as Tables 5, 6 and 8 of D. Abril,
//! G. Navarro-Arribas, V. Torra (2012), doi:10.1016/j.inffus.2011.05.001.

use super::document::{Document, DocumentSection, Tone};
use super::plots::{Bar, BarChart, RangeChart};
use crate::audit::{Change, KeysRecord, ReleaseKeys};
use crate::error::{Error, Result};
use crate::learning::WeightRange;
use crate::table::Table;
use crate::words::{count, isolated, percent, short_percent};

impl KeysRecord {
    /// The record in words, tables and charts.
    pub fn document(&self) -> Result<Document> {
        let mut sections: Vec<DocumentSection> = Vec::new();
        if let Some(first) = self.releases.first() {
            sections.extend([self.table_5(first), self.table_6(first)]);
        }
        sections.extend([self.table_8(), self.reproduction.section()]);
        Ok(Document {
            title: format!("Key attributes of {}", isolated(&self.file())),
            verdict: self.verdict(),
            tone: Tone::Plain,
            consequences: Vec::new(),
            advice: None,
            facts: Vec::new(),
            sections,
            record: serde_json::to_value(self).map_err(|e| Error::Internal(e.to_string()))?,
        })
    }

    fn file(&self) -> String {
        self.releases.first().map(|r| r.file.clone()).unwrap_or_default()
    }

    fn verdict(&self) -> String {
        let Some(first) = self.releases.first() else { return String::new() };
        let heaviest = first.weights.iter().max_by(|a, b| a.weight.total_cmp(&b.weight));
        let Some(heaviest) = heaviest else { return String::new() };
        let worst = &first.worst_case;
        let proof = match worst.proven_optimal {
            true => "proven optimal".to_owned(),
            false => format!("proven only to be at most {}", short_percent(worst.upper_bound_rate)),
        };
        let name = isolated(&heaviest.name);
        let [low, high] = heaviest.ends();
        let weight = match heaviest.tells_nothing() {
            true => format!(
                "No weight tells which attribute carries the risk: the greatest, that of {name} \
                 ({:.3}), can be anything from {low:.3} to {high:.3} while the same records stay \
                 re-identified",
                heaviest.weight
            ),
            false => format!(
                "{name} carries the most weight ({:.3}, from {low:.3} to {high:.3})",
                heaviest.weight
            ),
        };
        format!(
            "{weight}, in the linkage that re-identifies {} of {} records ({}, {proof}).",
            count(worst.reidentified),
            self.records,
            short_percent(worst.rate)
        )
    }

    /// An empty table with a column per attribute, and the rows about protection.
    fn across(&self, release: &ReleaseKeys) -> Table {
        let mut header = vec!["attribute".to_owned()];
        header.extend(self.attributes.iter().cloned());
        let mut table = Table::new(header);
        release.protection_rows().into_iter().for_each(|row| table.row(row));
        table
    }

    fn table_5(&self, release: &ReleaseKeys) -> DocumentSection {
        let digits =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.5}"));
        let mut table = self.across(release);
        table.row(release.weight_row("weight", |w| format!("{:.5}", w.weight)));
        table.row(release.weight_row("from", |w| digits(w.low)));
        table.row(release.weight_row("to", |w| digits(w.high)));
        let rows = release.weights.iter().map(|w| (w.name.clone(), w.weight, w.ends()));
        let chart = RangeChart {
            title: "Optimal weights and how far they can move".into(),
            description: "A dot at each weight on a line over its range.".into(),
            rows: rows.collect(),
        };
        DocumentSection::new("weights", "Weights that identify the key attributes")
            .page_text(
                "An attribute with a high weight tells records apart: it has a greater disclosure \
                 risk. From and to are the range in which the weight can move, others moving with \
                 it, while the same records stay re-identified. Layout of Table 5 of Abril, \
                 Navarro-Arribas, Torra (2012).",
            )
            .chart(chart.svg())
            .table("Weights by attribute", table)
    }

    fn table_6(&self, release: &ReleaseKeys) -> DocumentSection {
        let mut table = self.across(release);
        let rates = release.single_rates.iter().map(|rate| percent(*rate));
        table.row(std::iter::once("re-identification".to_owned()).chain(rates));
        let bar = |(name, rate): (&String, &f64)| Bar {
            label: name.clone(),
            value: *rate,
            ..Bar::default()
        };
        let chart = BarChart {
            title: "Records re-identified by single attributes".into(),
            description: "One bar per attribute.".into(),
            bars: self.attributes.iter().zip(&release.single_rates).map(bar).collect(),
            marks: vec![(release.worst_case.rate, "all attributes".into())],
        };
        DocumentSection::new("single", "Re-identification by single attributes")
            .chart(chart.svg())
            .table("Re-identification by single attributes", table)
            .text(format!(
                "All {} attributes together re-identify {} with equal weights and {} with the \
                 best weights.",
                self.attributes.len(),
                percent(release.dbrl1_rate),
                percent(release.worst_case.rate)
            ))
            .page_text("Layout of Table 6 of the same paper.")
    }

    fn table_8(&self) -> DocumentSection {
        let mut header = vec!["file".to_owned()];
        header.extend(self.attributes.iter().cloned());
        let mut table = Table::new(header);
        for release in &self.releases {
            release.protection_rows().into_iter().take(1).for_each(|row| table.row(row));
            table.row(release.weight_row(&release.file, |w| format!("{:.5}", w.weight)));
        }
        DocumentSection::new("files", "Weights of the files side by side")
            .page_text(
                "For each file how strongly every attribute is protected, and its optimal weight. \
                 Layout of Table 8 of the same paper.",
            )
            .table("Optimal weights by file", table)
    }
}

impl ReleaseKeys {
    /// The known strength, how much was changed, and the smallest group, each across.
    fn protection_rows(&self) -> Vec<Vec<String>> {
        let dash = || "-".to_owned();
        let row = |name: &str, cells: Vec<String>| [vec![name.to_owned()], cells].concat();
        let mut rows = Vec::new();
        if let Some(strength) = &self.strength {
            let value =
                |v: &Option<serde_json::Value>| v.as_ref().map_or_else(dash, ToString::to_string);
            rows.push(row(&strength.parameter, strength.values.iter().map(value).collect()));
        }
        let percent = |c: &Change| c.percent.map_or_else(dash, |p| format!("{p:.2}"));
        rows.push(row("changed by (%)", self.changes.iter().map(percent).collect()));
        let group = |c: &Change| c.smallest_group.to_string();
        rows.push(row("smallest group", self.changes.iter().map(group).collect()));
        rows
    }

    fn weight_row(&self, name: &str, cell: impl Fn(&WeightRange) -> String) -> Vec<String> {
        std::iter::once(name.to_owned()).chain(self.weights.iter().map(cell)).collect()
    }
}
