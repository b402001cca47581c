//! The audit of a release as one call.

use super::clock::JobClock;
use super::examination::{Examination, Examined, check_attributes, split_constant};
use super::fewer_attributes::FEWER as IGNORES_ATTRIBUTES;
use super::key_attributes::LEARNED;
use super::known_protection::AppliedRecipe;
use super::ladder::{ATTACKED_BY, Climb};
use super::least_work::least_worst_cases;
use super::limits::ReleaseLimits;
use super::record::SCHEMA_VERSION;
use super::settings::{SearchSettings, Target, search_setters, target_setters};
use super::worst_cases::{ScaledWorstCase, SearchTime, WorstCases, strongest, worst_cases};
use super::{
    AttributeRisk, AuditRecord, Ceilings, Gate, Identified, KeyAttributes, Ladder, Naming,
    RecordsAtRisk, ReleaseRecord, UtilitySummary, Verdict, WorstCaseRecord, mark_frontier,
    recommendations,
};
use crate::anonymity::{Anonymity, AnonymityOptions};
use crate::dataset::{Dataset, DefaultAttributes, Role};
use crate::error::{Error, Result};
use crate::learning::certificate::Certificates;
use crate::learning::{Bounds, FurtherSearches, HeldOut, Learner, PairRows, WeightRange, margins};
use crate::linkage::{AttackRow, Release, TieRule, registry};
use crate::listener::{Listener, Until};
use crate::protection::Supposed;
use serde_json::json;
use std::time::{Duration, Instant};
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
/// assert_eq!(record.worst_case.reidentified, 50.0);
/// assert!(record.worst_case.proven_optimal);
/// assert_eq!(record.verdict.rate, 1.0);
/// # Ok::<(), unmask::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Audit<'a> {
    target: Target<'a>,
    search: SearchSettings<'a>,
    held_out: Option<usize>,
    limits: ReleaseLimits,
    time: Option<Duration>,
    started: Option<Instant>,
    without_each: bool,
    internal: bool,
}

target_setters!(Audit);
search_setters!(Audit);

/// The time of an audit that is given none.
pub const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// The first search ends when this share of the time is over.
const SEARCHED_BY: f64 = 0.85;

/// The same where the worst case is solved again without each attribute.
const SEARCHED_BY_WITH_MORE: f64 = 0.6;

/// Further searches end when this share of the time is over.
const ALL_SEARCHED_BY: f64 = 0.92;

/// A recipe is applied again until this share of the time is over.
const APPLIED_BY: f64 = 0.2;

/// Records are measured until this share of the time is over.
const MEASURED_BY: f64 = 1.05;

/// Targets of searches that have no time for more.
const FEWER: [usize; 2] = [1_000, super::worst_cases::FEW];

/// The records that are attacked, those to test on, and what is found.
struct Audited<'a> {
    /// All records, or in a cut haystack those of the sample.
    release: Release,
    /// Those that weights are learned on.
    targets: Release,
    held_out: Option<Release>,
    attributes: Vec<String>,
    ladder: Ladder,
    worst_cases: WorstCases,
    verdict: Verdict,
    applied: Option<AppliedRecipe>,
    supposed: Option<Supposed>,
    clock: &'a JobClock,
}

/// A further release on the map, before it is attacked.
struct Other {
    /// Those attributes that vary in it, and those that do not.
    attributes: Vec<String>,
    constant: Vec<String>,
    examined: Examined,
}

impl Audited<'_> {
    fn strongest(&self) -> Result<&ScaledWorstCase> {
        strongest(&self.worst_cases.solved)
    }
}

