//! How likely noisy values are, given those that noise was added to.

use super::{Noise, NoiseKind, PURPOSE, complete_part, per_attribute, spread_ratio};
use crate::dataset::{NumberForm, Numeric};
use crate::error::Result;
use crate::protection::likelihood::{Likelihood, MadeFile};
use crate::statistics::{covariance_matrix, mean, standard_deviation};
use nalgebra::DMatrix;
use statrs::function::erf::erfc;
use std::collections::BTreeMap;
use std::f64::consts::{PI, SQRT_2};

impl Noise {
    /// The parts of the likelihood: one an attribute, or one of all where their noise varies
    /// together.
    pub(super) fn parts(&self, made: &MadeFile<'_>) -> Result<Vec<Box<dyn Likelihood>>> {
        let p = per_attribute(&self.p, made.protected.len(), "p")?;
        let columns = made.columns(PURPOSE)?;
        if columns.is_empty() {
            return Ok(Vec::new());
        }
        match self.noise {
            NoiseKind::Uncorrelated => {
                let part = |(place, columns): (usize, [&Numeric; 2])| -> Box<dyn Likelihood> {
                    Box::new(IndependentNoise::new(columns, p[place] / 100.0))
                };
                Ok(columns.into_iter().map(part).collect())
            }
            kind => Ok(vec![Box::new(CorrelatedNoise::new(made, &columns, &p, kind)?)]),
        }
    }
}

impl Noise {
    /// The percentage by which variances grew, the median over the attributes; none where the
    /// noise keeps variances, or no attribute's grew. Cost: O(n) an attribute.
    pub(super) fn estimated_p(&self, made: &MadeFile<'_>) -> Result<Option<f64>> {
        if self.noise == NoiseKind::CovariancePreserving {
            return Ok(None);
        }
        let variance = |column: &Numeric| {
            let present: Vec<f64> = column.present().collect();
            standard_deviation(&present).powi(2)
        };
        let grown = |(_, columns): (usize, [&Numeric; 2])| {
            let [before, after] = columns.map(variance);
            100.0 * (after / before - 1.0).max(0.0).sqrt()
        };
        let mut shares: Vec<f64> = made.columns(PURPOSE)?.into_iter().map(grown).collect();
        shares.retain(|p| *p > 0.0 && p.is_finite());
        shares.sort_unstable_by(f64::total_cmp);
        Ok(shares.get(shares.len() / 2).copied())
    }
}

/// Noise of one attribute: rounded and put on bounds as the release is.
struct IndependentNoise {
    original: Vec<f64>,
    released: Vec<f64>,
    deviation: f64,
    form: NumberForm,
}

/// Where rounding moves values by less than this part of the deviation, it is not felt.
const NOT_FELT: f64 = 0.25;

impl IndependentNoise {
    fn new([original, released]: [&Numeric; 2], share: f64) -> Self {
        let present: Vec<f64> = original.present().collect();
        Self {
            deviation: share * standard_deviation(&present),
            form: original.form().clone(),
            original: values(original),
            released: values(released),
        }
    }

    /// Minus the logarithm of the likelihood, or of its density, of `y` from `x`.
    fn cost(&self, x: f64, y: f64) -> f64 {
        let deviation = self.deviation;
        let z = (y - x) / deviation;
        let density = 0.5 * z * z + (deviation * (2.0 * PI).sqrt()).ln();
        if self.form.allows_all() {
            return density;
        }
        let half = if self.form.whole || self.form.notation.is_date() { 0.5 } else { 0.0 };
        let bounds = self.form.bounds;
        let low = if y <= bounds.low { f64::NEG_INFINITY } else { y - half };
        let high = if y >= bounds.high { f64::INFINITY } else { y + half };
        let inside = low.is_finite() && high.is_finite();
        if inside && half <= NOT_FELT * deviation {
            return density;
        }
        let mass = normal_mass((low - x) / deviation, (high - x) / deviation);
        if mass > 0.0 { -mass.ln() } else { density }
    }
}

impl Likelihood for IndependentNoise {
    fn add_costs(&self, i: usize, out: &mut [f64]) {
        let x = self.original[i];
        for (cost, &y) in out.iter_mut().zip(&self.released) {
            *cost += match (x.is_nan(), y.is_nan()) {
                (false, false) => self.cost(x, y),
                (true, true) => 0.0,
                _ => f64::INFINITY,
            };
        }
    }
}

/// Probability of a standard normal number between `low` and `high`.
fn normal_mass(low: f64, high: f64) -> f64 {
    // The side of the tails keeps their digits.
    let (low, high) = if low > 0.0 { (-high, -low) } else { (low, high) };
    let below = |z: f64| match z {
        f64::NEG_INFINITY => 0.0,
        f64::INFINITY => 1.0,
        z => 0.5 * erfc(-z / SQRT_2),
    };
    below(high) - below(low)
}

/// The values, NaN where missing.
fn values(column: &Numeric) -> Vec<f64> {
    column.iter().map(|value| value.unwrap_or(f64::NAN)).collect()
}

/// Noise that varies together: what originals and released records are after whitening, for each
/// set of attributes that some have. Rounding and bounds are not looked at.
struct CorrelatedNoise {
    patterns: Vec<Pattern>,
    /// The pattern of each original.
    pattern_of: Vec<usize>,
}

