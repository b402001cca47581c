//! The audit as a document: what each section says.

use super::keys::{isolated, reaches};
use super::record::stop_words;
use super::{AttributeRisk, AuditRecord, ReleaseRecord, terms};
use crate::error::{Error, Result};
use crate::learning::{Aggregation, Bounds, RowSet, WeightRange};
use crate::report::AttackRow;
use crate::report::attacks::interval;
use crate::report::document::{Document, Section, Tone, count, percent, points, short_percent};
use crate::report::plots::{Bar, BarChart, Histogram, MapPoint, RangeChart, RiskUtilityMap};
use crate::table::Table;

impl AuditRecord {
    /// The record in words, tables and charts.
    pub fn document(&self) -> Result<Document> {
        let mut sections = vec![
            self.ladder_section(),
            self.key_section(),
            self.exposure_section(),
            self.file_section(),
        ];
        sections.extend((self.releases.len() > 1).then(|| self.map_section()));
        sections.extend([self.solver_section(), self.reproduction_section()]);
        Ok(Document {
            title: self.title(),
            verdict: self.verdict(),
            tone: match &self.threshold {
                None => Tone::Open,
                Some(_) if self.exceeded() => Tone::Exceeded,
                Some(_) => Tone::Kept,
            },
            consequences: self.consequences(),
            advice: self.key_attributes.recommendations.first().cloned(),
            sections,
            record: serde_json::to_value(self).map_err(|e| Error::Internal(e.to_string()))?,
        })
    }

    fn title(&self) -> String {
        let files = self.reproduction.files.iter().filter(|f| f.role == "released");
        let file = files.map(|f| f.file.as_str()).next().unwrap_or("a release");
        format!("Disclosure audit of {}", isolated(file))
    }

    /// What follows from the verdict: internal, threshold, first advice.
    fn consequences(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.internal {
            lines.push("Internal: this report shows values of records. Do not share it.".into());
        }
        if let Some(threshold) = &self.threshold {
            let word = if threshold.exceeded { "exceeded" } else { "kept" };
            lines.push(format!(
                "The threshold of {} is {word}: the {} is {}. The threshold comes from {}.",
                short_percent(threshold.max_risk),
                threshold.judged,
                short_percent(threshold.risk),
                threshold.source
            ));
            let others = self.releases.iter().skip(1).filter(|r| r.exceeded == Some(true));
            lines.extend(others.map(|r| {
                format!(
                    "{} exceeds the threshold too: {}.",
                    isolated(&r.file),
                    reaches(&r.worst_case)
                )
            }));
        }
        lines
    }

