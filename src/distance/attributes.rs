//! How far two records are apart, attribute by attribute.
//!
//! The one place that says what a distance is on a numeric, a nominal and an
//! ordinal attribute, and what a missing value counts. Linkage sums these; the
//! worst case learns weights for them.

use super::cells::{CellTable, Gap};
use super::exact::{Comparison, ExactPair, Gauge, OwnDistance, in_unit, unit};
use super::{Metric, ValueReading, released};
use crate::dataset::{Attribute, Categorical, Dataset, Numeric, Values};
use crate::error::{Error, Result};
use crate::statistics::{mean, standard_deviation};
use std::collections::HashMap;
use unmask_solvers::Dyadic;

/// What numeric values are divided by before they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Standardization<'a> {
    /// Each file by its own mean and standard deviation (DBRL1).
    #[default]
    Own,
    /// Both files by the original's mean and standard deviation.
    Original,
    /// Values as they are.
    Raw,
    /// The standard deviation of the differences of records that belong
    /// together (DBRL2): `own[i]` is the released record of original record i.
    /// Where it is less than a millionth of the original's standard deviation,
    /// that millionth: an unchanged attribute decides before all others.
    Differences {
        /// The released record of each original record.
        own: &'a [u32],
    },
    /// The range of the attribute over both files, and |a - b| in place of its
    /// square (Gower).
    Range,
}

impl Standardization<'_> {
    /// Its name on the command line and in records.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Original => "original",
            Self::Raw => "none",
            Self::Differences { .. } => "differences",
            Self::Range => "range",
        }
    }
}

/// Below this share of the original's standard deviation differences count as none.
const NO_DIFFERENCE: f64 = 1e-6;

/// The position of a missing value on a scale of steps that ends at 1.
const BEYOND: f64 = 2.0;

/// The coordinate of a generalized value.
const ANY: f64 = f64::INFINITY;

/// The squared distance of an original and a released record on each attribute.
///
/// - numeric: (a - b)² of the standardized values; |a - b| with
///   [`Standardization::Range`].
/// - nominal: 0 when equal, 1 when not.
/// - ordinal with D levels: the number of steps between the levels divided by D
///   (by D - 1 with [`Standardization::Range`]). The paper counts levels, both
///   ends included; that is 1/D more for every pair and changes no ranking, but
///   equal values would not be at distance 0.
/// - missing: two missing values agree (0). A missing value against a present
///   one counts 1 on nominal and ordinal attributes and with
///   [`Standardization::Range`]; else what a random value would on average: the
///   squared distance to the mean plus one variance, z² + 1 on z-scores.
/// - suppressed (`*`): 0 to anything, since it covers every value. An attribute that is
///   suppressed throughout tells nothing.
/// - generalized ([`crate::dataset::CellMeaning`], [`crate::dataset::ValueGroups`]): a released
///   label that the original does not have is read as an interval, a set, a masked code or a
///   group. It is at distance 0 from every value it stands for, and as far from others as the
///   nearest of those: squared on numbers, in steps on levels, 1 on labels. Numbers are then
///   standardized by the original, also where each file would be by its own.
///
/// Missing and suppressed cells are read as published studies do; [`AttributeDistances::read_as`]
/// takes another [`super::SuppressedReading`].
///
/// Section 2.1 of D. Abril, G. Navarro-Arribas, V. Torra, "Improving record
/// linkage with supervised learning for disclosure risk assessment",
/// Information Fusion 13 (2012), doi:10.1016/j.inffus.2011.05.001; J.C. Gower,
/// "A general coefficient of similarity and some of its properties",
/// Biometrics 27 (1971), doi:10.2307/2528823.
///
/// Numbers of a file that is standardized by its own mean and standard deviation are mapped to the
/// original's scale, y' = a y + b in doubles; a and b do not depend on the order of the rows, and
/// files of the same values give a = 1 and b = 0. Distances are thereby exactly defined, and which of
/// two is less is decided without rounding. Numbers nearer to 0 than 10⁻⁵¹ standard deviations are
/// taken for 0.
///
/// Memory: two numbers per cell. A pair costs a few operations per attribute.
///
/// ```
/// use unmask::dataset::{Dataset, ReadOptions};
/// use unmask::distance::{AttributeDistances, Standardization};
///
/// let read = |text: &str| Dataset::from_csv("example", text.as_bytes(), &ReadOptions::default());
/// let original = read("age,town\n20,a\n40,b\n")?;
/// let released = read("age,town\n20,b\n40,b\n")?;
/// let raw = Standardization::Raw;
/// let distances = AttributeDistances::new(&original, &released, &["age", "town"], raw)?;
/// let mut d = [0.0; 2];
/// distances.vector(0, 1, &mut d);
/// assert_eq!(d, [400.0, 1.0]);
/// # Ok::<(), unmask::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct AttributeDistances {
    names: Vec<String>,
    pairs: Vec<DistancePair>,
    records: [usize; 2],
}

