//! What a release still says: information loss, and how far its statistics moved.
//!
//! Missing values: a cell counts where both files have it; means and variances
//! use the present values of each file; covariances, correlations and
//! eigenvalues use the records that are complete in both. What nothing is left
//! of to measure is left out or `None`, never 0; what overflows is refused. A generalized number
//! counts as the middle of what it stands for.

mod describe;
mod middles;

use crate::dataset::{Attribute, Dataset, Numeric, Values};
use crate::distance::{constant_column, moments};
use crate::error::{Error, Result};
use crate::statistics::{
    correlation_matrix, covariance_matrix, eigenvalues, geometric_mean, mean, standard_deviation,
    variance,
};
pub(crate) use middles::with_middles;
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
    /// Records that are complete in both files, of which the next three are.
    pub complete_records: usize,
    /// Mean over pairs of |cov' - cov| / (S_i S_j); `None` where no pair varies.
    pub covariance_difference: Option<f64>,
    /// Mean over pairs of |r' - r|; likewise.
    pub correlation_difference: Option<f64>,
    /// Mean of |λ' - λ| over the eigenvalues of the correlation matrix; `None` for less than two
    /// complete records.
    pub eigenvalue_difference: Option<f64>,
    /// One entry per attribute.
    pub attributes: Vec<AttributeUtility>,
    /// Eigenvalues of the correlation matrix, original and released, largest first.
    pub eigenvalues: Vec<EigenvaluePair>,
    /// Attributes left out because they are constant in the original.
    pub left_out: Vec<String>,
    /// Attributes left out because the release has too few of their values left to compare.
    pub nothing_left: Vec<String>,
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
    /// Mean over the other attributes of |cov' - cov| / (S_i S_j); `None` where none varies.
    pub covariance_difference: Option<f64>,
    /// Mean over the other attributes of |r' - r|; likewise.
    pub correlation_difference: Option<f64>,
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
    /// Fails when the files differ in length, an attribute is not numeric in both, is constant in
    /// the original or has nothing left to compare, or its numbers overflow.
    pub fn measure<S: AsRef<str>>(
        original: &Dataset,
        released: &Dataset,
        names: &[S],
    ) -> Result<Self> {
        check_rows(original, released)?;
        let released = &*with_middles(original, released);
        let columns = pairs(original, released, names)?;
        let rows = complete_records(&columns);
        let covariances = [0, 1].map(|file| covariance_matrix(&columns_at(&columns, file, &rows)));
        let correlations = [0, 1].map(|f| correlation_matrix(&covariances[f]));
        let shifts = Shifts::new(&covariances, &correlations);
        let attributes: Vec<AttributeUtility> =
            columns.iter().enumerate().map(|(j, pair)| pair.utility(j, &shifts)).collect();
        if let Some(name) = attributes.iter().find_map(AttributeUtility::overflowing) {
            return Err(overflow(released, name));
        }
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
            complete_records: rows.len(),
            covariance_difference: known_average(
                attributes.iter().map(|a| a.covariance_difference),
            ),
            correlation_difference: known_average(
                attributes.iter().map(|a| a.correlation_difference),
            ),
            eigenvalue_difference: known_average(
                eigenvalues.iter().map(|e| Some((e.released - e.original).abs())),
            )
            .filter(|_| rows.len() > 1),
            attributes,
            eigenvalues,
            left_out: Vec::new(),
            nothing_left: Vec::new(),
            labels_left_out: Vec::new(),
        })
    }

    /// Compares the default attributes ([`Dataset::default_attributes`]) that both files have and
    /// that are numeric in both; others and constant ones are left out and named.
    pub fn measure_all(original: &Dataset, released: &Dataset) -> Result<Self> {
        check_rows(original, released)?;
        let released = &*with_middles(original, released);
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
        let (names, nothing_left): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| is_measurable(original, released, name));
        if names.is_empty() && !nothing_left.is_empty() {
            return Err(nothing_to_compare(released, &nothing_left.join(", ")));
        }
        if names.is_empty() {
            return Err(nothing());
        }
        let utility = Self::measure(original, released, &names)?;
        Ok(Self { left_out: constant, nothing_left, labels_left_out, ..utility })
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
            present.next().is_some_and(|first| present.all(|v| v == first))
        }
        Values::Categorical(_) => false,
    })
}

