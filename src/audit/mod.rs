//! The audit of a release: attacks, the worst case, and what to do about it, in one record.

mod exposure;
mod keys;
mod ladder;
mod record;
mod releases;
mod threshold;

pub use exposure::{Exposed, ExposedValue, MarginBin, Naming, RecordsAtRisk};
pub use keys::{AttributeRisk, KeyAttributes, KnownProtection, recommendations};
pub(crate) use keys::{isolated, reaches};
pub use ladder::{Identified, Ladder, LeftOut};
pub(crate) use record::stop_words;
pub use record::{AuditRecord, WorstCaseRecord};
pub use releases::{AttributeLoss, ReleaseRecord, UtilitySummary, mark_frontier};
pub use threshold::Threshold;