impl<'a> Audit<'a> {
    /// An audit of `release` with every setting at its default.
    pub fn of(release: &'a Release) -> Self {
        Self {
            target: Target::new(release),
            search: SearchSettings::default(),
            held_out: None,
            limits: ReleaseLimits::default(),
            time: Some(DEFAULT_TIME),
            started: None,
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
        self.limits.max_risk = share.into().map(|share| (share, source.into()));
        self
    }

    /// What the threshold is compared with. Default: the upper bound.
    pub fn gate(mut self, gate: Gate) -> Self {
        self.limits.gate = gate;
        self
    }

    /// The greatest share of people whose value of a confidential attribute may be certain to who
    /// finds their class. Default: not judged.
    pub fn max_certain(mut self, share: impl Into<Option<f64>>) -> Self {
        self.limits.max_certain = share.into();
        self
    }

    /// Insists that rows belong together although they do not seem to; the record says so.
    /// Default: false.
    pub fn rows_correspond(mut self, insist: bool) -> Self {
        self.limits.rows_correspond = insist;
        self
    }

    /// The time of the whole audit, attacks and further searches included; what is not done by
    /// then is left out or stays an interval, and is said. Default: 60 seconds.
    pub fn time_limit(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.time = time.into();
        self
    }

    /// When the time began: what was done since then, reading the files for instance, counts.
    /// Default: when the audit runs.
    pub fn started(mut self, at: impl Into<Option<Instant>>) -> Self {
        self.started = at.into();
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
        let clock = &self.first_clock();
        self.limits.check()?;
        let DefaultAttributes { names, left_out } = self.target.chosen()?;
        let (telling, constant) = split_constant(self.target.release.released(), names.clone())?;
        check_attributes(self.target.release, &telling)?;
        self.search.check_labels(&names)?;
        self.limits.check_confidential(self.target.release, &names)?;
        let others = self.examine_others(&names, listener)?;
        let examined = self.examination().of(self.target.release, &telling, listener)?;
        let audited = self.attack(self.target.release, telling, clock, listener)?;
        self.search.learner.certificates.into_iter().for_each(Certificates::close);
        let mut key_attributes = self.key_attributes(&audited, listener)?;
        key_attributes.recommendations.splice(..0, examined.coverage.advice());
        let verdict = self.judged(&audited, &examined, &constant);
        let releases = self.releases((&audited, &examined, &verdict), others, listener)?;
        let (aggregation, strongest) = (self.search.learner.aggregation, audited.strongest()?);
        let (worst, names) = (&audited.worst_cases.solved, &audited.attributes);
        let worst_case = WorstCaseRecord::new(strongest, worst, aggregation, names);
        let records_at_risk = match self.records_at_risk(&audited, listener) {
            Err(Error::Interrupted) => RecordsAtRisk::unmeasured(audited.release.records()),
            measured => measured?,
        };
        Ok(AuditRecord {
            schema_version: SCHEMA_VERSION,
            records: audited.release.records(),
            suppressed: audited.release.absent(),
            targets: audited.targets.records(),
            haystack: self.target.haystack,
            released_records: audited.release.released().records(),
            standardization: strongest.standardization.name().into(),
            held_out: self.test(&audited, listener)?,
            tie_rule: self.tie(),
            threshold: self.limits.judge(&verdict),
            certain_threshold: self.limits.judge_certain(&examined),
            key_attributes,
            records_at_risk,
            anonymity: self.anonymity(&audited)?,
            releases,
            internal: self.internal,
            reproduction: self.reproduction(),
            worst_case,
            verdict,
            coverage: examined.coverage,
            correspondence: examined.correspondence,
            rows_insisted: self.limits.rows_correspond,
            in_original_order: examined.in_original_order,
            certain_values: examined.certain_values,
            ceiling: Ceilings::of(
                &audited.release,
                &audited.attributes,
                self.target.key.as_deref(),
            )?,
            attacks: audited.ladder.rungs,
            supposed: audited.supposed,
            left_out: audited.ladder.left_out,
            attributes: audited.attributes,
            attributes_left_out: left_out,
        })
    }

    /// The part of the time that each release gets.
    fn part_of_time(&self) -> Option<Duration> {
        self.time.map(|time| time / (1 + self.search.others.len() as u32))
    }

    /// The clock of the audited release.
    fn first_clock(&self) -> JobClock {
        JobClock::since(self.started.unwrap_or_else(Instant::now), self.part_of_time())
    }

    /// The clock of another release, which starts now and ends with the time of all.
    fn clock(&self) -> JobClock {
        let over = self.started.map_or(Duration::ZERO, |started| started.elapsed());
        let left = self.time.map(|time| time.saturating_sub(over));
        JobClock::start(self.part_of_time().min(left))
    }

    /// How releases are examined before any verdict.
    fn examination(&self) -> Examination<'_> {
        let Target { key, seed, .. } = &self.target;
        Examination { key: key.as_deref(), seed: *seed, insisted: self.limits.rows_correspond }
    }

