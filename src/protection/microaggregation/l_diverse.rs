//! l-diverse V-MDAV: groups of variable size in each of which the sensitive
//! attributes are diverse.
//!
//! Han J., Cen T., Yu H., "An improved V-MDAV algorithm for l-diversity" (2008).
//!
//! Where the paper is silent or contradicts itself, built here:
//! - The extension ends at 2k - 1 records, as the abstract says; Figure 2 stops at a
//!   *diversity* of 2l - 1, which fewer levels never reach.
//! - (13) is asked of the nearest record that lowers no diversity; the first that is
//!   too far ends the extension, as in V-MDAV. Figure 2 goes on to the most distant
//!   record of the file.
//! - With the entropy a leftover can take a group below l. It joins the closest
//!   group that stays at l or above; where none does, the closest one, which is then
//!   merged with the next closest until it is l-diverse again.
//! - Several sensitive attributes: a group grows by records that raise the sum of
//!   min(diversity, l) over the attributes, and extends by records that lower none.
//! - k above l: a group that is diverse but too small takes the nearest record that
//!   keeps it diverse. Where no record does, here and while it grows, the nearest.

use super::cloud::{ANY, Neighbour};
use super::v_mdav::{Forming, Members};
use super::{GroupRule, aggregate, check_gamma, check_k};
use crate::dataset::{Dataset, Role};
use crate::distance::{Points, Scale};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::protection::{Partition, Protected, ProtectionMethod};
use crate::risk::{Diversity, EquivalenceClasses, LevelCounts, Levels, SensitiveValues};
use serde_json::json;
use std::collections::HashMap;

/// V-MDAV whose groups are l-diverse on the sensitive attributes.
///
/// The release has at least k records and diversity l in every class of equal
/// quasi-identifiers, which is checked before it is given back. Needs complete
/// numeric, ordinal or nominal attributes; missing values are refused. The
/// sensitive attributes are released as they are.
#[derive(Debug, Clone, PartialEq)]
pub struct LDiverseVMdav {
    /// The diversity of every group.
    pub l: usize,
    /// Smallest group size, at least l; l when not given.
    pub k: Option<usize>,
    /// The gain factor of the extension.
    pub gamma: f64,
    /// What an attacker wants to learn; the confidential attributes when empty.
    pub sensitive: Vec<String>,
    /// Levels of numeric sensitive attributes; every number its own when not given.
    pub levels: Option<Levels>,
    /// How diversity is counted.
    pub diversity: Diversity,
    /// What the distances see.
    pub cluster_on: Scale,
}

impl ProtectionMethod for LDiverseVMdav {
    fn name(&self) -> &'static str {
        "l-diverse-v-mdav"
    }

    fn parameters(&self) -> serde_json::Value {
        let mut parameters = json!({
            "l": self.l,
            "k": self.k.unwrap_or(self.l),
            "gamma": self.gamma,
            "diversity": self.diversity,
            "sensitive": self.sensitive,
            "cluster_on": self.cluster_on,
        });
        if let Some(levels) = self.levels {
            parameters["levels"] = json!(levels.count);
            parameters["level_rule"] = json!(levels.rule);
        }
        parameters
    }

    fn group_rule<'a>(
        &'a self,
        original: &'a Dataset,
        partition: &Partition,
    ) -> Result<Box<dyn GroupRule + 'a>> {
        Ok(Box::new(self.rule(original, &partition.attributes)?))
    }

    fn check(&self, original: &Dataset, positions: &[usize]) -> Result<()> {
        self.rule(original, positions).map(|_| ())
    }

    /// The seed is not used: the method draws nothing.
    fn protect(
        &self,
        original: &Dataset,
        positions: &[usize],
        _seed: u64,
        progress: &dyn Progress,
    ) -> Result<Protected> {
        let rule = self.rule(original, positions)?;
        let points = Points::new(original, positions, self.cluster_on, "microaggregation")?;
        let total = original.records() as u64;
        let groups = l_diverse_v_mdav(&points, &rule, self.gamma, &|done| {
            progress.advance(done as u64, total);
        });
        let attributes = positions.to_vec();
        let partitions = vec![Partition { attributes, k: rule.k, groups }];
        let released = aggregate(original, &partitions)?;
        rule.check_classes(&released, positions)?;
        Ok(Protected { released, partitions })
    }
}

