//! What a release must keep, and whether it does.

use super::certain_values::confidential;
use super::examination::Examined;
use super::{CertainThreshold, Gate, RowsVerdict, Threshold, Verdict};
use crate::dataset::Role;
use crate::error::{Error, Result};
use crate::linkage::Release;

/// The limits of an audit.
#[derive(Debug, Clone, Default)]
pub(super) struct ReleaseLimits {
    /// The greatest share of people that may be found, and where that limit comes from.
    pub max_risk: Option<(f64, String)>,
    /// What is compared with it.
    pub gate: Gate,
    /// The greatest share of people whose confidential value may be certain.
    pub max_certain: Option<f64>,
    /// True when it is taken on trust that rows belong together.
    pub rows_correspond: bool,
}

impl ReleaseLimits {
    /// Fails on a limit that is no share.
    pub fn check(&self) -> Result<()> {
        let risk = self.max_risk.as_ref().map(|(share, _)| *share);
        for (name, share) in [("max_risk", risk), ("max_certain", self.max_certain)] {
            if let Some(share) = share.filter(|share| !(0.0..=1.0).contains(share)) {
                let problem = "but a share is a number from 0 to 1, 0.2 for 20%";
                return Err(Error::parameter(name, share, problem));
            }
        }
        Ok(())
    }

    /// Fails where confidential values are limited and none of `release` would be looked at.
    pub fn check_confidential(&self, release: &Release, attacked: &[String]) -> Result<()> {
        let Some(share) = self.max_certain else { return Ok(()) };
        let marked =
            [release.original(), release.released()].map(|f| f.names_with(Role::Confidential));
        let held: Vec<String> = confidential(release, &[]);
        let problem = match marked.concat().is_empty() {
            true => "but no attribute is confidential: name one with `confidential`".to_owned(),
            // What the release does not hold cannot be learned from it.
            false if held.is_empty() || held.iter().any(|name| !attacked.contains(name)) => {
                return Ok(());
            }
            false => format!(
                "but what is confidential is attacked itself ({}): leave it out of `attributes`",
                held.join(", ")
            ),
        };
        Err(Error::parameter("max_certain", share, problem))
    }

    /// The limit of found people beside what was found of them.
    pub fn judge(&self, verdict: &Verdict) -> Option<Threshold> {
        let (most, source) = self.max_risk.as_ref()?;
        Some(Threshold::judge(*most, source.clone(), self.gate, verdict))
    }

    /// The limit of certain values beside those of the attribute that gives away most.
    pub fn judge_certain(&self, examined: &Examined) -> Option<CertainThreshold> {
        Some(CertainThreshold::judge(self.max_certain?, &examined.certain_values))
    }

    /// Whether everything that was limited keeps its limit, nothing identifies by itself, and rows
    /// are not doubted; none where nothing was limited.
    pub fn kept(&self, verdict: &Verdict, examined: &Examined) -> Option<bool> {
        let (found, certain) = (self.judge(verdict), self.judge_certain(examined));
        if found.is_none() && certain.is_none() {
            return None;
        }
        let doubted = examined.correspondence.verdict == RowsVerdict::TooFew;
        Some(
            found.is_none_or(|limit| !limit.exceeded)
                && certain.is_none_or(|limit| !limit.exceeded)
                && (self.rows_correspond || !doubted)
                && examined.coverage.direct_identifiers.is_empty()
                && !examined.coverage.is_open(),
        )
    }
}
