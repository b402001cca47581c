//! What `plot.svg` and `timing.svg` of a study show.

use super::comparison::{Comparison, compare};
use crate::error::Result;
use crate::experiment::{Measure, Plot, RunRecord, Specification, StudyRuns};
use crate::report::plots::{Chart, Mark, Series, panels};
use crate::statistics::mean;

/// The plot that the specification asks for.
pub(super) fn plot(study: &StudyRuns<'_>) -> Result<String> {
    let charts = match &study.specification.plot {
        Plot::Rates => rates(study),
        Plot::Values { attribute } => values(study, attribute)?,
        Plot::Improvement { highlight } => {
            let label = "gain of the best weights over equal ones, points";
            scatter(study, highlight, label, false, &gain)
        }
    };
    Ok(panels(&charts))
}

/// Solver seconds against unlinked records.
pub(super) fn times(study: &StudyRuns<'_>) -> String {
    let highlight = match &study.specification.plot {
        Plot::Improvement { highlight } => highlight.as_slice(),
        _ => &[],
    };
    let seconds = |record: &RunRecord| record.worst_case.as_ref().map(|w| w.seconds);
    panels(&scatter(study, highlight, "seconds to proof, one core", true, &seconds))
}

fn gain(record: &RunRecord) -> Option<f64> {
    let worst = record.worst_case.as_ref()?;
    Some(100.0 * (worst.reidentified as f64 - record.dbrl1 as f64) / record.records as f64)
}

/// Records that the worst case does not link: the objective of the optimization.
fn unlinked(record: &RunRecord) -> Option<f64> {
    record.worst_case.as_ref().map(|w| (record.records - w.reidentified) as f64)
}

/// Every run by protection, and the means of the cells of some protections.
fn scatter(
    study: &StudyRuns<'_>,
    highlight: &[String],
    y_label: &str,
    log_y: bool,
    y: &dyn Fn(&RunRecord) -> Option<f64>,
) -> Vec<Chart> {
    let point = |record: &RunRecord| Some((unlinked(record)?, y(record)?));
    let runs = |cell: &str| -> Vec<(f64, f64)> {
        study.records.iter().filter(|r| r.cell == cell).filter_map(point).collect()
    };
    let cells_of = |protection: &str| -> Vec<Vec<(f64, f64)>> {
        let cells = study.specification.cells.iter().filter(|c| c.protection == protection);
        cells.map(|cell| runs(&cell.name)).filter(|points| !points.is_empty()).collect()
    };
    let all = |name: &String| (series(name, cells_of(name).concat()), Mark::Dots);
    let means = |name: &String| {
        let mut points: Vec<(f64, f64)> = cells_of(name).iter().map(|p| center(p)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        (series(name, points), Mark::Line)
    };
    let chart = |title: &str, series| Chart {
        title: title.into(),
        x_label: "records that the best weights do not link".into(),
        y_label: y_label.into(),
        log_y,
        x_names: Vec::new(),
        series,
    };
    let every = protections(study.specification).iter().map(all).collect();
    let mut charts = vec![chart("every run", every)];
    if !highlight.is_empty() {
        charts.push(chart("means of the cells", highlight.iter().map(means).collect()));
    }
    charts
}

fn center(points: &[(f64, f64)]) -> (f64, f64) {
    let of = |coordinate: fn(&(f64, f64)) -> f64| -> f64 {
        mean(&points.iter().map(coordinate).collect::<Vec<f64>>())
    };
    (of(|p| p.0), of(|p| p.1))
}

/// The protections in the order of their cells.
fn protections(specification: &Specification) -> Vec<String> {
    let mut names: Vec<String> = specification.cells.iter().map(|c| c.protection.clone()).collect();
    names.dedup();
    names
}

fn series(name: &str, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.to_owned(), points }
}

