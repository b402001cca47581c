//! What a release still says: information loss, and how far its statistics moved.
//!
//! Missing values: a cell counts where both files have it; means and variances
//! use the present values of each file; covariances, correlations and
//! eigenvalues use the records that are complete in both.

mod describe;

use crate::dataset::{Attribute, Dataset, Numeric, Values};
use crate::distance::constant_column;
use crate::error::{Error, Result};
use crate::statistics::{
    correlation_matrix, covariance_matrix, eigenvalues, mean, standard_deviation, variance,
};
use nalgebra::DMatrix;
use serde::Serialize;

/// Utility of a release, attribute by attribute and overall.
#[derive(Debug, Clone, Serialize)]
pub struct Utility {
    /// Records compared.
    pub records: usize,
    /// SSE/SST in percent on data z-scored by the original: the share of the
    /// variation between records that the release lost.
    pub il_percent: f64,
    /// IL1s in percent: mean of |x - x'| / (√2 S) over all cells, S being the
    /// original's standard deviation (Yancey, Winkler, Creecy 2002).
    pub il1s_percent: f64,
    /// Mean over attributes of |mean' - mean| / S.
    pub mean_difference: f64,
    /// Mean over attributes of |variance' / variance - 1|.
    pub variance_difference: f64,
    /// Mean over pairs of |cov' - cov| / (S_i S_j).
    pub covariance_difference: f64,
    /// Mean over pairs of |r' - r|.
    pub correlation_difference: f64,
    /// Mean of |λ' - λ| over the eigenvalues of the correlation matrix.
    pub eigenvalue_difference: f64,
    /// One entry per attribute.
    pub attributes: Vec<AttributeUtility>,
    /// Eigenvalues of the correlation matrix, original and released, largest first.
    pub eigenvalues: Vec<EigenvaluePair>,
    /// Attributes left out because they are constant in the original.
    pub left_out: Vec<String>,
    /// Attributes left out because they are no numbers in both files.
    pub labels_left_out: Vec<String>,
}

/// Utility of one attribute.
#[derive(Debug, Clone, Serialize)]
pub struct AttributeUtility {
    /// The attribute's name.
    pub attribute: String,
    /// SSE/SST in percent.
    pub il_percent: f64,
    /// IL1s in percent.
    pub il1s_percent: f64,
    /// Mean of the original and of the release.
    pub means: [f64; 2],
    /// (mean' - mean) / S.
    pub mean_difference: f64,
    /// Variance of the original and of the release.
    pub variances: [f64; 2],
    /// variance' / variance - 1.
    pub variance_difference: f64,
    /// Mean over the other attributes of |cov' - cov| / (S_i S_j).
    pub covariance_difference: f64,
    /// Mean over the other attributes of |r' - r|.
    pub correlation_difference: f64,
}

/// The same eigenvalue in both files.
#[derive(Debug, Clone, Serialize)]
pub struct EigenvaluePair {
    /// In the original.
    pub original: f64,
    /// In the release.
    pub released: f64,
}

impl Utility {
    /// Compares the attributes `names` of two files whose row i belongs together.
    ///
    /// Fails when the files differ in length, an attribute is not numeric in both,
    /// or is constant in the original.
    pub fn measure<S: AsRef<str>>(
        original: &Dataset,
        released: &Dataset,
        names: &[S],
    ) -> Result<Self> {
        check_rows(original, released)?;
        let columns = pairs(original, released, names)?;
        let covariances =
            [complete(&columns, 0), complete(&columns, 1)].map(|c| covariance_matrix(&c));
        let correlations = [0, 1].map(|f| correlation_matrix(&covariances[f]));
        let shifts = Shifts::new(&covariances, &correlations);
        let attributes: Vec<AttributeUtility> =
            columns.iter().enumerate().map(|(j, pair)| pair.utility(j, &shifts)).collect();
        let [before, after] = correlations.map(|c| eigenvalues(&c));
        let eigenvalues: Vec<EigenvaluePair> = before
            .into_iter()
            .zip(after)
            .map(|(original, released)| EigenvaluePair { original, released })
            .collect();
        Ok(Self {
            records: original.records(),
            il_percent: average(attributes.iter().map(|a| a.il_percent)),
            il1s_percent: average(attributes.iter().map(|a| a.il1s_percent)),
            mean_difference: average(attributes.iter().map(|a| a.mean_difference.abs())),
            variance_difference: average(attributes.iter().map(|a| a.variance_difference.abs())),
            covariance_difference: average(attributes.iter().map(|a| a.covariance_difference)),
            correlation_difference: average(attributes.iter().map(|a| a.correlation_difference)),
            eigenvalue_difference: average(
                eigenvalues.iter().map(|e| (e.released - e.original).abs()),
            ),
            attributes,
            eigenvalues,
            left_out: Vec::new(),
            labels_left_out: Vec::new(),
        })
    }

    /// Compares the default attributes ([`Dataset::default_attributes`]) that both files have and
    /// that are numeric in both; others and constant ones are left out and named.
    pub fn measure_all(original: &Dataset, released: &Dataset) -> Result<Self> {
        check_rows(original, released)?;
        let is_common = |a: &Attribute| released.position(&a.name).is_ok();
        let is_numeric = |name: &String| {
            let is = |file: &Dataset| matches!(file.values(name), Ok(Values::Numeric(_)));
            is(original) && is(released)
        };
        let nothing = || {
            let problem = format!("no numeric attribute in common with {}", original.name());
            Error::input(released.name(), problem)
        };
        let common = original.default_attributes(is_common).map_err(|_| nothing())?.names;
        let (candidates, labels_left_out): (Vec<String>, Vec<String>) =
            common.into_iter().partition(is_numeric);
        let (constant, names): (Vec<String>, Vec<String>) =
            candidates.into_iter().partition(|name| is_constant(original, name));
        if names.is_empty() {
            return Err(nothing());
        }
        let utility = Self::measure(original, released, &names)?;
        Ok(Self { left_out: constant, labels_left_out, ..utility })
    }
}

