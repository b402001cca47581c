//! Answers that are found once for all records of the same levels.

use std::cell::Cell;

/// The answers to one question on records, which depends on their labels alone; each is
/// found when it is first asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Answers {
    /// A bit for each label whose answer is known.
    known: Cell<u64>,
    yes: Cell<u64>,
}

impl Answers {
    /// The answer for `label`, which `test` finds; without a label `test` is asked again.
    #[inline]
    pub fn get(&self, label: Option<u8>, test: impl FnOnce() -> bool) -> bool {
        let Some(label) = label else { return test() };
        let bit = 1 << label;
        if self.known.get() & bit == 0 {
            self.known.set(self.known.get() | bit);
            self.yes.set(self.yes.get() | if test() { bit } else { 0 });
        }
        self.yes.get() & bit != 0
    }
}
