//! What a release discloses of its original, value by value.

use crate::anonymity::Disclosed;
use crate::distance::moments;
use crate::error::{Error, Result};
use crate::linkage::Release;
use crate::statistics::standard_deviation;
use serde::{Deserialize, Serialize};

/// How wide the interval round a released value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum IntervalRule {
    /// From the value p% of the ranks below to the value p% of the ranks above,
    /// in the released file
    #[default]
    Rank,
    /// p% of the original's standard deviation to either side
    Sigma,
}

/// Interval disclosure: on how many values of the attributes `names` the original
/// lies in an interval round its released value.
///
/// Attacker: sees the release only and believes that each true value lies in the
/// interval. Truth: the release's pairs. Equal released values share the widest
/// interval of their ranks; there are no ties to break. Missing: a value counts
/// where both files have it. Cost: O(n log n) per attribute. Source: J.
/// Domingo-Ferrer, V. Torra, "Disclosure control methods and information loss
/// for microdata", in: Confidentiality, Disclosure, and Data Access (2001).
pub fn interval_disclosure<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    rule: IntervalRule,
    percent: f64,
) -> Result<Disclosed> {
    if !(percent > 0.0 && percent <= 100.0) {
        let problem = "but an interval takes 0 < p <= 100, in percent";
        return Err(Error::parameter("interval", percent, problem));
    }
    let mut sum = Disclosed { disclosed: 0, of: 0 };
    for position in release.original().positions(names)? {
        let pairs = present_pairs(release, position)?;
        if rule == IntervalRule::Sigma && !pairs.is_empty() {
            let original = release.original();
            let column = original.numeric_at(position, "interval disclosure")?;
            moments((original, position), column)?;
        }
        sum.of += pairs.len();
        sum.disclosed += match rule {
            IntervalRule::Rank => within_ranks(&pairs, percent),
            IntervalRule::Sigma => within_sigma(&pairs, percent),
        };
    }
    Ok(sum)
}

/// Original and released value of an attribute, where both are present.
fn present_pairs(release: &Release, position: usize) -> Result<Vec<(f64, f64)>> {
    let (original, released) = (release.original(), release.released());
    let name = &original.attributes()[position].name;
    let before = original.numeric_at(position, "interval disclosure")?;
    let after = released.numeric(name, "interval disclosure")?;
    let own = before.iter().zip(release.own());
    Ok(own.filter_map(|(x, &j)| Some((x?, after.get(j as usize)?))).collect())
}

fn within_sigma(pairs: &[(f64, f64)], percent: f64) -> usize {
    let originals: Vec<f64> = pairs.iter().map(|p| p.0).collect();
    let half = percent / 100.0 * standard_deviation(&originals);
    pairs.iter().filter(|(x, y)| (x - y).abs() <= half).count()
}

fn within_ranks(pairs: &[(f64, f64)], percent: f64) -> usize {
    let mut sorted: Vec<f64> = pairs.iter().map(|p| p.1).collect();
    sorted.sort_by(f64::total_cmp);
    let reach = (percent / 100.0 * sorted.len() as f64).floor() as usize;
    let inside = |&&(x, y): &&(f64, f64)| {
        let first = sorted.partition_point(|v| *v < y);
        let last = sorted.partition_point(|v| *v <= y).saturating_sub(1);
        let low = sorted[first.saturating_sub(reach)];
        let high = sorted[(last + reach).min(sorted.len() - 1)];
        low <= x && x <= high
    };
    pairs.iter().filter(inside).count()
}
