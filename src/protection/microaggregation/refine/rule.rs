//! What every group must keep while records move.

use crate::anonymity::LevelCounts;

/// A condition on groups that the search never breaks.
///
/// A rule beyond size, such as l-diversity, says which levels of the records count
/// and judges groups by their [`Tally`], which the search keeps up to date: no move
/// looks at all members of a group. The method that formed the groups hands the rule
/// over through
/// [`ProtectionMethod::group_rule`](crate::protection::ProtectionMethod::group_rule).
/// Every group given to the search keeps the rule, so every group it gives back does.
pub trait GroupRule: Sync {
    /// The fewest records a group may have; at least 1.
    fn smallest(&self) -> usize;

    /// The level of each record, attribute by attribute, on all that is counted.
    fn levels(&self) -> &[Vec<u32>] {
        &[]
    }

    /// Whether such a group may be.
    fn allows(&self, group: &Tally) -> bool {
        group.records >= self.smallest()
    }

    /// Whether the group may do without `record`, one of its members.
    fn spares(&self, group: &Tally, _record: u32) -> bool {
        group.records > self.smallest()
    }

    /// Whether `record` brings a group in the making nearer to keeping the rule.
    fn wants(&self, _group: &Tally, _record: u32) -> bool {
        true
    }

    /// Whether the group and one more record could fall apart into two groups that keep
    /// the rule. A group that could not may grow.
    fn is_full(&self, group: &Tally) -> bool {
        group.records + 1 >= 2 * self.smallest()
    }
}

/// What a rule may know of a group: its size, and how often each level occurs in it.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// The number of members.
    pub records: usize,
    /// Their levels, attribute by attribute.
    pub counts: Vec<LevelCounts>,
}

impl Tally {
    /// The tally of a group of `members`, whose levels are in `levels`.
    pub fn of(members: &[u32], levels: &[Vec<u32>]) -> Self {
        let mut tally = Self { records: 0, counts: vec![LevelCounts::default(); levels.len()] };
        members.iter().for_each(|&record| tally.add(record, levels));
        tally
    }

    /// Counts one more member.
    #[inline]
    pub fn add(&mut self, record: u32, levels: &[Vec<u32>]) {
        self.records += 1;
        for (counts, levels) in self.counts.iter_mut().zip(levels) {
            counts.add(levels[record as usize]);
        }
    }

    /// Counts a member no longer.
    #[inline]
    pub fn remove(&mut self, record: u32, levels: &[Vec<u32>]) {
        self.records -= 1;
        for (counts, levels) in self.counts.iter_mut().zip(levels) {
            counts.remove(levels[record as usize]);
        }
    }
}

/// Groups of at least so many records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtLeast(pub usize);

impl GroupRule for AtLeast {
    fn smallest(&self) -> usize {
        self.0.max(1)
    }
}
