//! What a release must keep: the table `[limits]` of a project.
//!
//! Each limit is judged by the command that measures what it is about. What was not measured is not
//! kept.

use crate::anonymity::{Anonymity, SensitiveMeasures};
use crate::error::{Error, Result};
use crate::utility::Utility;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a release must keep; what is not said is no limit.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The greatest share of people, 0 to 1, that may be found (`unmask audit`).
    pub max_risk: Option<f64>,
    /// The greatest share of people, 0 to 1, whose confidential value may be certain to who finds
    /// their class (`unmask audit`).
    pub max_certain: Option<f64>,
    /// The least size of a class (`unmask measure`).
    pub min_k: Option<usize>,
    /// The least number of different confidential values in a class (`unmask measure`).
    pub min_l: Option<usize>,
    /// The greatest distance, 0 to 1, of the confidential values of a class from those of the file
    /// (`unmask measure`).
    pub max_t: Option<f64>,
    /// The greatest share, 0 to 1, of the variation between records that may be lost (`unmask
    /// utility`): the least that a release must be good for.
    pub max_information_loss: Option<f64>,
}

/// One limit, and whether a release keeps it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LimitCheck {
    /// Its key in a project.
    pub limit: &'static str,
    /// What is allowed.
    pub allowed: f64,
    /// What was measured; `None` where there was nothing to measure.
    pub measured: Option<f64>,
    /// True when what was measured is allowed.
    pub kept: bool,
}

impl Limits {
    /// Fails on shares outside of 0 to 1, and on sizes below 1.
    pub(super) fn check(&self, place: &str) -> Result<()> {
        let shares = [
            ("max_risk", self.max_risk),
            ("max_certain", self.max_certain),
            ("max_t", self.max_t),
            ("max_information_loss", self.max_information_loss),
        ];
        for (name, share) in shares {
            if let Some(share) = share.filter(|share| !(0.0..=1.0).contains(share)) {
                return Err(wrong(place, name, share, "a share is a number from 0 to 1"));
            }
        }
        for (name, least) in [("min_k", self.min_k), ("min_l", self.min_l)] {
            if least == Some(0) {
                return Err(wrong(place, name, 0.0, "at least 1 is needed"));
            }
        }
        Ok(())
    }

    /// Whether a release in which `found` was measured keeps the limits that are about that.
    pub fn of_anonymity(&self, found: &Anonymity) -> Vec<LimitCheck> {
        let of_all = |value: fn(&SensitiveMeasures) -> f64, worst: fn(f64, f64) -> f64| {
            found.sensitive.iter().map(value).reduce(worst)
        };
        let least_l = of_all(|s| s.distinct_l as f64, f64::min);
        let greatest_t = of_all(|s| s.t, |a, b| if b.is_nan() || b > a { b } else { a });
        let checks = [
            at_least("min_k", self.min_k, Some(found.k as f64)),
            at_least("min_l", self.min_l, least_l),
            at_most("max_t", self.max_t, greatest_t),
        ];
        checks.into_iter().flatten().collect()
    }

    /// The same of what a release is still good for.
    pub fn of_utility(&self, found: &Utility) -> Vec<LimitCheck> {
        // Of what has nothing left, all is lost.
        let (measured, gone) = (found.attributes.len() as f64, found.nothing_left.len() as f64);
        let lost = found.il_percent / 100.0 * measured + gone;
        let loss = Some(lost / (measured + gone)).filter(|loss| loss.is_finite());
        at_most("max_information_loss", self.max_information_loss, loss).into_iter().collect()
    }
}

fn wrong(place: &str, name: &str, value: f64, problem: &str) -> Error {
    Error::input(format!("{place}: limits.{name}"), format!("is {value}, but {problem}"))
}

fn at_least(
    limit: &'static str,
    allowed: Option<usize>,
    measured: Option<f64>,
) -> Option<LimitCheck> {
    let allowed = allowed? as f64;
    Some(LimitCheck { limit, allowed, measured, kept: measured.is_some_and(|m| m >= allowed) })
}

fn at_most(limit: &'static str, allowed: Option<f64>, measured: Option<f64>) -> Option<LimitCheck> {
    let allowed = allowed?;
    Some(LimitCheck { limit, allowed, measured, kept: measured.is_some_and(|m| m <= allowed) })
}

impl fmt::Display for LimitCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, allowed, measured, kept } = self;
        let verdict = if *kept { "kept" } else { "not kept" };
        match measured {
            Some(measured) if measured.fract() == 0.0 => {
                write!(f, "{limit} = {allowed}: {verdict}, it is {measured}")
            }
            Some(measured) => write!(f, "{limit} = {allowed}: {verdict}, it is {measured:.4}"),
            None => write!(f, "{limit} = {allowed}: {verdict}, there was nothing to measure"),
        }
    }
}