/// One attribute in both files; [`ANY`] where generalized.
#[derive(Debug, Clone)]
pub(super) struct DistancePair {
    pub original: Vec<f64>,
    pub released: Vec<f64>,
    pub kind: PairKind,
    pub exact: ExactPair,
}

#[derive(Debug, Clone)]
pub(super) enum PairKind {
    /// Values, NaN where missing; `center` and `spread` are their mean, where any is missing, and
    /// standard deviation.
    Number { center: f64, spread: f64, missing: bool, generalized: bool },
    /// Positions in [0, 1], missing at [`BEYOND`].
    Steps,
    /// Codes, missing -1.
    Code,
    /// Values, NaN where unknown, against numbers of released cells.
    Cells(CellTable),
}

impl PairKind {
    /// How such a coordinate of weight 1 adds to a distance, where no value is missing.
    pub fn metric(&self) -> Metric {
        match self {
            Self::Number { .. } => Metric::Squared,
            Self::Steps => Metric::Steps(1.0),
            Self::Code | Self::Cells(_) => Metric::Mismatch(1.0),
        }
    }
}

/// Coordinates of both files such that a pair's distance is what the metrics add up to.
#[derive(Debug)]
pub(crate) struct Coordinates {
    pub metrics: Vec<Metric>,
    pub original: Vec<Vec<f64>>,
    pub released: Vec<Vec<f64>>,
}

impl AttributeDistances {
    /// Prepares the attributes `names` of two files.
    ///
    /// Fails on an unknown or repeated name, on an attribute of numbers whose released
    /// labels cannot be read as numbers or generalized ones, that has no value at all, or
    /// that is constant where it would be divided by its standard deviation.
    pub fn new<S: AsRef<str>>(
        original: &Dataset,
        released: &Dataset,
        names: &[S],
        standardization: Standardization<'_>,
    ) -> Result<Self> {
        Self::read_as(original, released, names, standardization, &ValueReading::default())
    }

    /// As [`AttributeDistances::new`], with what released cells stand for as `reading` says.
    pub fn read_as<S: AsRef<str>>(
        original: &Dataset,
        released: &Dataset,
        names: &[S],
        standardization: Standardization<'_>,
        reading: &ValueReading,
    ) -> Result<Self> {
        let positions = original.positions(names)?;
        if positions.is_empty() {
            return Err(Error::input(
                original.name(),
                "no attribute to compare; name at least one",
            ));
        }
        let pair = |&position: &usize| {
            let name = &original.attributes()[position].name;
            let files = [(original, position), (released, released.position(name)?)];
            DistancePair::new(files, standardization, reading)
        };
        Ok(Self {
            names: names.iter().map(|n| n.as_ref().to_owned()).collect(),
            pairs: positions.iter().map(pair).collect::<Result<_>>()?,
            records: [original.records(), released.records()],
        })
    }

