//! Multipliers of conflicts as small whole numbers, for whoever writes a certificate.

use super::number::{Region, Row, certainly_negative, never_positive};
use num_bigint::BigUint;

/// Bits of the largest multiplier, in the order in which they are tried.
const BITS: [i32; 8] = [4, 6, 8, 11, 14, 20, 32, 53];

/// Small whole numbers about in the ratios of `rounded`, with which the rows sum to at most 0 all
/// over the region; 0 for rows that are not needed. None if rounding takes too much.
pub(crate) fn multipliers(rows: &[Row], rounded: &[f64], region: &Region) -> Option<Vec<BigUint>> {
    let largest = rounded.iter().copied().fold(0.0, f64::max);
    let whole = |bits: i32| -> Vec<BigUint> {
        let scale = 2f64.powi(bits) / largest;
        rounded.iter().map(|m| BigUint::from((m * scale).round().max(0.0) as u64)).collect()
    };
    let terms = |found: &[BigUint], test: fn(&[(&Row, &BigUint)], &Region) -> bool| {
        let used = rows.iter().zip(found).filter(|(_, m)| **m > BigUint::ZERO);
        test(&used.collect::<Vec<_>>(), region)
    };
    let sought = |bits: &i32| terms(&whole(*bits), certainly_negative);
    let bits = BITS.into_iter().find(sought);
    let exactly =
        || [BITS[0], BITS[4], BITS[7]].into_iter().find(|b| terms(&whole(*b), never_positive));
    (largest > 0.0 && largest.is_finite()).then(|| bits.or_else(exactly).map(whole))?
}
