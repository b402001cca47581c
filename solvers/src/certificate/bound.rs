//! What dead blocks, conflicts and groups say about the gain of the violated blocks.

use std::collections::BTreeMap;

/// A set of blocks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Blocks {
    bits: Vec<u64>,
    /// Sum of the gains of its members.
    pub gain: u64,
}

impl Blocks {
    pub fn contains(&self, block: u32) -> bool {
        let word = self.bits.get(block as usize / 64);
        word.is_some_and(|word| word >> (block % 64) & 1 == 1)
    }

    /// Adds a block, once.
    pub fn insert(&mut self, block: u32, gains: &[u64]) {
        if !self.contains(block) {
            self.bits.resize(self.bits.len().max(block as usize / 64 + 1), 0);
            self.bits[block as usize / 64] |= 1 << (block % 64);
            self.gain += gains[block as usize];
        }
    }
}

/// Shares of conflicts such that no block bears more than its gain.
///
/// One block of each conflict is violated. So the violated blocks of a set of conflicts, each
/// block paid `load` by those it is in, have at least the gain of all shares: a conflict's
/// share is paid to each of its blocks, and to a violated one at least once. Blocks known to be dead
/// add what their load leaves of their gain.
#[derive(Debug, Clone)]
pub(crate) struct Packing {
    denominator: u128,
    total: u128,
    loads: BTreeMap<u32, u128>,
}

impl Packing {
    /// No conflicts.
    pub fn empty() -> Self {
        Self { denominator: 1, total: 0, loads: BTreeMap::new() }
    }

    /// Each conflict takes, in turn, the least that those before it leave of its blocks' gains.
    pub fn greedy(conflicts: &[Vec<u32>], gains: &[u64]) -> Self {
        let mut packing = Self::empty();
        for conflict in conflicts {
            let left = |b: &u32| u128::from(gains[*b as usize]) - packing.load(*b);
            let share = conflict.iter().map(left).min().unwrap_or(0);
            packing.add(conflict, share);
        }
        packing
    }

    /// Each conflict takes its numerator over the denominator; none if a block bears too much.
    pub fn of_shares(
        conflicts: &[Vec<u32>],
        denominator: u64,
        numerators: &[u64],
        gains: &[u64],
    ) -> Option<Self> {
        let mut packing = Self { denominator: u128::from(denominator), ..Self::empty() };
        for (conflict, share) in conflicts.iter().zip(numerators) {
            packing.add(conflict, u128::from(*share));
        }
        let bears = |(b, load): (&u32, &u128)| {
            *load <= u128::from(gains[*b as usize]) * u128::from(denominator)
        };
        let sound = denominator > 0 && conflicts.len() == numerators.len();
        (sound && packing.loads.iter().all(bears)).then_some(packing)
    }

    fn add(&mut self, conflict: &[u32], share: u128) {
        self.total += share;
        conflict.iter().for_each(|b| *self.loads.entry(*b).or_default() += share);
    }

    /// What a block bears, in parts of the denominator.
    pub fn load(&self, block: u32) -> u128 {
        self.loads.get(&block).copied().unwrap_or(0)
    }

    /// Least gain of the violated blocks where these are dead, and of each group at most one
    /// block is satisfied; no block of a group may bear a load.
    pub fn bound(&self, dead: &Blocks, groups: &[Vec<u32>], gains: &[u64]) -> u64 {
        let paid: u128 = self.loads.iter().filter(|(b, _)| dead.contains(**b)).map(|l| l.1).sum();
        let group = |group: &Vec<u32>| {
            let alive = group.iter().filter(|b| !dead.contains(**b)).map(|b| gains[*b as usize]);
            alive.clone().sum::<u64>() - alive.max().unwrap_or(0)
        };
        let whole = dead.gain + groups.iter().map(group).sum::<u64>();
        let parts = u128::from(whole) * self.denominator + self.total - paid;
        parts.div_ceil(self.denominator) as u64
    }
}
