//! The exact sign of a dot product of floating-point vectors.
//!
//! `r . p` rounded to double precision can be positive although the exact
//! value is zero; a tie would then pass for a satisfied inequality. The
//! rounded value is trusted only above its own error bound; below it the sum
//! is evaluated without error as an expansion of doubles (Shewchuk 1997,
//! doi:10.1007/PL00009321).

use std::cmp::Ordering;

/// Sign of the exact value of `sum r_k p_k`.
///
/// Exact as long as no product leaves the normal range of doubles, which rows
/// of unit norm and weights above 1e-150 guarantee. Cost: `n` multiplications
/// when the value is clearly nonzero, `O(n^2)` additions otherwise.
pub fn dot_sign(r: &[f64], p: &[f64]) -> Ordering {
    let (value, magnitude) = dot_with_magnitude(r, p);
    let error = magnitude * (r.len() as f64 + 2.0) * f64::EPSILON;
    if value > error {
        Ordering::Greater
    } else if value < -error {
        Ordering::Less
    } else {
        exact_sign(r, p)
    }
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

fn exact_sign(r: &[f64], p: &[f64]) -> Ordering {
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
    }
}
