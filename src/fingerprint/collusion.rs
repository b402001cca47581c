//! Patterns that stay k-anonymous and telling when recipients put their files together.
//!
//! A coalition of recipients knows the finest level ([`finest`]) of each quasi-identifier
//! among its files; it *can make* every pattern that is nowhere finer. A leak names the
//! recipient with exactly its pattern; where there is none, the smallest coalitions that can
//! make it. A coalition **is identified** when the file it makes by taking the finest levels
//! names that coalition and no other.
//!
//! A family of patterns is *safe* against coalitions of up to `c >= 2` when
//!
//! 1. the file of any `c` of them together is k-anonymous (of fewer, it is even more so), and
//! 2. every coalition of up to `c` is identified.
//!
//! **Claim.** The second is the same as: against any other `c` members (all others, where
//! there are fewer), every member has a quasi-identifier on which it is strictly finer than
//! all of them. *Proof.* Let coalitions `S`, `T` with `|T| <= |S| <= c` be different, and `T`
//! able to make the file of `S`. There is a member `i` of `S` outside `T`; `T` can make the
//! file of `S`, hence that of `i`, and `i` stands out nowhere against `T`. Conversely let `i`
//! stand out nowhere against `T`, `|T| <= c`. If `T` is one member `t`, then `t` and `i`
//! together make the file of `t`, which names `t` alone. Else put `i` in the place of one
//! member of `T`: `T` can make the file of that coalition too, and it is not the only one
//! named. So safety speaks of sets of at most `c + 1` patterns, and the largest safe family is
//! found by exact search, with proof.
//!
//! With `c = 1` nothing is asked beyond patterns that can be told apart.

use super::AnonymousPattern;
use super::largest_family::{FamilyRule, LargestFamily, largest_family};
use super::levels::Appearances;
use super::pattern::{GeneralizationPattern, finest};
use crate::lattice::Lattice;

/// What a family of patterns must hold.
pub(super) struct Safety<'a> {
    /// The size of the largest coalition.
    pub collusion: usize,
    pub lattice: &'a Lattice,
    /// By node of the lattice: is it k-anonymous?
    pub anonymous: &'a [bool],
    pub appearances: &'a Appearances,
}

impl Safety<'_> {
    /// The largest safe family of `solutions`, as positions; stops after `most_checks`.
    pub fn largest(&self, solutions: &[AnonymousPattern], most_checks: u64) -> LargestFamily {
        largest_family(&SafeFamily { safety: self, solutions }, most_checks)
    }

    fn is_anonymous(&self, pattern: &GeneralizationPattern) -> bool {
        self.lattice.index(pattern).is_some_and(|index| self.anonymous[index])
    }

    /// True when every one of `patterns` stands out against the others.
    fn all_stand_out(&self, patterns: &[&GeneralizationPattern]) -> bool {
        (0..patterns.len()).all(|own| self.appearances.stands_out(own, patterns))
    }
}

struct SafeFamily<'a> {
    safety: &'a Safety<'a>,
    solutions: &'a [AnonymousPattern],
}

impl FamilyRule for SafeFamily<'_> {
    fn items(&self) -> usize {
        self.solutions.len()
    }

    fn width(&self) -> usize {
        // Two patterns must differ even when nobody colludes.
        self.safety.collusion + 1
    }

    fn allowed(&self, set: &[usize]) -> bool {
        let patterns: Vec<&GeneralizationPattern> =
            set.iter().map(|&i| &self.solutions[i].levels).collect();
        let Safety { collusion, appearances, .. } = self.safety;
        match patterns.as_slice() {
            [_] => true,
            [a, b] if *collusion == 1 => appearances.differ(a, b) && appearances.differ(b, a),
            _ => {
                let joined = || finest(patterns.iter().copied());
                self.safety.all_stand_out(&patterns)
                    && (patterns.len() > *collusion || self.safety.is_anonymous(&joined()))
            }
        }
    }
}
