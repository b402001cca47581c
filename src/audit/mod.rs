//! The audit of a release: attacks, the worst case, and what to do about it, in one record.
//!
//! - [`Audit`] runs everything on one release and gives an [`AuditRecord`].
//! - [`Keys`] tells which attributes carry the risk, for one release or several.
//! - [`NamedAttacks`] runs attacks of the registry that learn nothing.
//!
//! Records are data: they say everything in JSON, and a report is rendered from them alone.

mod attacks;
mod builder;
mod ceilings;
mod certain_values;
mod clock;
mod correspondence;
mod coverage;
mod elsewhere;
mod examination;
mod exposure;
mod fewer_attributes;
mod file_count;
mod key_attributes;
mod keys;
mod known_protection;
mod ladder;
mod least_work;
mod limits;
mod misplaced;
mod pairings;
mod record;
mod releases;
mod reproduction;
mod scales;
mod settings;
mod threshold;
mod translation;
mod verdict;
mod worst_cases;

pub use attacks::{AttacksRecord, DrawnSample, NamedAttacks};
pub use builder::{Audit, DEFAULT_TIME};
pub use ceilings::Ceilings;
pub use certain_values::CertainValues;
pub use correspondence::{Correspondence, Pairing, PairingTest, RowsVerdict, in_original_order};
pub use coverage::{Coverage, DirectIdentifier, NotAttacked};
pub use elsewhere::Elsewhere;
pub use exposure::{Exposed, ExposedValue, MarginBin, Naming, RecordsAtRisk};
pub use file_count::FileCount;
pub use key_attributes::{AttributeRisk, KeyAttributes, KnownProtection, reaches, recommendations};
pub use keys::{Change, Keys, KeysRecord, ReleaseKeys, Strength};
pub use ladder::{Identified, Ladder, LeftOut};
pub use misplaced::Misplaced;
pub use record::{AuditRecord, ScaleRecord, WorstCaseRecord, stop_words};
pub use releases::{AttributeLossSummary, ReleaseRecord, UtilitySummary, mark_frontier};
pub use reproduction::Reproduction;
pub use scales::Scales;
pub use settings::Haystack;
pub use threshold::{CertainThreshold, Threshold};
pub use verdict::{BlindAttacker, Gate, Verdict};
