//! Files of Excel, Stata, SAS and SPSS.
//!
//! A cell of theirs is a number, a text or missing; formats say which numbers are dates, and
//! labels what codes stand for. A column all of whose codes have labels becomes labels.
//! Where some have none the numbers stay, and that is told. Values that the file declares missing
//! are missing. Whatever the bytes are, the outcome is a data set or one error.

#[cfg(feature = "formats")]
mod bytes;
#[cfg(feature = "formats")]
mod coded;
#[cfg(feature = "formats")]
mod excel;
#[cfg(feature = "formats")]
mod instants;
#[cfg(not(feature = "formats"))]
mod left_out;
#[cfg(feature = "formats")]
mod sas;
#[cfg(feature = "formats")]
mod spss;
#[cfg(feature = "formats")]
mod stata;

#[cfg(not(feature = "formats"))]
pub(super) use left_out::{excel, sas_transport, spss, stata, write_stata};
#[cfg(feature = "formats")]
pub(super) use {
    excel::read as excel, sas::read as sas_transport, spss::read as spss, stata::StataColumn,
    stata::read as stata, stata::write as write_stata,
};

/// The error for `file`, which is no readable file of `kind`.
#[cfg(feature = "formats")]
fn broken(file: &str, kind: &str, problem: &dyn std::fmt::Display) -> crate::error::Error {
    crate::error::Error::input(file, format!("not a readable {kind} file: {problem}"))
}

/// What is said of damage.
#[cfg(feature = "formats")]
const DAMAGED: &str = "it is damaged; get a fresh copy";
