//! Risk against utility, with the frontier.

use super::page::{PageSvg, WIDTH};

/// Releases as points: what is lost against what is at risk.
#[derive(Debug, Clone, Default)]
pub struct RiskUtilityMap {
    /// What the chart shows.
    pub title: String,
    /// The same in a sentence, for who cannot see it.
    pub description: String,
    /// Under the axis of what is lost.
    pub loss: String,
    /// The points.
    pub points: Vec<MapPoint>,
    /// The greatest risk allowed.
    pub threshold: Option<f64>,
}

/// One release.
#[derive(Debug, Clone, Default)]
pub struct MapPoint {
    /// A short name.
    pub name: String,
    /// What is lost, in percent.
    pub loss: f64,
    /// The risk, a share.
    pub risk: f64,
    /// No other release loses less at no more risk.
    pub frontier: bool,
}

const LEFT: f64 = 46.0;
const RIGHT: f64 = WIDTH - 16.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 250.0;

impl RiskUtilityMap {
    /// The chart as SVG.
    pub fn svg(&self) -> String {
        let most = self.points.iter().map(|p| p.loss).fold(0.0, f64::max).max(1e-6) * 1.15;
        let place = |loss: f64, risk: f64| {
            (LEFT + (RIGHT - LEFT) * loss / most, BOTTOM - (BOTTOM - TOP) * risk)
        };
        let mut svg = PageSvg::new(BOTTOM + 38.0);
        for quarter in 0..=4 {
            let share = f64::from(quarter) / 4.0;
            let (loss, y) = (share * most, place(0.0, share).1);
            svg.line("grid", (LEFT, y), (RIGHT, y));
            svg.text("tick", (LEFT - 6.0, y + 4.0), "end", &format!("{:.0}%", 100.0 * share));
            let name = format!("{loss:.1}%");
            svg.text("tick", (place(loss, 0.0).0, BOTTOM + 15.0), "middle", &name);
        }
        svg.text("tick", (LEFT, TOP - 7.0), "start", "worst case");
        svg.text("tick", ((LEFT + RIGHT) / 2.0, BOTTOM + 32.0), "middle", &self.loss);
        if let Some(risk) = self.threshold {
            svg.line("mark", place(0.0, risk), place(most, risk));
        }
        let steps = self.frontier();
        let steps: Vec<(f64, f64)> = steps.iter().map(|(l, r)| place(*l, *r)).collect();
        svg.path("frontier", &steps);
        for point in &self.points {
            let at = place(point.loss, point.risk);
            svg.dot(if point.frontier { "second" } else { "hollow" }, at, 6.0);
            svg.text("value", (at.0 + 9.0, at.1 - 6.0), "start", &point.name);
        }
        svg.finish(&self.title, &self.description)
    }

    /// The frontier as steps: to lose less, more risk must be borne.
    fn frontier(&self) -> Vec<(f64, f64)> {
        let mut best: Vec<(f64, f64)> =
            self.points.iter().filter(|p| p.frontier).map(|p| (p.loss, p.risk)).collect();
        best.sort_by(|a, b| a.0.total_cmp(&b.0));
        let corner = |pair: &[(f64, f64)]| [pair[0], (pair[1].0, pair[0].1)];
        let mut steps: Vec<(f64, f64)> = best.windows(2).flat_map(corner).collect();
        steps.extend(best.last());
        steps
    }
}