/// Percent of the labels of the categorical attributes among `names` that differ between two
/// files of the same records; `None` where there are none. A missing label equals other missing
/// ones.
pub fn labels_changed<S: AsRef<str>>(
    original: &Dataset,
    released: &Dataset,
    names: &[S],
) -> Result<Option<f64>> {
    check_rows(original, released)?;
    let (mut changed, mut all) = (0usize, 0usize);
    for name in names {
        let [before, after] = [original.values(name.as_ref())?, released.values(name.as_ref())?];
        if let (Values::Categorical(before), Values::Categorical(after)) = (before, after) {
            changed += (0..before.len()).filter(|&i| before.get(i) != after.get(i)).count();
            all += before.len();
        }
    }
    Ok((all > 0).then(|| 100.0 * changed as f64 / all as f64))
}

/// Fails unless the files have the same number of records.
pub fn check_rows(original: &Dataset, released: &Dataset) -> Result<()> {
    if original.records() == released.records() {
        return Ok(());
    }
    let problem = format!(
        "{} records, but {} has {}: rows must correspond",
        released.records(),
        original.name(),
        original.records()
    );
    Err(Error::input(released.name(), problem))
}

fn is_constant(dataset: &Dataset, name: &str) -> bool {
    let mut columns = dataset.attributes().iter().filter(|a| a.name == name);
    columns.any(|a| match &a.values {
        Values::Numeric(column) => {
            let mut present = column.present();
            let first = present.next();
            present.all(|v| Some(v) == first)
        }
        Values::Categorical(_) => false,
    })
}

/// One attribute in both files.
struct ColumnPair<'a> {
    name: &'a str,
    original: &'a Numeric,
    released: &'a Numeric,
    deviation: f64,
}

fn pairs<'a, S: AsRef<str>>(
    original: &'a Dataset,
    released: &'a Dataset,
    names: &[S],
) -> Result<Vec<ColumnPair<'a>>> {
    let positions = original.positions(names)?;
    positions
        .into_iter()
        .map(|position| {
            let name = &original.attributes()[position].name;
            let before = original.numeric_at(position, "utility")?;
            let after = released.numeric(name, "utility")?;
            let deviation = standard_deviation(&before.present().collect::<Vec<_>>());
            if deviation == 0.0 {
                return Err(constant_column(original, name));
            }
            Ok(ColumnPair { name, original: before, released: after, deviation })
        })
        .collect()
}

/// The columns of file 0 (original) or 1 (released), records complete in both.
fn complete(columns: &[ColumnPair<'_>], file: usize) -> Vec<Vec<f64>> {
    let records = columns[0].original.len();
    let is_complete = |i: &usize| {
        columns.iter().all(|p| p.original.get(*i).is_some() && p.released.get(*i).is_some())
    };
    let rows: Vec<usize> = (0..records).filter(is_complete).collect();
    let side = |p: &ColumnPair<'_>| -> Vec<f64> {
        let column = if file == 0 { p.original } else { p.released };
        rows.iter().filter_map(|&i| column.get(i)).collect()
    };
    columns.iter().map(side).collect()
}

/// Differences of covariances and correlations, averaged over the other attributes.
struct Shifts {
    covariance: Vec<f64>,
    correlation: Vec<f64>,
}

impl Shifts {
    fn new(covariances: &[DMatrix<f64>; 2], correlations: &[DMatrix<f64>; 2]) -> Self {
        let [before, after] = covariances;
        let n = before.nrows();
        let others = |i: usize| (0..n).filter(move |j| *j != i);
        let covariance = |i: usize, j: usize| {
            let scale = (before[(i, i)] * before[(j, j)]).sqrt();
            if scale == 0.0 { 0.0 } else { (after[(i, j)] - before[(i, j)]).abs() / scale }
        };
        let correlation =
            |i: usize, j: usize| (correlations[1][(i, j)] - correlations[0][(i, j)]).abs();
        Self {
            covariance: (0..n).map(|i| average(others(i).map(|j| covariance(i, j)))).collect(),
            correlation: (0..n).map(|i| average(others(i).map(|j| correlation(i, j)))).collect(),
        }
    }
}

impl ColumnPair<'_> {
    fn utility(&self, index: usize, shifts: &Shifts) -> AttributeUtility {
        let both = || self.original.iter().zip(self.released.iter());
        let differences: Vec<f64> = both().filter_map(|(x, y)| Some(x? - y?)).collect();
        let originals: Vec<f64> = both().filter_map(|(x, y)| y.and(x)).collect();
        let center = mean(&originals);
        let lost: f64 = differences.iter().map(|d| d * d).sum();
        let total: f64 = originals.iter().map(|x| (x - center).powi(2)).sum();
        let [before, after] =
            [self.original, self.released].map(|c| c.present().collect::<Vec<_>>());
        let means = [mean(&before), mean(&after)];
        let variances = [variance(&before), variance(&after)];
        let il1s = average(differences.iter().map(|d| d.abs())) / (2f64.sqrt() * self.deviation);
        AttributeUtility {
            attribute: self.name.to_owned(),
            il_percent: 100.0 * lost / total,
            il1s_percent: 100.0 * il1s,
            means,
            mean_difference: (means[1] - means[0]) / self.deviation,
            variances,
            variance_difference: variances[1] / variances[0] - 1.0,
            covariance_difference: shifts.covariance[index],
            correlation_difference: shifts.correlation[index],
        }
    }
}

/// Mean of `values`, 0 when there are none.
fn average(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), v| (sum + v, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}
