//! Additive Gaussian noise.
//!
//! R. Brand, "Microdata protection through noise addition", LNCS 2316 (2002),
//! doi:10.1007/3-540-47804-3_8.

mod likelihood;

use super::{
    AttributeKinds, Described, Likelihood, MadeFile, Protected, ProtectionMethod, one_or_many,
    overflow, per_attribute,
};
use crate::dataset::{Dataset, Numeric, Values};
use crate::distance::{all_missing, constant_column};
use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::random::generator;
use crate::statistics::{covariance_matrix, mean, square_root, standard_deviation};
use crate::words::listed;
use nalgebra::DMatrix;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How the noise of different attributes of one record is related.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum NoiseKind {
    /// Independent noise on each attribute. Variances grow by 1 + p², correlations shrink.
    #[default]
    Uncorrelated,
    /// Noise with the covariance of the data times p²: correlations are kept in
    /// expectation, variances and covariances grow by 1 + p².
    Correlated,
    /// Correlated noise, then each value shrunk towards the mean by √(1 + p²):
    /// means and the whole covariance matrix are kept in expectation (Kim 1986).
    CovariancePreserving,
}

/// Additive Gaussian noise: X + N(0, p% of the standard deviation) on every attribute.
///
/// Missing values stay missing; correlations are those of the complete records. What noise takes
/// beyond the bounds of a column is put on them, and integers and dates are rounded. Cost: O(n) per
/// attribute, O(n a²) for correlated noise on a attributes.
/// Source: R. Brand 2002, doi:10.1007/3-540-47804-3_8.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct Noise {
    /// Standard deviation of the noise in percent of the attribute's: one for all attributes,
    /// or one each
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "P,...", value_delimiter = ',', required = true)
    )]
    #[serde(deserialize_with = "one_or_many::deserialize")]
    pub p: Vec<f64>,

    /// How the noise of different attributes is related
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "KIND", default_value_t))]
    #[serde(default)]
    pub noise: NoiseKind,
}

impl Noise {
    /// Uncorrelated noise of `p` percent on every attribute.
    pub fn new(p: f64) -> Self {
        Self { p: vec![p], noise: NoiseKind::default() }
    }
}

impl Described for Noise {
    const NAME: &'static str = "noise";
    const STRENGTHS: &'static [&'static str] = &["p"];
}

/// What needs numbers, in errors.
const PURPOSE: &str = "noise";

/// Records that share one stream of random numbers; fixed, so that threads do not matter.
const CHUNK: usize = 1 << 14;

impl ProtectionMethod for Noise {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn draws(&self) -> bool {
        true
    }

    fn takes(&self) -> AttributeKinds {
        AttributeKinds::Numbers
    }

    fn likelihoods(&self, made: &MadeFile<'_>) -> Result<Option<Vec<Box<dyn Likelihood>>>> {
        self.parts(made).map(Some)
    }

    fn estimated_strength(&self, made: &MadeFile<'_>) -> Result<Option<f64>> {
        self.estimated_p(made)
    }

    fn check(&self, _original: &Dataset, attributes: &[String]) -> Result<()> {
        let p = per_attribute(&self.p, attributes.len(), "p")?;
        match p.iter().find(|p| !(**p > 0.0 && **p <= 1000.0)) {
            Some(wrong) => {
                let problem = "but noise needs 0 < p <= 1000, in percent of the standard deviation";
                Err(Error::parameter("p", wrong, problem))
            }
            None => Ok(()),
        }
    }

    fn protect(
        &self,
        original: &Dataset,
        attributes: &[String],
        seed: u64,
        listener: &dyn Listener,
    ) -> Result<Protected> {
        self.check(original, attributes)?;
        let positions = &original.positions(attributes)?;
        let p = per_attribute(&self.p, positions.len(), "p")?;
        let columns = match self.noise {
            NoiseKind::Uncorrelated => uncorrelated(original, positions, &p, seed, listener)?,
            NoiseKind::Correlated => correlated(original, positions, &p, seed, listener)?,
            NoiseKind::CovariancePreserving => {
                let noisy = correlated(original, positions, &p, seed, listener)?;
                shrunk(original, positions, noisy, &p)?
            }
        };
        Ok(Protected::plain(original.with_columns(positions.iter().copied().zip(columns))))
    }
}

fn uncorrelated(
    original: &Dataset,
    positions: &[usize],
    p: &[f64],
    seed: u64,
    listener: &dyn Listener,
) -> Result<Vec<Values>> {
    let total = (positions.len() * original.records()) as u64;
    positions
        .par_iter()
        .zip(p)
        .enumerate()
        .map(|(stream, (&position, p))| {
            let column = original.numeric_at(position, PURPOSE)?;
            let present: Vec<f64> = column.present().collect();
            if present.is_empty() {
                return Err(all_missing(original, position));
            }
            let sigma = standard_deviation(&present) * p / 100.0;
            if !sigma.is_finite() {
                return Err(overflow(original, position));
            }
            if sigma == 0.0 {
                return Err(constant_column(original, &original.attributes()[position].name));
            }
            let noise = standard_normal(seed, stream as u64, column.len());
            let noisy = column.map_present(|i, value| value + sigma * noise[i]);
            listener.advance(column.len() as u64, total);
            checked(noisy, original, position)
        })
        .collect()
}

