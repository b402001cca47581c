//! Ours beside the published numbers, and whether they agree.

use super::{LinkageExperiment, LinkageRun, SampleDesign};
use crate::experiment::specification::{ProtectionCell, PublishedValue, Quantity};
use crate::statistics::{mean, standard_deviation};

/// Differences below this many percentage points count as agreement even where
/// the runs hardly vary.
pub(super) const POINTS: f64 = 0.75;

/// One quantity of one cell over its runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    /// The cell's name.
    pub cell: String,
    /// What was measured.
    pub quantity: Quantity,
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
        let points = if self.quantity.is_percent() { POINTS } else { 0.0 };
        self.difference().map(|d| d.abs() <= (2.0 * self.standard_error).max(points))
    }
}

/// Every quantity of every cell, by section and cell; weights only where some are published.
pub(super) fn compare(experiment: &LinkageExperiment, runs: &[LinkageRun]) -> Vec<Comparison> {
    let published = experiment.published.iter().flat_map(|p| &p.values);
    let shown = |q: &Quantity| q.is_percent() || published.clone().any(|v| v.quantity == *q);
    let quantities: Vec<Quantity> = experiment.quantities().into_iter().filter(shown).collect();
    let sections = quantities.chunk_by(|a, b| a.section() == b.section());
    let rows = sections.flat_map(|section| {
        let of_cell =
            move |cell| section.iter().filter_map(move |q| comparison(experiment, runs, cell, q));
        experiment.cells.iter().flat_map(of_cell)
    });
    rows.collect()
}

/// One quantity of one cell; `None` when no run has it.
///
/// The standard error is that of the difference of two means. Where no spread is
/// published it is taken to be ours. It is at least what one record (or a weight
/// of 0.001) makes of the mean: below that nothing can be judged.
fn comparison(
    experiment: &LinkageExperiment,
    runs: &[LinkageRun],
    cell: &ProtectionCell,
    quantity: &Quantity,
) -> Option<Comparison> {
    let runs = runs.iter().filter(|r| r.cell == cell.name);
    let values: Vec<f64> =
        runs.filter_map(|r| r.found.value(quantity, &experiment.known)).collect();
    if values.is_empty() {
        return None;
    }
    let all = experiment.published.as_ref();
    let published = all.and_then(|p| p.get(&cell.name, quantity)).cloned();
    let (runs, deviation) = (values.len() as f64, standard_deviation(&values));
    let their_runs = all.and_then(|p| p.runs).map_or(runs, |runs| runs as f64);
    let theirs = published.as_ref().and_then(|p| p.deviation).unwrap_or(deviation);
    let error = (deviation.powi(2) / runs + theirs.powi(2) / their_runs).sqrt();
    Some(Comparison {
        cell: cell.name.clone(),
        quantity: quantity.clone(),
        ours: mean(&values),
        deviation,
        published,
        standard_error: error.max(least(quantity, &experiment.sample) / runs),
    })
}

/// What one record makes of a run's value.
fn least(quantity: &Quantity, sample: &SampleDesign) -> f64 {
    match quantity {
        Quantity::Weight(_) => 0.001,
        Quantity::HeldOutDbrl1 | Quantity::HeldOutWorstCase => {
            100.0 / sample.held_out.unwrap_or(1) as f64
        }
        _ => 100.0 / sample.records as f64,
    }
}