/// True where the attribute `name` is numeric in both files and not constant in the original among
/// the records that have a value in both: what [`Utility::measure`] takes.
pub(crate) fn is_measurable(original: &Dataset, released: &Dataset, name: &str) -> bool {
    match (original.values(name), released.values(name)) {
        (Ok(Values::Numeric(before)), Ok(Values::Numeric(after))) => have_spread(before, after),
        _ => false,
    }
}

/// True when the values of `before` differ among the records that `after` has too.
fn have_spread(before: &Numeric, after: &Numeric) -> bool {
    let mut common = before.iter().zip(after.iter()).filter_map(|(x, y)| y.and(x));
    let first = common.next();
    common.any(|x| Some(x) != first)
}

fn nothing_to_compare(released: &Dataset, names: &str) -> Error {
    let problem = "too few of the original's values are left to compare; leave it out of \
                   `attributes`";
    Error::input(format!("{}: column {names}", released.name()), problem)
}

fn overflow(released: &Dataset, name: &str) -> Error {
    let problem = "the differences from the original are too large to be squared without overflow; \
                   rescale it in both files";
    Error::input(format!("{}: column {name}", released.name()), problem)
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
            if is_constant(original, name) {
                return Err(constant_column(original, name));
            }
            if !have_spread(before, after) {
                return Err(nothing_to_compare(released, name));
            }
            moments((original, position), before)?;
            moments((released, released.position(name)?), after)?;
            let deviation = standard_deviation(&before.present().collect::<Vec<_>>());
            Ok(ColumnPair { name, original: before, released: after, deviation })
        })
        .collect()
}

/// The records that are complete in both files.
fn complete_records(columns: &[ColumnPair<'_>]) -> Vec<usize> {
    let is_complete = |i: &usize| {
        columns.iter().all(|p| p.original.get(*i).is_some() && p.released.get(*i).is_some())
    };
    (0..columns[0].original.len()).filter(is_complete).collect()
}

/// The columns of file 0 (original) or 1 (released) at `rows`.
fn columns_at(columns: &[ColumnPair<'_>], file: usize, rows: &[usize]) -> Vec<Vec<f64>> {
    let side = |p: &ColumnPair<'_>| -> Vec<f64> {
        let column = if file == 0 { p.original } else { p.released };
        rows.iter().filter_map(|&i| column.get(i)).collect()
    };
    columns.iter().map(side).collect()
}

/// Differences of covariances and correlations, averaged over the other attributes.
struct Shifts {
    covariance: Vec<Option<f64>>,
    correlation: Vec<Option<f64>>,
}

impl Shifts {
    fn new(covariances: &[DMatrix<f64>; 2], correlations: &[DMatrix<f64>; 2]) -> Self {
        let [before, after] = covariances;
        let n = before.nrows();
        let others = |i: usize| (0..n).filter(move |j| *j != i);
        let scale = |i: usize, j: usize| {
            Some(geometric_mean(before[(i, i)], before[(j, j)])).filter(|scale| *scale > 0.0)
        };
        let covariance =
            |i: usize, j: usize| Some((after[(i, j)] - before[(i, j)]).abs() / scale(i, j)?);
        let correlation = |i: usize, j: usize| {
            scale(i, j).map(|_| (correlations[1][(i, j)] - correlations[0][(i, j)]).abs())
        };
        Self {
            covariance: (0..n)
                .map(|i| known_average(others(i).map(|j| covariance(i, j))))
                .collect(),
            correlation: (0..n)
                .map(|i| known_average(others(i).map(|j| correlation(i, j))))
                .collect(),
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

impl AttributeUtility {
    /// The attribute, where a measure of it is no number.
    fn overflowing(&self) -> Option<&str> {
        let moved = [self.mean_difference, self.variance_difference];
        let shifts = [self.covariance_difference, self.correlation_difference];
        let mut all = [self.il_percent, self.il1s_percent]
            .into_iter()
            .chain(moved)
            .chain(shifts.into_iter().flatten());
        (!all.all(f64::is_finite)).then_some(&self.attribute)
    }
}

/// Mean of those of `values` that are known, if any is.
fn known_average(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let known: Vec<f64> = values.flatten().collect();
    (!known.is_empty()).then(|| average(known.into_iter()))
}

/// Mean of `values`, 0 when there are none.
fn average(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), v| (sum + v, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}
