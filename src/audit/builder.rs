//! The audit of a release as one call.

use super::known_protection::AppliedRecipe;
use super::settings::{SearchSettings, Target, search_setters, target_setters};
use super::{
    AttributeRisk, AuditRecord, Identified, KeyAttributes, Ladder, Naming, RecordsAtRisk,
    ReleaseRecord, Threshold, UtilitySummary, WorstCaseRecord, mark_frontier, recommendations,
};
use crate::anonymity::{Anonymity, AnonymityOptions};
use crate::dataset::{DefaultAttributes, Role};
use crate::error::{Error, Result};
use crate::learning::{
    Bounds, FurtherSearches, HeldOut, Learner, WeightRange, WorstCase, margins, worst_case,
};
use crate::linkage::{Attack, Release, TieRule};
use crate::listener::Listener;
use serde_json::json;
use unmask_solvers::StopReason;

/// An audit to be run: the ladder of attacks, the worst case over all weights with its proof,
/// key attributes, records at risk, and what the file itself shows.
///
/// ```
/// use unmask::audit::Audit;
/// use unmask::dataset::{Dataset, ReadOptions};
/// use unmask::linkage::Release;
///
/// let census = Dataset::load("census", &ReadOptions::default())?;
/// let release = Release::by_row(census.clone(), census)?;
/// let record = Audit::of(&release).attributes(["AGI", "FICA"]).sample(50).run(&())?;
/// assert_eq!(record.worst_case.reidentified, 50);
/// assert!(record.worst_case.proven_optimal);
/// # Ok::<(), unmask::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Audit<'a> {
    target: Target<'a>,
    search: SearchSettings<'a>,
    held_out: Option<usize>,
    threshold: Option<(f64, String)>,
    without_each: bool,
    internal: bool,
}

target_setters!(Audit);
search_setters!(Audit);

/// The records that are attacked, those to test on, and what is solved on them.
struct Audited<'a> {
    /// All records.
    whole: &'a Release,
    /// Those attacked.
    release: Release,
    held_out: Option<Release>,
    attributes: Vec<String>,
    ladder: Ladder,
    found: WorstCase,
    applied: Option<AppliedRecipe>,
}

impl<'a> Audit<'a> {
    /// An audit of `release` with every setting at its default.
    pub fn of(release: &'a Release) -> Self {
        Self {
            target: Target::new(release),
            search: SearchSettings::default(),
            held_out: None,
            threshold: None,
            without_each: false,
            internal: false,
        }
    }

    /// Tests the learned weights on so many other records. Default: not tested.
    pub fn held_out(mut self, records: impl Into<Option<usize>>) -> Self {
        self.held_out = records.into();
        self
    }

    /// The greatest share of records that may be re-identified, and where that threshold comes
    /// from. Default: nothing is judged.
    pub fn max_risk(mut self, share: impl Into<Option<f64>>, source: impl Into<String>) -> Self {
        self.threshold = share.into().map(|share| (share, source.into()));
        self
    }

    /// Also solves the worst case without each attribute, and with each protected twice as much
    /// where the recipe is known, to tell which to protect first. Default: false.
    pub fn without_each_attribute(mut self, solve: bool) -> Self {
        self.without_each = solve;
        self
    }

    /// Shows the values of the most exposed records: the record is then not for sharing.
    /// Default: false.
    pub fn internal(mut self, shown: bool) -> Self {
        self.internal = shown;
        self
    }

    /// Runs the attacks and the solver.
    ///
    /// When `listener` interrupts, the search gives the best weights so far and the proven
    /// interval. Fails when a setting or an attribute does not fit the files.
    pub fn run(&self, listener: &dyn Listener) -> Result<AuditRecord> {
        self.check()?;
        let DefaultAttributes { names, left_out } = self.target.chosen()?;
        let audited = self.attack(names, listener)?;
        let key_attributes = self.key_attributes(&audited, listener)?;
        let releases = self.releases(&audited, listener)?;
        let aggregation = self.search.learner.aggregation;
        let worst_case = WorstCaseRecord::new(&audited.found, aggregation, &audited.attributes);
        Ok(AuditRecord {
            records: audited.release.records(),
            released_records: audited.release.released().records(),
            standardization: self.search.learner.standardization.name().into(),
            held_out: self.test(&audited)?,
            tie_rule: TieRule::Miss,
            threshold: self.judge(&worst_case.bounds()),
            key_attributes,
            records_at_risk: self.records_at_risk(&audited)?,
            anonymity: anonymity(&audited)?,
            releases,
            internal: self.internal,
            reproduction: self.reproduction(),
            attacks: audited.ladder.rungs,
            left_out: audited.ladder.left_out,
            worst_case,
            attributes: audited.attributes,
            attributes_left_out: left_out,
        })
    }

