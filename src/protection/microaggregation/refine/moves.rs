//! One step of the search: a move is drawn, weighed, and made or not.

use super::grouping::Grouping;
use super::rule::Tally;
use crate::distance::LANES;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Shares of the moves; the rest are relocations where the group can spare a record, else swaps.
const REBUILD: f64 = 0.03;
const ROTATE: f64 = 0.2;
const REFILL: f64 = 0.1;
const SWAP_THOUGH_SPARE: f64 = 0.2;

/// Share of the moves that swap records of the same levels, where records have levels.
const SWAP_ALIKE: f64 = 0.3;

/// The most members of a group that a move looks at one by one.
const LOOK_AT: usize = 32;

/// Growth of the error, in temperatures, that is never accepted: exp(-30) is below 1e-13.
const NEVER: f64 = 30.0;

/// A grouping and the chance that drives the search.
pub(super) struct Walk<'a> {
    pub grouping: Grouping<'a>,
    pub random: ChaCha8Rng,
    /// Growth of the error that is accepted with probability 1/e, in units of
    /// the mean squared error in the two groups concerned; 0 accepts no growth.
    pub temperature: f64,
}

/// A record, its group, and a group nearby.
#[derive(Clone, Copy)]
struct GroupPair {
    record: u32,
    own: u32,
    other: u32,
    temperature: f64,
}

