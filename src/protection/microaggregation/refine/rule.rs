//! What every group must keep while records move.

/// A condition on groups that the search never breaks.
///
/// A rule beyond size, such as l-diversity, implements [`GroupRule::allows`];
/// the method that formed the groups hands it over through
/// [`ProtectionMethod::group_rule`](crate::protection::ProtectionMethod::group_rule).
/// Every group given to the search keeps the rule, so every group it gives back does.
pub trait GroupRule: Sync {
    /// The fewest records a group may have; at least 1.
    fn smallest(&self) -> usize;

    /// Whether `members`, in any order and at least [`GroupRule::smallest`] of them, may form a group.
    ///
    /// Asked for each group a move changes, and only for moves that would otherwise be made.
    fn allows(&self, members: &[u32]) -> bool;
}

/// Groups of at least so many records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtLeast(pub usize);

impl GroupRule for AtLeast {
    fn smallest(&self) -> usize {
        self.0.max(1)
    }

    fn allows(&self, members: &[u32]) -> bool {
        members.len() >= self.0
    }
}
