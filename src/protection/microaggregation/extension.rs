//! How a group of variable size takes further records: d_in < γ d_out.

use super::forming::Forming;
use crate::spatial::{ANY, Neighbor, QueryBatch};

/// A group that grows, and what is known of the records near it.
pub(super) struct Growing {
    pub records: Vec<u32>,
    /// The labels of the records that were looked for.
    labels: u64,
    /// The remaining records of these labels up to the horizon, by their distance from the
    /// nearest member, nearest first.
    surroundings: Vec<Neighbor>,
    horizon: Neighbor,
}

/// Records that are looked up at once round a group.
const LOOKED_UP: usize = 6;

/// From this gain factor on the limit of a member is beyond the records it comes from, and
/// excludes little.
const LARGE: f64 = 0.5;

impl Forming<'_> {
    /// Takes the record that extends `group`: of those with one of `labels` that
    /// `accept` takes the nearest, if its distance d_in to the group is less than `gamma`
    /// times its distance d_out to any other remaining record. `near` are the remaining
    /// records nearest to the group's first.
    pub fn extension(
        &mut self,
        group: &mut Growing,
        gamma: f64,
        near: &[Neighbor],
        labels: u64,
        accept: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        if gamma == 0.0 {
            return None;
        }
        if gamma < LARGE && near.len() >= 2 {
            return self.rare_extension(group, gamma, near, labels, accept);
        }
        group.look_for(labels, |record| self.remaining.carries(record, labels) && accept(record));
        if group.surroundings.is_empty() {
            let batch = QueryBatch::new(self.points, &group.records, |_| f64::INFINITY);
            let found = self.remaining.nearest_to_any(&batch, LOOKED_UP, labels, accept);
            group.horizon = horizon(&found, f64::INFINITY);
            group.surroundings = found;
        }
        let nearest = *group.surroundings.first()?;
        let limit = beyond_d_out(nearest, gamma).max(group.horizon.distance);
        let mut others = self.others(nearest, gamma, LOOKED_UP, limit)?;
        self.take(nearest.record);
        let horizon = horizon(&others, limit);
        others.retain(|other| self.remaining.carries(other.record, labels));
        group.extend(nearest.record, &others, horizon);
        Some(nearest.record)
    }

    /// As [`Self::extension`] where few groups are extended: first it is made sure that there
    /// is a record to be asked about.
    fn rare_extension(
        &mut self,
        group: &mut Growing,
        gamma: f64,
        near: &[Neighbor],
        labels: u64,
        accept: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let nearest_within = |limit: &dyn Fn(u32) -> f64| {
            let batch = QueryBatch::new(self.points, &group.records, limit);
            self.remaining.nearest_to_any(&batch, 1, labels, &accept).first().copied()
        };
        let nearest = nearest_within(&|member| self.limit(member, gamma, near))?;
        self.others(nearest, gamma, 1, beyond_d_out(nearest, gamma))?;
        // A record that passes is within the limit of its closest member. So if the nearest
        // of all is another, or nearer than it was seen, it does not pass.
        if nearest_within(&|_| nearest.distance) != Some(nearest) {
            return None;
        }
        self.take(nearest.record);
        group.add(nearest.record);
        Some(nearest.record)
    }

    /// Remaining records near `candidate`, at most `count` and up to the squared distance
    /// `limit`, which is at least [`beyond_d_out`]; none if one of them is so near that
    /// d_in < γ d_out does not hold.
    fn others(
        &self,
        candidate: Neighbor,
        gamma: f64,
        count: usize,
        limit: f64,
    ) -> Option<Vec<Neighbor>> {
        let d_in = candidate.distance.sqrt();
        let is_too_near = |distance: f64| d_in >= gamma * distance.sqrt();
        let point = self.points.point(candidate.record);
        let is_other = |record| record != candidate.record;
        let others =
            self.remaining.nearest_within(&point, count, limit, ANY, is_other, is_too_near);
        let is_met = others.first().is_none_or(|other| !is_too_near(other.distance));
        is_met.then_some(others)
    }

    /// A squared distance from `member` beyond which no record that has it for its closest
    /// member passes d_in < γ d_out.
    ///
    /// Of two records `near` one is not the candidate e, and it is at most d_in + s from e, s
    /// being the larger of the distances of `member` to the two that are closest to it. So
    /// d_out is at most that, and only d_in < γ s / (1 - γ) passes.
    fn limit(&self, member: u32, gamma: f64, near: &[Neighbor]) -> f64 {
        let point = self.points.point(member);
        let mut two = [f64::INFINITY; 2];
        for other in near.iter().take(LOOKED_UP) {
            let distance = self.points.distance(other.record, &point);
            two = [two[0].min(distance), two[1].min(distance.max(two[0]))];
        }
        // A little more than that: sums are rounded.
        (1.000001 * gamma * two[1].sqrt() / (1.0 - gamma)).powi(2)
    }
}

/// A squared distance from `candidate` beyond which it does not matter how far the others
/// are; a little more, for rounding.
fn beyond_d_out(candidate: Neighbor, gamma: f64) -> f64 {
    1.000001 * (candidate.distance.sqrt() / gamma).powi(2)
}

/// Up to where the [`LOOKED_UP`] records `found` within `limit` are all there are.
fn horizon(found: &[Neighbor], limit: f64) -> Neighbor {
    found.get(LOOKED_UP - 1).copied().unwrap_or(Neighbor { distance: limit, ..Neighbor::NONE })
}

impl Growing {
    /// A group of one record.
    pub fn round(seed: u32) -> Self {
        Self { records: vec![seed], labels: 0, surroundings: Vec::new(), horizon: Neighbor::NONE }
    }

    /// Adds `record`; what is near the group is not known any more.
    pub fn add(&mut self, record: u32) {
        self.records.push(record);
        self.forget();
    }

    /// Forgets what is known: the next search may accept other records than the last.
    pub fn forget(&mut self) {
        self.surroundings.clear();
    }

    /// Adds `record`, near which are `others`, up to its `horizon` all that are wanted.
    fn extend(&mut self, record: u32, others: &[Neighbor], horizon: Neighbor) {
        self.records.push(record);
        if horizon.is_nearer_than(&self.horizon) {
            self.horizon = horizon;
        }
        self.surroundings.retain(|near| near.record != record);
        for other in others {
            match self.surroundings.iter_mut().find(|near| near.record == other.record) {
                Some(known) => known.distance = known.distance.min(other.distance),
                None => self.surroundings.push(*other),
            }
        }
        self.surroundings.retain(|near| !self.horizon.is_nearer_than(near));
        let order = |a: &Neighbor, b: &Neighbor| {
            a.distance.total_cmp(&b.distance).then(a.record.cmp(&b.record))
        };
        self.surroundings.sort_unstable_by(order);
    }

    /// From now on looks for records of `labels` that `is_wanted` takes: what is known
    /// stays true of fewer labels.
    fn look_for(&mut self, labels: u64, is_wanted: impl Fn(u32) -> bool) {
        if labels & !self.labels != 0 {
            self.forget();
        }
        self.labels = labels;
        self.surroundings.retain(|near| is_wanted(near.record));
    }
}