impl LDiverseVMdav {
    /// What every group must have, after all checks of the parameters.
    pub fn rule(&self, original: &Dataset, positions: &[usize]) -> Result<DiversityRule> {
        let k = self.k.unwrap_or(self.l);
        if self.l < 2 {
            return Err(Error::parameter("l", self.l, "but l-diversity needs l >= 2"));
        }
        if k < self.l {
            let problem = format!("but {}-diverse groups need k >= {}", self.l, self.l);
            return Err(Error::parameter("k", k, problem));
        }
        check_k(k, original)?;
        check_gamma(self.gamma)?;
        let sensitive = self.sensitive_positions(original, positions)?;
        let mut levels = Vec::new();
        for position in sensitive {
            original.check_complete(position, "l-diversity")?;
            let name = &original.attributes()[position].name;
            let values = SensitiveValues::new(original, name, self.levels)?;
            levels.push(values.codes().to_vec());
            self.check_reachable(&levels[levels.len() - 1], name)?;
        }
        Ok(DiversityRule::new(self.l, k, self.diversity, levels))
    }

    /// The sensitive attributes; none of them may be protected, and every
    /// quasi-identifier must be.
    fn sensitive_positions(&self, original: &Dataset, protected: &[usize]) -> Result<Vec<usize>> {
        let attributes = original.attributes();
        let with_role =
            |role: Role| (0..attributes.len()).filter(move |&i| attributes[i].role == role);
        let sensitive = match self.sensitive.is_empty() {
            true => with_role(Role::Confidential).collect(),
            false => original.positions(&self.sensitive)?,
        };
        if sensitive.is_empty() {
            let problem = "but no sensitive attribute is given; name it with --sensitive";
            return Err(Error::parameter("method", self.name(), problem));
        }
        let is_quasi =
            |i: &&usize| protected.contains(i) || attributes[**i].role == Role::QuasiIdentifier;
        if let Some(&both) = sensitive.iter().find(is_quasi) {
            let problem = "is also a quasi-identifier; an attribute has one role";
            return Err(Error::parameter("sensitive", &attributes[both].name, problem));
        }
        if let Some(open) = with_role(Role::QuasiIdentifier).find(|i| !protected.contains(i)) {
            let problem = format!(
                "but the quasi-identifier {} is not among them, so that its values would divide \
                 the classes; protect it as well",
                attributes[open].name
            );
            return Err(Error::parameter("attributes", protected.len(), problem));
        }
        Ok(sensitive)
    }

    /// Fails unless the whole file as one group would do: no partition is more diverse
    /// in its least diverse group.
    fn check_reachable(&self, levels: &[u32], name: &str) -> Result<()> {
        let mut counts = LevelCounts::default();
        levels.iter().for_each(|&level| counts.add(level));
        let degree = counts.degree(self.diversity);
        if degree >= self.l as f64 {
            return Ok(());
        }
        let problem = match self.diversity {
            Diversity::Distinct => format!(
                "but {name} has values on only {degree} levels; lower l, or cut more levels with \
                 --levels"
            ),
            Diversity::Entropy => format!(
                "but the entropy diversity of {name} in the whole file is {degree:.3}, and no \
                 partition has more in every class; lower l, or cut other levels"
            ),
        };
        Err(Error::parameter("l", self.l, problem))
    }
}

