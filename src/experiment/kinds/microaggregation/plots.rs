//! Figures 3 to 5 of the paper, one for each file, and the attacks it left out.

use super::{Measured, MicroaggregationExperiment, label};
use crate::error::Result;
use crate::report::plots::{Chart, Mark, Series, panels};

/// A figure: file name, heading, y axis, and what it shows.
type Figure = (&'static str, &'static str, &'static str, fn(&Measured) -> Option<f64>);

const FIGURES: [Figure; 6] = [
    ("figure3", "information loss", "SSE/SST in percent", |m| Some(m.found.loss)),
    ("figure4", "distance-linkage disclosure", "DLD in percent", |m| m.found.disclosed),
    // Times differ from run to run, so the file is named as other files of times are.
    ("timing-figure5", "elapsed time", "seconds", |m| Some(m.seconds)),
    ("worst-case", "own record found by the best weights, in a sample", "records", |m| {
        Some(m.found.worst_case.record.learned as f64)
    }),
    ("worst-case-class", "own class found by the best weights", "records", |m| {
        Some(m.found.worst_case.class.learned as f64)
    }),
    ("homogeneity", "homogeneity attack", "classes with a certain level, percent", |m| {
        Some(100.0 * m.found.homogeneity.classes.rate())
    }),
];

/// One SVG for each figure and file.
pub(super) fn plots(
    experiment: &MicroaggregationExperiment,
    measured: &[Measured],
) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for (name, title, y_label, value) in FIGURES {
        for (number, file) in experiment.files.iter().enumerate() {
            let cells: Vec<&Measured> = measured.iter().filter(|m| m.cell.file == number).collect();
            let chart = Chart {
                title: format!("{}: {title}", file.name),
                x_label: "k (l for L-V-MDAV)".into(),
                y_label: y_label.into(),
                log_y: name == "timing-figure5",
                series: series(&cells, value),
                ..Chart::default()
            };
            files.push((format!("{name}-{}.svg", file.name), panels(&[chart])));
        }
    }
    Ok(files)
}

/// A line for each method, plain and refined.
fn series(cells: &[&Measured], value: fn(&Measured) -> Option<f64>) -> Vec<(Series, Mark)> {
    let mut lines: Vec<(Series, Mark)> = Vec::new();
    for cell in cells {
        let name = label(cell.cell);
        let Some(y) = value(cell) else { continue };
        let point = (cell.cell.k as f64, y);
        match lines.iter_mut().find(|(line, _)| line.name == name) {
            Some((line, _)) => line.points.push(point),
            None => lines.push((Series { name, points: vec![point] }, Mark::Line)),
        }
    }
    lines
}
