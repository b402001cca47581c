//! Exact arithmetic of the checker: rows, boxes, and the largest value of a mixture of rows.

use crate::Dyadic;
use num_bigint::{BigInt, BigUint, Sign};
use std::cmp::Ordering;

/// A number of at least 0: `mantissa * 2^exponent`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edge {
    /// Odd, or 0.
    pub mantissa: u64,
    /// 0 where the mantissa is.
    pub exponent: i64,
}

/// Exponents beyond this are refused, so that numbers stay of a size.
pub(super) const MOST_EXPONENT: i64 = 1 << 16;

impl Edge {
    /// The number 1.
    pub const ONE: Self = Self { mantissa: 1, exponent: 0 };
    /// The number 0.
    pub const ZERO: Self = Self { mantissa: 0, exponent: 0 };

    /// The number that a double of at least 0 is, times `2^exponent`.
    pub fn of(value: f64, exponent: i64) -> Self {
        let bits = value.abs().to_bits();
        let (fraction, power) = (bits & ((1 << 52) - 1), (bits >> 52) as i64);
        let (mantissa, power) = match power {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, power - 1075),
        };
        match mantissa.trailing_zeros() {
            64 => Self::ZERO,
            spare => {
                Self { mantissa: mantissa >> spare, exponent: power + i64::from(spare) + exponent }
            }
        }
    }

    /// The same number as a double; not a number where that would round.
    fn double(self) -> f64 {
        let fits = self.mantissa < 1 << 53 && (-900..900).contains(&self.exponent);
        match fits {
            true => self.mantissa as f64 * 2f64.powi(self.exponent as i32),
            false if self.mantissa == 0 => 0.0,
            false => f64::NAN,
        }
    }

    fn at(self, exponent: i64) -> BigInt {
        BigInt::from(self.mantissa) << (self.exponent - exponent)
    }
}

impl PartialEq for Edge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Edge {}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Edge {
    fn cmp(&self, other: &Self) -> Ordering {
        let least = self.exponent.min(other.exponent);
        self.at(least).cmp(&other.at(least))
    }
}

/// All weights `low <= p <= high`.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    low: Vec<Edge>,
    high: Vec<Edge>,
    doubles: [Vec<f64>; 2],
}

impl Region {
    /// Weight `largest` is 1, all others between 0 and 1: for each nonnegative direction, one of
    /// these regions has a point of it.
    pub fn root(weights: usize, largest: usize) -> Self {
        let mut root = Self {
            low: vec![Edge::ZERO; weights],
            high: vec![Edge::ONE; weights],
            doubles: [vec![0.0; weights], vec![1.0; weights]],
        };
        root.set_low(largest, Edge::ONE);
        root
    }

    /// The region between these bounds.
    pub fn new(low: Vec<Edge>, high: Vec<Edge>) -> Self {
        let doubles = [&low, &high].map(|side| side.iter().map(|edge| edge.double()).collect());
        Self { low, high, doubles }
    }

    pub fn low(&self, weight: usize) -> Edge {
        self.low[weight]
    }

    pub fn high(&self, weight: usize) -> Edge {
        self.high[weight]
    }

    pub fn set_low(&mut self, weight: usize, edge: Edge) {
        self.low[weight] = edge;
        self.doubles[0][weight] = edge.double();
    }

    pub fn set_high(&mut self, weight: usize, edge: Edge) {
        self.high[weight] = edge;
        self.doubles[1][weight] = edge.double();
    }
}

/// A row as whole numbers over a power of two, its largest entry between 1/2 and 1.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Bit `k` is set where entry `k` is not 0.
    pub support: u64,
    entries: Vec<BigInt>,
    /// The entries are divided by `2^bits`.
    bits: u64,
    /// The entries, each off by less than `2^-52` of itself.
    doubles: Vec<f64>,
}

impl Row {
    pub fn new(exact: &[Dyadic]) -> Self {
        let entries = Dyadic::whole(exact);
        let bits = entries.iter().map(BigInt::bits).max().unwrap_or(0);
        let support = |(k, x): (usize, &BigInt)| u64::from(x.sign() != Sign::NoSign) << k;
        Self {
            support: entries.iter().enumerate().map(support).sum(),
            doubles: entries.iter().map(|x| rounded(x, bits)).collect(),
            entries,
            bits,
        }
    }