    /// The same distances of the originals at `places` alone.
    pub(crate) fn of_targets(mut self, places: &[u32]) -> Self {
        for pair in &mut self.pairs {
            for column in [&mut pair.original, &mut pair.exact.original] {
                *column = places.iter().map(|&i| column[i as usize]).collect();
            }
        }
        self.records[0] = places.len();
        self
    }

    /// The attributes' names, in the order of [`AttributeDistances::vector`].
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of attributes.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Never true: there is at least one attribute.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Number of records of the original and of the released file.
    pub fn records(&self) -> [usize; 2] {
        self.records
    }

    /// Writes the squared distance of original record `i` and released record
    /// `j` on each attribute to `out`.
    #[inline]
    pub fn vector(&self, i: usize, j: usize, out: &mut [f64]) {
        for (pair, d) in self.pairs.iter().zip(out) {
            *d = pair.distance(pair.original[i], pair.released[j]);
        }
    }

    /// The sum of what [`AttributeDistances::vector`] writes, or a part of it that is above `limit`.
    #[inline]
    pub(crate) fn sum_up_to(&self, limit: f64, i: usize, j: usize) -> f64 {
        let mut sum = 0.0;
        for pair in &self.pairs {
            sum += pair.distance(pair.original[i], pair.released[j]);
            if sum > limit {
                break;
            }
        }
        sum
    }

    /// The distance of original record `i` and released record `j` on each attribute, to subtract
    /// from others.
    pub(crate) fn own(&self, i: usize, j: usize) -> Vec<OwnDistance> {
        self.pairs.iter().map(|pair| pair.exact.measure(i, j).into()).collect()
    }

    /// Writes how much farther than `own` original record `i` and released record `j` are apart on
    /// each attribute to `out`: of the exact sign, 0 only where it is, and rounded by less than
    /// [`unmask_solvers::ENTRY_ERROR`].
    #[inline]
    pub(crate) fn differences(&self, i: usize, j: usize, own: &[OwnDistance], out: &mut [f64]) {
        for ((pair, own), d) in self.pairs.iter().zip(own).zip(out) {
            *d = pair.exact.difference(i, j, own);
        }
    }

    /// [`AttributeDistances::differences`] with every released record, one after the other.
    pub(crate) fn all_differences(&self, i: usize, own: &[OwnDistance]) -> Vec<f64> {
        let mut column = vec![0.0; self.records[1]];
        let mut all = vec![0.0; self.records[1] * self.len()];
        for (k, (pair, own)) in self.pairs.iter().zip(own).enumerate() {
            pair.exact.differences(i, own, &mut column);
            let entries = all[k..].iter_mut().step_by(self.len());
            entries.zip(&column).for_each(|(entry, value)| *entry = *value);
        }
        all
    }

    /// The same without rounding.
    pub(crate) fn exact_differences(&self, i: usize, j: usize, own: &[OwnDistance]) -> Vec<Dyadic> {
        let pairs = self.pairs.iter().zip(own);
        pairs.map(|(pair, own)| pair.exact.exact_difference(i, j, own)).collect()
    }

    /// How each attribute is compared.
    pub fn comparisons(&self) -> Vec<Comparison> {
        self.pairs.iter().map(|pair| pair.exact.comparison()).collect()
    }

    /// Sets bit k of `out[j]` where original record `i` and released record j agree
    /// on attribute k: numbers at most `tolerance` apart, labels equal.
    pub(crate) fn agreements(&self, i: usize, tolerance: f64, out: &mut [u32]) {
        out.fill(0);
        for (k, pair) in self.pairs.iter().enumerate() {
            let a = pair.original[i];
            let limit = pair.agreement_limit(tolerance);
            for (bits, &b) in out.iter_mut().zip(&pair.released) {
                *bits |= u32::from(pair.distance(a, b) <= limit) << k;
            }
        }
    }

