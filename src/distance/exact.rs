//! Differences of distances without rounding.
//!
//! Whether a released record is nearer than another is decided by the difference of two
//! distances on each attribute. Both are exactly defined by the values in the files, numbers in
//! the scale of the original ([`super::attributes::Standard`]): here they are measured in twice
//! the precision of doubles, and without any rounding where that is not enough. What an attribute is
//! divided by is a factor that its weight absorbs.

use super::cells::CellTable;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use unmask_solvers::{Dyadic, vectorized};

/// One attribute of both files, as values whose distances are exactly defined.
#[derive(Debug, Clone)]
pub(super) struct ExactPair {
    /// By record: NaN where missing, infinite where generalized; in a unit that is a power of two.
    pub original: Vec<f64>,
    /// The same, or numbers of cells.
    pub released: Vec<f64>,
    pub gauge: Gauge,
    /// What the distance is multiplied by.
    pub factor: f64,
    /// What values are multiplied by, a power of two.
    pub unit: f64,
    /// (a, b): released values y became a y + b before.
    pub map: (f64, f64),
}

/// How an attribute is compared, for whoever measures the same distances by other means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// `numbers`: the squared difference; `levels`: the difference; `labels`: 0 where equal, else 1;
    /// `cells`: by what a released cell stands for.
    pub kind: String,
    /// (a, b): a released number y counts as a y + b, in doubles.
    pub map: (f64, f64),
    /// What the distance of the values is multiplied by.
    pub factor: f64,
}

/// How values are compared.
#[derive(Debug, Clone)]
pub(super) enum Gauge {
    /// (x - y)²; a missing value against a known one (x - center)² + variance.
    Squares { center: f64, variance: f64 },
    /// |x - y|; a missing value against a known one `beyond`.
    Steps { beyond: f64 },
    /// 0 where equal, else 1.
    Codes,
    /// By the cell.
    Cells(CellTable),
}

/// A distance on one attribute, before it is multiplied by the factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Measure {
    /// This number.
    Known(f64),
    /// |a - b|.
    Gap(f64, f64),
    /// (a - b)² + c.
    Square(f64, f64, f64),
}

/// The sum of two doubles, the second of which is what rounding takes from the first.
#[derive(Debug, Clone, Copy)]
struct Wide(f64, f64);

impl Wide {
    #[inline(always)]
    fn difference(a: f64, b: f64) -> Self {
        Self::sum(a, -b)
    }

    /// Exactly `a + b` (D. E. Knuth).
    #[inline(always)]
    fn sum(a: f64, b: f64) -> Self {
        let sum = a + b;
        let part = sum - a;
        Self(sum, (a - (sum - part)) + (b - part))
    }

    /// The square, to about 2⁻¹⁰⁰ of itself.
    #[inline(always)]
    fn squared(self) -> Self {
        let square = self.0 * self.0;
        let rest = self.0.mul_add(self.0, -square);
        Self(square, rest + 2.0 * self.0 * self.1)
    }

    /// The sum, to about 2⁻¹⁰⁰ of both terms.
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let Self(sum, rest) = Self::sum(self.0, other.0);
        Self::sum(sum, rest + (self.1 + other.1))
    }

    #[inline(always)]
    fn negated(self) -> Self {
        Self(-self.0, -self.1)
    }
}

/// A difference above this share of both distances is known well enough.
const ENOUGH: f64 = 1.0 / (1u64 << 40) as f64;

impl Measure {
    #[inline(always)]
    fn wide(self) -> Wide {
        match self {
            Self::Known(value) => Wide(value, 0.0),
            Self::Gap(a, b) if a < b => Wide::difference(b, a),
            Self::Gap(a, b) => Wide::difference(a, b),
            Self::Square(a, b, more) => {
                let square = Wide::difference(a, b).squared();
                if more == 0.0 { square } else { square.plus(Wide(more, 0.0)) }
            }
        }
    }

    /// Which of two distances is less, exactly.
    pub fn cmp_exactly(self, other: Self) -> Ordering {
        (&self.exact() - &other.exact()).sign()
    }

