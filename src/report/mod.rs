//! One record of what was found; text, JSON and pages are made from it alone.

mod attacks;
mod audit;
pub mod grid;
pub mod plots;
pub mod study;

pub use attacks::{AttackRow, attack_table};
pub use audit::{AuditRecord, WorstCaseRecord};