/// What every group must have: `k` records, and diversity `l` on each sensitive attribute.
#[derive(Debug, Clone)]
pub struct DiversityRule {
    l: f64,
    k: usize,
    diversity: Diversity,
    /// The level of each record, sensitive attribute by sensitive attribute.
    levels: Vec<Vec<u32>>,
    /// A number below 64 for each record, the same where all levels are; empty where
    /// there are more combinations.
    labels: Vec<u8>,
    /// A record of each label.
    examples: Vec<u32>,
}

impl GroupRule for DiversityRule {
    fn smallest(&self) -> usize {
        self.k
    }

    fn allows(&self, members: &[u32]) -> bool {
        match self.diversity {
            Diversity::Distinct => {
                let diverse = |levels: &Vec<u32>| has_distinct(levels, members, self.l);
                members.len() >= self.k && self.levels.iter().all(diverse)
            }
            Diversity::Entropy => self.is_met(members),
        }
    }
}

/// True when `records` have at least `l` different levels; looks no further than the l-th.
fn has_distinct(levels: &[u32], records: &[u32], l: f64) -> bool {
    let mut seen: Vec<u32> = Vec::new();
    records.iter().any(|&record| {
        let level = levels[record as usize];
        if !seen.contains(&level) {
            seen.push(level);
        }
        seen.len() as f64 >= l
    })
}

/// The levels in a group, sensitive attribute by sensitive attribute.
type Tally = Vec<LevelCounts>;

/// Degrees that differ by less are equal.
const ROUNDING: f64 = 1e-9;

impl DiversityRule {
    /// The rule for records whose levels on each sensitive attribute are `levels`.
    pub fn new(l: usize, k: usize, diversity: Diversity, levels: Vec<Vec<u32>>) -> Self {
        let (labels, examples) = labels(&levels);
        Self { l: l as f64, k, diversity, levels, labels, examples }
    }

    /// True when a group of `records` is large and diverse enough.
    pub fn is_met(&self, records: &[u32]) -> bool {
        records.len() >= self.k && self.is_diverse(&self.tally(records))
    }

    /// Fails when a class of the release breaks the rule: a defect of ours.
    fn check_classes(&self, released: &Dataset, positions: &[usize]) -> Result<()> {
        let name = |&i: &usize| released.attributes()[i].name.as_str();
        let names: Vec<&str> = positions.iter().map(name).collect();
        let classes = EquivalenceClasses::new(released, &names)?;
        if classes.iter().all(|class| self.is_met(&class)) {
            return Ok(());
        }
        Err(Error::Internal(
            "a class of the release is not diverse, and nothing was written".into(),
        ))
    }

    fn tally(&self, records: &[u32]) -> Tally {
        let mut tally = vec![LevelCounts::default(); self.levels.len()];
        records.iter().for_each(|&record| self.add(&mut tally, record));
        tally
    }

    fn add(&self, tally: &mut Tally, record: u32) {
        for (counts, levels) in tally.iter_mut().zip(&self.levels) {
            counts.add(levels[record as usize]);
        }
    }

    fn remove(&self, tally: &mut Tally, record: u32) {
        for (counts, levels) in tally.iter_mut().zip(&self.levels) {
            counts.remove(levels[record as usize]);
        }
    }

