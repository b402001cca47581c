//! Plots as SVG, the one place that draws them.

mod bars;
mod chart;
mod histogram;
mod lattice;
mod png;
mod ranges;
mod risk_utility;
mod svg;
mod tree;

pub use bars::{Bar, BarChart};
pub use chart::{Chart, Mark, Series, panels};
pub use histogram::Histogram;
pub use lattice::LatticeDrawing;
pub use png::png;
pub use ranges::RangeChart;
pub use risk_utility::{MapPoint, RiskUtilityMap};
pub use tree::decision_tree;

use crate::error::Error;
use plotters::style::RGBColor;

/// Colors that people with any color vision can tell apart (Okabe and Ito 2008, but for
/// the last).
const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(140, 120, 20),
];

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Internal(format!("drawing a plot: {error}"))
}
