//! Are own pairs nearer than random pairs? Counted over random pairings inside groups of records.

use crate::distance::AttributeDistances;
use crate::random::generator;
use crate::statistics::{mean, standard_deviation};
use rand::Rng;
use rand::seq::SliceRandom;
use std::ops::Range;

/// Random pairings that own pairs are compared with.
pub(super) const PAIRINGS: usize = 1_000;
/// Records are exchanged inside groups of at most this many: the costs of a group stay a small table.
const GROUP: usize = 16;
/// Records that are drawn where there are more, whole groups at a time.
const DRAWN: usize = 2_000;
/// Distances are cut at this many times the median of those above 0.
const CUT: f64 = 4.0;

/// Groups of records inside which released records are exchanged.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Groups(Vec<Vec<u32>>);

impl Groups {
    /// Random parts of `blocks`, drawn at random where there are many.
    pub fn of_equals(blocks: impl IntoIterator<Item = Vec<u32>>, random: &mut impl Rng) -> Self {
        let parts = |mut block: Vec<u32>| {
            block.shuffle(random);
            parts(&block, GROUP)
        };
        let groups = blocks.into_iter().filter(|block| block.len() > 1).flat_map(parts).collect();
        Self::drawn(groups, DRAWN, random)
    }

    /// Random parts of the records in `rows`, about `most` of them.
    pub fn of_part(rows: Range<u32>, most: usize, random: &mut impl Rng) -> Self {
        let mut rows: Vec<u32> = rows.collect();
        rows.shuffle(random);
        Self::drawn(parts(&rows, GROUP), most, random)
    }

    /// Neighbors in the order of `records`, drawn at random where there are many.
    pub fn of_neighbors(records: &[u32], random: &mut impl Rng) -> Self {
        Self::drawn(parts(records, GROUP), DRAWN, random)
    }

    /// The first `size` of so many records, the next ones, and so on, drawn at random where there
    /// are many.
    pub fn of_adjacent(records: u32, size: usize, random: &mut impl Rng) -> Self {
        Self::drawn(parts(&(0..records).collect::<Vec<_>>(), size), DRAWN, random)
    }

    fn drawn(mut groups: Vec<Vec<u32>>, most: usize, random: &mut impl Rng) -> Self {
        groups.shuffle(random);
        let mut records = 0;
        let more = |group: &Vec<u32>| {
            let wanted = records < most;
            records += group.len();
            wanted
        };
        Self(groups.into_iter().take_while(more).collect())
    }

    /// Number of records.
    pub fn records(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}

/// `records` cut into groups of nearly equal size, at most `size`; none of them alone.
fn parts(records: &[u32], size: usize) -> Vec<Vec<u32>> {
    let groups = records.len().div_ceil(size);
    let start = |group: usize| group * records.len() / groups;
    let part = |group: usize| records[start(group)..start(group + 1)].to_vec();
    (0..groups).map(part).filter(|part| part.len() > 1).collect()
}

/// How near own pairs are beside random pairs of the same groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Nearness {
    /// Records in the groups.
    pub records: usize,
    /// Pairings, of [`PAIRINGS`], that are at least as near as the own pairs.
    pub as_near: usize,
    /// True when own pairs are at distance 0 and random ones are not.
    pub exact: bool,
    /// By how many standard deviations of a random pairing own pairs are nearer at most: each
    /// attribute paired by itself.
    pub most: f64,
    /// By how many own pairs of an aligned file are expected to be nearer.
    ///
    /// Noise, or means in place of values, leave of what the best pairing on an attribute saves
    /// about the ratio of the smaller to the larger spread of the two files, and that is
    /// about the part of a random pairing's distance that the best pairing saves.
    pub expected: f64,
}