impl Walk<'_> {
    /// Draws one move and makes it when it is accepted.
    #[inline(always)]
    pub fn step(&mut self) {
        if self.grouping.points.have_levels() && self.random.random::<f64>() < SWAP_ALIKE {
            return self.swap_alike();
        }
        let Some(pair) = self.pair() else { return };
        let (grouping, own) = (&self.grouping, pair.own);
        let spare = grouping.rule.spares(grouping.tally(own), pair.record);
        let kind: f64 = self.random.random();
        match spare {
            true if kind < REBUILD => self.found(pair),
            false if kind < REBUILD => self.dissolve(pair),
            _ if kind < REBUILD + ROTATE => self.rotate(pair),
            true if kind > 1.0 - SWAP_THOUGH_SPARE => self.swap(pair),
            true => self.move_over(pair),
            false if kind > 1.0 - REFILL => self.refill(pair),
            false => self.swap(pair),
        }
    }

    #[inline(always)]
    fn record(&mut self) -> u32 {
        self.random.random_range(0..self.grouping.points.records() as u32)
    }

    /// A random record, and the group of one of its neighbors unless it is its own.
    #[inline(always)]
    fn pair(&mut self) -> Option<GroupPair> {
        let record = self.record();
        let other = self.neighbor_group(record);
        self.pair_of(record, other)
    }

    #[inline(always)]
    fn pair_of(&self, record: u32, other: u32) -> Option<GroupPair> {
        let grouping = &self.grouping;
        let own = grouping.group_of(record);
        let records = (grouping.size(own) + grouping.size(other)) as f64;
        let local = (grouping.error(own) + grouping.error(other)) / records;
        let temperature = self.temperature * local;
        (own != other).then_some(GroupPair { record, own, other, temperature })
    }

    #[inline(always)]
    fn neighbor_group(&mut self, record: u32) -> u32 {
        let neighbors = self.grouping.points.neighbors(record);
        self.grouping.group_of(neighbors[self.random.random_range(0..neighbors.len())])
    }

    #[inline(always)]
    fn member(&mut self, group: u32) -> u32 {
        let members = self.grouping.members(group);
        members[self.random.random_range(0..members.len())]
    }

    /// Metropolis: a growth by `change` passes with probability exp(-change / temperature).
    #[inline(always)]
    fn accepts(&mut self, change: f64, temperature: f64) -> bool {
        change < 0.0
            || change < NEVER * temperature
                && self.random.random::<f64>() < (-change / temperature).exp()
    }

    /// Makes the relocations when `change` is accepted and the rule holds after them.
    #[inline(always)]
    fn make<const N: usize>(&mut self, change: f64, temperature: f64, moves: [(u32, u32); N]) {
        if self.accepts(change, temperature) {
            for (record, group) in moves {
                self.grouping.relocate(record, group);
            }
            self.keep_if(true);
        }
    }

    /// Ends the transaction.
    fn keep_if(&mut self, accepted: bool) {
        match accepted && self.grouping.keeps_rule() {
            true => self.grouping.commit(),
            false => self.grouping.roll_back(),
        }
    }

    /// Relocation: the record joins the other group, which is cut in two when it is full.
    ///
    /// A cut looks at all members: the larger the group, the more seldom it is tried.
    #[inline(always)]
    fn move_over(&mut self, pair: GroupPair) {
        let GroupPair { record, other, temperature, .. } = pair;
        let (grouping, most) = (&self.grouping, 2 * self.grouping.rule.smallest());
        let size = grouping.size(other) + 1;
        if grouping.rule.is_full(grouping.tally(other))
            && (size <= most || self.random.random_range(0..size) < most)
        {
            return self.join_and_split(pair);
        }
        let change = self.grouping.joining(record, other) - self.grouping.leaving(record);
        self.make(change, temperature, [(record, other)]);
    }

    /// Swap: the record and one of the other group change places.
    #[inline(always)]
    fn swap(&mut self, pair: GroupPair) {
        let partner = self.member(pair.other);
        self.swap_with(pair, partner);
    }

    /// Swap of records with the same levels, which no rule forbids: a record that its group
    /// cannot spare, and whose like is not near, would hardly move otherwise.
    #[inline(always)]
    fn swap_alike(&mut self) {
        let record = self.record();
        let alike = self.grouping.points.alike(record);
        if alike.is_empty() {
            return;
        }
        let partner = alike[self.random.random_range(0..alike.len())];
        if let Some(pair) = self.pair_of(record, self.grouping.group_of(partner)) {
            self.swap_with(pair, partner);
        }
    }

    #[inline(always)]
    fn swap_with(
        &mut self,
        GroupPair { record, own, other, temperature }: GroupPair,
        partner: u32,
    ) {
        let change = swap_change(&self.grouping, (record, own), (partner, other));
        self.make(change, temperature, [(record, other), (partner, own)]);
    }

    /// Rotation: the record takes the place of a second, that of a third near the second, and
    /// that the first's; the third is the best of its group, or of some members in a row where
    /// there are many.
    fn rotate(&mut self, GroupPair { record, own, other, temperature }: GroupPair) {
        let second = self.member(other);
        let last = self.neighbor_group(second);
        if last == own || last == other {
            return;
        }
        let some = self.some_members(last);
        let grouping = &self.grouping;
        let third = grouping.members(last)[some].iter().map(|&third| {
            let change = grouping.replacing(own, record, third);
            (change + grouping.replacing(last, third, second), third)
        });
        let Some((change, third)) = least(third) else { return };
        let change = change + grouping.replacing(other, second, record);
        self.make(change, temperature, [(record, other), (second, last), (third, own)]);
    }

    /// Where the members are that a move looks at.
    #[inline(always)]
    fn some_members(&mut self, group: u32) -> std::ops::Range<usize> {
        let size = self.grouping.size(group);
        match size <= LOOK_AT {
            true => 0..size,
            false => {
                let first = self.random.random_range(0..=size - LOOK_AT);
                first..first + LOOK_AT
            }
        }
    }

    /// Refill: the record joins the other group, and its place is taken by one near its group
    /// that a third group can spare.
    fn refill(&mut self, GroupPair { record, own, other, temperature }: GroupPair) {
        let member = self.member(own);
        let neighbors = self.grouping.points.neighbors(member);
        let new = neighbors[self.random.random_range(0..neighbors.len())];
        let grouping = &self.grouping;
        let (from, rule) = (grouping.group_of(new), grouping.rule);
        let spare = rule.spares(grouping.tally(from), new);
        if from == own || from == other || !spare || rule.is_full(grouping.tally(other)) {
            return;
        }
        let change = grouping.replacing(own, record, new) + grouping.joining(record, other)
            - grouping.leaving(new);
        self.make(change, temperature, [(record, other), (new, own)]);
    }

    /// Dissolution: every member of the record's group joins the group nearby where it costs least.
    fn dissolve(&mut self, GroupPair { own, temperature, .. }: GroupPair) {
        if self.grouping.size(own) > LOOK_AT.max(self.grouping.rule.smallest()) {
            return;
        }
        let mut change = -self.grouping.error(own);
        for record in self.grouping.members(own).to_vec() {
            let Some((cost, group)) = self.best_neighbor_group(record, own) else {
                return self.keep_if(false);
            };
            change += cost;
            // Costs only add up, so most dissolutions end here with the first member or two.
            if change >= 0.0 && change >= NEVER * temperature {
                return self.keep_if(false);
            }
            self.grouping.relocate(record, group);
        }
        let accepted = self.accepts(change, temperature);
        self.keep_if(accepted);
    }

    /// What `record` adds to the error of the group nearby where it adds least, and that group.
    fn best_neighbor_group(&self, record: u32, own: u32) -> Option<(f64, u32)> {
        let grouping = &self.grouping;
        let near = grouping.points.neighbors(record).iter().map(|&i| grouping.group_of(i));
        let is_full = |group| grouping.rule.is_full(grouping.tally(group));
        let open = near.filter(|&group| group != own && !is_full(group));
        least(open.map(|group| (grouping.joining(record, group), group)))
    }

    /// Foundation: the record and its nearest that are wanted, and that their groups can spare,
    /// form a new group.
    fn found(&mut self, GroupPair { record, temperature, .. }: GroupPair) {
        let rule = self.grouping.rule;
        let new = self.grouping.empty_group();
        let mut change = self.grouping.relocate(record, new);
        for &near in self.grouping.points.neighbors(record) {
            if rule.allows(self.grouping.tally(new)) {
                break;
            }
            let group = self.grouping.tally(self.grouping.group_of(near));
            if rule.spares(group, near) && rule.wants(self.grouping.tally(new), near) {
                change += self.grouping.relocate(near, new);
            }
        }
        let accepted = rule.allows(self.grouping.tally(new)) && self.accepts(change, temperature);
        self.keep_if(accepted);
    }

    /// The record joins the other group, and that is cut in two between its farthest members
    /// where both parts keep the rule.
    fn join_and_split(&mut self, GroupPair { record, other, temperature, .. }: GroupPair) {
        let mut change = self.grouping.relocate(record, other);
        let ordered = self.across(other);
        if let Some(cut) = self.best_cut(&ordered) {
            let new = self.grouping.empty_group();
            for &moved in &ordered[cut..] {
                change += self.grouping.relocate(moved, new);
            }
        }
        let accepted = self.accepts(change, temperature);
        self.keep_if(accepted);
    }

    /// The members of `group` from one of its two farthest members to the other.
    fn across(&self, group: u32) -> Vec<u32> {
        let points = self.grouping.points;
        let members = self.grouping.members(group);
        let farthest = |from: u32| least(members.iter().map(|&i| (-points.distance(from, i), i)));
        let Some((_, one)) = farthest(members[0]) else { return Vec::new() };
        let Some((_, two)) = farthest(one) else { return Vec::new() };
        let mut keyed: Vec<(f64, u32)> = members
            .iter()
            .map(|&i| (points.distance(i, one) - points.distance(i, two), i))
            .collect();
        keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        keyed.into_iter().map(|(_, record)| record).collect()
    }

    /// Where to cut `ordered` so that both parts keep the rule and their error is least.
    fn best_cut(&self, ordered: &[u32]) -> Option<usize> {
        let (rule, points) = (self.grouping.rule, self.grouping.points);
        let low = points.errors_of_firsts(ordered.iter().copied());
        let high = points.errors_of_firsts(ordered.iter().rev().copied());
        let mut first = Tally::of(&[], rule.levels());
        let mut last = Tally::of(ordered, rule.levels());
        let mut best = (f64::INFINITY, None);
        for cut in 1..ordered.len() {
            first.add(ordered[cut - 1], rule.levels());
            last.remove(ordered[cut - 1], rule.levels());
            let error = low[cut - 1] + high[ordered.len() - cut - 1];
            if error < best.0 && rule.allows(&first) && rule.allows(&last) {
                best = (error, Some(cut));
            }
        }
        best.1
    }
}

