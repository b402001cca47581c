//! What one coordinate adds to a distance.

use super::cells::CellMetric;

/// How one coordinate adds to a distance.
///
/// A generalized value is an infinite coordinate, and adds nothing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Metric {
    /// (x - y)² of finite coordinates.
    Squared,
    /// (x - y)².
    SquaredOrAny,
    /// |x - y|, at most the cap.
    Steps(f64),
    /// The value where x and y differ, else 0.
    Mismatch(f64),
    /// A term of the distance to what a released cell stands for.
    Cell(CellMetric),
}

impl Metric {
    /// What the coordinates x and y add.
    #[inline(always)]
    pub fn between(&self, x: f64, y: f64) -> f64 {
        let difference = x - y;
        // Not finite where x, y or both are infinite.
        let known = difference.is_finite();
        match self {
            Self::Squared => difference * difference,
            Self::SquaredOrAny => {
                if known {
                    difference * difference
                } else {
                    0.0
                }
            }
            Self::Steps(cap) => {
                if known {
                    difference.abs().min(*cap)
                } else {
                    0.0
                }
            }
            Self::Mismatch(value) => f64::from(u8::from(x != y && known)) * value,
            Self::Cell(metric) => metric.between(x, y),
        }
    }

    /// By how much what is added may be off, beyond a billionth of it, where coordinates are at most
    /// `largest` and each is rounded by less than 3e-15 of itself.
    ///
    /// The square of a difference d with an error e is off by 2 d e + e², which is less than a
    /// billionth of d² and a billion times e².
    pub fn rounding(&self, largest: f64) -> f64 {
        let (linear, squared) = (1e-14 * largest, 1e-20 * largest * largest);
        match self {
            Self::Squared | Self::SquaredOrAny => squared,
            Self::Steps(_) => linear,
            Self::Mismatch(_) => 0.0,
            Self::Cell(_) => linear + squared,
        }
    }

    /// The least that a point in [low, high] can add; a generalized point needs
    /// infinite ends.
    #[inline(always)]
    pub fn least_in(&self, low: f64, high: f64, x: f64) -> f64 {
        let gap = larger(larger(low - x, x - high), 0.0);
        match self {
            Self::Squared => gap * gap,
            Self::Cell(metric) => metric.least_in(low, high, x),
            _ if x.is_infinite() => 0.0,
            Self::SquaredOrAny => gap * gap,
            Self::Steps(cap) => gap.min(*cap),
            Self::Mismatch(value) => f64::from(u8::from(gap > 0.0)) * value,
        }
    }

    /// The most that a point in [low, high] can add; cells are asked for the nearest only.
    #[inline(always)]
    pub fn most_in(&self, low: f64, high: f64, x: f64) -> f64 {
        larger(self.between(low, x), self.between(high, x)).max(match self {
            Self::Mismatch(value) if low < high => *value,
            _ => 0.0,
        })
    }
}

/// The greater of two numbers that are not NaN, in one instruction.
#[inline(always)]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
