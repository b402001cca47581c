//! The published tables, ours beside them, and the plot.

use super::{GeneralizationExperiment, PatternCounts, TESTS, VARIANTS};
use crate::error::Result;
use crate::experiment::record::CellRecord;
use crate::experiment::results::{Findings, NamedTable, seconds_table};
use crate::protection::generalization::Variant;
use crate::report::plots::{Chart, Mark, Series, panels};
use crate::table::Table;

/// Ways to count patterns, and to learn from them.
const COUNTINGS: [&str; 2] = ["distinct", "list"];

/// As in the tables.
pub(super) fn variant_name(variant: Variant) -> &'static str {
    match variant {
        Variant::Literal => "literal",
        Variant::Progressive => "progressive",
    }
}

/// Tables, plot and summary of what was found.
pub(super) fn findings(
    experiment: &GeneralizationExperiment,
    original: [f64; 3],
    records: Vec<CellRecord<PatternCounts>>,
) -> Result<Findings> {
    let timing = seconds_table(records.iter().map(|r| (r.cell.clone(), r.found.seconds)));
    let counts: Vec<PatternCounts> = records.into_iter().map(|record| record.found).collect();
    let counts = counts.as_slice();
    Ok(Findings {
        citation: Some(experiment.citation.clone()),
        summary: summary(experiment, original, counts),
        tables: vec![
            NamedTable::new(
                "table1",
                "Table 1: accuracy in percent, and the difference from the published one",
                accuracy_table(experiment, original, counts),
            ),
            NamedTable::new(
                "table2",
                "Table 2: patterns and discarded records (rest), and the difference",
                pattern_table(experiment, counts),
            ),
        ],
        files: vec![(
            "plot.svg".into(),
            panels(&[accuracy_chart(experiment, original, counts), rest_chart(experiment, counts)]),
        )],
        timing: Some(timing),
        ..Findings::default()
    })
}

/// The counts of a model, by k; each with both variants.
fn pairs(counts: &[PatternCounts], model: usize) -> impl Iterator<Item = &[PatternCounts]> {
    counts.chunks(VARIANTS.len()).filter(move |pair| pair.iter().all(|o| o.model == model))
}

/// What was published for one k.
fn at(experiment: &GeneralizationExperiment, k: usize, numbers: &[f64]) -> f64 {
    let place = experiment.k.iter().position(|other| *other == k);
    place.and_then(|place| numbers.get(place)).copied().unwrap_or(f64::NAN)
}

/// Every variant with every way of counting, as column heads, each with a difference.
fn readings() -> Vec<String> {
    let reading = |v: Variant| COUNTINGS.map(|c| format!("{} {c}", variant_name(v)));
    let readings = VARIANTS.into_iter().flat_map(reading);
    readings.flat_map(|reading| [reading, "difference".to_owned()]).collect()
}

fn accuracy_table(
    experiment: &GeneralizationExperiment,
    original: [f64; 3],
    counts: &[PatternCounts],
) -> Table {
    let head = ["model", "test", "k", "published"].map(String::from);
    let mut grid = Table::new(head.into_iter().chain(readings()));
    for ((test, ours), published) in TESTS.iter().zip(original).zip(experiment.original) {
        let row = ["DB".into(), (*test).into(), String::new(), format!("{published:.2}")];
        let one = [format!("{ours:.2}"), format!("{:+.2}", ours - published)];
        grid.row(row.into_iter().chain(one).chain(vec![String::new(); 6]));
    }
    for (m, model) in experiment.models.iter().enumerate() {
        for (t, test) in TESTS.iter().enumerate() {
            for pair in pairs(counts, m) {
                let published = at(experiment, pair[0].k, &model.accuracy[t]);
                let ours = pair.iter().flat_map(|o| o.accuracy.map(|a| a[t]));
                let cells =
                    ours.flat_map(|v| [format!("{v:.2}"), format!("{:+.2}", v - published)]);
                let row = [
                    model.name(),
                    (*test).into(),
                    pair[0].k.to_string(),
                    format!("{published:.2}"),
                ];
                grid.row(row.into_iter().chain(cells));
            }
        }
    }
    grid
}