/// The pair with the least first number, the first of several.
fn least(pairs: impl Iterator<Item = (f64, u32)>) -> Option<(f64, u32)> {
    pairs.reduce(|best, pair| if pair.0 < best.0 { pair } else { best })
}

/// By how much the error changes when x of group A and z of group B change places:
/// with w = z - x it is -2 w·(c_A - c_B) - |w|² (1/|A| + 1/|B|).
#[inline(always)]
fn swap_change(grouping: &Grouping<'_>, (x, a): (u32, u32), (z, b): (u32, u32)) -> f64 {
    let (mut dot, mut squared) = ([0.0; LANES], [0.0; LANES]);
    let points =
        grouping.points.row(x).chunks_exact(LANES).zip(grouping.points.row(z).chunks_exact(LANES));
    let centroids =
        grouping.centroid(a).chunks_exact(LANES).zip(grouping.centroid(b).chunks_exact(LANES));
    for ((x, z), (a, b)) in points.zip(centroids) {
        for lane in 0..LANES {
            let w = z[lane] - x[lane];
            dot[lane] += w * (a[lane] - b[lane]);
            squared[lane] += w * w;
        }
    }
    let shares = 1.0 / grouping.size(a) as f64 + 1.0 / grouping.size(b) as f64;
    -2.0 * dot.iter().sum::<f64>() - squared.iter().sum::<f64>() * shares
}

