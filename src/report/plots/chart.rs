//! Charts of several series, side by side.

use super::{COLORS, failed};
use crate::error::Result;
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

/// How the points of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Dots joined by a line.
    Line,
    /// Dots alone.
    Dots,
    /// Crosses alone.
    Crosses,
}

/// One chart of several series, with names or numbers along its x axis.
#[derive(Debug, Clone, Default)]
pub struct Chart {
    /// Above the chart.
    pub title: String,
    /// Under the x axis.
    pub x_label: String,
    /// Beside the y axis.
    pub y_label: String,
    /// True for a logarithmic y axis; points that are not positive are left out.
    pub log_y: bool,
    /// What stands at x = 0, 1, 2, ...; numbers when empty.
    pub x_names: Vec<String>,
    /// What is drawn.
    pub series: Vec<(Series, Mark)>,
}

/// The charts as one SVG, at most three in a row.
pub fn panels(charts: &[Chart]) -> Result<String> {
    let mut svg = String::new();
    {
        let columns = charts.len().clamp(1, 3);
        let rows = charts.len().div_ceil(columns).max(1);
        let size = (520 * columns as u32, 420 * rows as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        for (panel, chart) in area.split_evenly((rows, columns)).iter().zip(charts) {
            chart.draw(panel)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

impl Chart {
    /// The points of a series as they lie on the axes.
    fn placed<'s>(&self, series: &'s Series) -> impl Iterator<Item = (f64, f64)> + 's {
        let log = self.log_y;
        let shown = series.points.iter().filter(move |p| !log || p.1 > 0.0);
        shown.map(move |(x, y)| (*x, if log { y.log10() } else { *y }))
    }

    /// The extent of one coordinate, a little wider than the points.
    fn extent(&self, coordinate: impl Fn((f64, f64)) -> f64) -> Option<(f64, f64)> {
        let values = || self.series.iter().flat_map(|(s, _)| self.placed(s)).map(&coordinate);
        let low = values().reduce(f64::min)?;
        let high = values().reduce(f64::max)?;
        let margin = if high > low { 0.04 * (high - low) } else { 0.5 };
        Some((low - margin, high + margin))
    }

    /// A corner in which the legend hides no point, if there is one.
    fn free_corner(&self, x: (f64, f64), y: (f64, f64)) -> Option<SeriesLabelPosition> {
        let share = 0.07 * (self.series.len() + 1) as f64;
        let near = |value: f64, (low, high): (f64, f64), far: bool, share: f64| {
            let place = (value - low) / (high - low);
            if far { place > 1.0 - share } else { place < share }
        };
        let free = |right: bool, upper: bool| {
            let mut points = self.series.iter().flat_map(|(series, _)| self.placed(series));
            !points.any(|p| near(p.0, x, right, 0.5) && near(p.1, y, upper, share))
        };
        let corners = [
            (SeriesLabelPosition::UpperRight, free(true, true)),
            (SeriesLabelPosition::LowerLeft, free(false, false)),
            (SeriesLabelPosition::UpperLeft, free(false, true)),
            (SeriesLabelPosition::LowerRight, free(true, false)),
        ];
        corners.into_iter().find(|(_, free)| *free).map(|(corner, _)| corner)
    }

    /// Width of a legend beside the chart.
    fn legend_width(&self) -> i32 {
        let longest = self.series.iter().map(|(series, _)| series.name.chars().count()).max();
        40 + 7 * longest.unwrap_or(0) as i32
    }

    /// The legend by itself, for charts whose points leave no corner free.
    fn draw_legend(&self, strip: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<()> {
        for (i, (series, mark)) in self.series.iter().enumerate() {
            let (style, y) = (style_of(i), 50 + 18 * i as i32);
            match mark {
                Mark::Crosses => strip.draw(&Cross::new((10, y), 4, style.color.stroke_width(2))),
                _ => strip.draw(&Circle::new((10, y), 4, style)),
            }
            .map_err(failed)?;
            let text = Text::new(series.name.clone(), (22, y - 6), ("sans-serif", 12));
            strip.draw(&text).map_err(failed)?;
        }
        Ok(())
    }

    fn draw(&self, panel: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<()> {
        let (Some(x), Some(y)) = (self.extent(|p| p.0), self.extent(|p| p.1)) else {
            return Ok(());
        };
        let corner = self.free_corner(x, y);
        let beside = corner.is_none() && self.series.len() > 1;
        let width = panel.dim_in_pixel().0 as i32;
        let (plot, strip) = match beside {
            true => panel.split_horizontally(width - self.legend_width()),
            false => panel.split_horizontally(width),
        };
        if beside {
            self.draw_legend(&strip)?;
        }
        let mut chart = ChartBuilder::on(&plot)
            .caption(&self.title, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(64)
            .build_cartesian_2d(x.0..x.1, y.0..y.1)
            .map_err(failed)?;
        let name = |x: &f64| match self.x_names.get(x.round() as usize) {
            Some(name) if (x - x.round()).abs() < 1e-9 => name.clone(),
            _ if self.x_names.is_empty() => format!("{}", (x * 100.0).round() / 100.0),
            _ => String::new(),
        };
        let height = |y: &f64| match self.log_y {
            true => power_of_ten(*y),
            false => format!("{}", (y * 1000.0).round() / 1000.0),
        };
        let labels = if self.x_names.is_empty() { 10 } else { 2 * self.x_names.len() };
        chart
            .configure_mesh()
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .x_labels(labels)
            .x_label_formatter(&name)
            .y_label_formatter(&height)
            .light_line_style(WHITE)
            .draw()
            .map_err(failed)?;
        for (i, (series, mark)) in self.series.iter().enumerate() {
            let (color, style) = (COLORS[i % COLORS.len()], style_of(i));
            let points: Vec<(f64, f64)> = self.placed(series).collect();
            if *mark == Mark::Line {
                let line = LineSeries::new(points.iter().copied(), color.stroke_width(2));
                chart.draw_series(line).map_err(failed)?;
            }
            let size = if points.len() > 50 { 2 } else { 4 };
            if *mark == Mark::Crosses {
                let crosses = points.iter().map(|p| Cross::new(*p, 5, color.stroke_width(2)));
                chart
                    .draw_series(crosses)
                    .map_err(failed)?
                    .label(&series.name)
                    .legend(move |(x, y)| Cross::new((x + 8, y), 4, color.stroke_width(2)));
            } else {
                let dots = points.iter().map(|p| Circle::new(*p, size, style));
                let drawn = chart.draw_series(dots).map_err(failed)?;
                drawn.label(&series.name).legend(move |(x, y)| Circle::new((x + 8, y), 4, style));
            }
        }
        let Some(corner) = corner.filter(|_| self.series.len() > 1) else {
            return Ok(());
        };
        chart
            .configure_series_labels()
            .position(corner)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.2))
            .draw()
            .map_err(failed)
    }
}

/// The color of series `i`; the ninth and later ones are drawn hollow.
fn style_of(i: usize) -> ShapeStyle {
    let color = COLORS[i % COLORS.len()];
    if i < COLORS.len() { color.filled() } else { color.stroke_width(1) }
}

/// 10 to the power of `exponent` with two digits that count.
fn power_of_ten(exponent: f64) -> String {
    let value = 10f64.powf(exponent);
    let digits = (1.0 - exponent.floor()).clamp(0.0, 12.0) as usize;
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