    /// What is seen of the further releases, with those of `names` that vary in each.
    fn examine_others(&self, names: &[String], listener: &dyn Listener) -> Result<Vec<Other>> {
        let examine = |(_, release): &(String, &Release)| {
            let (attributes, constant) = split_constant(release.released(), names.to_vec())?;
            let examined = self.examination().of(release, &attributes, listener)?;
            Ok(Other { attributes, constant, examined })
        };
        self.search.others.iter().map(examine).collect()
    }

    /// What a tie counts in the attacks that learn nothing.
    fn tie(&self) -> TieRule {
        self.search.learner.count.tie()
    }

    /// The ladder of attacks, and the worst case on every scale.
    fn attack<'c>(
        &self,
        whole: &Release,
        attributes: Vec<String>,
        clock: &'c JobClock,
        listener: &dyn Listener,
    ) -> Result<Audited<'c>> {
        let recipe = self.search.recipe.as_ref();
        let until = Until::new(listener, clock.end_of(APPLIED_BY));
        let applied = recipe.map(|recipe| AppliedRecipe::new(recipe, &self.target, &until));
        let applied = applied.and_then(in_time).transpose()?;
        let (made, supposed) = self.known_method(whole)?;
        let (targets, held_out) = self.drawn(made.as_ref().unwrap_or(whole))?;
        let release = targets.whole().clone();
        let sampled = self.target.is_cut();
        let (tie, seed) = (self.tie(), self.target.seed);
        let climb = Climb { tie, sampled, clock, share: ATTACKED_BY, seed };
        let mut ladder = Ladder::climb(&release, &attributes, climb, listener)?;
        let (targets, worst_cases) =
            self.solve(targets, (&attributes, &ladder), clock, listener)?;
        ladder.add_given(&worst_cases);
        ladder.rungs.extend(worst_cases.fewer_attributes().cloned());
        ladder.tell_gains();
        let mut verdict = Verdict::of(&ladder, &worst_cases);
        verdict.suppressed = release.absent();
        verdict.blank = release.blank(&attributes)?;
        Ok(Audited {
            release,
            targets,
            held_out,
            attributes,
            ladder,
            worst_cases,
            verdict,
            applied,
            supposed,
            clock,
        })
    }

    /// `whole` to attackers who know how it was made, or suppose to know it; none where nothing is
    /// known.
    fn known_method(&self, whole: &Release) -> Result<(Option<Release>, Option<Supposed>)> {
        match (&self.search.recipe, &self.search.supposed) {
            (Some(recipe), _) => Ok((Some(whole.made_by(recipe)?), None)),
            (None, Some(supposed)) => {
                let (release, supposed) = whole.supposed(supposed)?;
                Ok((Some(release), Some(supposed)))
            }
            (None, None) => Ok((None, None)),
        }
    }

    /// The worst case of `targets`, or of a sample of them where there is no time for all, or the
    /// least that can be said where there is none for a search.
    fn solve(
        &self,
        targets: Release,
        (attributes, ladder): (&[String], &Ladder),
        clock: &JobClock,
        listener: &dyn Listener,
    ) -> Result<(Release, WorstCases)> {
        let share = if self.without_each { SEARCHED_BY_WITH_MORE } else { SEARCHED_BY };
        let time = SearchTime { clock, share, fewer_attributes: true };
        let (search, seed) = (&self.search, self.target.seed);
        if let Some(found) = in_time(worst_cases(search, &targets, attributes, time, listener)) {
            return Ok((targets, found?));
        }
        for size in FEWER.into_iter().filter(|size| *size < targets.records()) {
            let fewer = targets.targets(size, seed)?;
            let time = SearchTime { share: ALL_SEARCHED_BY, ..time };
            if let Some(found) = in_time(worst_cases(search, &fewer, attributes, time, listener)) {
                return Ok((fewer, found?));
            }
        }
        let counted = ladder.rung("dbrl1");
        least_worst_cases(search, &targets, attributes, counted, seed, listener)
    }

    /// The targets to learn on, and those to test on.
    fn drawn(&self, whole: &Release) -> Result<(Release, Option<Release>)> {
        match self.held_out {
            Some(other) => {
                let (first, second) = self.target.drawn_apart(whole, other)?;
                Ok((first, Some(second)))
            }
            None => Ok((self.target.drawn(whole)?, None)),
        }
    }

    /// The learned weights on the targets to test on; none without any or without time.
    fn test(&self, audited: &Audited<'_>, listener: &dyn Listener) -> Result<Option<HeldOut>> {
        let until = &Until::new(listener, audited.clock.end_of(MEASURED_BY));
        let strongest = audited.strongest()?;
        let weights = strongest.found.outcome.weights();
        let scale = strongest.standardization;
        let aggregation = self.search.learner.aggregation;
        let test = |other: &Release| {
            let other = &other.read_as(strongest.reading);
            HeldOut::test_until(other, &audited.attributes, scale, aggregation, weights, until)
        };
        audited.held_out.as_ref().map(test).and_then(in_time).transpose()
    }

    /// The verdict with its limits and what to know before trusting it.
    fn judged(&self, audited: &Audited<'_>, examined: &Examined, constant: &[String]) -> Verdict {
        let verdict = &audited.verdict;
        let mut warnings = examined.warnings();
        warnings.extend(self.warnings(audited, constant));
        Verdict {
            threshold: self.limits.max_risk.as_ref().map(|(share, _)| *share),
            kept: self.limits.kept(verdict, examined),
            warnings,
            ..verdict.clone()
        }
    }

    /// What to know before trusting the verdict.
    fn warnings(&self, audited: &Audited<'_>, constant: &[String]) -> Vec<String> {
        let mut warnings: Vec<String> = audited.clock.late_start().into_iter().collect();
        if self.search.recipe.is_some() && audited.applied.is_none() {
            warnings.push("There was no time to apply the recipe again.".into());
        }
        if self.target.is_cut() {
            warnings.push(format!(
                "Both files were cut to {} records: the verdict speaks of them alone, among \
                 themselves, and not of the whole file.",
                audited.release.records()
            ));
        }
        let foreign = audited.release.released().records() - audited.release.whole().records();
        if foreign > 0 {
            warnings.push(format!(
                "{foreign} released records belong to nobody of the original: attackers may take them \
                 for the people they look for, so that fewer are found."
            ));
        }
        let asked = self.target.sample.or(self.held_out.map(|_| 0));
        if audited.targets.target_places().is_some() && asked.is_none() {
            warnings.push(format!(
                "There was no time for all records: weights were learned on {} of them.",
                audited.targets.records()
            ));
        }
        warnings.extend(audited.worst_cases.no_time());
        if !audited.ladder.no_time.is_empty() {
            warnings.push(format!(
                "There was no time for {}: give more time.",
                audited.ladder.no_time.join(", ")
            ));
        }
        if !audited.ladder.sampled.is_empty() {
            warnings.push(format!(
                "There was no time for all records in {}: a sample was attacked, and what is told of \
                 all is an estimate.",
                audited.ladder.sampled.join(", ")
            ));
        }
        if !constant.is_empty() {
            warnings.push(format!(
                "Constant in the release, so that no attacker learns from it: {}.",
                constant.join(", ")
            ));
        }
        warnings
    }

    /// The weights with their ranges, and, where asked for, the worst case without each
    /// attribute and with each protected twice as much.
    fn key_attributes(
        &self,
        audited: &Audited<'_>,
        listener: &dyn Listener,
    ) -> Result<KeyAttributes> {
        let (found, attributes) = (&audited.strongest()?.found, &audited.attributes);
        let names = self.search.learner.aggregation.weight_names(attributes);
        let protection = audited.applied.as_ref().map(|a| a.record(audited.release.released()));
        let further = Until::new(listener, audited.clock.end_of(ALL_SEARCHED_BY));
        let mut keys = KeyAttributes {
            weights: WeightRange::until(found, names, &further),
            attributes: attributes.iter().map(|name| alone(name, &audited.ladder)).collect(),
            notes: KeyAttributes::doubts(found, protection.as_ref()),
            protection,
            recommendations: Vec::new(),
        };
        match found.outcome.stop_reason() {
            _ if !self.without_each => {}
            StopReason::Interrupted if listener.interrupted() => {
                let skipped = "Not solved without each attribute: the search was interrupted.";
                keys.notes.push(skipped.into());
            }
            _ => self.solve_again(audited, &mut keys, &further)?,
        }
        Ok(keys)
    }

    fn solve_again(
        &self,
        audited: &Audited<'_>,
        keys: &mut KeyAttributes,
        listener: &dyn Listener,
    ) -> Result<()> {
        let strongest = audited.strongest()?;
        let attributes = &audited.attributes;
        let count = attributes.len() * (1 + usize::from(audited.applied.is_some()));
        let scale = strongest.standardization;
        let targets = &audited.targets.read_as(strongest.reading);
        let learner = Learner { standardization: scale, ..self.search.learner.clone() };
        let mut searches = FurtherSearches::new(attributes, &learner, &strongest.found);
        for (k, name) in attributes.iter().enumerate() {
            let left = count - k * count / attributes.len();
            searches.take_at_most(audited.clock.part_until(ALL_SEARCHED_BY, 1.0 / left as f64));
            let risk = &mut keys.attributes[k];
            risk.without = searches.without(targets, name, listener)?;
            risk.strongest_without = self.strongest_without(audited, name, listener)?;
            match self.doubled(audited, name) {
                Ok(Some(stronger)) => {
                    risk.doubled = searches.on(&stronger, listener)?;
                }
                Ok(None) => {}
                Err(error) if k == 0 => keys.notes.push(error.to_string()),
                Err(_) => {}
            }
        }
        if keys.attributes.iter().any(|a| a.without.is_none()) && attributes.len() > 1 {
            keys.notes.push("There was no time to solve it without every attribute.".into());
        }
        let attacker = audited.verdict.attack.as_str();
        if attacker == IGNORES_ATTRIBUTES {
            keys.notes.push(format!(
                "Attributes are not ranked: the strongest attacker ({attacker}) was not looked for \
                 without each of them."
            ));
        }
        let all = match attacker {
            LEARNED => Bounds::of(&strongest.found),
            _ => Bounds::new(audited.verdict.rate, audited.verdict.rate, true, 1),
        };
        keys.recommendations = recommendations(attacker, &all, &keys.attributes);
        Ok(())
    }

    /// The share that the strongest attacker finds without `name`, where that is an attack of the
    /// ladder; one that needs `name` alone finds nothing.
    fn strongest_without(
        &self,
        audited: &Audited<'_>,
        name: &str,
        listener: &dyn Listener,
    ) -> Result<Option<f64>> {
        let others: Vec<&str> =
            audited.attributes.iter().filter(|a| *a != name).map(String::as_str).collect();
        let Ok(attack) = registry::parse(&audited.verdict.attack) else { return Ok(None) };
        if others.is_empty() {
            return Ok(None);
        }
        let mut most = None;
        for reading in audited.release.readings(&others)? {
            if listener.interrupted() {
                break;
            }
            match attack.link(&audited.release.read_as(reading), &others, listener) {
                Ok(links) => {
                    let absent = audited.release.absent();
                    let rate = AttackRow::linked(&links, self.tie(), absent).rate;
                    most = Some(most.map_or(rate, |most: f64| most.max(rate)));
                }
                Err(Error::Internal(defect)) => return Err(Error::Internal(defect)),
                Err(_) => {}
            }
        }
        Ok(most)
    }

    /// The targets in a release that protects `name` twice as much, where the recipe
    /// is known and protects it.
    fn doubled(&self, audited: &Audited<'_>, name: &str) -> Result<Option<Release>> {
        let Some(applied) = &audited.applied else { return Ok(None) };
        let whole = self.target.release;
        let stronger = applied.doubled(whole.released(), name)?;
        let reading = audited.strongest()?.reading;
        let drawn = |file| Ok(self.drawn(&whole.with_released(file)?)?.0.read_as(reading));
        stronger.map(drawn).transpose()
    }

    fn records_at_risk(
        &self,
        audited: &Audited<'_>,
        listener: &dyn Listener,
    ) -> Result<RecordsAtRisk> {
        let strongest = audited.strongest()?;
        let release = &audited.release.read_as(strongest.reading);
        let attributes = &audited.attributes;
        let (scale, aggregation) = (strongest.standardization, self.search.learner.aggregation);
        let weights = strongest.found.outcome.weights();
        let until = &Until::new(listener, audited.clock.end_of(MEASURED_BY));
        if until.interrupted() {
            return Err(Error::Interrupted);
        }
        let records = match audited.targets.target_places() {
            None => strongest.found.reidentified(),
            Some(_) => PairRows::new(release, attributes, scale, aggregation)?
                .reidentified(weights, until)?,
        };
        let margins = margins(release, attributes, scale, aggregation, weights, until)?;
        let mut identified = audited.ladder.identified.clone();
        identified.push(Identified { attack: LEARNED.into(), records });
        let naming = Naming { key: self.target.key.as_deref(), internal: self.internal };
        RecordsAtRisk::new(release, attributes, &identified, &margins, naming)
    }

    /// The audited release and the others, on one map.
    fn releases(
        &self,
        (audited, examined, verdict): (&Audited<'_>, &Examined, &Verdict),
        others: Vec<Other>,
        listener: &dyn Listener,
    ) -> Result<Vec<ReleaseRecord>> {
        let name = self.target.release.released().name();
        let first = (self.target.release, audited);
        let mut all = vec![placed(name, first, examined, verdict.clone())?];
        for ((name, whole), other) in self.search.others.iter().zip(others) {
            let clock = &self.clock();
            let without_recipe = Self {
                target: Target { release: whole, ..self.target.clone() },
                search: SearchSettings { recipe: None, ..self.search.attackers() },
                limits: self.limits.clone(),
                ..Self::of(whole)
            };
            let Other { attributes, constant, examined } = other;
            let audited = without_recipe.attack(whole, attributes, clock, listener)?;
            let verdict = without_recipe.judged(&audited, &examined, &constant);
            all.push(placed(name, (whole, &audited), &examined, verdict)?);
        }
        mark_frontier(&mut all);
        Ok(all)
    }

    fn reproduction(&self) -> super::Reproduction {
        let own = json!({
            "sample": self.target.sample,
            "test_sample": self.held_out,
            "tie_rule": self.tie(),
            "max_risk": self.limits.max_risk.as_ref().map(|(share, _)| share),
            "gate": self.limits.gate,
            "max_certain": self.limits.max_certain,
            "rows_correspond": self.limits.rows_correspond,
            "time_limit_seconds": self.time.map(|t| t.as_secs_f64()),
            "internal": self.internal,
        });
        self.search.reproduction(&self.target, own)
    }

    /// k, l and uniques of the whole released file on the attributes.
    fn anonymity(&self, audited: &Audited<'_>) -> Result<Anonymity> {
        let released = self.target.release.released();
        let mut sensitive = released.names_with(Role::Confidential);
        sensitive.retain(|name| !audited.attributes.contains(name) && !is_blank(released, name));
        Anonymity::measure(released, &audited.attributes, &sensitive, &AnonymityOptions::default())
    }
}

