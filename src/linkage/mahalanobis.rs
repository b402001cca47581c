//! Mahalanobis distance: the files are whitened, then linked by Euclidean distance.

use super::Release;
use super::distance_based::Space;
use crate::distance::moments;
use crate::error::{Error, Result};
use crate::statistics::covariance_matrix;
use nalgebra::{DMatrix, DVector};

/// Which covariance of the difference of two records is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alignment {
    /// DBRLM-COV: that of the true pairs.
    Cov,
    /// DBRLM-COV0: that of all pairs, where the files do not vary together.
    Cov0,
}

/// Eigenvalues below this share of the largest count as 0.
const SINGULAR: f64 = 1e-10;

/// The space in which Euclidean distance is (a - b)' S⁻¹ (a - b), with
/// S = Var(X) + Var(Y) - Cov(X,Y) - Cov(Y,X).
///
/// The covariances are those of pairs complete in both files; a missing value
/// stands at its file's mean.
pub(super) fn space<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    alignment: Alignment,
    pseudo_inverse: bool,
) -> Result<Space> {
    let (original, released) = columns(release, names, "the Mahalanobis distance")?;
    let covariance = difference_covariance(release, &original, &released, alignment);
    let whitening = whitening(release, &covariance, pseudo_inverse)?;
    // Both files lose the original's means, which keeps digits and changes no difference.
    let centers: Vec<f64> = original.iter().map(|column| column.mean).collect();
    let [original, released] = [original, released].map(|side| {
        let centered = |(column, center): (AttributeColumn, &f64)| -> Vec<f64> {
            column.filled().into_iter().map(|v| v - center).collect()
        };
        let columns: Vec<Vec<f64>> = side.into_iter().zip(&centers).map(centered).collect();
        project(&whitening, &columns)
    });
    Ok(Space::euclidean(original, released))
}

/// A numeric column, NaN where missing, with mean and standard deviation of the present values.
pub(super) struct AttributeColumn {
    pub values: Vec<f64>,
    pub mean: f64,
    pub deviation: f64,
}

impl AttributeColumn {
    /// The values, a missing one at the mean.
    pub fn filled(self) -> Vec<f64> {
        self.values.into_iter().map(|v| if v.is_nan() { self.mean } else { v }).collect()
    }
}

/// The columns `names` of both files; fails where one is not numeric or has no value.
pub(super) fn columns<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    purpose: &str,
) -> Result<(Vec<AttributeColumn>, Vec<AttributeColumn>)> {
    release.original().positions(names)?;
    let column = |dataset: &crate::dataset::Dataset, name: &S| -> Result<AttributeColumn> {
        let position = dataset.position(name.as_ref())?;
        let numeric = dataset.numeric_at(position, purpose)?;
        if numeric.missing() == numeric.len() {
            return Err(crate::distance::all_missing(dataset, position));
        }
        if numeric.generalized() > 0 {
            return Err(not_at_a_point(dataset, name.as_ref(), purpose));
        }
        let (mean, deviation) = moments((dataset, position), numeric)?;
        let values = numeric.iter().map(|v| v.unwrap_or(f64::NAN)).collect();
        Ok(AttributeColumn { values, mean, deviation })
    };
    let side = |dataset| names.iter().map(|name| column(dataset, name)).collect::<Result<_>>();
    Ok((side(release.original())?, side(release.released())?))
}

fn not_at_a_point(dataset: &crate::dataset::Dataset, name: &str, purpose: &str) -> Error {
    let problem = format!(
        "holds generalized values (`*`), which {purpose} has no place for; attack it with dbrl1, \
         dbrl2, gower, weighted, probabilistic or assignment"
    );
    Error::input(format!("{}: column {name}", dataset.name()), problem)
}

fn difference_covariance(
    release: &Release,
    original: &[AttributeColumn],
    released: &[AttributeColumn],
    alignment: Alignment,
) -> DMatrix<f64> {
    let own = release.own();
    let is_complete = |i: &usize| {
        let whole =
            |side: &[AttributeColumn], row: usize| side.iter().all(|c| !c.values[row].is_nan());
        whole(original, *i) && whole(released, own[*i] as usize)
    };
    let rows: Vec<usize> = (0..own.len()).filter(is_complete).collect();
    let pick = |side: &[AttributeColumn], row: &dyn Fn(usize) -> usize| -> Vec<Vec<f64>> {
        side.iter().map(|c| rows.iter().map(|&i| c.values[row(i)]).collect()).collect()
    };
    let (a, b) = (pick(original, &|i| i), pick(released, &|i| own[i] as usize));
    match alignment {
        Alignment::Cov0 => covariance_matrix(&a) + covariance_matrix(&b),
        Alignment::Cov => {
            let difference = |(x, y): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
                x.iter().zip(y).map(|(x, y)| x - y).collect()
            };
            let differences: Vec<Vec<f64>> = a.iter().zip(&b).map(difference).collect();
            covariance_matrix(&differences)
        }
    }
}

/// A matrix W with W' W = S⁻¹, or the pseudo-inverse of S scaled to unit variances.
fn whitening(release: &Release, s: &DMatrix<f64>, pseudo_inverse: bool) -> Result<DMatrix<f64>> {
    let root = |v: f64| if v > 0.0 { v.sqrt().recip() } else { 0.0 };
    let scale = DMatrix::from_diagonal(&DVector::from_fn(s.nrows(), |i, _| root(s[(i, i)])));
    let eigen = (&scale * s * &scale).symmetric_eigen();
    let least = SINGULAR * eigen.eigenvalues.max();
    let kept: Vec<usize> =
        (0..s.nrows()).filter(|&i| eigen.eigenvalues[i] > least.max(0.0)).collect();
    if kept.is_empty() || (kept.len() < s.nrows() && !pseudo_inverse) {
        let problem = format!(
            "the covariance of the differences is singular (rank {} of {}): an attribute is \
             unchanged, constant, or a combination of others; leave it out of `attributes`, \
             or ask for `pseudo_inverse`",
            kept.len(),
            s.nrows()
        );
        return Err(Error::input(release.released().name(), problem));
    }
    let rows = kept
        .iter()
        .map(|&i| (eigen.eigenvectors.column(i) * eigen.eigenvalues[i].sqrt().recip()).transpose());
    Ok(DMatrix::from_rows(&rows.collect::<Vec<_>>()) * scale)
}

/// Each record's coordinates times `matrix`.
fn project(matrix: &DMatrix<f64>, columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let records = columns[0].len();
    (0..matrix.nrows())
        .map(|r| {
            let mut projected = vec![0.0; records];
            for (c, column) in columns.iter().enumerate() {
                let factor = matrix[(r, c)];
                projected.iter_mut().zip(column).for_each(|(sum, v)| *sum += factor * v);
            }
            projected
        })
        .collect()
}
