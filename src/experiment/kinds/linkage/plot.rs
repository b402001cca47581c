//! What `plot.svg` and `timing.svg` of an experiment show.

use super::comparison::{Comparison, compare};
use super::{LinkageExperiment, LinkageRun, Plot};
use crate::error::Result;
use crate::experiment::specification::Quantity;
use crate::report::plots::{Chart, Mark, Series, panels};
use crate::statistics::mean;

/// An experiment and its runs.
#[derive(Clone, Copy)]
pub(super) struct Runs<'a> {
    pub experiment: &'a LinkageExperiment,
    pub runs: &'a [LinkageRun],
}

/// The plot that the specification asks for.
pub(super) fn plot(of: Runs<'_>) -> Result<String> {
    let charts = match &of.experiment.plot {
        Plot::Rates => rates(of),
        Plot::Values { attribute } => values(of, attribute)?,
        Plot::Improvement { highlight } => {
            let label = "gain of the best weights over equal ones, points";
            scatter(of, highlight, label, false, &gain)
        }
    };
    Ok(panels(&charts))
}

/// Solver seconds against unlinked records.
pub(super) fn times(of: Runs<'_>) -> String {
    let highlight = match &of.experiment.plot {
        Plot::Improvement { highlight } => highlight.as_slice(),
        _ => &[],
    };
    let seconds = |record: &LinkageRun| record.found.worst_case.as_ref().map(|w| w.seconds);
    panels(&scatter(of, highlight, "seconds to proof, one core", true, &seconds))
}

fn gain(record: &LinkageRun) -> Option<f64> {
    let worst = record.found.worst_case.as_ref()?;
    Some(
        100.0 * (worst.reidentified as f64 - record.found.dbrl1 as f64)
            / record.found.records as f64,
    )
}

/// Records that the worst case does not link: the objective of the optimization.
fn unlinked(record: &LinkageRun) -> Option<f64> {
    record.found.worst_case.as_ref().map(|w| (record.found.records - w.reidentified) as f64)
}

/// Every run by protection, and the means of the cells of some protections.
fn scatter(
    of: Runs<'_>,
    highlight: &[String],
    y_label: &str,
    log_y: bool,
    y: &dyn Fn(&LinkageRun) -> Option<f64>,
) -> Vec<Chart> {
    let point = |record: &LinkageRun| Some((unlinked(record)?, y(record)?));
    let runs = |cell: &str| -> Vec<(f64, f64)> {
        of.runs.iter().filter(|r| r.cell == cell).filter_map(point).collect()
    };
    let cells_of = |protection: &str| -> Vec<Vec<(f64, f64)>> {
        let cells = of.experiment.cells.iter().filter(|c| c.protection == protection);
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
    let every = protections(of.experiment).iter().map(all).collect();
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
fn protections(experiment: &LinkageExperiment) -> Vec<String> {
    let mut names: Vec<String> = experiment.cells.iter().map(|c| c.protection.clone()).collect();
    names.dedup();
    names
}

fn series(name: &str, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.to_owned(), points }
}

/// Original against released values of one attribute, as the first run protects it.
fn values(of: Runs<'_>, attribute: &str) -> Result<Vec<Chart>> {
    let data = &of.experiment.data;
    of.experiment
        .cells
        .iter()
        .map(|cell| {
            let first = of.runs.iter().find(|r| r.cell == cell.name);
            let seed = first.map_or(of.experiment.sample.seed, |record| record.found.seed);
            let release = cell.source.release(data, seed)?;
            let both = [release.original(), &release.released_in_order()?];
            let [original, released] = both.map(|file| file.complete_numeric(attribute, "a plot"));
            let points = original?.iter().copied().zip(released?.iter().copied()).collect();
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
fn rates(of: Runs<'_>) -> Vec<Chart> {
    let compared = compare(of.experiment, of.runs);
    if of.experiment.attacks.single {
        return by_attribute(of, &compared);
    }
    let further = of.experiment.attacks.further_names().into_iter().map(Quantity::Attack);
    let main: Vec<Quantity> =
        [Quantity::Dbrl1, Quantity::WorstCase].into_iter().chain(further).collect();
    let held_out = [Quantity::HeldOutDbrl1, Quantity::HeldOutWorstCase];
    let learned_from = match of.experiment.sample.held_out {
        None => "means over the runs, in percent of the sample",
        Some(_) => "records that weights are learned from",
    };
    let mut charts = vec![by_cell(of, &compared, learned_from, &main)];
    if of.experiment.sample.held_out.is_some() {
        charts.push(by_cell(of, &compared, "other records", &held_out));
    }
    charts
}

fn by_cell(of: Runs<'_>, compared: &[Comparison], title: &str, quantities: &[Quantity]) -> Chart {
    let cells = &of.experiment.cells;
    let protections = protections(of.experiment);
    let numbered = protections.len() == 1 && cells.iter().all(|c| c.parameter.is_some());
    let x = |name: &str| {
        let place = cells.iter().position(|c| c.name == name).unwrap_or(0);
        cells[place].parameter.filter(|_| numbered).unwrap_or(place as f64)
    };
    let mut all = Vec::new();
    for quantity in quantities {
        let rows = || compared.iter().filter(|row| row.quantity == *quantity);
        let ours = rows().map(|row| (x(&row.cell), row.ours)).collect();
        all.push((series(&quantity.to_string(), ours), Mark::Line));
        let theirs: Vec<(f64, f64)> =
            rows().filter_map(|row| Some((x(&row.cell), row.published.as_ref()?.mean))).collect();
        if !theirs.is_empty() {
            all.push((series(&format!("{quantity}, published"), theirs), Mark::Crosses));
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
fn by_attribute(of: Runs<'_>, compared: &[Comparison]) -> Vec<Chart> {
    let known = &of.experiment.known;
    let chart = |title: &str, y_label: &str, quantity: fn(String) -> Quantity| {
        let row = |name: &String| {
            let quantity = quantity(name.clone());
            compared.iter().find(|row| row.quantity == quantity)
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
        chart("each attribute alone", "% re-identified", Quantity::Single),
        chart("learned weights", "weight", Quantity::Weight),
    ]
}