/// Original against released values of one attribute, as the first run protects it.
fn values(study: &StudyRuns<'_>, attribute: &str) -> Result<Vec<Chart>> {
    let data = &study.specification.data;
    let position = data.position(attribute)?;
    let original = data.complete_numeric(&[position], "a plot")?[0].to_vec();
    study
        .specification
        .cells
        .iter()
        .map(|cell| {
            let first = study.records.iter().find(|r| r.cell == cell.name);
            let seed = first.map_or(study.specification.sample.seed, |record| record.seed);
            let released = cell.method.protect(data, &cell.attributes, seed, &())?.released;
            let released = released.complete_numeric(&[position], "a plot")?[0].to_vec();
            let points = original.iter().copied().zip(released).collect();
            Ok(Chart {
                title: cell.name.clone(),
                x_label: format!("original {attribute}"),
                y_label: format!("released {attribute}"),
                series: vec![(series(attribute, points), Mark::Dots)],
                ..Chart::default()
            })
        })
        .collect()
}

/// Ours as lines, the published numbers as crosses.
fn rates(study: &StudyRuns<'_>) -> Vec<Chart> {
    let compared = compare(study);
    if study.specification.attacks.single {
        return by_attribute(study, &compared);
    }
    let main = [Measure::Dbrl1, Measure::WorstCase];
    let held_out = [Measure::HeldOutDbrl1, Measure::HeldOutWorstCase];
    let learned_from = match study.specification.sample.held_out {
        None => "means over the runs, in percent of the sample",
        Some(_) => "records that weights are learned from",
    };
    let mut charts = vec![by_cell(study, &compared, learned_from, &main)];
    if study.specification.sample.held_out.is_some() {
        charts.push(by_cell(study, &compared, "other records", &held_out));
    }
    charts
}

fn by_cell(
    study: &StudyRuns<'_>,
    compared: &[Comparison],
    title: &str,
    measures: &[Measure],
) -> Chart {
    let cells = &study.specification.cells;
    let protections = protections(study.specification);
    let numbered = protections.len() == 1 && cells.iter().all(|c| c.parameter.is_some());
    let x = |name: &str| {
        let place = cells.iter().position(|c| c.name == name).unwrap_or(0);
        cells[place].parameter.filter(|_| numbered).unwrap_or(place as f64)
    };
    let mut all = Vec::new();
    for measure in measures {
        let rows = || compared.iter().filter(|row| row.measure == *measure);
        let ours = rows().map(|row| (x(&row.cell), row.ours)).collect();
        all.push((series(&measure.to_string(), ours), Mark::Line));
        let theirs: Vec<(f64, f64)> =
            rows().filter_map(|row| Some((x(&row.cell), row.published.as_ref()?.mean))).collect();
        if !theirs.is_empty() {
            all.push((series(&format!("{measure}, published"), theirs), Mark::Crosses));
        }
    }
    Chart {
        title: title.into(),
        x_label: if numbered { format!("parameter of {}", protections[0]) } else { String::new() },
        y_label: "% re-identified".into(),
        x_names: match numbered {
            true => Vec::new(),
            false => cells.iter().map(|c| c.name.clone()).collect(),
        },
        series: all,
        ..Chart::default()
    }
}

/// What each attribute gives alone, and its weight.
fn by_attribute(study: &StudyRuns<'_>, compared: &[Comparison]) -> Vec<Chart> {
    let known = &study.specification.known;
    let chart = |title: &str, y_label: &str, measure: fn(String) -> Measure| {
        let row = |name: &String| {
            let measure = measure(name.clone());
            compared.iter().find(|row| row.measure == measure)
        };
        let points = |value: &dyn Fn(&Comparison) -> Option<f64>| -> Vec<(f64, f64)> {
            let named = known.iter().enumerate();
            named.filter_map(|(i, name)| Some((i as f64, value(row(name)?)?))).collect()
        };
        let ours = points(&|row| Some(row.ours));
        let theirs = points(&|row| row.published.as_ref().map(|p| p.mean));
        Chart {
            title: title.into(),
            y_label: y_label.into(),
            x_names: known.clone(),
            series: vec![
                (series("ours", ours), Mark::Line),
                (series("published", theirs), Mark::Crosses),
            ],
            ..Chart::default()
        }
    };
    vec![
        chart("each attribute alone", "% re-identified", Measure::Single),
        chart("learned weights", "weight", Measure::Weight),
    ]
}