impl Nearness {
    /// Compares own pairs, `own[i]` being the released record of original i, with pairings inside
    /// `groups`, on all attributes of `distances` but the one at `without`.
    ///
    /// Distances on an attribute are cut at four times the typical one, so that no outlier
    /// decides, and divided by their standard deviation. Cost: 2,000 records in groups of 16 make
    /// 32,000 distances and 2 million additions.
    pub fn measure(
        distances: &AttributeDistances,
        own: &[u32],
        groups: &Groups,
        without: Option<usize>,
        seed: u64,
    ) -> Self {
        let (costs, savings) = GroupCosts::new(distances, own, groups, without);
        let mut random = generator(seed, 1);
        let sums: Vec<f64> = (0..PAIRINGS).map(|_| costs.random(&mut random)).collect();
        let (deviation, aligned) = (standard_deviation(&sums), costs.own());
        // Pairings of equal distances in another order differ by rounding.
        let tolerance = 1e-9 * mean(&sums);
        let varies = deviation > tolerance;
        let in_deviations = |saved: f64| if varies { saved / deviation } else { 0.0 };
        Self {
            records: groups.records(),
            as_near: sums.iter().filter(|sum| **sum <= aligned + tolerance).count(),
            exact: varies && aligned <= tolerance,
            most: in_deviations(savings.most),
            expected: in_deviations(savings.expected),
        }
    }

    /// True when own pairs are nearer than every random pairing.
    pub fn is_nearer(&self) -> bool {
        self.as_near == 0 || self.exact
    }
}

/// What the best pairings on single attributes save.
#[derive(Debug, Clone, Copy, Default)]
struct Savings {
    most: f64,
    expected: f64,
}

/// The distance of every original to every released record of its group.
struct GroupCosts(Vec<Table>);

/// Square: row by row.
struct Table {
    size: usize,
    cells: Vec<f64>,
}

impl Table {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.cells[i * self.size + j]
    }

    fn sum(&self, pairing: &[usize]) -> f64 {
        pairing.iter().enumerate().map(|(i, &j)| self.at(i, j)).sum()
    }

    /// A pairing that no exchange of two makes nearer.
    fn best(&self) -> f64 {
        let mut pairing: Vec<usize> = (0..self.size).collect();
        let mut improved = true;
        while improved {
            improved = false;
            for (a, b) in (0..self.size).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let (i, j) = (pairing[a], pairing[b]);
                let (now, then) = (self.at(a, i) + self.at(b, j), self.at(a, j) + self.at(b, i));
                // Rounding could make an exchange and its reverse both look nearer, for ever.
                if then - now < -f64::max(1e-9, 1e-12 * now) {
                    pairing.swap(a, b);
                    improved = true;
                }
            }
        }
        self.sum(&pairing)
    }
}

impl GroupCosts {
    /// The costs on all attributes but one together, and what each saves by itself.
    fn new(
        distances: &AttributeDistances,
        own: &[u32],
        groups: &Groups,
        without: Option<usize>,
    ) -> (Self, Savings) {
        let vectors = vectors(distances, own, groups);
        let (mut all, mut savings) = (Self::zero(groups), Savings::default());
        for k in (0..distances.len()).filter(|k| Some(*k) != without) {
            let mut one = Self::zero(groups);
            one.add(&bounded(vectors.iter().skip(k).step_by(distances.len()).copied()));
            let (random, best) = (one.average(), one.best());
            if random > 0.0 {
                savings.most += random - best;
                savings.expected += (random - best).powi(2) / random;
            }
            all.0.iter_mut().zip(&one.0).for_each(|(all, one)| {
                all.cells.iter_mut().zip(&one.cells).for_each(|(sum, d)| *sum += d);
            });
        }
        (all, savings)
    }

    fn zero(groups: &Groups) -> Self {
        let table = |g: &Vec<u32>| Table { size: g.len(), cells: vec![0.0; g.len() * g.len()] };
        Self(groups.0.iter().map(table).collect())
    }

    /// Adds the distances of all pairs, group by group.
    fn add(&mut self, distances: &[f64]) {
        let cells = self.0.iter_mut().flat_map(|table| &mut table.cells);
        cells.zip(distances).for_each(|(cell, d)| *cell += d);
    }

    fn own(&self) -> f64 {
        self.0.iter().map(|t| (0..t.size).map(|i| t.at(i, i)).sum::<f64>()).sum()
    }

    /// What a random pairing costs on average.
    fn average(&self) -> f64 {
        self.0.iter().map(|t| t.cells.iter().sum::<f64>() / t.size as f64).sum()
    }

