//! Means, deviations, covariances and their eigenvectors, in one place.
//!
//! Variances and covariances divide by n - 1.

use nalgebra::DMatrix;

/// Arithmetic mean; NaN for no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sample variance; 0 for fewer than two values.
pub fn variance(values: &[f64]) -> f64 {
    covariance(values, values)
}

/// Sample standard deviation; 0 for fewer than two values.
pub fn standard_deviation(values: &[f64]) -> f64 {
    variance(values).sqrt()
}

/// Sample covariance of two columns of equal length; 0 for fewer than two values.
pub fn covariance(a: &[f64], b: &[f64]) -> f64 {
    if a.len() < 2 {
        return 0.0;
    }
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum: f64 = a.iter().zip(b).map(|(x, y)| (x - mean_a) * (y - mean_b)).sum();
    sum / (a.len() - 1) as f64
}

/// Covariance matrix of `columns`.
pub fn covariance_matrix<C: AsRef<[f64]>>(columns: &[C]) -> DMatrix<f64> {
    let n = columns.len();
    let mut matrix = DMatrix::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let value = covariance(columns[i].as_ref(), columns[j].as_ref());
            matrix[(i, j)] = value;
            matrix[(j, i)] = value;
        }
    }
    matrix
}

/// Correlation matrix that belongs to a covariance matrix; a constant column correlates with nothing.
pub fn correlation_matrix(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(covariance.nrows(), covariance.ncols(), |i, j| {
        let scale = geometric_mean(covariance[(i, i)], covariance[(j, j)]);
        match i == j {
            true => 1.0,
            false if scale == 0.0 => 0.0,
            false => covariance[(i, j)] / scale,
        }
    })
}

/// Square root of the product of two numbers that are at least 0, also where that overflows or
/// underflows.
pub(crate) fn geometric_mean(a: f64, b: f64) -> f64 {
    let product = a * b;
    if product.is_normal() { product.sqrt() } else { a.sqrt() * b.sqrt() }
}

/// Eigenvalues of a symmetric matrix, largest first.
pub fn eigenvalues(symmetric: &DMatrix<f64>) -> Vec<f64> {
    let mut values: Vec<f64> = symmetric.clone().symmetric_eigenvalues().iter().copied().collect();
    values.sort_by(|a, b| b.total_cmp(a));
    values
}

/// Eigenvector of the largest eigenvalue, its largest component positive.
pub fn first_principal_component(symmetric: &DMatrix<f64>) -> Vec<f64> {
    let eigen = symmetric.clone().symmetric_eigen();
    let largest = eigen.eigenvalues.imax();
    let vector: Vec<f64> = eigen.eigenvectors.column(largest).iter().copied().collect();
    let peak = vector.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
    vector.into_iter().map(|v| v * peak.signum()).collect()
}

/// A matrix `a` with `a * a' = symmetric`, also for a singular positive semi-definite one.
pub fn square_root(symmetric: &DMatrix<f64>) -> DMatrix<f64> {
    let eigen = symmetric.clone().symmetric_eigen();
    let roots = eigen.eigenvalues.map(|v| v.max(0.0).sqrt());
    eigen.eigenvectors * DMatrix::from_diagonal(&roots)
}

/// 97.5% point of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The 95% interval of the rate of which a sample of `size` shows `hits`.
///
/// The records are taken to be drawn independently; without replacement from a
/// finite file the true interval is narrower. E.B. Wilson, "Probable inference,
/// the law of succession, and statistical inference", JASA 22 (1927),
/// doi:10.1080/01621459.1927.10502953.
///
/// ```
/// let [low, high] = unmask::statistics::wilson_interval(361.0, 400);
/// assert_eq!(format!("{low:.4} {high:.4}"), "0.8695 0.9279");
/// ```
pub fn wilson_interval(hits: f64, size: usize) -> [f64; 2] {
    let n = size as f64;
    let rate = hits / n;
    let center = rate + Z * Z / (2.0 * n);
    let half = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    [((center - half) / scale).max(0.0), ((center + half) / scale).min(1.0)]
}

/// The sum of 1 / t over `ties`: right guesses on average of who guesses among t each time.
///
/// Equal numbers are counted first, so that twenty times a fifth is 4.
pub fn sum_of_shares(ties: impl IntoIterator<Item = u32>) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    ties.into_iter().for_each(|t| *counts.entry(t.max(1)).or_insert(0u32) += 1);
    // An empty sum of floats is -0.
    0.0 + counts.into_iter().map(|(t, times)| f64::from(times) / f64::from(t)).sum::<f64>()
}

/// Natural logarithm of 1 / 0.025.
const LOG_OF_FORTY: f64 = 3.688_879_454_113_936_3;

/// A one-sided 97.5% upper limit for the mean of values in [0, 1] of a file of `records`, of which
/// `size` were drawn without replacement and had the mean `mean`.
///
/// The greatest mean m with `size` · KL(`mean`, m) <= ln 40, KL being the relative entropy of two
/// coins: theorem 1 of W. Hoeffding, "Probability inequalities for sums of bounded random
/// variables", JASA 58 (1963), doi:10.1080/01621459.1963.10500830, whose section 6 covers drawing
/// without replacement. Never more than if all records that were not drawn had the value 1.
///
/// ```
/// let limit = unmask::statistics::upper_limit_of_mean(0.0, 300, 3_000);
/// assert_eq!(format!("{limit:.5}"), "0.01222");
/// assert_eq!(unmask::statistics::upper_limit_of_mean(0.4, 3_000, 3_000), 0.4);
/// ```
pub fn upper_limit_of_mean(mean: f64, size: usize, records: usize) -> f64 {
    let (n, all) = (size as f64, records.max(size) as f64);
    let mean = mean.clamp(0.0, 1.0);
    let at_most = (n * mean + all - n) / all;
    let (mut low, mut high) = (mean, 1.0);
    while high - low > 1e-12 {
        let middle = 0.5 * (low + high);
        match n * relative_entropy(mean, middle) <= LOG_OF_FORTY {
            true => low = middle,
            false => high = middle,
        }
    }
    high.min(at_most)
}

/// Of a coin that shows heads with `p` against one with `q`, 0 < `q` < 1 or `q` = `p`.
fn relative_entropy(p: f64, q: f64) -> f64 {
    let part = |p: f64, q: f64| if p > 0.0 { p * (p / q).ln() } else { 0.0 };
    part(p, q) + part(1.0 - p, 1.0 - q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_square_root_times_its_transpose_is_the_matrix() {
        let columns =
            [vec![1.0, 2.0, 4.0, 3.0], vec![2.0, 1.0, 5.0, 5.0], vec![3.0, 3.0, 9.0, 8.0]];
        let covariance = covariance_matrix(&columns);
        let root = square_root(&covariance);
        assert!((&root * root.transpose() - covariance).abs().max() < 1e-12);
    }

    #[test]
    fn the_first_component_of_two_equal_columns_is_their_diagonal() {
        let columns = [vec![1.0, 2.0, 4.0], vec![1.0, 2.0, 4.0]];
        let component = first_principal_component(&covariance_matrix(&columns));
        component.iter().for_each(|v| assert!((v - 0.5f64.sqrt()).abs() < 1e-12));
    }
}