    /// For each attribute its coordinates, and the distance up to which values agree as in
    /// [`AttributeDistances::agreements`].
    pub(crate) fn agreement_coordinates(&self, tolerance: f64) -> Vec<(Coordinates, f64)> {
        let of = |pair: &DistancePair| {
            let mut own = Coordinates::none();
            pair.add_to(&mut own, 1.0);
            (own, pair.agreement_limit(tolerance))
        };
        self.pairs.iter().map(of).collect()
    }

    /// Coordinates for the index; each attribute's distance is multiplied by its weight.
    ///
    /// An attribute of weight 0 is left out.
    pub(crate) fn coordinates(&self, weights: Option<&[f64]>) -> Coordinates {
        let mut all = Coordinates::none();
        for (k, pair) in self.pairs.iter().enumerate() {
            let weight = weights.map_or(1.0, |w| w[k]);
            if weight > 0.0 {
                pair.add_to(&mut all, weight);
            }
        }
        all
    }
}

impl DistancePair {
    fn new(
        files: [(&Dataset, usize); 2],
        standardization: Standardization<'_>,
        reading: &ValueReading,
    ) -> Result<Self> {
        let attributes = files.map(|(file, position)| &file.attributes()[position]);
        for ((file, position), attribute) in files.iter().zip(attributes) {
            if attribute.missing() == attribute.len() {
                return Err(super::all_missing(file, *position));
            }
        }
        let says_nothing =
            |a: &Attribute| a.generalized() > 0 && a.missing() + a.generalized() == a.len();
        if attributes.into_iter().any(says_nothing) {
            return Ok(coded(attributes.map(|a| vec![ANY; a.len()])));
        }
        if let Some(pair) = released::pair(files, standardization, reading)? {
            return Ok(pair);
        }
        match (&attributes[0].values, &attributes[1].values) {
            (Values::Numeric(original), Values::Numeric(released)) => match standardization {
                Standardization::Range => ranged(files, original, released),
                _ => numbers(files, original, released, standardization),
            },
            (Values::Categorical(original), Values::Categorical(released)) => {
                let range = standardization == Standardization::Range;
                Ok(labels(original, released, range))
            }
            _ => Err(Error::Internal("columns of two kinds are read as cells".into())),
        }
    }

    #[inline(always)]
    fn distance(&self, a: f64, b: f64) -> f64 {
        match &self.kind {
            PairKind::Number { missing: false, generalized: false, .. } => (a - b) * (a - b),
            PairKind::Cells(table) => table.distance(a, b),
            _ if a.is_infinite() || b.is_infinite() => 0.0,
            PairKind::Number { center, spread, .. } => match (a.is_nan(), b.is_nan()) {
                (false, false) => (a - b) * (a - b),
                (true, true) => 0.0,
                (true, false) => (b - center) * (b - center) + spread * spread,
                (false, true) => (a - center) * (a - center) + spread * spread,
            },
            PairKind::Steps => (a - b).abs().min(1.0),
            PairKind::Code => f64::from(u8::from(a != b)),
        }
    }

    /// The distance up to which values agree; numbers `tolerance` apart do.
    fn agreement_limit(&self, tolerance: f64) -> f64 {
        match &self.kind {
            PairKind::Number { .. } => tolerance * tolerance,
            PairKind::Cells(table) if table.gap == Gap::Squared => tolerance * tolerance,
            PairKind::Steps | PairKind::Code | PairKind::Cells(_) => 0.0,
        }
    }

