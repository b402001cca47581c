//! Records as text, Markdown and pages; nothing is computed here.
//!
//! A record ([`crate::audit::AuditRecord`], [`crate::audit::KeysRecord`]) becomes a [`Document`],
//! and the document is rendered by one file per format: [`text()`], [`markdown()`], [`html()`].
//! JSON is the record itself.

mod audit;
pub mod document;
mod html;
mod keys;
mod markdown;
pub mod plots;
mod reproduction;
mod text;

pub use document::Document;
pub use html::html;
pub(crate) use markdown::escape;
pub use markdown::markdown;
pub use text::text;
