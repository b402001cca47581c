//! Key attributes of releases, as in Tables 5, 6 and 8 of D. Abril, G. Navarro-Arribas, V. Torra
//! (2012), doi:10.1016/j.inffus.2011.05.001.

use super::Reproduction;
use super::clock::JobClock;
use super::examination::check_count;
use super::known_protection::AppliedRecipe;
use super::settings::{SearchSettings, Target, search_setters, target_setters};
use super::worst_cases::{SearchTime, strongest, worst_cases};
use crate::anonymity::EquivalenceClasses;
use crate::dataset::{Dataset, DefaultAttributes, Values};
use crate::error::{Error, Result};
use crate::learning::{Aggregation, Bounds, WeightRange};
use crate::linkage::{Attack, Release, TieRule};
use crate::listener::Listener;
use crate::statistics::standard_deviation;
use serde::Serialize;
use serde_json::json;
use std::time::Duration;

/// A search for the key attributes of releases: their weights in the worst case, and each alone.
///
/// An attribute with a high weight tells records apart, so it has a greater disclosure risk.
#[derive(Debug)]
pub struct Keys<'a> {
    target: Target<'a>,
    search: SearchSettings<'a>,
    time: Option<Duration>,
}

target_setters!(Keys);
search_setters!(Keys);

/// The key attributes of one or more releases of the same file.
#[derive(Debug, Clone, Serialize)]
pub struct KeysRecord {
    /// Original records attacked.
    pub records: usize,
    /// Attributes the attacker knows.
    pub attributes: Vec<String>,
    /// Attributes that could have been named and were not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes_left_out: Vec<String>,
    /// How values were standardized: own, original or none.
    pub standardization: String,
    /// One entry per released file.
    pub releases: Vec<ReleaseKeys>,
    /// How to make the report again.
    pub reproduction: Reproduction,
}

/// The key attributes of one release.
#[derive(Debug, Clone, Serialize)]
pub struct ReleaseKeys {
    /// The file as it was typed.
    pub file: String,
    /// The known strength of each attribute's protection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<Strength>,
    /// How much each attribute was changed, measured on the whole file.
    pub changes: Vec<Change>,
    /// The optimal weights with their ranges, in the order of the attributes.
    pub weights: Vec<WeightRange>,
    /// Share re-identified by each attribute alone.
    pub single_rates: Vec<f64>,
    /// Share re-identified with equal weights.
    pub dbrl1_rate: f64,
    /// The worst case with all attributes.
    pub worst_case: Bounds,
    /// The scale of the stronger attacker: own, original or none.
    pub scale: String,
}

/// The parameter a release was protected with, attribute by attribute.
#[derive(Debug, Clone, Serialize)]
pub struct Strength {
    /// Its letter: p or k.
    pub parameter: String,
    /// Its value; none for an attribute that was not protected.
    pub values: Vec<Option<serde_json::Value>>,
}

/// How much one attribute was changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Change {
    /// Standard deviation of the changes in percent of the original's, which is the
    /// p of additive noise; for labels the share changed, in percent.
    pub percent: Option<f64>,
    /// The least number of records that share a released value.
    pub smallest_group: usize,
}

impl<'a> Keys<'a> {
    /// The key attributes of `release`, every setting at its default.
    pub fn of(release: &'a Release) -> Self {
        Self { target: Target::new(release), search: SearchSettings::default(), time: None }
    }

    /// The time of each release's searches. Default: no limit.
    pub fn time_limit(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.time = time.into();
        self
    }

