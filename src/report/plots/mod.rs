//! Plots as SVG, the one place that draws them.
//!
//! Two kinds of drawing over one writer of markup (`svg`): charts of report pages
//! (`page`), whose colors the page gives, and plots of files (`canvas`), which carry theirs.

mod axis;
mod bars;
mod canvas;
mod chart;
mod histogram;
mod lattice;
mod legend;
mod page;
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