    fn exact(self) -> Dyadic {
        match self {
            Self::Known(value) => Dyadic::from(value),
            Self::Gap(a, b) => &Dyadic::from(a.max(b)) - &Dyadic::from(a.min(b)),
            Self::Square(a, b, more) => {
                let difference = &Dyadic::from(a) - &Dyadic::from(b);
                &(&difference * &difference) + &Dyadic::from(more)
            }
        }
    }
}

/// The distance to one's own record on one attribute, from which others are subtracted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnDistance {
    measure: Measure,
    wide: Wide,
}

impl From<Measure> for OwnDistance {
    fn from(measure: Measure) -> Self {
        Self { measure, wide: measure.wide() }
    }
}

impl ExactPair {
    /// How values of the files are compared.
    pub fn comparison(&self) -> Comparison {
        let (kind, power) = match &self.gauge {
            Gauge::Squares { .. } => ("numbers", 2),
            Gauge::Steps { .. } => ("levels", 1),
            Gauge::Codes => ("labels", 0),
            Gauge::Cells(_) => ("cells", 0),
        };
        let factor = self.factor * self.unit.powi(power);
        Comparison { kind: kind.to_owned(), map: self.map, factor }
    }

    /// The distance of original record `i` and released record `j`.
    #[inline]
    pub fn measure(&self, i: usize, j: usize) -> Measure {
        let (a, b) = (self.original[i], self.released[j]);
        match &self.gauge {
            Gauge::Cells(table) => table.measure(a, b),
            _ if a.is_infinite() || b.is_infinite() => Measure::Known(0.0),
            Gauge::Codes => Measure::Known(f64::from(u8::from(a != b))),
            gauge => match (a.is_nan(), b.is_nan()) {
                (false, false) => gauge.known(a, b),
                (true, true) => Measure::Known(0.0),
                (true, false) => gauge.missing(b),
                (false, true) => gauge.missing(a),
            },
        }
    }

    /// The distance of `i` and `j` minus `own`, times the factor: rounded by less than
    /// [`unmask_solvers::ENTRY_ERROR`], of the exact sign, and 0 only where it is.
    #[inline]
    pub fn difference(&self, i: usize, j: usize, own: &OwnDistance) -> f64 {
        let other = self.measure(i, j);
        if other == own.measure {
            return 0.0;
        }
        let wide = other.wide();
        let Wide(value, _) = wide.plus(own.wide.negated());
        match value.abs() > ENOUGH * (wide.0 + own.wide.0) {
            true => not_lost(value * self.factor),
            false => {
                let exact = &other.exact() - &own.measure.exact();
                if exact.sign().is_eq() { 0.0 } else { not_lost(exact.rounded() * self.factor) }
            }
        }
    }

    /// Writes [`ExactPair::difference`] for every released record to `out`, to the same bits.
    pub fn differences(&self, i: usize, own: &OwnDistance, out: &mut [f64]) {
        match self.gauge {
            Gauge::Squares { .. } => {
                let (a, wide, released) = (self.original[i], own.wide, &self.released[..]);
                vectorized!(square_differences(a, released, wide, self.factor, out));
            }
            _ => out.fill(f64::NAN),
        }
        let unsure = out.iter_mut().enumerate().filter(|(_, value)| value.is_nan());
        unsure.for_each(|(j, value)| *value = self.difference(i, j, own));
    }

    /// The same without rounding.
    pub fn exact_difference(&self, i: usize, j: usize, own: &OwnDistance) -> Dyadic {
        let difference = &self.measure(i, j).exact() - &own.measure.exact();
        &difference * &Dyadic::from(self.factor)
    }
}

/// The squared difference of `a` and each released value, minus `own`, times the factor; not a number
/// where that takes a closer look.
#[inline(always)]
fn square_differences(a: f64, released: &[f64], own: Wide, factor: f64, out: &mut [f64]) {
    for (b, out) in released.iter().zip(out) {
        let wide = Wide::difference(a, *b).squared();
        let Wide(value, _) = wide.plus(own.negated());
        let scaled = value * factor;
        let known = value.abs() > ENOUGH * (wide.0 + own.0);
        let normal = scaled.abs() >= f64::MIN_POSITIVE;
        *out = if known & normal { scaled } else { f64::NAN };
    }
}

