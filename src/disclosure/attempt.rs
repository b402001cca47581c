//! One attempt of an attacker on a release: a link for each record, or a disclosure measure.

use super::{IntervalRule, distance_linkage_disclosure, interval_disclosure};
use crate::error::Result;
use crate::linkage::registry::{self, AttackParameters};
use crate::linkage::{Attack, AttackRow, Links, Release, TieRule};
use crate::listener::Listener;
use crate::statistics::wilson_interval;
use std::time::Instant;

/// What an attacker tries, with its parameters: any entry of [`registry::ATTACKS`].
#[derive(Debug, Clone, PartialEq)]
pub enum Attempt {
    /// To link every record.
    Link(Attack),
    /// To tell values by intervals: [`interval_disclosure`].
    Interval(IntervalParameters),
    /// To find originals among the nearest two: [`distance_linkage_disclosure`].
    DistanceLinkage,
}

/// How an attempt is counted, and what it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttemptOptions {
    /// What a record counts whose own released record is as near as others.
    pub tie: TieRule,
    /// The records are a sample: rates carry an interval.
    pub sampled: bool,
    /// The second distance of every link is wanted.
    pub second: bool,
}

/// The interval of [`interval_disclosure`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(feature = "cli", command(next_help_heading = "Parameters of the attacks"))]
pub struct IntervalParameters {
    /// interval: percent of the ranks, or of the standard deviation, to either side
    #[cfg_attr(feature = "cli", arg(long, value_name = "P", default_value_t = DEFAULT_INTERVAL))]
    pub interval: f64,

    /// interval: what the percentage is of
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "RULE", default_value_t = IntervalRule::Rank))]
    pub interval_rule: IntervalRule,
}

/// The percentage of [`IntervalParameters`] where none is given.
const DEFAULT_INTERVAL: f64 = 10.0;

impl Default for IntervalParameters {
    fn default() -> Self {
        Self { interval: DEFAULT_INTERVAL, interval_rule: IntervalRule::Rank }
    }
}

impl Attempt {
    /// What the registry's `name` stands for on the attributes `names`, one attempt or several.
    ///
    /// Fails on an unknown name, and on `weighted` without weights.
    pub fn named<S: AsRef<str>>(
        name: &str,
        parameters: &AttackParameters,
        interval: IntervalParameters,
        names: &[S],
    ) -> Result<Vec<Self>> {
        match name {
            "interval" => Ok(vec![Self::Interval(interval)]),
            "dld" => Ok(vec![Self::DistanceLinkage]),
            _ => {
                let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
                let attacks = registry::entry(name)?.attacks(parameters, &names)?;
                Ok(attacks.into_iter().map(Self::Link).collect())
            }
        }
    }

    /// Its name in tables.
    pub fn name(&self) -> String {
        match self {
            Self::Link(attack) => attack.name(),
            Self::Interval(_) => "interval".into(),
            Self::DistanceLinkage => "dld".into(),
        }
    }

    /// Its result, and the links where it links.
    pub fn run<S: AsRef<str>>(
        &self,
        release: &Release,
        names: &[S],
        options: AttemptOptions,
        listener: &dyn Listener,
    ) -> Result<(AttackRow, Option<Links>)> {
        let AttemptOptions { tie, sampled, second } = options;
        let started = Instant::now();
        let (mut row, links) = match self {
            Self::Link(attack) => {
                let links = match second {
                    true => attack.link_with_second(release, names, listener)?,
                    false => attack.link(release, names, listener)?,
                };
                (AttackRow::linked(&links, tie, release.absent()), Some(links))
            }
            Self::Interval(IntervalParameters { interval, interval_rule }) => {
                let found = interval_disclosure(release, names, *interval_rule, *interval)?;
                (AttackRow::disclosed(found), None)
            }
            Self::DistanceLinkage => {
                let found = distance_linkage_disclosure(release, names, listener)?;
                (AttackRow::disclosed(found), None)
            }
        };
        row.attack = self.name();
        row.interval = sampled.then(|| wilson_interval(row.reidentified, row.of));
        row.seconds = started.elapsed().as_secs_f64();
        Ok((row, links))
    }
}