#[cfg(test)]
mod tests {
    use super::super::points::RefinedPoints;
    use super::super::rule::{AtLeast, GroupRule};
    use super::*;
    use crate::anonymity::{Diversity, LevelCounts};
    use crate::protection::microaggregation::DiversityRule;
    use crate::random::generator;
    use proptest::prelude::*;

    fn columns() -> impl Strategy<Value = Vec<Vec<f64>>> {
        (1usize..7).prop_flat_map(|count| {
            prop::collection::vec(prop::collection::vec(-9.0..9.0, 16), count)
        })
    }

    fn four_groups() -> Vec<Vec<u32>> {
        (0..4).map(|g| (4 * g..4 * g + 4).collect()).collect()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * (1.0 + a.abs() + b.abs())
    }

    proptest! {
        #[test]
        fn predicted_changes_are_those_of_the_error(columns in columns(), x in 0u32..4, z in 4u32..8) {
            let points = RefinedPoints::new(&columns, &[], 5);
            let mut grouping = Grouping::new(&points, &AtLeast(2), &four_groups());
            let joined = grouping.joining(x, 1) - grouping.leaving(x);
            prop_assert!(close(joined, grouping.relocate(x, 1)));
            grouping.roll_back();
            let swapped = swap_change(&grouping, (x, 0), (z, 1));
            let replaced = grouping.replacing(0, x, z) + grouping.replacing(1, z, x);
            let change = grouping.relocate(x, 1) + grouping.relocate(z, 0);
            prop_assert!(close(swapped, change) && close(replaced, change));
        }

        #[test]
        fn errors_and_tallies_stay_true_over_a_walk(
            columns in columns(), levels in prop::collection::vec(0u32..4, 16), l in 1usize..4,
            seed in 0u64..99, hot in 0.0..2.0
        ) {
            let points = RefinedPoints::new(&columns, std::slice::from_ref(&levels), 5);
            let diverse = DiversityRule::new(l, 3, Diversity::Distinct, vec![levels]);
            let rules: [&dyn GroupRule; 2] = [&AtLeast(2), &diverse];
            for rule in rules.into_iter().filter(|rule| may_start(*rule)) {
                let grouping = Grouping::new(&points, rule, &four_groups());
                let mut walk = Walk { grouping, random: generator(seed, 0), temperature: hot };
                (0..500).for_each(|_| walk.step());
                let groups = super::super::groups(walk.grouping.assignment());
                prop_assert!(groups.iter().all(|g| rule.allows(&Tally::of(g, rule.levels()))));
                let anew = Grouping::new(&points, rule, &groups);
                prop_assert!(close(anew.total_error(), walk.grouping.total_error()));
                for group in 0..groups.len() as u32 {
                    let record = anew.members(group)[0];
                    let kept = walk.grouping.tally(walk.grouping.group_of(record));
                    prop_assert!(alike(kept, anew.tally(group)));
                }
            }
        }
    }

    fn alike(a: &Tally, b: &Tally) -> bool {
        let same = |(a, b): (&LevelCounts, &LevelCounts)| {
            (0..4).all(|level| a.count(level) == b.count(level))
                && a.levels_in_two() == b.levels_in_two()
                && close(a.degree(Diversity::Entropy), b.degree(Diversity::Entropy))
        };
        a.records == b.records && a.counts.iter().zip(&b.counts).all(same)
    }

    fn may_start(rule: &dyn GroupRule) -> bool {
        four_groups().iter().all(|group| rule.allows(&Tally::of(group, rule.levels())))
    }
}