fn pattern_table(experiment: &GeneralizationExperiment, counts: &[PatternCounts]) -> Table {
    let head = ["model", "k", "patterns"].map(String::from);
    let rest = ["rest", "literal", "difference", "progressive", "difference"].map(String::from);
    let mut grid = Table::new(head.into_iter().chain(readings()).chain(rest));
    let beside = |ours: f64, published: f64| [ours.to_string(), format!("{:+}", ours - published)];
    for (m, model) in experiment.models.iter().enumerate() {
        for pair in pairs(counts, m) {
            let k = pair[0].k;
            let [patterns, rest] = [&model.patterns, &model.rest].map(|n| at(experiment, k, n));
            let counts = pair.iter().flat_map(|o| [o.distinct as f64, o.list as f64]);
            let cells = counts.flat_map(|count| beside(count, patterns));
            let rests = pair.iter().flat_map(|o| beside(o.rest as f64, rest));
            let row = [model.name(), k.to_string(), patterns.to_string()];
            let row = row.into_iter().chain(cells).chain([rest.to_string()]).chain(rests);
            grid.row(row);
        }
    }
    grid
}

/// For each reading how near it comes.
fn summary(
    experiment: &GeneralizationExperiment,
    original: [f64; 3],
    counts: &[PatternCounts],
) -> Vec<String> {
    let [s1, uci, db] = original;
    let [s1_then, uci_then, db_then] = experiment.original;
    let mut lines = vec![format!(
        "a tree of the original records: S1 {s1:.2} ({s1_then}), uci {uci:.2} ({uci_then}), \
         DB {db:.2} ({db_then})"
    )];
    for variant in VARIANTS {
        let own = || counts.iter().filter(|o| o.variant == variant);
        for (c, counting) in COUNTINGS.iter().enumerate() {
            let differences = own().flat_map(|o| {
                let published =
                    |t: usize| at(experiment, o.k, &experiment.models[o.model].accuracy[t]);
                (0..TESTS.len()).map(move |t| (o.accuracy[c][t] - published(t)).abs())
            });
            let all: Vec<f64> = differences.collect();
            let near = all.iter().filter(|d| **d <= 1.0).count();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            lines.push(format!(
                "{} {counting}: {near} of {} accuracies within one point, mean difference {mean:.2}",
                variant_name(variant),
                all.len()
            ));
        }
        let share = |ours: f64, published: f64| 100.0 * (ours - published).abs() / published;
        let worst = own()
            .map(|o| share(o.rest as f64, at(experiment, o.k, &experiment.models[o.model].rest)))
            .fold(0.0, f64::max);
        let list = own()
            .map(|o| {
                share(o.list as f64, at(experiment, o.k, &experiment.models[o.model].patterns))
            })
            .fold(0.0, f64::max);
        lines.push(format!(
            "{}: discarded records within {worst:.0}% of the published, listed patterns within {list:.0}%",
            variant_name(variant)
        ));
    }
    lines
}

/// One line per model and variant, and the published points.
fn lines(
    experiment: &GeneralizationExperiment,
    counts: &[PatternCounts],
    ours: impl Fn(&PatternCounts) -> f64,
    published: impl Fn(usize) -> Vec<f64>,
) -> Vec<(Series, Mark)> {
    let mut series = Vec::new();
    for (m, model) in experiment.models.iter().enumerate() {
        for variant in VARIANTS {
            let own = counts.iter().filter(|o| o.model == m && o.variant == variant);
            let points = own.map(|o| (o.k as f64, ours(o))).collect();
            let name = format!("{} {}", model.name(), variant_name(variant));
            series.push((Series { name, points }, Mark::Line));
        }
        let points = experiment.k.iter().map(|&k| k as f64).zip(published(m)).collect();
        let name = format!("{} published", model.name());
        series.push((Series { name, points }, Mark::Crosses));
    }
    series
}

fn accuracy_chart(
    experiment: &GeneralizationExperiment,
    original: [f64; 3],
    counts: &[PatternCounts],
) -> Chart {
    let mut series = lines(
        experiment,
        counts,
        |o| o.accuracy[0][1],
        |m| experiment.models[m].accuracy[1].clone(),
    );
    let points = experiment.k.iter().map(|&k| (k as f64, original[1])).collect();
    series.push((Series { name: "original records".into(), points }, Mark::Line));
    Chart {
        title: "Trees of distinct patterns, tested on uci".into(),
        x_label: "K".into(),
        y_label: "accuracy (%)".into(),
        series,
        ..Chart::default()
    }
}

fn rest_chart(experiment: &GeneralizationExperiment, counts: &[PatternCounts]) -> Chart {
    Chart {
        title: "Discarded records".into(),
        x_label: "K".into(),
        y_label: "records".into(),
        series: lines(experiment, counts, |o| o.rest as f64, |m| experiment.models[m].rest.clone()),
        ..Chart::default()
    }
}