/// The records that have the same attributes.
struct Pattern {
    /// Whitened coordinates of the originals, by their number; empty for those of other patterns.
    original: BTreeMap<usize, Vec<f64>>,
    released: Vec<(u32, Vec<f64>)>,
}

/// Directions in which noise has less than this share of its greatest variance get that share.
const LEAST_SHARE: f64 = 1e-10;

impl CorrelatedNoise {
    fn new(
        made: &MadeFile<'_>,
        columns: &[(usize, [&Numeric; 2])],
        p: &[f64],
        kind: NoiseKind,
    ) -> Result<Self> {
        let covariance = noise_covariance(made, columns, p)?;
        let original: Vec<Vec<f64>> = columns.iter().map(|(_, [x, _])| values(x)).collect();
        let released: Vec<Vec<f64>> = columns
            .iter()
            .map(|(place, [x, y])| {
                let (center, factor) = match kind {
                    NoiseKind::CovariancePreserving => {
                        let present: Vec<f64> = x.present().collect();
                        (mean(&present), (1.0 + (p[*place] / 100.0).powi(2)).sqrt())
                    }
                    _ => (0.0, 1.0),
                };
                values(y).into_iter().map(|v| center + (v - center) * factor).collect()
            })
            .collect();
        let present = |columns: &[Vec<f64>], row: usize| -> Vec<bool> {
            columns.iter().map(|column| !column[row].is_nan()).collect()
        };
        let mut numbers: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
        let mut patterns: Vec<Pattern> = Vec::new();
        let mut whitenings: Vec<DMatrix<f64>> = Vec::new();
        let mut pattern_of = Vec::with_capacity(made.original.records());
        for i in 0..made.original.records() {
            let has = present(&original, i);
            let number = *numbers.entry(has.clone()).or_insert_with(|| {
                patterns.push(Pattern { original: BTreeMap::new(), released: Vec::new() });
                whitenings.push(whitening(&covariance, &has));
                patterns.len() - 1
            });
            let point = whitened(&whitenings[number], &original, i);
            patterns[number].original.insert(i, point);
            pattern_of.push(number);
        }
        for j in 0..made.released.records() {
            if let Some(&number) = numbers.get(&present(&released, j)) {
                let point = whitened(&whitenings[number], &released, j);
                patterns[number].released.push((j as u32, point));
            }
        }
        Ok(Self { patterns, pattern_of })
    }
}

impl Likelihood for CorrelatedNoise {
    fn add_costs(&self, i: usize, out: &mut [f64]) {
        let pattern = &self.patterns[self.pattern_of[i]];
        let Some(x) = pattern.original.get(&i) else { return };
        let before = out.to_vec();
        out.fill(f64::INFINITY);
        for (j, y) in &pattern.released {
            let square: f64 = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum();
            out[*j as usize] = before[*j as usize] + 0.5 * square;
        }
    }
}

/// The covariance of the noise of the attacked attributes, as they were drawn.
fn noise_covariance(
    made: &MadeFile<'_>,
    columns: &[(usize, [&Numeric; 2])],
    p: &[f64],
) -> Result<DMatrix<f64>> {
    let positions = made.original.positions(made.protected)?;
    let all: Vec<&Numeric> = positions
        .iter()
        .map(|&position| made.original.numeric_at(position, PURPOSE))
        .collect::<Result<_>>()?;
    let complete = complete_part(made.original, &positions, &all)?;
    let covariances = covariance_matrix(&complete);
    let scale: Vec<f64> = columns
        .iter()
        .map(|&(place, [column, _])| {
            let ratio = spread_ratio(made.original, positions[place], column, &complete[place])?;
            Ok(p[place] / 100.0 * ratio)
        })
        .collect::<Result<_>>()?;
    Ok(DMatrix::from_fn(columns.len(), columns.len(), |a, b| {
        scale[a] * scale[b] * covariances[(columns[a].0, columns[b].0)]
    }))
}

/// The matrix that makes noise with this covariance on the attributes present independent of
/// variance 1; it ignores the others.
fn whitening(covariance: &DMatrix<f64>, present: &[bool]) -> DMatrix<f64> {
    let kept: Vec<usize> = (0..present.len()).filter(|&k| present[k]).collect();
    let deviation = |k: usize| covariance[(k, k)].max(f64::MIN_POSITIVE).sqrt();
    let correlation = DMatrix::from_fn(kept.len(), kept.len(), |a, b| {
        covariance[(kept[a], kept[b])] / (deviation(kept[a]) * deviation(kept[b]))
    });
    let mut whitening = DMatrix::zeros(kept.len(), present.len());
    if kept.is_empty() {
        return whitening;
    }
    let eigen = correlation.symmetric_eigen();
    let least = LEAST_SHARE * eigen.eigenvalues.max();
    for (row, value) in eigen.eigenvalues.iter().enumerate() {
        for (column, &k) in kept.iter().enumerate() {
            let direction = eigen.eigenvectors[(column, row)];
            whitening[(row, k)] = direction / (value.max(least).sqrt() * deviation(k));
        }
    }
    whitening
}

fn whitened(whitening: &DMatrix<f64>, columns: &[Vec<f64>], row: usize) -> Vec<f64> {
    let value = |k: usize| if columns[k][row].is_nan() { 0.0 } else { columns[k][row] };
    let sum = |r: usize| (0..columns.len()).map(|k| whitening[(r, k)] * value(k)).sum();
    (0..whitening.nrows()).map(sum).collect()
}
