//! Horizontal bars of rates.

use super::page::{PageSvg, WIDTH, shortened};

/// A chart of rates between 0 and 1, one bar each.
#[derive(Debug, Clone, Default)]
pub struct BarChart {
    /// What the chart shows.
    pub title: String,
    /// The same in a sentence, for who cannot see it.
    pub description: String,
    /// The bars, from above.
    pub bars: Vec<Bar>,
    /// Vertical lines with their names.
    pub marks: Vec<(f64, String)>,
}

/// One bar.
#[derive(Debug, Clone, Default)]
pub struct Bar {
    /// What it stands for.
    pub label: String,
    /// A share.
    pub value: f64,
    /// The ends of a whisker.
    pub interval: Option<[f64; 2]>,
    /// Drawn in the second color.
    pub emphasis: bool,
}

const LEFT: f64 = 136.0;
const RIGHT: f64 = WIDTH - 54.0;
const ROW: f64 = 22.0;
const TOP: f64 = 22.0;

impl BarChart {
    /// The chart as SVG.
    pub fn svg(&self) -> String {
        let bottom = TOP + ROW * self.bars.len() as f64;
        let mut svg = PageSvg::new(bottom + 20.0);
        for quarter in 0..=4 {
            let share = f64::from(quarter) / 4.0;
            svg.line("grid", (x(share), TOP), (x(share), bottom));
            let name = format!("{}%", 25 * quarter);
            svg.text("tick", (x(share), bottom + 15.0), "middle", &name);
        }
        let rows = || self.bars.iter().enumerate().map(|(i, bar)| (bar, TOP + ROW * i as f64));
        rows().for_each(|(bar, top)| bar.draw(&mut svg, top));
        for (value, name) in &self.marks {
            svg.line("mark", (x(*value), TOP - 4.0), (x(*value), bottom));
            let anchor = if *value > 0.5 { "end" } else { "start" };
            svg.text("mark-name", (x(*value), TOP - 8.0), anchor, name);
        }
        // Last, so that no line runs through a number.
        rows().for_each(|(bar, top)| bar.describe(&mut svg, top));
        svg.finish(&self.title, &self.description)
    }
}

impl Bar {
    fn draw(&self, svg: &mut PageSvg, top: f64) {
        let class = if self.emphasis { "second" } else { "first" };
        let middle = top + ROW / 2.0;
        svg.rectangle(class, (LEFT, top + 4.0), (x(self.value) - LEFT, ROW - 8.0));
        if let Some([low, high]) = self.interval {
            svg.line("whisker", (x(low), middle), (x(high), middle));
            for side in [low, high] {
                svg.line("whisker", (x(side), middle - 3.0), (x(side), middle + 3.0));
            }
        }
    }

    fn describe(&self, svg: &mut PageSvg, top: f64) {
        let base = top + ROW / 2.0 + 4.0;
        svg.text("label", (LEFT - 8.0, base), "end", &shortened(&self.label, 19));
        let reach = self.interval.map_or(self.value, |[_, high]| high.max(self.value));
        let value = format!("{:.1}%", 100.0 * self.value);
        svg.text("value", (x(reach) + 5.0, base), "start", &value);
    }
}

fn x(share: f64) -> f64 {
    LEFT + (RIGHT - LEFT) * share.clamp(0.0, 1.0)
}
