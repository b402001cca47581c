//! Certificates: the worst case with a proof that anybody can check.
//!
//! [`Certificates`] collects what searches prove; [`verify`] reads it back, makes the inequalities
//! anew from the files, and confirms every step in exact arithmetic without any search. The format
//! is described in `docs/certificate.md`.

mod collected;
mod recipe;
mod rows;
mod verified;

pub use collected::{Certificates, CertifiedFiles};
pub use recipe::{ComparedAttribute, DigestOf, Recipe};
pub use verified::{Verified, verify};

pub(super) use collected::Proof;
