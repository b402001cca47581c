//! Plots as SVG, the one place that draws them.

use crate::error::{Error, Result};
use plotters::coord::Shift;
use plotters::prelude::*;

/// A line with its name.
#[derive(Debug, Clone)]
pub struct Series {
    /// Shown in the legend.
    pub name: String,
    /// (x, y), in the order they are joined.
    pub points: Vec<(f64, f64)>,
}

/// One chart: linear x, logarithmic y.
#[derive(Debug, Clone)]
pub struct LogChart {
    /// Above the chart.
    pub title: String,
    /// Under the x axis.
    pub x_label: String,
    /// Beside the y axis.
    pub y_label: String,
    /// The lines.
    pub series: Vec<Series>,
}

/// Colours that people with any colour vision can tell apart (Okabe and Ito 2008).
const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

/// The charts side by side as one SVG.
pub fn side_by_side(charts: &[LogChart]) -> Result<String> {
    let mut svg = String::new();
    {
        let size = (520 * charts.len().max(1) as u32, 380);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        for (panel, chart) in area.split_evenly((1, charts.len().max(1))).iter().zip(charts) {
            chart.draw(panel)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

impl LogChart {
    fn draw(&self, panel: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<()> {
        let points = || self.series.iter().flat_map(|s| s.points.iter().copied());
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
        };
        let (left, right) = range(&mut points().map(|p| p.0));
        let (low, high) = range(&mut points().map(|p| p.1).filter(|y| *y > 0.0));
        if !(left.is_finite() && low.is_finite()) {
            return Ok(());
        }
        let mut chart = ChartBuilder::on(panel)
            .caption(&self.title, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(left..right, (low / 1.5..high * 1.5).log_scale())
            .map_err(failed)?;
        chart
            .configure_mesh()
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .y_label_formatter(&|y| format!("{y}"))
            .light_line_style(WHITE)
            .draw()
            .map_err(failed)?;
        for (series, colour) in self.series.iter().zip(COLOURS.iter().cycle()) {
            let line = LineSeries::new(series.points.iter().copied(), colour.stroke_width(2));
            chart.draw_series(line).map_err(failed)?.label(&series.name).legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2))
            });
            let dots = series.points.iter().map(|p| Circle::new(*p, 4, colour.filled()));
            chart.draw_series(dots).map_err(failed)?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.2))
            .draw()
            .map_err(failed)
    }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Internal(format!("drawing a plot: {error}"))
}
