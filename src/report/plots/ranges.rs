//! Values with the range they may take.

use super::page::{PageSvg, WIDTH, shortened};

/// A chart of values between 0 and 1 with their ranges.
#[derive(Debug, Clone, Default)]
pub struct RangeChart {
    /// What the chart shows.
    pub title: String,
    /// The same in a sentence, for who cannot see it.
    pub description: String,
    /// Name, value, least and greatest value.
    pub rows: Vec<(String, f64, [f64; 2])>,
}

const LEFT: f64 = 136.0;
const RIGHT: f64 = WIDTH - 54.0;
const ROW: f64 = 22.0;
const TOP: f64 = 6.0;

impl RangeChart {
    /// The chart as SVG.
    pub fn svg(&self) -> String {
        let bottom = TOP + ROW * self.rows.len() as f64;
        let end = self.end();
        let x = |value: f64| LEFT + (RIGHT - LEFT) * (value / end).clamp(0.0, 1.0);
        let mut svg = PageSvg::new(bottom + 20.0);
        for quarter in 0..=4 {
            let value = end * f64::from(quarter) / 4.0;
            svg.line("grid", (x(value), TOP), (x(value), bottom));
            svg.text("tick", (x(value), bottom + 15.0), "middle", &format!("{value:.2}"));
        }
        for (i, (name, value, [low, high])) in self.rows.iter().enumerate() {
            let middle = TOP + ROW * (i as f64 + 0.5);
            svg.text("label", (LEFT - 8.0, middle + 4.0), "end", &shortened(name, 19));
            svg.line("range", (x(*low), middle), (x(*high), middle));
            svg.dot("second", (x(*value), middle), 4.5);
            let beside = x(*high).max(x(*value)) + 8.0;
            svg.text("value", (beside, middle + 4.0), "start", &format!("{value:.3}"));
        }
        svg.finish(&self.title, &self.description)
    }

    /// The end of the axis: the greatest value, rounded up to a fifth.
    fn end(&self) -> f64 {
        let greatest = self.rows.iter().map(|(_, value, [_, high])| value.max(*high));
        let greatest = greatest.fold(0.0, f64::max).clamp(0.01, 1.0);
        ((greatest * 5.0).ceil() / 5.0).min(1.0)
    }
}
