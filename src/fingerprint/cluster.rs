//! Patterns of about the same information loss (step 8).

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// When two patterns count as equal in quality.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Clustering {
    /// The same loss.
    Exact,
    /// Losses in one interval of this width, counted from the lower bound of the loss.
    Width(f64),
    /// Losses in one of so many intervals of equal width, from the least to the greatest.
    Count(usize),
}

/// Losses that differ by less, relative to their size, are equal: sums of fractions are rounded.
const ROUNDING: f64 = 1e-9;

impl Clustering {
    /// Ranges of `losses`, which ascend, that form a cluster; intervals without a pattern are
    /// left out. Intervals of a width start at `from`.
    pub fn ranges(&self, losses: &[f64], from: f64) -> Vec<Range<usize>> {
        let (Some(&least), Some(&greatest)) = (losses.first(), losses.last()) else {
            return Vec::new();
        };
        match *self {
            Self::Exact => split(losses, |a, b| b - a > ROUNDING * b.abs().max(1.0)),
            Self::Width(width) => in_intervals(losses, from.min(least), width, f64::INFINITY),
            Self::Count(count) => {
                let width = (greatest - least) / count as f64;
                in_intervals(losses, least, width, count as f64 - 1.0)
            }
        }
    }
}

/// Cut where the number of the interval changes; it is `last` at most.
fn in_intervals(losses: &[f64], from: f64, width: f64, last: f64) -> Vec<Range<usize>> {
    let number = |loss: f64| ((loss - from) / width + ROUNDING).floor().min(last);
    split(losses, |a, b| width > 0.0 && number(a) != number(b))
}

fn split(losses: &[f64], apart: impl Fn(f64, f64) -> bool) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (i, &loss) in losses.iter().enumerate() {
        match ranges.last_mut() {
            Some(range) if !apart(losses[i - 1], loss) => range.end = i + 1,
            _ => ranges.push(i..i + 1),
        }
    }
    ranges
}

impl fmt::Display for Clustering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::Width(width) => write!(f, "width:{width}"),
            Self::Count(count) => write!(f, "count:{count}"),
        }
    }
}

impl FromStr for Clustering {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let width = |w: &f64| w.is_finite() && *w > 0.0;
        let found = match text.split_once(':') {
            None if text == "exact" => Some(Self::Exact),
            Some(("width", w)) => w.parse().ok().filter(width).map(Self::Width),
            Some(("count", c)) => c.parse().ok().filter(|c| *c > 0).map(Self::Count),
            _ => None,
        };
        found.ok_or_else(|| {
            let problem = "but it is exact, width:W or count:C, with W and C above 0";
            Error::parameter("cluster", text, problem)
        })
    }
}

impl From<Clustering> for String {
    fn from(clustering: Clustering) -> Self {
        clustering.to_string()
    }
}

impl TryFrom<String> for Clustering {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_losses_form_a_cluster_whatever_their_rounding() {
        let losses = [0.1 + 0.2, 0.3, 0.5, 0.5];
        let mut sorted = losses;
        sorted.sort_by(f64::total_cmp);
        assert_eq!(Clustering::Exact.ranges(&sorted, 0.0), [0..2, 2..4]);
    }

    #[test]
    fn intervals_of_a_width_start_at_the_lower_bound() {
        let losses = [1.0, 1.4, 1.5, 2.9];
        assert_eq!(Clustering::Width(0.5).ranges(&losses, 1.0), [0..2, 2..3, 3..4]);
        assert_eq!(Clustering::Width(0.5).ranges(&losses, 0.75), [0..1, 1..3, 3..4]);
    }

    #[test]
    fn a_count_divides_the_range_evenly() {
        let losses = [0.0, 1.0, 4.9, 5.0, 10.0];
        assert_eq!(Clustering::Count(2).ranges(&losses, 0.0), [0..3, 3..5]);
        assert_eq!(Clustering::Count(3).ranges(&[7.0, 7.0], 0.0), [0..2]);
        assert!(Clustering::Count(3).ranges(&[], 0.0).is_empty());
    }

    #[test]
    fn clusterings_are_written_as_they_are_read() {
        for text in ["exact", "width:0.5", "count:3"] {
            assert_eq!(text.parse::<Clustering>().unwrap().to_string(), text);
        }
        for text in ["", "width", "width:0", "width:-1", "width:nan", "count:0", "count:1.5"] {
            assert!(text.parse::<Clustering>().is_err(), "{text}");
        }
    }
}
