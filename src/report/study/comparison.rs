//! Ours beside the published numbers, and whether they agree.

use crate::experiment::{Measure, PublishedValue, StudyRuns};
use crate::statistics::{mean, standard_deviation};

/// Differences below this many percentage points count as agreement even where
/// the runs hardly vary.
pub const POINTS: f64 = 0.75;

/// One measure of one cell over its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The cell's name.
    pub cell: String,
    /// What was measured.
    pub measure: Measure,
    /// Mean over the runs.
    pub ours: f64,
    /// Standard deviation over the runs.
    pub deviation: f64,
    /// What the publication says.
    pub published: Option<PublishedValue>,
    /// Standard error of the difference of both means.
    pub standard_error: f64,
}

impl Comparison {
    /// Ours minus published.
    pub fn difference(&self) -> Option<f64> {
        self.published.as_ref().map(|p| self.ours - p.mean)
    }

    /// True when the difference is at most two standard errors.
    pub fn within(&self) -> Option<bool> {
        self.difference().map(|d| d.abs() <= 2.0 * self.standard_error)
    }

    /// True when the difference is at most two standard errors or [`POINTS`].
    pub fn near(&self) -> Option<bool> {
        let points = if self.measure.is_percent() { POINTS } else { 0.0 };
        self.difference().map(|d| d.abs() <= (2.0 * self.standard_error).max(points))
    }
}

/// Every measure of every cell, by measure; weights only where some are published.
///
/// The standard error is that of the difference of two means. Where no spread is
/// published it is taken to be ours. It is at least
/// what one record (or a weight of 0.001) makes of the mean: below that nothing
/// can be judged.
pub fn compare(study: &StudyRuns<'_>) -> Vec<Comparison> {
    let specification = study.specification;
    let published = specification.published.as_ref();
    let mut rows = Vec::new();
    for measure in specification.measures() {
        let known =
            |measure| published.is_some_and(|p| p.values.iter().any(|v| v.measure == measure));
        if !measure.is_percent() && !known(measure.clone()) {
            continue;
        }
        for cell in &specification.cells {
            let runs = study.records.iter().filter(|r| r.cell == cell.name);
            let values: Vec<f64> =
                runs.filter_map(|r| r.value(&measure, &specification.known)).collect();
            if values.is_empty() {
                continue;
            }
            let their_runs = published.and_then(|p| p.runs).unwrap_or(values.len()) as f64;
            let published = published.and_then(|p| p.get(&cell.name, &measure)).cloned();
            let least = match &measure {
                Measure::Weight(_) => 0.001,
                Measure::HeldOutDbrl1 | Measure::HeldOutWorstCase => {
                    100.0 / specification.sample.held_out.unwrap_or(1) as f64
                }
                _ => 100.0 / specification.sample.records as f64,
            };
            let (runs, deviation) = (values.len() as f64, standard_deviation(&values));
            let theirs = published.as_ref().and_then(|p| p.deviation).unwrap_or(deviation);
            let error = (deviation.powi(2) / runs + theirs.powi(2) / their_runs).sqrt();
            rows.push(Comparison {
                cell: cell.name.clone(),
                measure: measure.clone(),
                ours: mean(&values),
                deviation,
                published,
                standard_error: error.max(least / runs),
            });
        }
    }
    rows
}
