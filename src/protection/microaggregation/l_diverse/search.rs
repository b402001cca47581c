//! The search for diverse groups: Figures 1 and 2 of the paper.

use super::super::extension::Growing;
use super::super::forming::Forming;
use super::super::{GroupRule, Tally};
use super::DiversityRule;
use super::answers::Answers;
use super::joining::Joining;
use crate::distance::Points;
use crate::spatial::{ANY, Neighbor};

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
    grouped: &(dyn Fn(usize) + Sync),
) -> Vec<Vec<u32>> {
    let mut forming = Forming::new(points, &rule.labels, grouped);
    let all: Vec<u32> = (0..points.records() as u32).collect();
    let mut remaining = Tally::of(&all, rule.levels());
    let mut counted = all.len();
    while rule.allows(&remaining) {
        let group = rule.form(&mut forming, gamma);
        group.iter().for_each(|&record| remaining.remove(record, rule.levels()));
        forming.close(group);
        // Counted anew now and then, before rounding adds up.
        if remaining.records < counted / 2 {
            counted = remaining.records;
            remaining = Tally::of(&forming.remaining.records(), rule.levels());
        }
    }
    let rest = forming.remaining.records();
    if rule.only_rises() {
        forming.join_closest(&rest);
        return forming.groups;
    }
    grouped(rest.len());
    Joining::new(points, rule, forming.groups).join(&rest)
}

impl DiversityRule {
    /// Takes the records of one group.
    fn form(&self, forming: &mut Forming<'_>, gamma: f64) -> Vec<u32> {
        let seed = forming.farthest();
        let (mut group, mut tally) = (Growing::round(seed), Tally::of(&[seed], self.levels()));
        let mut near = forming.remaining.nearest(&forming.points.point(seed), 3 * self.smallest());
        let mut beyond = Beyond::default();
        while !self.allows(&tally) {
            let wanted = self.wanted(forming, seed, &near, &mut beyond, &tally);
            let Some(record) = wanted else { break };
            forming.take(record);
            near.retain(|n| n.record != record);
            tally.add(record, self.levels());
            group.add(record);
        }
        while group.records.len() < 2 * self.smallest() - 1 {
            let now = self.degrees(&tally);
            let test = |record| self.is_not_lowered_by(&now, &tally, record);
            let (labels, accept) = (self.passing(test), self.accept(test));
            if self.labels.is_empty() {
                group.forget();
            }
            let extension = forming.extension(&mut group, gamma, &near, labels, accept);
            let Some(record) = extension else { break };
            near.retain(|n| n.record != record);
            tally.add(record, self.levels());
        }
        group.records
    }

    /// The remaining record that a group round `seed` takes next; `near` are those
    /// nearest to it.
    fn wanted(
        &self,
        forming: &Forming<'_>,
        seed: u32,
        near: &[Neighbor],
        beyond: &mut Beyond,
        tally: &Tally,
    ) -> Option<u32> {
        let (now, answers) = (self.degrees(tally), Answers::default());
        let test = |record| {
            let label = self.labels.get(record as usize).copied();
            answers.get(label, || self.wants_at(&now, tally, record))
        };
        if let Some(found) = near.iter().find(|n| test(n.record)) {
            return Some(found.record);
        }
        let seed = forming.points.point(seed);
        let nearest = |accept: &dyn Fn(u32) -> bool| {
            let limit = f64::INFINITY;
            let found = forming.remaining.nearest_within(&seed, 1, limit, ANY, accept, |_| false);
            found.first().map(|n| n.record)
        };
        let wanted = match self.labels.is_empty() {
            true => nearest(&test),
            false => {
                let labels = self.passing(test);
                let find = |labels| forming.remaining.nearest_of(&seed, self.smallest(), labels);
                beyond.take(labels, |record| labels >> self.labels[record as usize] & 1 == 1, find)
            }
        };
        wanted.or_else(|| nearest(&|_| true))
    }

    /// `test` where labels do not answer for it.
    fn accept(&self, test: impl Fn(u32) -> bool) -> impl Fn(u32) -> bool {
        let is_labeled = !self.labels.is_empty();
        move |record| is_labeled || test(record)
    }
}

/// Remaining records of some labels, those nearest to a seed: one query for several steps.
#[derive(Default)]
struct Beyond {
    labels: u64,
    records: Vec<Neighbor>,
}

impl Beyond {
    /// Takes the nearest record of `labels`, which `has` tells; `find` looks for the nearest of
    /// some labels.
    ///
    /// While no label is added, a record of the list is nearer than all that are not in it.
    fn take(
        &mut self,
        labels: u64,
        has: impl Fn(u32) -> bool,
        find: impl Fn(u64) -> Vec<Neighbor>,
    ) -> Option<u32> {
        let place = |records: &[Neighbor]| records.iter().position(|n| has(n.record));
        let known = if labels & !self.labels == 0 { place(&self.records) } else { None };
        let found = known.or_else(|| {
            *self = Self { labels, records: find(labels) };
            place(&self.records)
        });
        found.map(|place| self.records.remove(place).record)
    }
}
