//! Exact arithmetic on the numbers that doubles are: whole multiples of powers of two.

use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// A whole number times a power of two: sums and products of doubles, without rounding.
///
/// ```
/// use unmask_solvers::Dyadic;
/// let (a, b) = (Dyadic::from(0.1), Dyadic::from(0.2));
/// let sum = &a + &b;
/// assert_ne!(sum, Dyadic::from(0.3)); // not in exact arithmetic of these doubles
/// assert!((&sum - &Dyadic::from(0.3)).sign().is_gt());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Dyadic {
    mantissa: BigInt,
    exponent: i64,
}

impl Dyadic {
    /// The number 0.
    pub fn zero() -> Self {
        Self::default()
    }

    /// Whether it is below, at or above 0.
    pub fn sign(&self) -> Ordering {
        match self.mantissa.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }

    /// The same number times `2^exponent`.
    pub fn scaled(mut self, exponent: i64) -> Self {
        self.exponent += exponent;
        self
    }

    /// A double at most a unit of its last place away, of the same sign, and 0 only for 0, as long
    /// as the number is in the normal range of doubles. That of `-x` is minus that of `x`.
    pub fn rounded(&self) -> f64 {
        let size = self.mantissa.magnitude();
        let excess = size.bits().saturating_sub(64);
        let leading = u64::try_from(size >> excess).unwrap_or(u64::MAX) as f64;
        let signed = if self.sign().is_lt() { -leading } else { leading };
        times_power(signed, self.exponent + excess as i64)
    }

    /// Whole numbers in the same ratios.
    pub(crate) fn whole(values: &[Self]) -> Vec<BigInt> {
        let nonzero = values.iter().filter(|v| v.sign().is_ne());
        let least = nonzero.map(|v| v.exponent).min().unwrap_or(0);
        values.iter().map(|v| v.mantissa_at(least)).collect()
    }

    /// The number divided by `2^exponent`, which must be whole.
    fn mantissa_at(&self, exponent: i64) -> BigInt {
        match self.sign().is_eq() {
            true => BigInt::ZERO,
            false => &self.mantissa << (self.exponent - exponent),
        }
    }

    fn combined(&self, other: &Self, combine: impl Fn(BigInt, BigInt) -> BigInt) -> Self {
        let exponent = match (self.sign().is_eq(), other.sign().is_eq()) {
            (true, _) => other.exponent,
            (_, true) => self.exponent,
            _ => self.exponent.min(other.exponent),
        };
        let mantissa = combine(self.mantissa_at(exponent), other.mantissa_at(exponent));
        Self { mantissa, exponent }
    }
}

/// `value` times `2^exponent`, in steps that stay in the range of doubles.
fn times_power(mut value: f64, mut exponent: i64) -> f64 {
    while exponent != 0 {
        let step = exponent.clamp(-1000, 1000);
        value *= 2f64.powi(step as i32);
        exponent -= step;
    }
    value
}

impl From<f64> for Dyadic {
    /// The number that a finite double is.
    fn from(value: f64) -> Self {
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i64;
        let fraction = (bits & ((1 << 52) - 1)) as i64;
        let (size, exponent) = match exponent {
            0 => (fraction, -1074),
            _ => (fraction | 1 << 52, exponent - 1075),
        };
        let spare = i64::from(size.trailing_zeros().min(63));
        let size = size >> spare;
        let mantissa = BigInt::from(if value < 0.0 { -size } else { size });
        Self { mantissa, exponent: exponent + spare }
    }
}

impl From<BigInt> for Dyadic {
    fn from(mantissa: BigInt) -> Self {
        Self { mantissa, exponent: 0 }
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        (self - other).sign().is_eq()
    }
}

impl Add for &Dyadic {
    type Output = Dyadic;
    fn add(self, other: Self) -> Dyadic {
        self.combined(other, |a, b| a + b)
    }
}

impl Sub for &Dyadic {
    type Output = Dyadic;
    fn sub(self, other: Self) -> Dyadic {
        self.combined(other, |a, b| a - b)
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;
    fn mul(self, other: Self) -> Dyadic {
        let exponent = self.exponent + other.exponent;
        Dyadic { mantissa: &self.mantissa * &other.mantissa, exponent }
    }
}

impl Neg for Dyadic {
    type Output = Dyadic;
    fn neg(self) -> Dyadic {
        Dyadic { mantissa: -self.mantissa, exponent: self.exponent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_come_back_as_they_were() {
        let smallest = f64::from_bits(1);
        for value in [0.0, 1.0, -0.1, 1e300, -3e-300, smallest, f64::MAX, f64::MIN_POSITIVE] {
            assert_eq!(Dyadic::from(value).rounded(), value);
        }
    }

    #[test]
    fn sums_and_products_are_exact() {
        let [large, one] = [1e300, 1.0].map(Dyadic::from);
        let more = &large + &one;
        assert_eq!(&more - &large, one);
        assert!((&more - &large).sign().is_gt());
        assert_eq!((&Dyadic::from(-3.0) * &Dyadic::from(0.5)).rounded(), -1.5);
        assert_eq!((-one).scaled(3).rounded(), -8.0);
        let third = Dyadic::from(1.0 / 3.0);
        assert!((&(&third * &Dyadic::from(3.0)) - &Dyadic::from(1.0)).sign().is_lt());
    }

    #[test]
    fn whole_numbers_keep_the_ratios() {
        let whole = Dyadic::whole(&[0.5, 0.0, -3.0].map(Dyadic::from));
        assert_eq!(whole, [1, 0, -6].map(BigInt::from));
    }
}
