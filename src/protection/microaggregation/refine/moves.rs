//! One step of the search: a move is drawn, weighed, and made or not.

use super::grouping::Grouping;
use super::rule::GroupRule;
use crate::distance::LANES;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Shares of the moves; the rest are relocations where the group can spare a record, else swaps.
const REBUILD: f64 = 0.03;
const ROTATE: f64 = 0.2;
const REFILL: f64 = 0.1;
const SWAP_THOUGH_SPARE: f64 = 0.2;

/// Growth of the error, in temperatures, that is never accepted: exp(-30) is below 1e-13.
const NEVER: f64 = 30.0;

/// A grouping, the rule it keeps, and the chance that drives the search.
pub(super) struct Walk<'a> {
    pub grouping: Grouping<'a>,
    pub rule: &'a dyn GroupRule,
    pub random: ChaCha8Rng,
    /// Growth of the error that is accepted with probability 1/e, in units of
    /// the mean squared error in the two groups concerned; 0 accepts no growth.
    pub temperature: f64,
}

/// A record, its group, and a group nearby.
#[derive(Clone, Copy)]
struct Pair {
    record: u32,
    own: u32,
    other: u32,
    temperature: f64,
}

impl Walk<'_> {
    /// Draws one move and makes it when it is accepted.
    #[inline(always)]
    pub fn step(&mut self) {
        let Some(pair) = self.pair() else { return };
        let spare = self.grouping.size(pair.own) > self.rule.smallest();
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

    /// A random record, and the group of one of its neighbours unless it is its own.
    #[inline(always)]
    fn pair(&mut self) -> Option<Pair> {
        let record = self.random.random_range(0..self.grouping.points.records() as u32);
        let other = self.neighbour_group(record);
        let own = self.grouping.group_of(record);
        let grouping = &self.grouping;
        let records = (grouping.size(own) + grouping.size(other)) as f64;
        let local = (grouping.error(own) + grouping.error(other)) / records;
        let temperature = self.temperature * local;
        (own != other).then_some(Pair { record, own, other, temperature })
    }

    #[inline(always)]
    fn neighbour_group(&mut self, record: u32) -> u32 {
        let neighbours = self.grouping.points.neighbours(record);
        self.grouping.group_of(neighbours[self.random.random_range(0..neighbours.len())])
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
        match accepted && self.grouping.keeps(self.rule) {
            true => self.grouping.commit(),
            false => self.grouping.roll_back(),
        }
    }

    /// Relocation: the record joins the other group, which is split when it grows to twice
    /// the smallest size.
    #[inline(always)]
    fn move_over(&mut self, pair: Pair) {
        let Pair { record, other, temperature, .. } = pair;
        if self.grouping.size(other) + 1 >= 2 * self.rule.smallest() {
            return self.join_and_split(pair);
        }
        let change = self.grouping.joining(record, other) - self.grouping.leaving(record);
        self.make(change, temperature, [(record, other)]);
    }

    /// Swap: the record and one of the other group change places.
    #[inline(always)]
    fn swap(&mut self, Pair { record, own, other, temperature }: Pair) {
        let partner = self.member(other);
        let change = swap_change(&self.grouping, (record, own), (partner, other));
        self.make(change, temperature, [(record, other), (partner, own)]);
    }

    /// Rotation: the record takes the place of a second, that of a third near the second, and
    /// that the first's; the third is the best of its group.
    fn rotate(&mut self, Pair { record, own, other, temperature }: Pair) {
        let second = self.member(other);
        let last = self.neighbour_group(second);
        if last == own || last == other {
            return;
        }
        let grouping = &self.grouping;
        let third = grouping.members(last).iter().map(|&third| {
            let change = grouping.replacing(own, record, third);
            (change + grouping.replacing(last, third, second), third)
        });
        let Some((change, third)) = least(third) else { return };
        let change = change + grouping.replacing(other, second, record);
        self.make(change, temperature, [(record, other), (second, last), (third, own)]);
    }

    /// Refill: the record joins the other group, and its place is taken by one near its group
    /// that a third group can spare.
    fn refill(&mut self, Pair { record, own, other, temperature }: Pair) {
        let member = self.member(own);
        let neighbours = self.grouping.points.neighbours(member);
        let new = neighbours[self.random.random_range(0..neighbours.len())];
        let grouping = &self.grouping;
        let (from, smallest) = (grouping.group_of(new), self.rule.smallest());
        let full = grouping.size(other) + 1 >= 2 * smallest;
        if from == own || from == other || grouping.size(from) <= smallest || full {
            return;
        }
        let change = grouping.replacing(own, record, new) + grouping.joining(record, other)
            - grouping.leaving(new);
        self.make(change, temperature, [(record, other), (new, own)]);
    }

    /// Dissolution: every member of the record's group joins the group nearby where it costs least.
    fn dissolve(&mut self, Pair { own, temperature, .. }: Pair) {
        let mut change = -self.grouping.error(own);
        for record in self.grouping.members(own).to_vec() {
            let Some((cost, group)) = self.best_neighbour_group(record, own) else {
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
    fn best_neighbour_group(&self, record: u32, own: u32) -> Option<(f64, u32)> {
        let grouping = &self.grouping;
        let most = 2 * self.rule.smallest() - 1;
        let near = grouping.points.neighbours(record).iter().map(|&i| grouping.group_of(i));
        let open = near.filter(|&group| group != own && grouping.size(group) < most);
        least(open.map(|group| (grouping.joining(record, group), group)))
    }

    /// Foundation: the record and its nearest that their groups can spare form a new group.
    fn found(&mut self, Pair { record, temperature, .. }: Pair) {
        let smallest = self.rule.smallest();
        let new = self.grouping.empty_group();
        let mut change = self.grouping.relocate(record, new);
        for &near in self.grouping.points.neighbours(record) {
            if self.grouping.size(new) == smallest {
                break;
            }
            if self.grouping.size(self.grouping.group_of(near)) > smallest {
                change += self.grouping.relocate(near, new);
            }
        }
        let accepted = self.grouping.size(new) == smallest && self.accepts(change, temperature);
        self.keep_if(accepted);
    }

    /// The record joins the other group, and that is cut in two between its farthest members.
    fn join_and_split(&mut self, Pair { record, other, temperature, .. }: Pair) {
        let mut change = self.grouping.relocate(record, other);
        let ordered = self.across(other);
        let cut = self.best_cut(&ordered);
        let new = self.grouping.empty_group();
        for &moved in &ordered[cut..] {
            change += self.grouping.relocate(moved, new);
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

    /// Where to cut `ordered` so that both parts are large enough and their error is least.
    fn best_cut(&self, ordered: &[u32]) -> usize {
        let smallest = self.rule.smallest();
        let cuts = smallest..=ordered.len() - smallest;
        let points = self.grouping.points;
        let error = |cut: usize| {
            let (low, high) = ordered.split_at(cut);
            (points.error(low) + points.error(high), cut as u32)
        };
        least(cuts.map(error)).map_or(smallest, |(_, cut)| cut as usize)
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
    use super::super::points::Points;
    use super::super::rule::AtLeast;
    use super::*;
    use crate::seed::generator;
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
            let points = Points::new(&columns, 5);
            let mut grouping = Grouping::new(&points, &four_groups());
            let joined = grouping.joining(x, 1) - grouping.leaving(x);
            prop_assert!(close(joined, grouping.relocate(x, 1)));
            grouping.roll_back();
            let swapped = swap_change(&grouping, (x, 0), (z, 1));
            let replaced = grouping.replacing(0, x, z) + grouping.replacing(1, z, x);
            let change = grouping.relocate(x, 1) + grouping.relocate(z, 0);
            prop_assert!(close(swapped, change) && close(replaced, change));
        }

        #[test]
        fn errors_stay_true_over_a_walk(columns in columns(), seed in 0u64..99, hot in 0.0..2.0) {
            let points = Points::new(&columns, 5);
            let grouping = Grouping::new(&points, &four_groups());
            let rule = AtLeast(2);
            let mut walk =
                Walk { grouping, rule: &rule, random: generator(seed, 0), temperature: hot };
            (0..500).for_each(|_| walk.step());
            let groups = super::super::groups(walk.grouping.assignment());
            prop_assert!(groups.iter().all(|group| group.len() >= 2));
            let anew = Grouping::new(&points, &groups);
            prop_assert!(close(anew.total_error(), walk.grouping.total_error()));
        }
    }
}
