//! One record of what was found; text, JSON, Markdown and pages are made from it alone.
//!
//! A record becomes a [`Document`], and the document is rendered by one file per
//! format: [`text()`], [`markdown()`], [`html()`]. JSON is the record itself.

mod attacks;
mod audit;
pub mod document;
mod html;
pub mod keys;
mod markdown;
pub mod plots;
mod reproduction;
mod text;

pub use attacks::{AttackRow, attack_table};
pub use document::Document;
pub use html::html;
pub use keys::KeysRecord;
pub use markdown::markdown;
pub use reproduction::{Reproduction, shell_line};
pub use text::text;
