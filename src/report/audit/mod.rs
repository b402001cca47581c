//! The document of an audit.

mod page;
mod terms;