impl Gauge {
    #[inline(always)]
    fn known(&self, a: f64, b: f64) -> Measure {
        match self {
            Self::Squares { .. } => Measure::Square(a, b, 0.0),
            _ => Measure::Gap(a, b),
        }
    }

    /// The distance of a known value and a missing one.
    fn missing(&self, known: f64) -> Measure {
        match self {
            Self::Squares { center, variance } => Measure::Square(known, *center, *variance),
            Self::Steps { beyond } => Measure::Known(*beyond),
            _ => Measure::Known(1.0),
        }
    }
}

/// A number that is not 0, so close to it that the search refuses it where rounding made it 0.
fn not_lost(value: f64) -> f64 {
    if value.abs() < f64::MIN_POSITIVE { f64::MIN_POSITIVE.copysign(value) } else { value }
}

/// The power of two by which values are multiplied whose scale is `scale`, such that squares of
/// their differences are far from overflow and underflow.
pub(super) fn unit(scale: f64) -> f64 {
    let exponent = if scale > 0.0 { scale.log2().round() } else { 0.0 };
    2f64.powi(-(exponent.clamp(-300.0, 300.0) as i32))
}

/// Values that are nearer to 0, in their unit, are taken for it: products of differences stay far from
/// underflow.
const NEGLIGIBLE: f64 = 6.681e-52;

/// The value in `unit`.
pub(super) fn in_unit(value: f64, unit: f64) -> f64 {
    let value = value * unit;
    if value.abs() < NEGLIGIBLE { 0.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pair(gauge: Gauge, original: f64, released: [f64; 2]) -> ExactPair {
        let (original, released) = (vec![original], released.to_vec());
        ExactPair { original, released, gauge, factor: 0.7, unit: 1.0, map: (1.0, 0.0) }
    }

    proptest! {
        #[test]
        fn differences_have_the_exact_sign_and_a_small_error(
            x in -1000i32..1000, a in -1000i32..1000, b in -1000i32..1000, step in 0i32..4, decimals in 0i32..4
        ) {
            let value = |v: i32| f64::from(v) / 10f64.powi(decimals);
            // Mirrored at x, but for a step.
            let b = if step < 3 { 2 * x - a + step - 1 } else { b };
            let squares = Gauge::Squares { center: value(b), variance: 0.3 };
            for gauge in [squares, Gauge::Steps { beyond: 5.0 }] {
                for released in [[value(a), value(b)], [value(a), f64::NAN], [f64::NAN, value(a)]] {
                    let pair = pair(gauge.clone(), value(x), released);
                    let own = OwnDistance::from(pair.measure(0, 0));
                    let rounded = pair.difference(0, 1, &own);
                    let exact = pair.exact_difference(0, 1, &own);
                    let mut all = [0.0; 2];
                    pair.differences(0, &own, &mut all);
                    prop_assert_eq!(all.map(f64::to_bits), [0, rounded.to_bits()]);
                    prop_assert_eq!(exact.sign(), rounded.total_cmp(&0.0));
                    let error = (&exact - &Dyadic::from(rounded)).rounded().abs();
                    prop_assert!(error <= unmask_solvers::ENTRY_ERROR * rounded.abs());
                }
            }
        }
    }

    #[test]
    fn values_about_0_are_0_and_others_are_never_lost() {
        assert_eq!((in_unit(-1e-60, 1.0), in_unit(f64::NAN, 1.0).is_nan()), (0.0, true));
        let least = 7e-52;
        let next = f64::from_bits(f64::to_bits(least) + 1);
        let pair = pair(Gauge::Squares { center: 0.0, variance: 1.0 }, least, [0.0, 2.0 * next]);
        let own = OwnDistance::from(pair.measure(0, 0));
        let difference = pair.difference(0, 1, &own);
        assert!(difference.abs() > 1e-140, "{difference}");
    }

    #[test]
    fn mirrored_values_are_equally_far() {
        let pair = pair(Gauge::Squares { center: 0.0, variance: 1.0 }, 5.0, [3.0, 7.0]);
        let own = OwnDistance::from(pair.measure(0, 0));
        assert_eq!(pair.difference(0, 1, &own), 0.0);
    }
}
