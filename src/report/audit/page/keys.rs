//! Which attributes carry the risk.

use crate::audit::{AttributeRisk, AuditRecord};
use crate::learning::{Aggregation, Bounds, WeightRange};
use crate::report::document::DocumentSection;
use crate::report::plots::{Bar, BarChart, RangeChart};
use crate::table::Table;
use crate::words::percent;

impl AuditRecord {
    pub(super) fn key_section(&self) -> DocumentSection {
        let keys = &self.key_attributes;
        let owa = self.worst_case.aggregation == Aggregation::Owa;
        let mut section = DocumentSection::new("key-attributes", "Which attributes carry the risk")
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
                 same records stay re-identified: a weight that can double tells nothing about its \
                 attribute. Attributes are ranked by how far the strongest attacker falls without \
                 them. Weights sum to 1.",
            )
            .notes(keys.notes.clone())
    }

    fn attribute_table(&self, with_weights: bool) -> Table {
        let keys = &self.key_attributes;
        let solved = keys.attributes.iter().any(|a| a.without.is_some());
        let doubled = keys.attributes.iter().any(|a| a.doubled.is_some());
        let other = keys.attributes.iter().any(|a| a.strongest_without.is_some());
        let mut header = vec!["attribute"];
        header.extend(if with_weights { &["weight", "from", "to", "tells"][..] } else { &[] });
        header.push("alone");
        header.extend(solved.then_some("without it"));
        header.extend(other.then_some("strongest without it"));
        header.extend(doubled.then_some("protected twice as much"));
        let mut table = Table::new(header);
        for i in keys.ranked(&self.verdict.attack) {
            let attribute = &keys.attributes[i];
            let mut cells = vec![attribute.attribute.clone()];
            if with_weights {
                cells.extend(keys.weights.get(i).map_or_else(Vec::new, weight_cells));
                cells.extend(keys.weights.get(i).map(tells));
            }
            cells.push(attribute.alone_rate.map_or_else(|| "-".into(), percent));
            cells.extend(solved.then(|| bounds_cell(attribute.without.as_ref())));
            let found = attribute.strongest_without;
            cells.extend(other.then(|| found.map_or_else(|| "-".into(), percent)));
            cells.extend(doubled.then(|| bounds_cell(attribute.doubled.as_ref())));
            table.row(cells);
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

/// Whether a weight says something about its attribute.
fn tells(weight: &WeightRange) -> String {
    if weight.tells_nothing() { "nothing" } else { "its share" }.to_owned()
}

fn weight_cells(weight: &WeightRange) -> Vec<String> {
    let digits = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.4}"));
    vec![format!("{:.6}", weight.weight), digits(weight.low), digits(weight.high)]
}

fn weight_table(weights: &[WeightRange]) -> Table {
    let mut table = Table::new(["distance", "weight", "from", "to"]);
    for weight in weights {
        table.row([vec![weight.name.clone()], weight_cells(weight)].concat());
    }
    table
}

/// `71.00%`, `70.00% to 72.50%` where that is the proven interval, or a dash.
pub(super) fn bounds_cell(bounds: Option<&Bounds>) -> String {
    match bounds {
        None => "-".to_owned(),
        Some(b) if b.proven_optimal => percent(b.rate),
        Some(b) => format!("{} to {}", percent(b.rate), percent(b.upper_bound_rate)),
    }
}
