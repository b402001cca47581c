//! Attacks on a release that need no learning: who is who, by what the two files say.
//!
//! In all of them the attacker holds an original file with names on it and the
//! released file without, and links each original record to a released one. The
//! truth is the [`Release`]'s: a link is right when it is the original record's
//! own released record. [`TieRule`] says what a tie counts. An [`Attack`]'s docs
//! name what its attacker knows beyond the two files.

mod assignment;
mod attack;
mod attack_row;
mod auction;
mod ceiling;
mod distance_based;
mod exact_ties;
mod informed;
mod kernel;
mod links;
mod mahalanobis;
mod nearest;
mod probabilistic;
pub mod registry;
mod release;
mod sparse;
mod weighted;

pub use assignment::ASSIGNMENT_LIMIT;
pub use attack::{Attack, DEFAULT_DEGREE};
pub use attack_row::{AttackRow, attack_notes, attack_table};
pub use ceiling::Ceiling;
pub(crate) use distance_based::own_within_second_nearest;
pub use links::{Link, Links, SparseSearch, TieRule};
pub(crate) use nearest::Gatherer;
pub use probabilistic::{DEFAULT_TOLERANCE, FellegiSunter};
pub use release::Release;
pub(crate) use weighted::{around_own, margins, relative_margin};
