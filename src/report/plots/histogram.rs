//! How many records lie where, on both sides of zero.

use super::page::{PageSvg, WIDTH};

/// Counts in bins of equal width from -1 to 1.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    /// What the chart shows.
    pub title: String,
    /// The same in a sentence, for who cannot see it.
    pub description: String,
    /// Under the axis.
    pub axis: String,
    /// What lies below and above zero.
    pub sides: [String; 2],
    /// The counts, from -1 to 1.
    pub counts: Vec<usize>,
}

const LEFT: f64 = 40.0;
const RIGHT: f64 = WIDTH - 12.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 190.0;

impl Histogram {
    /// The chart as SVG.
    pub fn svg(&self) -> String {
        let most = self.counts.iter().copied().max().unwrap_or(0).max(1);
        let mut svg = PageSvg::new(BOTTOM + 38.0);
        for half in 0..=2 {
            let height = most as f64 * f64::from(half) / 2.0;
            let y = BOTTOM - (BOTTOM - TOP) * height / most as f64;
            svg.line("grid", (LEFT, y), (RIGHT, y));
            svg.text("tick", (LEFT - 6.0, y + 4.0), "end", &format!("{height:.0}"));
        }
        self.draw_bins(&mut svg, most);
        for tick in -2..=2 {
            let value = f64::from(tick) / 2.0;
            svg.text("tick", (x(value), BOTTOM + 15.0), "middle", &format!("{value}"));
        }
        svg.line("mark", (x(0.0), TOP - 12.0), (x(0.0), BOTTOM));
        svg.text("tick", (x(0.0) - 6.0, TOP - 8.0), "end", &self.sides[0]);
        svg.text("tick", (x(0.0) + 6.0, TOP - 8.0), "start", &self.sides[1]);
        svg.text("tick", (x(0.0), BOTTOM + 32.0), "middle", &self.axis);
        svg.finish(&self.title, &self.description)
    }

    fn draw_bins(&self, svg: &mut PageSvg, most: usize) {
        let bins = self.counts.len().max(1) as f64;
        for (i, count) in self.counts.iter().enumerate() {
            let low = -1.0 + 2.0 * i as f64 / bins;
            let middle = low + 1.0 / bins;
            let height = (BOTTOM - TOP) * *count as f64 / most as f64;
            let class = if middle > 0.0 { "second" } else { "first" };
            let width = x(low + 2.0 / bins) - x(low) - 1.0;
            svg.rectangle(class, (x(low) + 0.5, BOTTOM - height), (width, height));
        }
    }
}

fn x(value: f64) -> f64 {
    LEFT + (RIGHT - LEFT) * (value + 1.0) / 2.0
}
