//! The published tables, ours beside them, and the plot.

use super::{Outcome, Patterns, TESTS, VARIANTS};
use crate::error::Result;
use crate::experiment::results::{Findings, NamedTable};
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
    study: &Patterns,
    original: [f64; 3],
    outcomes: &[Outcome],
) -> Result<Findings> {
    let named =
        |name: &str, title: &str, grid| NamedTable { name: name.into(), title: title.into(), grid };
    let timing = |o: &Outcome| (study.cell_name(o.model, o.k, o.variant), o.seconds);
    Ok(Findings {
        citation: Some(study.citation.clone()),
        summary: summary(study, original, outcomes),
        tables: vec![
            named(
                "table1",
                "Table 1: accuracy in percent, and the difference from the published one",
                accuracy_table(study, original, outcomes),
            ),
            named(
                "table2",
                "Table 2: patterns and discarded records (rest), and the difference",
                pattern_table(study, outcomes),
            ),
        ],
        files: vec![(
            "plot.svg".into(),
            panels(&[accuracy_chart(study, original, outcomes), rest_chart(study, outcomes)]),
        )],
        data: study.sources.clone(),
        timing: outcomes.iter().map(timing).collect(),
    })
}

/// The outcomes of a model, by k; each with both variants.
fn pairs(outcomes: &[Outcome], model: usize) -> impl Iterator<Item = &[Outcome]> {
    outcomes.chunks(VARIANTS.len()).filter(move |pair| pair.iter().all(|o| o.model == model))
}

/// What was published for one k.
fn at(study: &Patterns, k: usize, numbers: &[f64]) -> f64 {
    let place = study.k.iter().position(|other| *other == k);
    place.and_then(|place| numbers.get(place)).copied().unwrap_or(f64::NAN)
}

/// Every variant with every way of counting, as column heads, each with a difference.
fn readings() -> Vec<String> {
    let reading = |v: Variant| COUNTINGS.map(|c| format!("{} {c}", variant_name(v)));
    let readings = VARIANTS.into_iter().flat_map(reading);
    readings.flat_map(|reading| [reading, "difference".to_owned()]).collect()
}

fn accuracy_table(study: &Patterns, original: [f64; 3], outcomes: &[Outcome]) -> Table {
    let head = ["model", "test", "k", "published"].map(String::from);
    let mut grid = Table::new(head.into_iter().chain(readings()));
    for ((test, ours), published) in TESTS.iter().zip(original).zip(study.original) {
        let row = ["DB".into(), (*test).into(), String::new(), format!("{published:.2}")];
        let one = [format!("{ours:.2}"), format!("{:+.2}", ours - published)];
        grid.row(row.into_iter().chain(one).chain(vec![String::new(); 6]));
    }
    for (m, model) in study.models.iter().enumerate() {
        for (t, test) in TESTS.iter().enumerate() {
            for pair in pairs(outcomes, m) {
                let published = at(study, pair[0].k, &model.accuracy[t]);
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

fn pattern_table(study: &Patterns, outcomes: &[Outcome]) -> Table {
    let head = ["model", "k", "patterns"].map(String::from);
    let rest = ["rest", "literal", "difference", "progressive", "difference"].map(String::from);
    let mut grid = Table::new(head.into_iter().chain(readings()).chain(rest));
    let beside = |ours: f64, published: f64| [ours.to_string(), format!("{:+}", ours - published)];
    for (m, model) in study.models.iter().enumerate() {
        for pair in pairs(outcomes, m) {
            let k = pair[0].k;
            let [patterns, rest] = [&model.patterns, &model.rest].map(|n| at(study, k, n));
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
fn summary(study: &Patterns, original: [f64; 3], outcomes: &[Outcome]) -> Vec<String> {
    let [s1, uci, db] = original;
    let [s1_then, uci_then, db_then] = study.original;
    let mut lines = vec![format!(
        "a tree of the original records: S1 {s1:.2} ({s1_then}), uci {uci:.2} ({uci_then}), \
         DB {db:.2} ({db_then})"
    )];
    for variant in VARIANTS {
        let own = || outcomes.iter().filter(|o| o.variant == variant);
        for (c, counting) in COUNTINGS.iter().enumerate() {
            let differences = own().flat_map(|o| {
                let published = |t: usize| at(study, o.k, &study.models[o.model].accuracy[t]);
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
            .map(|o| share(o.rest as f64, at(study, o.k, &study.models[o.model].rest)))
            .fold(0.0, f64::max);
        let list = own()
            .map(|o| share(o.list as f64, at(study, o.k, &study.models[o.model].patterns)))
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
    study: &Patterns,
    outcomes: &[Outcome],
    ours: impl Fn(&Outcome) -> f64,
    published: impl Fn(usize) -> Vec<f64>,
) -> Vec<(Series, Mark)> {
    let mut series = Vec::new();
    for (m, model) in study.models.iter().enumerate() {
        for variant in VARIANTS {
            let own = outcomes.iter().filter(|o| o.model == m && o.variant == variant);
            let points = own.map(|o| (o.k as f64, ours(o))).collect();
            let name = format!("{} {}", model.name(), variant_name(variant));
            series.push((Series { name, points }, Mark::Line));
        }
        let points = study.k.iter().map(|&k| k as f64).zip(published(m)).collect();
        let name = format!("{} published", model.name());
        series.push((Series { name, points }, Mark::Crosses));
    }
    series
}

fn accuracy_chart(study: &Patterns, original: [f64; 3], outcomes: &[Outcome]) -> Chart {
    let mut series =
        lines(study, outcomes, |o| o.accuracy[0][1], |m| study.models[m].accuracy[1].clone());
    let points = study.k.iter().map(|&k| (k as f64, original[1])).collect();
    series.push((Series { name: "original records".into(), points }, Mark::Line));
    Chart {
        title: "Trees of distinct patterns, tested on uci".into(),
        x_label: "K".into(),
        y_label: "accuracy (%)".into(),
        series,
        ..Chart::default()
    }
}

fn rest_chart(study: &Patterns, outcomes: &[Outcome]) -> Chart {
    Chart {
        title: "Discarded records".into(),
        x_label: "K".into(),
        y_label: "records".into(),
        series: lines(study, outcomes, |o| o.rest as f64, |m| study.models[m].rest.clone()),
        ..Chart::default()
    }
}
