//! The greatest risk that is allowed.

use crate::learning::Bounds;
use serde::Serialize;

/// A threshold and whether it was exceeded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Threshold {
    /// The greatest share of records that may be re-identified.
    pub max_risk: f64,
    /// Where the threshold comes from.
    pub source: String,
    /// What was compared with it: the worst case, or the proven upper bound where
    /// the worst case is not proven.
    pub judged: &'static str,
    /// The share compared.
    pub risk: f64,
    /// True when `risk` is above `max_risk`.
    pub exceeded: bool,
}

impl Threshold {
    /// Judges `worst`: the proven upper bound, which is the worst case itself when
    /// that is proven.
    pub fn judge(max_risk: f64, source: String, worst: &Bounds) -> Self {
        let judged = if worst.proven_optimal { "worst case" } else { "proven upper bound" };
        let risk = worst.upper_bound_rate;
        Self { max_risk, source, judged, risk, exceeded: risk > max_risk }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_proven_is_judged_by_the_upper_bound() {
        let bounds = |reidentified: usize, upper_bound: usize| Bounds {
            reidentified,
            upper_bound,
            proven_optimal: reidentified == upper_bound,
            rate: reidentified as f64 / 10.0,
            upper_bound_rate: upper_bound as f64 / 10.0,
        };
        let judge = |b: &Bounds| Threshold::judge(0.2, String::new(), b);
        assert!(!judge(&bounds(2, 2)).exceeded, "equal is not above");
        assert!(judge(&bounds(1, 3)).exceeded);
        assert_eq!(judge(&bounds(1, 3)).judged, "proven upper bound");
        assert_eq!(judge(&bounds(3, 3)).judged, "worst case");
    }
}