    fn best(&self) -> f64 {
        self.0.iter().map(Table::best).sum()
    }

    fn random(&self, random: &mut impl Rng) -> f64 {
        let one = |table: &Table| {
            let mut pairing: [usize; GROUP] = std::array::from_fn(|i| i);
            pairing[..table.size].shuffle(random);
            table.sum(&pairing[..table.size])
        };
        self.0.iter().map(one).sum()
    }
}

/// The distances on each attribute of all pairs of each group.
fn vectors(distances: &AttributeDistances, own: &[u32], groups: &Groups) -> Vec<f64> {
    let pairs = groups.0.iter().flat_map(|g| g.iter().flat_map(|i| g.iter().map(move |j| (i, j))));
    let mut all = Vec::new();
    let mut vector = vec![0.0; distances.len()];
    for (&i, &j) in pairs {
        distances.vector(i as usize, own[j as usize] as usize, &mut vector);
        all.extend_from_slice(&vector);
    }
    all
}

/// Distances, at most four times the typical one, divided by their standard deviation; 0 where all
/// are equal.
fn bounded(distances: impl Iterator<Item = f64>) -> Vec<f64> {
    let all: Vec<f64> = distances.collect();
    let mut positive: Vec<f64> = all.iter().copied().filter(|d| *d > 0.0).collect();
    if positive.is_empty() {
        return all;
    }
    let middle = positive.len() / 2;
    let typical = *positive.select_nth_unstable_by(middle, f64::total_cmp).1;
    let counted: Vec<f64> = all.iter().map(|d| d.min(CUT * typical)).collect();
    let deviation = standard_deviation(&counted);
    // Of equal distances rounding leaves some: that is no deviation.
    let scale = if deviation > 1e-12 * typical { deviation.recip() } else { 0.0 };
    counted.into_iter().map(|d| d * scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn groups_hold_every_record_once_and_none_alone(records in 2usize..300, seed: u64) {
            let all: Vec<u32> = (0..records as u32).collect();
            for groups in [
                Groups::of_equals([all.clone()], &mut generator(seed, 0)),
                Groups::of_neighbors(&all, &mut generator(seed, 0)),
            ] {
                let mut members: Vec<u32> = groups.0.concat();
                members.sort_unstable();
                prop_assert_eq!(&members, &all);
                prop_assert!(groups.0.iter().all(|g| (2..=GROUP).contains(&g.len())));
            }
        }

        #[test]
        fn no_pairing_drawn_is_nearer_than_one_without_better_exchange(
            cells in proptest::collection::vec(0.0f64..1.0, 9),
        ) {
            let table = Table { size: 3, cells };
            let best = table.best();
            let own = table.sum(&[0, 1, 2]);
            prop_assert!(best <= own + 1e-12);
            for exchanged in [[1, 0, 2], [0, 2, 1], [2, 1, 0]] {
                prop_assert!(best <= own.max(table.sum(&exchanged)) + 1e-12);
            }
        }
    }

    #[test]
    fn many_records_are_drawn_down_to_about_two_thousand() {
        let all: Vec<u32> = (0..50_000).collect();
        let groups = Groups::of_equals([all], &mut generator(1, 0));
        assert!((DRAWN..DRAWN + GROUP).contains(&groups.records()));
    }

    #[test]
    fn an_attribute_that_is_constant_counts_nothing() {
        assert_eq!(bounded([2.0; 5].into_iter()), [0.0; 5]);
        assert_eq!(bounded([0.0; 5].into_iter()), [0.0; 5]);
        for records in 2..300 {
            let equal = vec![1.0 / 3.0; records];
            assert_eq!(bounded(equal.into_iter()), vec![0.0; records], "rounding is no deviation");
        }
    }

    #[test]
    fn exchanges_end_where_rounding_is_larger_than_differences() {
        let cells: Vec<f64> = (0..256).map(|i| 1e17 + 16.0 * f64::from(i * 37 % 11)).collect();
        assert!(Table { size: 16, cells }.best() > 0.0);
    }
}