    fn ladder_section(&self) -> Section {
        let ladder = self.ladder();
        let known = self.attributes.iter().map(|a| isolated(a)).collect::<Vec<_>>().join(", ");
        let mut section = Section::new("attacks", "Who the attacker is")
            .page_text(format!(
                "Every attacker holds the original values of {known} and looks for the same {} \
                 records among {} released ones; they differ in what else they know.",
                self.records, self.released_records
            ))
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
        section.terms(terms::attacks())
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
            vec!["attack", "re-identified", "of", "rate", "95% interval", "tied", "gain"];
        if self.held_out.is_some() {
            header.extend(["held out", "its 95% interval"]);
        }
        let mut table = Table::with_header(header.into_iter().map(String::from).collect());
        for row in ladder {
            let mut cells = vec![
                row.attack.clone(),
                count(row.reidentified),
                row.of.to_string(),
                percent(row.rate),
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
            table.push(cells);
        }
        table
    }

    fn key_section(&self) -> Section {
        let keys = &self.key_attributes;
        let owa = self.worst_case.aggregation == Aggregation::Owa;
        let mut section = Section::new("key-attributes", "Which attributes carry the risk")
            .list(keys.recommendations.clone())
            .chart(weight_chart(&keys.weights));
        section = match owa {
            true => section
                .table("The weights of the ordered distances", weight_table(&keys.weights))
                .table("What each attribute contributes", self.attribute_table(false)),
            false => section.table("What each attribute contributes", self.attribute_table(true)),
        };
        if keys.attributes.iter().any(|a| a.without.is_some()) {
            section = section.chart(self.without_chart()).page_text(
                "The chart above shows the worst case solved again without each attribute, from \
                 the column \"without it\"; the dashed line is the worst case with all of them.",
            );
        }
        section
            .page_text(
                "The range of a weight is how far it can move, others moving with it, while the \
                 same records stay re-identified: a wide range means that the weight itself says \
                 little. Weights sum to 1.",
            )
            .notes(keys.notes.clone())
    }

    fn attribute_table(&self, with_weights: bool) -> Table {
        let keys = &self.key_attributes;
        let solved = keys.attributes.iter().any(|a| a.without.is_some());
        let doubled = keys.attributes.iter().any(|a| a.doubled.is_some());
        let mut header = vec!["attribute"];
        header.extend(if with_weights { &["weight", "from", "to"][..] } else { &[] });
        header.push("alone");
        header.extend(solved.then_some("without it"));
        header.extend(doubled.then_some("protected twice as much"));
        let mut table = Table::with_header(header.into_iter().map(String::from).collect());
        for (i, attribute) in keys.attributes.iter().enumerate() {
            let mut cells = vec![attribute.attribute.clone()];
            if with_weights {
                cells.extend(keys.weights.get(i).map_or_else(Vec::new, weight_cells));
            }
            cells.push(attribute.alone_rate.map_or_else(|| "-".into(), percent));
            cells.extend(solved.then(|| bounds_cell(attribute.without.as_ref())));
            cells.extend(doubled.then(|| bounds_cell(attribute.doubled.as_ref())));
            table.push(cells);
        }
        table
    }

    fn without_chart(&self) -> String {
        let bar = |a: &AttributeRisk| {
            let without = a.without?;
            let interval =
                (!without.proven_optimal).then_some([without.rate, without.upper_bound_rate]);
            Some(Bar {
                label: format!("without {}", a.attribute),
                value: without.rate,
                interval,
                emphasis: false,
            })
        };
        BarChart {
            title: "Worst case without each attribute".into(),
            description: "One bar per attribute left out; a whisker ends at the proven upper \
                          bound where the worst case is not proven."
                .into(),
            bars: self.key_attributes.attributes.iter().filter_map(bar).collect(),
            marks: vec![(self.worst_case.rate, "with all of them".to_owned())],
        }
        .svg()
    }

    fn exposure_section(&self) -> Section {
        let risk = &self.records_at_risk;
        let mut section = Section::new("records", "Which records are exposed")
            .text(format!(
                "The worst case re-identifies {} of {} records. {} ({}) are re-identified by every \
                 one of {} attacks on all attributes, {} ({}) by at least one.",
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
            .page_table(
                "The most exposed records, by row of the original file",
                self.exposed_table(),
            );
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
        let keyed = self.records_at_risk.most_exposed.iter().any(|e| e.key.is_some());
        let mut table = Table::new([if keyed { "key" } else { "row" }, "margin", "attacks"]);
        for exposed in &self.records_at_risk.most_exposed {
            let name = exposed.key.clone().unwrap_or_else(|| exposed.row.to_string());
            let attacks = format!("{} of {}", exposed.attacks, self.records_at_risk.attacks.len());
            table.row([name, format!("{:.3}", exposed.margin), attacks]);
        }
        table
    }

    fn value_table(&self) -> Table {
        let mut table = Table::new(["row", "attribute", "original", "released"]);
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "missing".into());
        for exposed in &self.records_at_risk.most_exposed {
            for value in exposed.values.iter().flatten() {
                table.row([
                    exposed.row.to_string(),
                    value.attribute.clone(),
                    shown(&value.original),
                    shown(&value.released),
                ]);
            }
        }
        table
    }

    fn file_section(&self) -> Section {
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
        let mut section = Section::new("file", "What the released file is like").text(format!(
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
        let mut table = Table::new(["sensitive", "distinct l", "entropy l", "t-closeness"]);
        for s in &self.anonymity.sensitive {
            table.row([
                s.attribute.clone(),
                s.distinct_l.to_string(),
                format!("{:.2}", s.entropy_l),
                format!("{:.4}", s.t),
            ]);
        }
        table
    }

    fn map_section(&self) -> Section {
        let point = |r: &ReleaseRecord| {
            Some(MapPoint {
                name: r.name.clone(),
                loss: r.utility.as_ref()?.il_percent,
                risk: r.worst_case.upper_bound_rate,
                frontier: r.frontier,
            })
        };
        let chart = RiskUtilityMap {
            title: "Risk against information loss of the releases".into(),
            description: "Each release by its information loss and its proven worst case; filled \
                          ones are on the frontier."
                .into(),
            loss: "information loss (SSE/SST)".into(),
            points: self.releases.iter().filter_map(point).collect(),
            threshold: self.threshold.as_ref().map(|t| t.max_risk),
        };
        Section::new("releases", "Risk against utility")
            .page_text(
                "Lower is safer, further left says more. No other release is better in both than \
                 those on the frontier (filled). The first file is audited in full; the others \
                 get their worst case and utility.",
            )
            .chart(chart.svg())
            .table("The releases", self.release_table())
    }

    fn release_table(&self) -> Table {
        let mut table = Table::new([
            "release",
            "file",
            "worst case",
            "dbrl1",
            "SSE/SST",
            "IL1s",
            "frontier",
            "threshold",
        ]);
        for r in &self.releases {
            let loss = |value: &dyn Fn(&super::UtilitySummary) -> f64| {
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
                bounds_cell(Some(&r.worst_case)),
                r.dbrl1_rate.map_or_else(|| "-".into(), percent),
                loss(&|u| u.il_percent),
                loss(&|u| u.il1s_percent),
                if r.frontier { "yes" } else { "no" }.into(),
                judged.into(),
            ]);
        }
        table
    }

    fn solver_section(&self) -> Section {
        let worst = &self.worst_case;
        let line = format!(
            "Solver {}: {} nodes, {:.2} s; {} of {} inequalities left after reduction. No weights \
             re-identify {} of the records, all weights {}.",
            worst.solver,
            worst.nodes,
            worst.seconds,
            worst.rows_reduced,
            worst.rows_full,
            worst.never_reidentified,
            worst.always_reidentified
        );
        Section::new("proof", "How sure this is").text(line).facts(self.solver_facts())
    }

    fn solver_facts(&self) -> Vec<(&'static str, String)> {
        let worst = &self.worst_case;
        let proof = match worst.proven_optimal {
            true => "proven optimal".to_owned(),
            false => format!(
                "between {} and {} of {}; stopped at its {}",
                worst.reidentified,
                worst.upper_bound,
                self.records,
                stop_words(worst.stop_reason)
            ),
        };
        let rows = match worst.rows {
            RowSet::Generated => format!("generated in {} rounds", worst.rounds),
            _ => "all".to_owned(),
        };
        let margin = worst.margin.map_or_else(|| "not measured".to_owned(), |m| format!("{m:.3e}"));
        vec![
            ("Solver", worst.solver.to_owned()),
            ("Worst case", proof),
            ("Nodes searched", worst.nodes.to_string()),
            ("Seconds", format!("{:.2}", worst.seconds)),
            (
                "Inequalities",
                format!("{} before reduction, {} after", worst.rows_full, worst.rows_reduced),
            ),
            ("Inequalities seen", rows),
            ("Weight floor", format!("{} of the largest weight", power(worst.scope.weight_floor))),
            (
                "Margin an inequality must hold by",
                format!(
                    "{} relative, {} absolute",
                    power(worst.scope.relative_margin),
                    power(worst.scope.absolute_margin)
                ),
            ),
            ("Smallest margin found", margin),
            ("Tie rule", "a tie does not identify (miss)".to_owned()),
            ("Standardisation", self.standardisation.clone()),
        ]
    }

    fn reproduction_section(&self) -> Section {
        self.reproduction.section()
    }
}

fn weight_chart(weights: &[WeightRange]) -> String {
    let row = |w: &WeightRange| (w.name.clone(), w.weight, w.ends());
    RangeChart {
        title: "Worst-case weights and how far they can move".into(),
        description: "A dot at each weight on a line over its range; the table below holds the \
                      numbers."
            .into(),
        rows: weights.iter().map(row).collect(),
    }
    .svg()
}

fn weight_cells(weight: &WeightRange) -> Vec<String> {
    let digits = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.4}"));
    vec![format!("{:.6}", weight.weight), digits(weight.low), digits(weight.high)]
}

fn weight_table(weights: &[WeightRange]) -> Table {
    let mut table = Table::new(["distance", "weight", "from", "to"]);
    for weight in weights {
        table.push([vec![weight.name.clone()], weight_cells(weight)].concat());
    }
    table
}

/// 1e-9, but 0 as such.
fn power(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:e}") }
}

/// `71.00%`, `70.00% to 72.50%` where that is the proven interval, or a dash.
fn bounds_cell(bounds: Option<&Bounds>) -> String {
    match bounds {
        None => "-".to_owned(),
        Some(b) if b.proven_optimal => percent(b.rate),
        Some(b) => format!("{} to {}", percent(b.rate), percent(b.upper_bound_rate)),
    }
}
