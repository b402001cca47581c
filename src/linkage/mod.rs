//! Attacks on a release that need no learning: who is who, by what the two files say.
//!
//! In all of them the attacker holds an original file with names on it and the
//! released file without, and links each original record to a released one. The
//! truth is the [`Release`]'s: a link is right when it is the original record's
//! own released record. [`TieRule`] says what a tie counts. An [`Attack`]'s docs
//! name what its attacker knows beyond the two files.

mod assignment;
mod attack;
mod distance_based;
mod kernel;
mod links;
mod mahalanobis;
mod nearest;
mod probabilistic;
mod release;
mod standing;

pub use assignment::ASSIGNMENT_LIMIT;
pub use attack::Attack;
pub(crate) use distance_based::own_within_second_nearest;
pub use links::{Link, Links, TieRule};
pub use mahalanobis::Alignment;
pub use probabilistic::{DEFAULT_TOLERANCE, FellegiSunter};
pub use release::Release;
pub(crate) use standing::{Standing, margins, relative_margin, standings};
