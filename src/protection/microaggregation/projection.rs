//! Projections of several attributes onto one line.

use crate::statistics::{covariance_matrix, first_principal_component};

/// Sum of the coordinates of each record (z-scores projection when they are z-scores).
pub fn sum(columns: &[Vec<f64>]) -> Vec<f64> {
    weighted_sum(columns, &vec![1.0; columns.len()])
}

/// Score of each record on the first principal component of `columns`.
pub fn principal_component(columns: &[Vec<f64>]) -> Vec<f64> {
    let component = first_principal_component(&covariance_matrix(columns));
    weighted_sum(columns, &component)
}

fn weighted_sum(columns: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let mut scores = vec![0.0; columns.first().map_or(0, Vec::len)];
    for (column, weight) in columns.iter().zip(weights) {
        scores.iter_mut().zip(column).for_each(|(score, value)| *score += weight * value);
    }
    scores
}