    /// The degree on each attribute now and after `record` joined.
    fn degrees<'t>(
        &'t self,
        tally: &'t Tally,
        record: u32,
    ) -> impl Iterator<Item = (f64, f64)> + 't {
        tally.iter().zip(&self.levels).map(move |(counts, levels)| {
            let after = counts.degree_with(levels[record as usize], self.diversity);
            (counts.degree(self.diversity), after)
        })
    }

    fn is_diverse(&self, tally: &Tally) -> bool {
        tally.iter().all(|counts| counts.degree(self.diversity) >= self.l)
    }

    fn is_diverse_with(&self, tally: &Tally, record: u32) -> bool {
        self.degrees(tally, record).all(|(_, after)| after >= self.l)
    }

    fn is_raised_by(&self, tally: &Tally, record: u32) -> bool {
        let gain: f64 = self
            .degrees(tally, record)
            .map(|(now, after)| after.min(self.l) - now.min(self.l))
            .sum();
        gain > ROUNDING
    }

    fn is_not_lowered_by(&self, tally: &Tally, record: u32) -> bool {
        self.degrees(tally, record).all(|(now, after)| after >= now - ROUNDING)
    }

    /// The labels whose records pass `test`, a bit each; all where there are no labels.
    fn passing(&self, test: impl Fn(u32) -> bool) -> u64 {
        if self.labels.is_empty() {
            return ANY;
        }
        let bit = |(label, &example): (usize, &u32)| u64::from(test(example)) << label;
        self.examples.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
    }
}

/// A label for each record and a record of each label; nothing when there are over 64.
fn labels(levels: &[Vec<u32>]) -> (Vec<u8>, Vec<u32>) {
    let records = levels.first().map_or(0, Vec::len);
    let mut numbers: HashMap<Vec<u32>, u8> = HashMap::new();
    let (mut labels, mut examples) = (Vec::with_capacity(records), Vec::new());
    for record in 0..records {
        let combination: Vec<u32> = levels.iter().map(|of| of[record]).collect();
        let next = numbers.len() as u8;
        let label = *numbers.entry(combination).or_insert(next);
        if label == next {
            examples.push(record as u32);
        }
        labels.push(label);
        if numbers.len() > 64 {
            return (Vec::new(), Vec::new());
        }
    }
    (labels, examples)
}

/// Groups of the records of `points` that all keep `rule`, which the whole file keeps.
///
/// While the remaining records keep the rule: the one farthest from the centroid of
/// the file takes the nearest record that raises the diversity until it is l, then
/// extends as in V-MDAV by records that do not lower it. The rest joins the closest
/// group that stays diverse. Ties go to the lowest record.
///
/// Cost: as V-MDAV; a query for some levels passes over boxes without them.
pub fn l_diverse_v_mdav(
    points: &Points,
    rule: &DiversityRule,
    gamma: f64,
    grouped: &dyn Fn(usize),
) -> Vec<Vec<u32>> {
    let mut forming = Forming::new(points, &rule.labels, grouped);
    let all: Vec<u32> = (0..points.records() as u32).collect();
    let mut remaining = rule.tally(&all);
    while forming.remaining.len() >= rule.k && rule.is_diverse(&remaining) {
        let group = rule.form(&mut forming, gamma);
        group.iter().for_each(|&record| rule.remove(&mut remaining, record));
        forming.close(group);
    }
    let rest = forming.remaining.records();
    grouped(rest.len());
    Joining::new(points, rule, forming.groups).join(&rest)
}

impl DiversityRule {
    /// Takes the records of one group.
    fn form(&self, forming: &mut Forming<'_>, gamma: f64) -> Vec<u32> {
        let seed = forming.farthest();
        let (mut group, mut tally) = (vec![seed], self.tally(&[seed]));
        let mut near = forming.remaining.nearest(&forming.points.point(seed), 2 * self.k);
        while group.len() < self.k || !self.is_diverse(&tally) {
            let Some(record) = self.wanted(forming, seed, &near, &tally) else { break };
            forming.take(record);
            near.retain(|n| n.record != record);
            self.add(&mut tally, record);
            group.push(record);
        }
        while group.len() < 2 * self.k - 1 {
            let test = |record| self.is_not_lowered_by(&tally, record);
            let (labels, accept) = (self.passing(test), self.accept(test));
            let extension = forming.extension(&group, gamma, &near, labels, accept);
            let Some(record) = extension else { break };
            near.retain(|n| n.record != record);
            self.add(&mut tally, record);
            group.push(record);
        }
        group
    }