    fn check(&self) -> Result<()> {
        match &self.threshold {
            Some((share, _)) if !(0.0..=1.0).contains(share) => {
                let problem = "but a share is a number from 0 to 1, 0.2 for 20%";
                Err(Error::parameter("max_risk", share, problem))
            }
            _ => Ok(()),
        }
    }

    /// The ladder of attacks, and the worst case.
    fn attack(&self, attributes: Vec<String>, listener: &dyn Listener) -> Result<Audited<'_>> {
        let whole = self.target.release;
        let recipe = self.search.recipe.as_ref();
        let applied = |recipe| AppliedRecipe::new(recipe, &self.target, listener);
        let applied = recipe.map(applied).transpose()?;
        let (release, held_out) = self.drawn(whole)?;
        let sampled = self.target.sample.is_some() || self.held_out.is_some();
        let ladder = Ladder::climb(&release, &attributes, sampled, listener)?;
        let found = worst_case(&release, &attributes, &self.search.learner, listener)?;
        Ok(Audited { whole, release, held_out, attributes, ladder, found, applied })
    }

    /// The records to attack, and those to test on.
    fn drawn(&self, whole: &Release) -> Result<(Release, Option<Release>)> {
        match self.held_out {
            Some(other) => {
                let (first, second) = whole.split(self.target.sample, other, self.target.seed)?;
                Ok((first, Some(second)))
            }
            None => Ok((self.target.drawn(whole)?, None)),
        }
    }

    fn test(&self, audited: &Audited<'_>) -> Result<Option<HeldOut>> {
        let Learner { standardization, aggregation, .. } = self.search.learner;
        let weights = audited.found.outcome.weights();
        let test = |other: &Release| {
            HeldOut::test(other, &audited.attributes, standardization, aggregation, weights)
        };
        audited.held_out.as_ref().map(test).transpose()
    }

    fn judge(&self, worst: &Bounds) -> Option<Threshold> {
        let judge = |(most, source): &(f64, String)| Threshold::judge(*most, source.clone(), worst);
        self.threshold.as_ref().map(judge)
    }

    /// The weights with their ranges, and, where asked for, the worst case without each
    /// attribute and with each protected twice as much.
    fn key_attributes(
        &self,
        audited: &Audited<'_>,
        listener: &dyn Listener,
    ) -> Result<KeyAttributes> {
        let (found, attributes) = (&audited.found, &audited.attributes);
        let names = self.search.learner.aggregation.weight_names(attributes);
        let protection = audited.applied.as_ref().map(|a| a.record(audited.whole.released()));
        let mut keys = KeyAttributes {
            weights: WeightRange::of(found, names),
            attributes: attributes.iter().map(|name| alone(name, &audited.ladder)).collect(),
            notes: KeyAttributes::doubts(found, protection.as_ref()),
            protection,
            recommendations: Vec::new(),
        };
        match found.outcome.stop_reason() {
            _ if !self.without_each => {}
            StopReason::Interrupted => {
                let skipped = "Not solved without each attribute: the search was interrupted.";
                keys.notes.push(skipped.into());
            }
            _ => self.solve_again(audited, &mut keys, listener)?,
        }
        Ok(keys)
    }

    fn solve_again(
        &self,
        audited: &Audited<'_>,
        keys: &mut KeyAttributes,
        listener: &dyn Listener,
    ) -> Result<()> {
        let (attributes, learner) = (&audited.attributes, &self.search.learner);
        let count = attributes.len() * (1 + usize::from(audited.applied.is_some()));
        let searches = FurtherSearches::new(attributes, learner, &audited.found, count);
        for (k, name) in attributes.iter().enumerate() {
            keys.attributes[k].without = searches.without(&audited.release, name, listener)?;
            match self.doubled(audited, name) {
                Ok(Some(stronger)) => {
                    keys.attributes[k].doubled = Some(searches.on(&stronger, listener)?);
                }
                Ok(None) => {}
                Err(error) if k == 0 => keys.notes.push(error.to_string()),
                Err(_) => {}
            }
        }
        keys.recommendations = recommendations(&Bounds::of(&audited.found), &keys.attributes);
        Ok(())
    }

    /// The records attacked in a release that protects `name` twice as much, where the recipe
    /// is known and protects it.
    fn doubled(&self, audited: &Audited<'_>, name: &str) -> Result<Option<Release>> {
        let Some(applied) = &audited.applied else { return Ok(None) };
        let stronger = applied.doubled(audited.whole.released(), name)?;
        let drawn = |file| Ok(self.drawn(&audited.whole.with_released(file)?)?.0);
        stronger.map(drawn).transpose()
    }

    fn records_at_risk(&self, audited: &Audited<'_>) -> Result<RecordsAtRisk> {
        let (release, attributes) = (&audited.release, &audited.attributes);
        let Learner { standardization, aggregation, .. } = self.search.learner;
        let weights = audited.found.outcome.weights();
        let margins = margins(release, attributes, standardization, aggregation, weights)?;
        let mut identified = audited.ladder.identified.clone();
        let records = audited.found.reidentified.clone();
        identified.push(Identified { attack: "worst case".into(), records });
        let naming = Naming { key: self.target.key.as_deref(), internal: self.internal };
        RecordsAtRisk::new(release, attributes, &identified, &margins, naming)
    }

    /// The audited release and the others, on one map.
    fn releases(
        &self,
        audited: &Audited<'_>,
        listener: &dyn Listener,
    ) -> Result<Vec<ReleaseRecord>> {
        let attributes = &audited.attributes;
        let dbrl1_rate = audited.ladder.rung("dbrl1").map(|row| row.rate);
        let name = audited.whole.released().name();
        let first = self.placed(name, audited.whole, attributes, &audited.found)?;
        let mut all = vec![ReleaseRecord { dbrl1_rate, ..first }];
        for (name, whole) in &self.search.others {
            let (release, _) = self.drawn(whole)?;
            let found = worst_case(&release, attributes, &self.search.learner, listener)?;
            let dbrl1 = Attack::Dbrl1.link(&release, attributes, listener)?.rate(TieRule::Miss);
            let other = self.placed(name, whole, attributes, &found)?;
            all.push(ReleaseRecord { dbrl1_rate: Some(dbrl1), ..other });
        }
        mark_frontier(&mut all);
        Ok(all)
    }

    /// A release's place on the map, its letter and the rate of dbrl1 still missing.
    fn placed(
        &self,
        file: &str,
        whole: &Release,
        attributes: &[String],
        found: &WorstCase,
    ) -> Result<ReleaseRecord> {
        let worst_case = Bounds::of(found);
        Ok(ReleaseRecord {
            name: String::new(),
            file: file.to_owned(),
            dbrl1_rate: None,
            worst_case,
            utility: UtilitySummary::measure(whole, attributes)?,
            frontier: false,
            exceeded: self.judge(&worst_case).map(|t| t.exceeded),
        })
    }

    fn reproduction(&self) -> super::Reproduction {
        let own = json!({
            "sample": self.target.sample,
            "test_sample": self.held_out,
            "tie_rule": TieRule::Miss,
            "max_risk": self.threshold.as_ref().map(|(share, _)| share),
            "internal": self.internal,
        });
        self.search.reproduction(&self.target, own)
    }
}

/// What the ladder says about one attribute alone.
fn alone(attribute: &str, ladder: &Ladder) -> AttributeRisk {
    let rung = ladder.rung(&format!("single:{attribute}"));
    AttributeRisk {
        attribute: attribute.to_owned(),
        alone_rate: rung.map(|row| row.rate),
        without: None,
        doubled: None,
    }
}

/// k, l and uniques of the whole released file on the attributes.
fn anonymity(audited: &Audited<'_>) -> Result<Anonymity> {
    let released = audited.whole.released();
    let mut sensitive = released.names_with(Role::Confidential);
    sensitive.retain(|name| !audited.attributes.contains(name));
    Anonymity::measure(released, &audited.attributes, &sensitive, &AnonymityOptions::default())
}