/// `count` standard normal numbers of one attribute's stream.
fn standard_normal(seed: u64, stream: u64, count: usize) -> Vec<f64> {
    let mut noise = vec![0.0; count];
    noise.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, part)| {
        let mut random = generator(seed, stream << 32 | chunk as u64);
        part.fill_with(|| StandardNormal.sample(&mut random));
    });
    noise
}

/// The noise of a record has the correlations of the complete records and the standard deviations
/// of all values; a record gets that of the attributes it has.
fn correlated(
    original: &Dataset,
    positions: &[usize],
    p: &[f64],
    seed: u64,
    listener: &dyn Listener,
) -> Result<Vec<Values>> {
    let columns = numeric_columns(original, positions)?;
    let complete = complete_part(original, positions, &columns)?;
    let covariances = covariance_matrix(&complete);
    // A number that is none would leave the eigenvectors undefined.
    if let Some(j) = (0..columns.len()).find(|&j| !covariances[(j, j)].is_finite()) {
        return Err(overflow(original, positions[j]));
    }
    let root = square_root(&covariances);
    let normals: Vec<Vec<f64>> =
        (0..columns.len()).map(|j| standard_normal(seed, j as u64, original.records())).collect();
    let total = (positions.len() * original.records()) as u64;
    (0..columns.len())
        .into_par_iter()
        .map(|j| {
            let p = p[j] / 100.0 * spread_ratio(original, positions[j], columns[j], &complete[j])?;
            let noisy = add_mixture(columns[j], &normals, &root, j, p);
            listener.advance(original.records() as u64, total);
            checked(noisy, original, positions[j])
        })
        .collect()
}

fn numeric_columns<'a>(original: &'a Dataset, positions: &[usize]) -> Result<Vec<&'a Numeric>> {
    positions.iter().map(|&position| original.numeric_at(position, PURPOSE)).collect()
}

/// The values of the complete records, of which there must be enough for covariances where some
/// are not.
fn complete_part(
    original: &Dataset,
    positions: &[usize],
    columns: &[&Numeric],
) -> Result<Vec<Vec<f64>>> {
    let is_complete = |i: &usize| columns.iter().all(|column| column.get(*i).is_some());
    let rows: Vec<usize> = (0..original.records()).filter(is_complete).collect();
    if rows.len() < original.records() && rows.len() <= columns.len() {
        let problem = format!(
            "{} complete records on {}, but correlated noise on {} attributes needs {}; take \
             uncorrelated noise, or leave out what is often missing",
            rows.len(),
            listed(&original.names_at(positions)),
            columns.len(),
            columns.len() + 1
        );
        return Err(Error::input(original.name(), problem));
    }
    let part = |column: &&Numeric| rows.iter().filter_map(|&i| column.get(i)).collect();
    Ok(columns.iter().map(part).collect())
}

/// The standard deviation of all values of a column over that of its `complete` records.
fn spread_ratio(
    original: &Dataset,
    position: usize,
    column: &Numeric,
    complete: &[f64],
) -> Result<f64> {
    if complete.len() == column.len() {
        return Ok(1.0);
    }
    let present: Vec<f64> = column.present().collect();
    let ratio = standard_deviation(&present) / standard_deviation(complete);
    match ratio.is_finite() {
        true => Ok(ratio),
        false => {
            let name = &original.attributes()[position].name;
            let problem = "does not vary among the records that are complete, so it has no \
                           covariances; take uncorrelated noise, or leave it out of `attributes`";
            Err(Error::input(format!("{}: column {name}", original.name()), problem))
        }
    }
}

/// `column` plus `p` times row `j` of `root` applied to the independent `normals`.
fn add_mixture(
    column: &Numeric,
    normals: &[Vec<f64>],
    root: &DMatrix<f64>,
    j: usize,
    p: f64,
) -> Numeric {
    let mut noisy: Vec<f64> = column.iter().map(Option::unwrap_or_default).collect();
    for (m, normal) in normals.iter().enumerate() {
        let factor = p * root[(j, m)];
        noisy.iter_mut().zip(normal).for_each(|(value, e)| *value += factor * e);
    }
    column.map_present(|i, _| noisy[i])
}

fn shrunk(
    original: &Dataset,
    positions: &[usize],
    noisy: Vec<Values>,
    p: &[f64],
) -> Result<Vec<Values>> {
    if p.iter().any(|other| *other != p[0]) {
        let problem = "but covariance-preserving noise needs one p for all attributes";
        return Err(Error::parameter("p", super::join(p), problem));
    }
    let factor = (1.0 + (p[0] / 100.0).powi(2)).sqrt().recip();
    let columns = numeric_columns(original, positions)?;
    let shrink = |((values, column), position): ((Values, &Numeric), &usize)| match values {
        Values::Numeric(noisy) => {
            let center = mean(&column.present().collect::<Vec<_>>());
            let shrunk = noisy.map_present(|_, v| center + (v - center) * factor);
            checked(shrunk, original, *position)
        }
        other => Ok(other),
    };
    noisy.into_iter().zip(columns).zip(positions).map(shrink).collect()
}

fn checked(column: Numeric, original: &Dataset, position: usize) -> Result<Values> {
    // A number that is not finite would be taken for a missing or generalized value.
    let before = original.numeric_at(position, PURPOSE)?.present().count();
    match column.present().count() == before {
        true => Ok(Values::Numeric(column)),
        false => Err(overflow(original, position)),
    }
}