    /// Solves the worst case of each release.
    ///
    /// Fails on ordered weights, which belong to distances, and when a setting or an attribute
    /// does not fit the files.
    pub fn run(&self, listener: &dyn Listener) -> Result<KeysRecord> {
        if self.search.learner.aggregation == Aggregation::Owa {
            let problem = "but ordered weights belong to distances, not to attributes; \
                           an audit has them";
            return Err(Error::parameter("aggregation", "owa", problem));
        }
        let first = self.target.release;
        let DefaultAttributes { names, left_out } = self.target.chosen()?;
        check_count(first, names.len())?;
        self.search.check_labels(&names)?;
        let own = json!({ "sample": self.target.sample, "tie_rule": self.tie() });
        let strength = self.strength(&names, listener)?;
        let found = self.keys(first.released().name(), first, &names, listener)?;
        let mut releases = vec![ReleaseKeys { strength, ..found }];
        for (name, release) in &self.search.others {
            releases.push(self.keys(name, release, &names, listener)?);
        }
        Ok(KeysRecord {
            records: self.target.sample.unwrap_or(first.records()),
            attributes: names,
            attributes_left_out: left_out,
            standardization: releases[0].scale.clone(),
            releases,
            reproduction: self.search.reproduction(&self.target, own),
        })
    }

    /// What a tie counts in the attacks that learn nothing.
    fn tie(&self) -> TieRule {
        self.search.learner.count.tie()
    }

    fn strength(&self, names: &[String], listener: &dyn Listener) -> Result<Option<Strength>> {
        let applied = |recipe| AppliedRecipe::new(recipe, &self.target, listener);
        let applied = self.search.recipe.as_ref().map(applied).transpose()?;
        Ok(applied.map(|applied| applied.strength(names)))
    }

    fn keys(
        &self,
        file: &str,
        whole: &Release,
        names: &[String],
        listener: &dyn Listener,
    ) -> Result<ReleaseKeys> {
        let release = &self.target.drawn(whole)?;
        let clock = &JobClock::start(self.time);
        let time = SearchTime { clock, share: 1.0, fewer_attributes: false };
        let solved = worst_cases(&self.search, release, names, time, listener)?.solved;
        let strongest = strongest(&solved)?;
        let found = &strongest.found;
        let rate = |attack: Attack| -> Result<f64> {
            Ok(attack.link(release, names, listener)?.rate(self.tie()))
        };
        let single = |name: &String| rate(Attack::Single { attribute: name.clone() });
        Ok(ReleaseKeys {
            file: file.to_owned(),
            strength: None,
            changes: Change::measure(whole, names)?,
            weights: WeightRange::of(found, names.to_vec()),
            single_rates: names.iter().map(single).collect::<Result<_>>()?,
            dbrl1_rate: rate(Attack::Dbrl1)?,
            worst_case: Bounds::of(found),
            scale: strongest.standardization.name().to_owned(),
        })
    }
}

impl Change {
    /// Measures each of `attributes` on the pairs of `whole`.
    pub fn measure(whole: &Release, attributes: &[String]) -> Result<Vec<Self>> {
        let released = whole.released_in_order()?;
        let change = |name: &String| {
            Ok(Self {
                percent: changed(whole.original(), &released, name)?,
                smallest_group: EquivalenceClasses::new(whole.released(), &[name])?.k(),
            })
        };
        attributes.iter().map(change).collect()
    }
}

/// See [`Change::percent`]; none where it has no value.
fn changed(original: &Dataset, released: &Dataset, name: &str) -> Result<Option<f64>> {
    let values = |dataset: &Dataset| -> Result<Values> {
        Ok(dataset.attributes()[dataset.position(name)?].values.clone())
    };
    let share = match (values(original)?, values(released)?) {
        (Values::Numeric(before), Values::Numeric(after))
            if before.is_date() == after.is_date() =>
        {
            let pairs = before.iter().zip(after.iter());
            let changes: Vec<f64> = pairs.filter_map(|(a, b)| Some(b? - a?)).collect();
            if changes.len() < 2 {
                return Ok(None);
            }
            let spread = standard_deviation(&before.present().collect::<Vec<_>>());
            standard_deviation(&changes) / spread
        }
        (Values::Categorical(before), Values::Categorical(after)) => {
            let changed = (0..before.len()).filter(|&i| before.get(i) != after.get(i)).count();
            changed as f64 / before.len() as f64
        }
        _ => f64::NAN,
    };
    Ok(share.is_finite().then_some(100.0 * share))
}
