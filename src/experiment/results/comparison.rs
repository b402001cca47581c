//! Ours beside the published numbers, and whether they agree.

use crate::experiment::{Cell, Measure, PublishedValue, Sample, StudyRuns};
use crate::statistics::{mean, standard_deviation};
use std::mem::discriminant;

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

/// Every measure of every cell, by kind of measure and cell; weights only where
/// some are published.
pub fn compare(study: &StudyRuns<'_>) -> Vec<Comparison> {
    let specification = study.specification;
    let published = specification.published.iter().flat_map(|p| &p.values);
    let shown = |m: &Measure| m.is_percent() || published.clone().any(|v| v.measure == *m);
    let measures: Vec<Measure> = specification.measures().into_iter().filter(shown).collect();
    let kinds = measures.chunk_by(|a, b| discriminant(a) == discriminant(b));
    let rows = kinds.flat_map(|kind| {
        let of_cell = move |cell| kind.iter().filter_map(move |m| comparison(study, cell, m));
        specification.cells.iter().flat_map(of_cell)
    });
    rows.collect()
}

/// One measure of one cell; `None` when no run has it.
///
/// The standard error is that of the difference of two means. Where no spread is
/// published it is taken to be ours. It is at least what one record (or a weight
/// of 0.001) makes of the mean: below that nothing can be judged.
fn comparison(study: &StudyRuns<'_>, cell: &Cell, measure: &Measure) -> Option<Comparison> {
    let specification = study.specification;
    let runs = study.records.iter().filter(|r| r.cell == cell.name);
    let values: Vec<f64> = runs.filter_map(|r| r.value(measure, &specification.known)).collect();
    if values.is_empty() {
        return None;
    }
    let all = specification.published.as_ref();
    let published = all.and_then(|p| p.get(&cell.name, measure)).cloned();
    let (runs, deviation) = (values.len() as f64, standard_deviation(&values));
    let their_runs = all.and_then(|p| p.runs).map_or(runs, |runs| runs as f64);
    let theirs = published.as_ref().and_then(|p| p.deviation).unwrap_or(deviation);
    let error = (deviation.powi(2) / runs + theirs.powi(2) / their_runs).sqrt();
    Some(Comparison {
        cell: cell.name.clone(),
        measure: measure.clone(),
        ours: mean(&values),
        deviation,
        published,
        standard_error: error.max(least(measure, &specification.sample) / runs),
    })
}

/// What one record makes of a run's value.
fn least(measure: &Measure, sample: &Sample) -> f64 {
    match measure {
        Measure::Weight(_) => 0.001,
        Measure::HeldOutDbrl1 | Measure::HeldOutWorstCase => {
            100.0 / sample.held_out.unwrap_or(1) as f64
        }
        _ => 100.0 / sample.records as f64,
    }
}