    fn add_to(&self, all: &mut Coordinates, weight: f64) {
        let scaled = |factor: f64| {
            [&self.original, &self.released]
                .map(|side| side.iter().map(|v| v * factor).collect::<Vec<f64>>())
        };
        let squared = match self.kind {
            PairKind::Number { generalized: true, .. } => Metric::SquaredOrAny,
            _ => Metric::Squared,
        };
        match &self.kind {
            PairKind::Number { missing: false, .. } => all.push(squared, scaled(weight.sqrt())),
            PairKind::Number { center, spread, missing: true, .. } => {
                // A missing value stands at the mean, one spread off in a direction of its own.
                let mean = center * weight.sqrt();
                let present = scaled(weight.sqrt()).map(|side| {
                    side.into_iter().map(|v| if v.is_nan() { mean } else { v }).collect()
                });
                let off = spread * weight.sqrt();
                let absent = [&self.original, &self.released]
                    .map(|side| side.iter().map(|v| absence(*v, off)).collect());
                all.push(squared.clone(), present);
                all.push(squared, absent);
            }
            PairKind::Steps => all.push(Metric::Steps(weight), scaled(weight)),
            PairKind::Code => all.push(Metric::Mismatch(weight), scaled(1.0)),
            PairKind::Cells(table) => table.add_to(all, &self.original, &self.released, weight),
        }
    }
}

/// The second coordinate of a number that may be missing.
fn absence(value: f64, off: f64) -> f64 {
    match value {
        v if v.is_nan() => off,
        v if v.is_infinite() => ANY,
        _ => 0.0,
    }
}

impl Coordinates {
    fn none() -> Self {
        Self { metrics: Vec::new(), original: Vec::new(), released: Vec::new() }
    }

    pub(super) fn push(&mut self, metric: Metric, [original, released]: [Vec<f64>; 2]) {
        self.metrics.push(metric);
        self.original.push(original);
        self.released.push(released);
    }
}

/// (value - center) / scale, of released values after they are mapped to the original's scale.
pub(super) struct Standard {
    /// (a, b): a released value y stands for a y + b.
    map: (f64, f64),
    center: f64,
    scale: f64,
    /// Mean and standard deviation of the original.
    moments: (f64, f64),
}

fn numbers(
    files: [(&Dataset, usize); 2],
    original: &Numeric,
    released: &Numeric,
    standardization: Standardization<'_>,
) -> Result<DistancePair> {
    let standard = Standard::new(files, original, released, standardization)?;
    let side = |column: &Numeric, file: usize, to: &dyn Fn(f64) -> f64| -> Vec<f64> {
        let coordinate = |i| column.get(i).map(|v| to(standard.mapped(v, file)));
        or_generalized(column.len(), |i| column.is_generalized(i), coordinate, f64::NAN)
    };
    let missing = original.missing() + released.missing() > 0;
    let generalized = original.generalized() + released.generalized() > 0;
    let mean = standard.moments.0;
    let center = if missing { standard.score(mean) } else { 0.0 };
    let kind = PairKind::Number { center, spread: standard.spread(), missing, generalized };
    let (unit, factor) = standard.unit();
    let gauge = Gauge::Squares { center: in_unit(mean, unit), variance: standard.variance() };
    let scaled = |v: f64| in_unit(v, unit);
    let exact = ExactPair {
        original: side(original, 0, &scaled),
        released: side(released, 1, &scaled),
        gauge,
        factor,
        unit,
        map: standard.map,
    };
    let score = |v: f64| standard.score(v);
    let (original, released) = (side(original, 0, &score), side(released, 1, &score));
    Ok(DistancePair { original, released, kind, exact })
}

/// Labels that are equal or not.
fn coded([original, released]: [Vec<f64>; 2]) -> DistancePair {
    let exact = ExactPair {
        original: original.clone(),
        released: released.clone(),
        gauge: Gauge::Codes,
        factor: 1.0,
        unit: 1.0,
        map: (1.0, 0.0),
    };
    DistancePair { original, released, kind: PairKind::Code, exact }
}

/// Positions in [0, 1] and, for exact distances, the values that become them when divided by
/// `range`.
fn stepped(positions: [Vec<f64>; 2], values: [Vec<f64>; 2], range: f64) -> DistancePair {
    let [original, released] = values;
    let (unit, factor) = unit_and_factor(range);
    let scaled = |side: Vec<f64>| side.into_iter().map(|v| in_unit(v, unit)).collect();
    let exact = ExactPair {
        original: scaled(original),
        released: scaled(released),
        gauge: Gauge::Steps { beyond: range * unit },
        factor,
        unit,
        map: (1.0, 0.0),
    };
    let [original, released] = positions;
    DistancePair { original, released, kind: PairKind::Steps, exact }
}

