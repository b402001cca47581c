//! The errors a leaf is expected to make on new records (Quinlan 1993, section 4.2).

use crate::error::{Error, Result};
use statrs::distribution::{ContinuousCDF, Normal};

/// The confidence level of pruning: the smaller, the more is pruned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Confidence {
    level: f64,
    deviate: f64,
}

impl Confidence {
    /// Fails unless 0 < level <= 0.5.
    pub fn new(level: f64) -> Result<Self> {
        if !(level > 0.0 && level <= 0.5) {
            let problem = "but pruning needs a confidence above 0 and at most 0.5";
            return Err(Error::parameter("confidence", level, problem));
        }
        Ok(Self { level, deviate: Normal::standard().inverse_cdf(1.0 - level) })
    }

    /// Errors to expect among records that weigh `total` where `errors` were seen:
    /// the upper limit of the error rate at this confidence, times the weight.
    ///
    /// Exact without errors, else the normal approximation with continuity
    /// correction; linear between no error and one, and near all errors.
    pub fn expected_errors(self, total: f64, errors: f64) -> f64 {
        if total < super::criterion::TINY {
            return 0.0;
        }
        if errors < 1.0 {
            let none = total * (1.0 - self.level.powf(1.0 / total));
            return none + errors * (self.at_least_one(total, 1.0) - none);
        }
        self.at_least_one(total, errors)
    }

    fn at_least_one(self, total: f64, errors: f64) -> f64 {
        if errors + 0.5 >= total {
            return total.max(errors);
        }
        let (z, rate) = (self.deviate, (errors + 0.5) / total);
        let spread = rate / total - rate * rate / total + z * z / (4.0 * total * total);
        let limit = (rate + z * z / (2.0 * total) + z * spread.sqrt()) / (1.0 + z * z / total);
        limit * total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U_CF(errors, total) to three digits.
    fn limit(confidence: Confidence, errors: f64, total: f64) -> String {
        format!("{:.3}", confidence.expected_errors(total, errors) / total)
    }

    #[test]
    fn limits_of_the_book_without_errors() {
        let confidence = Confidence::new(0.25).unwrap();
        assert_eq!(limit(confidence, 0.0, 6.0), "0.206");
        assert_eq!(limit(confidence, 0.0, 9.0), "0.143");
        assert_eq!(limit(confidence, 0.0, 1.0), "0.750");
    }

    /// C4.5 interpolates the deviate in a table (0.84 at 0.20, 0.25 at 0.40),
    /// which gives the book's 0.157; the deviate itself gives 0.155.
    #[test]
    fn the_limit_of_the_book_with_an_error_comes_from_its_rounded_deviate() {
        let exact = Confidence::new(0.25).unwrap();
        let interpolated = Confidence { deviate: 0.84 + (0.25 - 0.84) * 0.25, ..exact };
        assert_eq!(limit(interpolated, 1.0, 16.0), "0.157");
        assert_eq!(limit(exact, 1.0, 16.0), "0.155");
    }

    #[test]
    fn expected_errors_grow_with_errors_and_shrink_with_confidence() {
        let (low, high) = (Confidence::new(0.1).unwrap(), Confidence::new(0.4).unwrap());
        for total in [1.0, 2.5, 10.0, 300.0] {
            let mut last = 0.0;
            for step in 0..=20 {
                let errors = total * f64::from(step) / 20.0;
                let expected = high.expected_errors(total, errors);
                assert!(expected >= last - 1e-12 && expected >= errors - 1e-12);
                assert!(expected <= low.expected_errors(total, errors) + 1e-12);
                assert!(expected <= total + 1.0);
                last = expected;
            }
        }
    }

    #[test]
    fn confidence_is_refused_outside_its_range() {
        for level in [0.0, -0.1, 0.6, f64::NAN] {
            let error = Confidence::new(level).unwrap_err();
            assert!(error.to_string().starts_with("confidence = "), "{error}");
        }
    }
}
