//! Charts of several series, side by side.

use super::axis::{AxisLabels, PlotField};
use super::canvas::{Canvas, Pixel};
use super::legend::{Corner, Legend, color_of, draw_mark};

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

/// Width and height of one chart.
const PANEL: Pixel = (520, 420);

/// The charts as one SVG, at most three in a row.
pub fn panels(charts: &[Chart]) -> String {
    let columns = charts.len().clamp(1, 3);
    let rows = charts.len().div_ceil(columns).max(1);
    let corner = |column: usize, row: usize| (PANEL.0 * column as i32, PANEL.1 * row as i32);
    let mut canvas = Canvas::new(corner(columns, rows));
    for (i, chart) in charts.iter().enumerate() {
        chart.draw(&mut canvas, corner(i % columns, i / columns));
    }
    canvas.finish()
}

impl Chart {
    /// The points of a series as they lie on the axes.
    fn placed<'s>(&self, series: &'s Series) -> impl Iterator<Item = (f64, f64)> + 's {
        let log = self.log_y;
        let shown = series.points.iter().filter(move |p| !log || p.1 > 0.0);
        let placed = shown.map(move |(x, y)| (*x, if log { y.log10() } else { *y }));
        placed.filter(|(x, y)| x.is_finite() && y.is_finite())
    }

    fn all_placed(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.series.iter().flat_map(|(series, _)| self.placed(series))
    }

    /// The extent of one coordinate, a little wider than the points.
    fn extent(&self, coordinate: impl Fn((f64, f64)) -> f64) -> Option<(f64, f64)> {
        let low = self.all_placed().map(&coordinate).reduce(f64::min)?;
        let high = self.all_placed().map(&coordinate).reduce(f64::max)?;
        let margin = if high > low { 0.04 * (high - low) } else { 0.5 };
        Some((low - margin, high + margin))
    }

    fn legend(&self) -> Legend<'_> {
        Legend { series: &self.series }
    }

    /// A corner in which the legend hides no point, if there is one.
    fn free_corner(&self, x: (f64, f64), y: (f64, f64)) -> Option<Corner> {
        let near = |value: f64, (low, high): (f64, f64), far: bool, share: f64| {
            let place = (value - low) / (high - low);
            if far { place > 1.0 - share } else { place < share }
        };
        let hidden = |corner: Corner, p: (f64, f64)| {
            near(p.0, x, corner.right, 0.5) && near(p.1, y, corner.upper, self.legend().share())
        };
        [(true, true), (false, false), (false, true), (true, false)]
            .map(|(right, upper)| Corner { right, upper })
            .into_iter()
            .find(|corner| !self.all_placed().any(|p| hidden(*corner, p)))
    }

    /// Draws nothing if there is no point.
    fn draw(&self, canvas: &mut Canvas, (left, top): Pixel) {
        let (Some(x), Some(y)) = (self.extent(|p| p.0), self.extent(|p| p.1)) else {
            return;
        };
        let corner = self.free_corner(x, y);
        let named = self.series.len() > 1;
        let mut width = PANEL.0;
        if named && corner.is_none() {
            width -= self.legend().width();
            self.legend().draw_beside(canvas, (left + width, top));
        }
        let field = PlotField::new((left, top), (width, PANEL.1), x, y);
        field.title(canvas, &self.title);
        self.draw_axes(canvas, &field);
        for (i, (series, mark)) in self.series.iter().enumerate() {
            let points: Vec<Pixel> = self.placed(series).map(|p| field.pixel(p)).collect();
            draw_series(canvas, i, *mark, &points);
        }
        if let Some(corner) = corner.filter(|_| named) {
            self.legend().draw_within(canvas, &field, corner);
        }
    }

    fn draw_axes(&self, canvas: &mut Canvas, field: &PlotField) {
        let most = if self.x_names.is_empty() { 10 } else { 2 * self.x_names.len() };
        let written = |x| self.x_written(x);
        let x = AxisLabels { name: &self.x_label, most, written: &written };
        let written = |y| self.y_written(y);
        let y = AxisLabels { name: &self.y_label, most: 11, written: &written };
        field.axes(canvas, &x, &y);
    }

    fn x_written(&self, x: f64) -> String {
        match self.x_names.get(x.round() as usize) {
            Some(name) if (x - x.round()).abs() < 1e-9 => name.clone(),
            _ if self.x_names.is_empty() => format!("{}", (x * 100.0).round() / 100.0),
            _ => String::new(),
        }
    }

    fn y_written(&self, y: f64) -> String {
        match self.log_y {
            true => power_of_ten(y),
            false => format!("{}", (y * 1000.0).round() / 1000.0),
        }
    }
}

fn draw_series(canvas: &mut Canvas, i: usize, mark: Mark, points: &[Pixel]) {
    if mark == Mark::Line && !points.is_empty() {
        canvas.path(color_of(i), 2, points);
    }
    let reach = match mark {
        Mark::Crosses => 5,
        _ if points.len() > 50 => 2,
        _ => 4,
    };
    points.iter().for_each(|point| draw_mark(canvas, mark, i, *point, reach));
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