/// The unit in which values are kept that are divided by `range`, and the factor of the distance that
/// is left.
pub(super) fn unit_and_factor(range: f64) -> (f64, f64) {
    let unit = unit(range);
    (unit, 1.0 / (range * unit))
}

/// A coordinate per record: [`ANY`] where generalized, `missing` where there is none.
fn or_generalized(
    records: usize,
    is_generalized: impl Fn(usize) -> bool,
    coordinate: impl Fn(usize) -> Option<f64>,
    missing: f64,
) -> Vec<f64> {
    let value = |i| if is_generalized(i) { ANY } else { coordinate(i).unwrap_or(missing) };
    (0..records).map(value).collect()
}

impl Standard {
    pub fn new(
        files: [(&Dataset, usize); 2],
        original: &Numeric,
        released: &Numeric,
        standardization: Standardization<'_>,
    ) -> Result<Self> {
        if standardization == Standardization::Own {
            let (center, scale) = spread_moments(files[0], original)?;
            let (other_center, other_scale) = spread_moments(files[1], released)?;
            let factor = scale / other_scale;
            let map = (factor, center - factor * other_center);
            return Ok(Self { map, center, scale, moments: (center, scale) });
        }
        let differences = |own: &[u32]| difference_deviation(original, released, own);
        Self::of_original(files[0], original, standardization, differences)
    }

    /// Both files by the original's center and one scale; `differences` gives the standard
    /// deviation of the differences of records that belong together.
    pub fn of_original(
        file: (&Dataset, usize),
        original: &Numeric,
        standardization: Standardization<'_>,
        differences: impl FnOnce(&[u32]) -> f64,
    ) -> Result<Self> {
        let moments = moments(file, original)?;
        let both = |scale: f64| Self { map: (1.0, 0.0), center: moments.0, scale, moments };
        Ok(match standardization {
            Standardization::Own | Standardization::Original => {
                both(spread_moments(file, original)?.1)
            }
            // Not centered: rounding would break ties between values as they are.
            Standardization::Raw | Standardization::Range => Self { center: 0.0, ..both(1.0) },
            Standardization::Differences { own } => {
                let floor = NO_DIFFERENCE * spread_moments(file, original)?.1;
                both(differences(own).max(floor))
            }
        })
    }
}

impl Standard {
    /// A value of the original (0) or of the released file (1) in the original's scale.
    pub fn mapped(&self, value: f64, file: usize) -> f64 {
        match self.map {
            (a, b) if file == 1 && (a, b) != (1.0, 0.0) => a * value + b,
            _ => value,
        }
    }

    /// The coordinate of a value in the original's scale.
    pub fn score(&self, value: f64) -> f64 {
        (value - self.center) / self.scale
    }

    /// A standard deviation as a coordinate.
    pub fn spread(&self) -> f64 {
        self.moments.1 / self.scale
    }

    /// The unit of exact values, and the factor of their squared differences.
    pub fn unit(&self) -> (f64, f64) {
        let unit = unit(self.moments.1);
        (unit, 1.0 / (self.scale * unit).powi(2))
    }

    /// The square of a standard deviation in that unit.
    pub fn variance(&self) -> f64 {
        let deviation = self.moments.1 * self.unit().0;
        deviation * deviation
    }
}

/// Standard deviation of original minus own released value, where both are present.
fn difference_deviation(original: &Numeric, released: &Numeric, own: &[u32]) -> f64 {
    let pairs = original.iter().zip(own);
    let differences: Vec<f64> =
        pairs.filter_map(|(a, &j)| Some(a? - released.get(j as usize)?)).collect();
    standard_deviation(&differences)
}