    /// The remaining record that a group round `seed` takes next; `near` are those
    /// nearest to it.
    fn wanted(
        &self,
        forming: &Forming<'_>,
        seed: u32,
        near: &[Neighbour],
        tally: &Tally,
    ) -> Option<u32> {
        let is_diverse = self.is_diverse(tally);
        let test = |record| match is_diverse {
            true => self.is_diverse_with(tally, record),
            false => self.is_raised_by(tally, record),
        };
        if let Some(found) = near.iter().find(|n| test(n.record)) {
            return Some(found.record);
        }
        let seed = forming.points.point(seed);
        let nearest = |labels, accept: &dyn Fn(u32) -> bool| {
            let found = forming.remaining.nearer(&seed, Neighbour::NONE, labels, accept);
            (found.record != u32::MAX).then_some(found.record)
        };
        nearest(self.passing(test), &self.accept(test)).or_else(|| nearest(ANY, &|_| true))
    }

    /// `test` where labels do not answer for it.
    fn accept(&self, test: impl Fn(u32) -> bool) -> impl Fn(u32) -> bool {
        let is_labelled = !self.labels.is_empty();
        move |record| is_labelled || test(record)
    }
}

/// Groups that leftovers join.
struct Joining<'a> {
    rule: &'a DiversityRule,
    members: Members<'a>,
    groups: Vec<Vec<u32>>,
    tallies: Vec<Tally>,
    /// The labels that each group may take and stay diverse, a bit each.
    open_to: Vec<u64>,
    /// What became of each group: itself, or the one it was merged into.
    now: Vec<usize>,
}

impl<'a> Joining<'a> {
    fn new(points: &'a Points, rule: &'a DiversityRule, groups: Vec<Vec<u32>>) -> Self {
        let tallies: Vec<Tally> = groups.iter().map(|group| rule.tally(group)).collect();
        let open_to = tallies.iter().map(|tally| open_to(rule, tally)).collect();
        let now = (0..groups.len()).collect();
        Self { rule, members: Members::new(&groups, points), groups, tallies, open_to, now }
    }

    /// The groups after each of `rest` joined one.
    fn join(mut self, rest: &[u32]) -> Vec<Vec<u32>> {
        for &record in rest {
            let open = self.members.closest(record, |group| self.is_open(self.now[group], record));
            let group = open.or_else(|| self.members.closest(record, |_| true));
            let group = self.now[group.unwrap_or_default()];
            self.groups[group].push(record);
            self.rule.add(&mut self.tallies[group], record);
            self.merge_until_diverse(group, record);
            self.open_to[group] = open_to(self.rule, &self.tallies[group]);
        }
        self.groups.retain(|group| !group.is_empty());
        self.groups.iter_mut().for_each(|group| group.sort_unstable());
        self.groups
    }

    fn is_open(&self, group: usize, record: u32) -> bool {
        match self.rule.labels.get(record as usize) {
            Some(label) => self.open_to[group] >> label & 1 == 1,
            None => self.rule.is_diverse_with(&self.tallies[group], record),
        }
    }

    /// Merges `group` with those closest to its new `record` until it is diverse. When
    /// it is the only one left, it is diverse once the last record has joined: then
    /// it is the whole file.
    fn merge_until_diverse(&mut self, group: usize, record: u32) {
        while !self.rule.is_diverse(&self.tallies[group]) {
            let other = self.members.closest(record, |other| self.now[other] != group);
            let Some(other) = other.map(|other| self.now[other]) else { return };
            let moved = std::mem::take(&mut self.groups[other]);
            moved.iter().for_each(|&r| self.rule.add(&mut self.tallies[group], r));
            self.groups[group].extend(moved);
            self.now.iter_mut().filter(|now| **now == other).for_each(|now| *now = group);
        }
    }
}

fn open_to(rule: &DiversityRule, tally: &Tally) -> u64 {
    rule.passing(|record| rule.is_diverse_with(tally, record))
}