    /// The entries, rounded.
    pub fn doubles(&self) -> &[f64] {
        &self.doubles
    }

    /// The multiplier of the row that stands for `whole` of its entries as whole numbers.
    pub fn multiplier(&self, whole: &BigInt) -> BigUint {
        whole.magnitude() << self.bits
    }

    /// True when no entry is above 0: no weights satisfy the row.
    pub fn never_holds(&self) -> bool {
        self.entries.iter().all(|x| x.sign() != Sign::Plus)
    }

    /// True when the row is above 0 at these weights.
    pub fn holds_at(&self, weights: &[Edge]) -> bool {
        let least = weights.iter().map(|w| w.exponent).min().unwrap_or(0);
        let terms = self.entries.iter().zip(weights).map(|(x, w)| x * w.at(least));
        terms.sum::<BigInt>().sign() == Sign::Plus
    }
}

/// `value / 2^bits`, off by less than `2^-52` of itself; not a number where that is too small.
fn rounded(value: &BigInt, bits: u64) -> f64 {
    let excess = value.bits().saturating_sub(62);
    let leading = i64::try_from(value >> excess).unwrap_or(0) as f64;
    match i32::try_from(bits - excess) {
        Ok(power) if power < 900 => leading * 2f64.powi(-power),
        _ if value.sign() == Sign::NoSign => 0.0,
        _ => f64::NAN,
    }
}

/// True when the rows, each times its multiplier, sum to at most 0 all over the region.
///
/// The largest value of the sum is a choice of bound for each weight. In doubles where rounding
/// cannot matter, else in whole numbers.
pub(crate) fn never_positive(terms: &[(&Row, &BigUint)], region: &Region) -> bool {
    certainly_negative(terms, region) || largest_exactly(terms, region).sign() != Sign::Plus
}

/// False where rounding might matter, also where anything is not a number.
///
/// Each product of a multiplier, an entry and a bound has a relative error below `5 * 2^-52`,
/// and each of the sums adds at most `2^-52` of all magnitudes for each of its terms.
pub(super) fn certainly_negative(terms: &[(&Row, &BigUint)], region: &Region) -> bool {
    let multiplier = |m: &BigUint| u64::try_from(m).ok().filter(|m| *m < 1 << 53);
    let multipliers: Vec<f64> =
        terms.iter().map(|t| multiplier(t.1).map_or(f64::NAN, |m| m as f64)).collect();
    let (mut value, mut magnitude) = (0.0, 0.0);
    for k in 0..region.low.len() {
        let (mut mixed, mut size) = (0.0, 0.0);
        for ((row, _), multiplier) in terms.iter().zip(&multipliers) {
            let term = row.doubles[k] * multiplier;
            mixed += term;
            size += f64::abs(term);
        }
        let [low, high] = [region.doubles[0][k], region.doubles[1][k]];
        value += if mixed > 0.0 { mixed * high } else { mixed * low };
        magnitude += size * high;
    }
    let operations = (terms.len() + region.low.len() + 8) as f64;
    let tiny = operations * f64::MIN_POSITIVE;
    value + 2.0 * operations * f64::EPSILON * magnitude + tiny < 0.0
}

/// A number of the sign of the largest value.
fn largest_exactly(terms: &[(&Row, &BigUint)], region: &Region) -> BigInt {
    let bits = terms.iter().map(|t| t.0.bits).max().unwrap_or(0);
    let edges = region.low.iter().chain(&region.high);
    let least = edges.filter(|e| e.mantissa > 0).map(|e| e.exponent).min().unwrap_or(0);
    let value = |k: usize| {
        let term = |(row, multiplier): &(&Row, &BigUint)| {
            (&row.entries[k] * BigInt::from((*multiplier).clone())) << (bits - row.bits)
        };
        let mixed: BigInt = terms.iter().map(term).sum();
        let edge = if mixed.sign() == Sign::Plus { region.high[k] } else { region.low[k] };
        match edge.mantissa {
            0 => BigInt::ZERO,
            _ => mixed * edge.at(least),
        }
    };
    (0..region.low.len()).map(value).sum()
}