/// A release's place on the map, its letter still missing.
fn placed(
    file: &str,
    (whole, audited): (&Release, &Audited<'_>),
    examined: &Examined,
    verdict: Verdict,
) -> Result<ReleaseRecord> {
    let identifiers = &examined.coverage.direct_identifiers;
    Ok(ReleaseRecord {
        name: String::new(),
        file: file.to_owned(),
        dbrl1_rate: audited.ladder.rung("dbrl1").map(|row| row.rate),
        worst_case: Bounds::of(&audited.strongest()?.found),
        utility: UtilitySummary::measure(whole, &audited.attributes)?,
        frontier: false,
        exceeded: verdict.kept.map(|kept| !kept),
        direct_identifiers: identifiers.iter().map(|column| column.name.clone()).collect(),
        verdict,
    })
}

/// True when the column is there and holds nothing.
fn is_blank(released: &Dataset, name: &str) -> bool {
    released.attributes().iter().any(|a| a.name == name && a.is_blank())
}

/// None where it was interrupted, or had no time.
fn in_time<T>(result: Result<T>) -> Option<Result<T>> {
    match result {
        Err(Error::Interrupted) => None,
        other => Some(other),
    }
}

/// What the ladder says about one attribute alone.
fn alone(attribute: &str, ladder: &Ladder) -> AttributeRisk {
    let rung = ladder.rung(&format!("single:{attribute}"));
    AttributeRisk {
        attribute: attribute.to_owned(),
        alone_rate: rung.map(|row| row.rate),
        without: None,
        strongest_without: None,
        doubled: None,
    }
}