/// Mean and standard deviation of the present values, whatever their order; fails when they
/// overflow.
pub(crate) fn moments(file: (&Dataset, usize), column: &Numeric) -> Result<(f64, f64)> {
    let mut values: Vec<f64> = column.present().map(|v| v + 0.0).collect();
    values.sort_unstable_by(f64::total_cmp);
    finite_moments(file, &values)
}

/// Mean and standard deviation of `values`; fails when they overflow, or when values
/// differ by so little that the deviation is lost.
pub(super) fn finite_moments(file: (&Dataset, usize), values: &[f64]) -> Result<(f64, f64)> {
    let (center, deviation) = (mean(values), standard_deviation(values));
    let is_lost = deviation == 0.0 && values.iter().any(|v| *v != values[0]);
    let problem = match center.is_finite() && deviation.is_finite() {
        true if !is_lost => return Ok((center, deviation)),
        true => "varies too little for squares that do not underflow; rescale it",
        false => "is too large for squares that do not overflow; rescale it",
    };
    let place = format!("{}: column {}", file.0.name(), file.0.attributes()[file.1].name);
    Err(Error::input(place, problem))
}

/// As [`moments`]; fails on a constant column.
fn spread_moments(file: (&Dataset, usize), column: &Numeric) -> Result<(f64, f64)> {
    let (center, deviation) = moments(file, column)?;
    if deviation > 0.0 {
        return Ok((center, deviation));
    }
    Err(super::constant_column(file.0, &file.0.attributes()[file.1].name))
}

fn ranged(
    files: [(&Dataset, usize); 2],
    original: &Numeric,
    released: &Numeric,
) -> Result<DistancePair> {
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = original
        .present()
        .chain(released.present())
        .fold(ends, |(low, high), v| (low.min(v), high.max(v)));
    let range = high - low;
    if !range.is_finite() {
        moments(files[0], original).and(moments(files[1], released))?;
    }
    let position = |v: f64| if range > 0.0 { (v - low) / range } else { 0.0 };
    let side = |column: &Numeric, to: &dyn Fn(f64) -> f64, missing: f64| {
        let coordinate = |i| column.get(i).map(to);
        or_generalized(column.len(), |i| column.is_generalized(i), coordinate, missing)
    };
    let positions = [original, released].map(|column| side(column, &position, BEYOND));
    let values = [original, released].map(|column| side(column, &|v| v, f64::NAN));
    Ok(stepped(positions, values, if range > 0.0 { range } else { 1.0 }))
}

/// The number of steps that make a distance of 1.
pub(super) fn level_steps(column: &Categorical, range: bool) -> f64 {
    let levels = column.labels().len();
    if range { (levels - 1).max(1) as f64 } else { levels as f64 }
}

/// Nominal unless both columns have an order and it is the same.
pub(super) fn labels(original: &Categorical, released: &Categorical, range: bool) -> DistancePair {
    let ordinal =
        original.is_ordinal() && released.is_ordinal() && original.labels() == released.labels();
    if ordinal {
        let steps = level_steps(original, range);
        let side = |column: &Categorical, steps: f64, missing: f64| -> Vec<f64> {
            let coordinate = |i| column.code(i).map(|c| f64::from(c) / steps);
            or_generalized(column.len(), |i| column.is_generalized(i), coordinate, missing)
        };
        let positions = [original, released].map(|column| side(column, steps, BEYOND));
        let values = [original, released].map(|column| side(column, 1.0, f64::NAN));
        return stepped(positions, values, steps);
    }
    let mut codes: HashMap<&str, u32> = HashMap::new();
    for label in original.labels().iter().chain(released.labels()) {
        let next = codes.len() as u32;
        codes.entry(label).or_insert(next);
    }
    let side = |column: &Categorical| -> Vec<f64> {
        let shared: Vec<f64> =
            column.labels().iter().map(|l| f64::from(codes[l.as_str()])).collect();
        let coordinate = |i| column.code(i).map(|c| shared[c as usize]);
        or_generalized(column.len(), |i| column.is_generalized(i), coordinate, -1.0)
    };
    coded([side(original), side(released)])
}
