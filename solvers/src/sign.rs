//! The exact sign of a dot product of floating-point vectors.
//!
//! `r . p` rounded to double precision can be positive although the exact
//! value is zero; a tie would then pass for a satisfied inequality. The
//! rounded value is trusted only above its own error bound; below it the sum
//! is evaluated without error as an expansion of doubles (Shewchuk 1997,
//! doi:10.1007/PL00009321).

use crate::Dyadic;
use std::cmp::Ordering;

/// Sign of the exact value of `sum r_k p_k`.
///
/// Cost: `n` multiplications when the value is clearly nonzero, `O(n^2)` additions otherwise.
pub fn dot_sign(r: &[f64], p: &[f64]) -> Ordering {
    certain_sign(r, p, 0.0).unwrap_or_else(|| exact_sign(r, p))
}

/// The sign of `sum r_k p_k`, where it is certain although each `r_k` may be off by the share
/// `entry_error` of itself.
pub fn certain_sign(r: &[f64], p: &[f64], entry_error: f64) -> Option<Ordering> {
    let (value, magnitude) = dot_with_magnitude(r, p);
    let error = magnitude * ((r.len() as f64 + 2.0) * f64::EPSILON + 2.0 * entry_error);
    // Products below the normal range have errors of their own.
    let error = error + r.len() as f64 * f64::MIN_POSITIVE;
    if value > error {
        Some(Ordering::Greater)
    } else if value < -error {
        Some(Ordering::Less)
    } else {
        None
    }
}

/// Sign of the exact value of `sum r_k p_k` of exact entries.
pub fn dyadic_sign(r: &[Dyadic], p: &[Dyadic]) -> Ordering {
    r.iter().zip(p).fold(Dyadic::zero(), |sum, (r, p)| &sum + &(r * p)).sign()
}

/// Rounded dot product.
pub fn dot(r: &[f64], p: &[f64]) -> f64 {
    r.iter().zip(p).map(|(a, b)| a * b).sum()
}

fn dot_with_magnitude(r: &[f64], p: &[f64]) -> (f64, f64) {
    r.iter().zip(p).fold((0.0, 0.0), |(value, magnitude), (a, b)| {
        let product = a * b;
        (value + product, magnitude + product.abs())
    })
}

/// Products down to here have errors that are doubles.
const SMALLEST_PRODUCT: f64 = 1e-250;

fn exact_sign(r: &[f64], p: &[f64]) -> Ordering {
    let is_small =
        |(a, b): (&f64, &f64)| *a != 0.0 && *b != 0.0 && (a * b).abs() < SMALLEST_PRODUCT;
    if r.iter().zip(p).any(is_small) {
        let exact = |values: &[f64]| values.iter().copied().map(Dyadic::from).collect::<Vec<_>>();
        return dyadic_sign(&exact(r), &exact(p));
    }
    let mut expansion: Vec<f64> = Vec::with_capacity(2 * r.len());
    for (a, b) in r.iter().zip(p) {
        let product = a * b;
        grow(&mut expansion, a.mul_add(*b, -product));
        grow(&mut expansion, product);
    }
    // Components do not overlap and grow in magnitude: the last one has the sign.
    let last = expansion.last().copied().unwrap_or(0.0);
    last.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

/// Adds `term` to a nonoverlapping expansion, dropping zero components.
fn grow(expansion: &mut Vec<f64>, term: f64) {
    let mut carry = term;
    let mut kept = 0;
    for i in 0..expansion.len() {
        let (sum, error) = two_sum(carry, expansion[i]);
        carry = sum;
        if error != 0.0 {
            expansion[kept] = error;
            kept += 1;
        }
    }
    expansion.truncate(kept);
    if carry != 0.0 {
        expansion.push(carry);
    }
}

/// Sum and its rounding error, exactly (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let virtual_b = sum - a;
    let error = (a - (sum - virtual_b)) + (b - virtual_b);
    (sum, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_never_turns_a_tie_into_a_sign() {
        // 0.1 + 0.2 - 0.3 is not zero in exact arithmetic of these doubles.
        assert_eq!(dot_sign(&[0.1, 0.2, -0.3], &[1.0; 3]), Ordering::Greater);
        assert_eq!(dot_sign(&[1.0, -1.0], &[0.1, 0.1]), Ordering::Equal);
        let third = 1.0 / 3.0;
        assert_eq!(dot_sign(&[third, -1.0], &[0.75, 0.25]), Ordering::Less);
    }

    #[test]
    fn tiny_differences_beside_large_terms_are_seen() {
        let r = [1e100, 1.0, -1e100];
        assert_eq!(dot_sign(&r, &[1.0, 1e-30, 1.0]), Ordering::Greater);
        assert_eq!(dot_sign(&r, &[1.0, 0.0, 1.0]), Ordering::Equal);
        assert_eq!(dot_sign(&[1.0, -1.0, 1e-200], &[1.0, 1.0, 1e-200]), Ordering::Greater);
    }
}
