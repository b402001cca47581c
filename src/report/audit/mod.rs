//! The audit of a release: one record, and the document made from it.

mod exposure;
mod keys;
mod ladder;
mod page;
mod record;
mod releases;
mod terms;
mod threshold;

pub use exposure::{Exposed, ExposedValue, MarginBin, Naming, RecordsAtRisk};
pub(super) use keys::isolated;
pub use keys::{AttributeRisk, KeyAttributes, KnownProtection, recommendations};
pub use ladder::{Identified, Ladder, LeftOut};
pub use record::{AuditRecord, WorstCaseRecord};
pub use releases::{AttributeLoss, ReleaseRecord, UtilitySummary, mark_frontier};
pub use threshold::Threshold;
