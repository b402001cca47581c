//! Numbers as intervals: a numeric attribute becomes labels.

use super::{Categorical, Dataset, Numeric, Values};
use crate::error::{Error, Result};
use crate::words::quoted;
use serde::Serialize;
use std::str::FromStr;

/// Most intervals an attribute is cut into.
const MOST_INTERVALS: f64 = 100_000.0;

/// Intervals of equal width for one numeric attribute.
///
/// `age:5:20:90` gives `[20-25)`, `[25-30)` ... `[85-90)`, and outside of them
/// `low-19` (below 20) and `high-90` (90 and above). The label below names the last
/// whole number under a whole bound, else the bound itself. A last interval that does not
/// fit ends at the upper bound. Missing values stay missing.
///
/// ```
/// use unmask::dataset::Discretization;
///
/// let age: Discretization = "age:5:20:90".parse()?;
/// assert_eq!([19.0, 20.0, 24.9, 89.0, 90.0].map(|v| age.label(v)),
///     ["low-19", "[20-25)", "[20-25)", "[85-90)", "high-90"]);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Discretization {
    /// The attribute's name.
    pub attribute: String,
    /// Width of an interval.
    pub width: f64,
    /// Where the first interval starts.
    pub low: f64,
    /// Where the last interval ends.
    pub high: f64,
}

impl FromStr for Discretization {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let form = "NAME:WIDTH:LOW:HIGH is needed, as in age:5:20:90";
        let mut parts = text.rsplitn(4, ':');
        let mut number = || parts.next().and_then(|p| p.trim().parse::<f64>().ok()).ok_or(form);
        let (high, low, width) = (number()?, number()?, number()?);
        let attribute = parts.next().filter(|name| !name.is_empty()).ok_or(form)?.to_owned();
        if ![high, low, width].iter().all(|v| v.is_finite()) || width <= 0.0 || low >= high {
            return Err("WIDTH must be above 0 and LOW below HIGH".into());
        }
        if (high - low) / width > MOST_INTERVALS {
            return Err(format!("gives more than {MOST_INTERVALS} intervals; take a larger WIDTH"));
        }
        Ok(Self { attribute, width, low, high })
    }
}

impl Discretization {
    /// The label of the interval that `value` lies in.
    pub fn label(&self, value: f64) -> String {
        if value < self.low {
            let below = if self.low.fract() == 0.0 { self.low - 1.0 } else { self.low };
            return format!("low-{below}");
        }
        if value >= self.high {
            return format!("high-{}", self.high);
        }
        let start = self.low + ((value - self.low) / self.width).floor() * self.width;
        format!("[{start}-{})", (start + self.width).min(self.high))
    }

    /// `dataset` with the attribute as labels.
    ///
    /// An attribute that holds such labels already, as a release does, stays as it
    /// is; other labels are refused.
    pub fn apply(&self, dataset: &Dataset) -> Result<Dataset> {
        let position = dataset.position(&self.attribute)?;
        let labels = match &dataset.attributes()[position].values {
            Values::Numeric(column) => self.labels(column),
            Values::Categorical(column) => match column.labels().iter().find(|l| !self.is_own(l)) {
                None => return Ok(dataset.clone()),
                Some(label) => return Err(self.not_numeric(dataset, label)),
            },
        };
        Ok(dataset.with_columns([(position, labels)]))
    }

    fn labels(&self, column: &Numeric) -> Values {
        let generalized = |i| column.is_generalized(i).then(|| super::GENERALIZED.to_owned());
        let label = |i| generalized(i).or_else(|| column.get(i).map(|v| self.label(v)));
        Values::Categorical(Categorical::nominal((0..column.len()).map(label)))
    }

    /// True when `label` is one that [`Discretization::label`] gives.
    fn is_own(&self, label: &str) -> bool {
        let middle = label.strip_prefix('[').and_then(|rest| {
            // The first dash may be a sign.
            let dash = rest.bytes().skip(1).position(|b| b == b'-')? + 1;
            let start = rest.get(..dash)?.parse::<f64>().ok()?;
            Some(start + self.width.min(self.high - start) / 2.0)
        });
        let probes = [Some(self.low - self.width), middle, Some(self.high)];
        probes.into_iter().flatten().any(|v| self.label(v) == label)
    }

    fn not_numeric(&self, dataset: &Dataset, label: &str) -> Error {
        let place = format!("{}: column {}", dataset.name(), self.attribute);
        let label = quoted(label);
        let problem = format!("{label} is not a number; leave the column out of `discretize`");
        Error::input(place, problem)
    }
}

impl Dataset {
    /// The data set with each of `discretizations` applied; fails on an attribute named twice.
    pub fn discretize(self, discretizations: &[Discretization]) -> Result<Self> {
        for (i, one) in discretizations.iter().enumerate() {
            if discretizations[..i].iter().any(|other| other.attribute == one.attribute) {
                let problem = "is named twice; cut each attribute once";
                return Err(Error::parameter("discretize", &one.attribute, problem));
            }
        }
        discretizations.iter().try_fold(self, |dataset, one| one.apply(&dataset))
    }
}
