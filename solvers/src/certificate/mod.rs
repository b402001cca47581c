//! Proofs that anybody can check: certificates and their checker.
//!
//! A certificate says that no weights of at least 0 satisfy blocks of more than some gain, and
//! proves it by a tree of boxes of weights. The checker knows the rows of the problem and this
//! format, and nothing of the search that wrote it. Whatever it cannot confirm, in exact arithmetic,
//! it refuses. The format and why each step is a proof are described in `docs/certificate.md`.

mod bound;
mod checker;
mod file;
mod format;
mod multipliers;
mod number;

pub use checker::{Proven, verify};
pub use file::{Certificate, Certificates, Claim};
pub use format::{Case, Conflict, Cut, Decoder, Encoder, End, Node, RowName, Step};
pub use number::Edge;

pub(crate) use bound::{Blocks, Packing};
pub(crate) use multipliers::multipliers;
pub(crate) use number::{Region, Row, never_positive};

use crate::Dyadic;
use thiserror::Error;

/// The definition of a problem's rows, by which a certificate is checked.
pub trait RowSource: Sync {
    /// Number of weights, from 1 to 64.
    fn weights(&self) -> usize;

    /// Number of blocks.
    fn blocks(&self) -> usize;

    /// What a block is worth when all of its rows are above 0; at least 1, and all of them sum to
    /// at most 2^53.
    fn gain(&self, block: usize) -> u64;

    /// The entries of a row, all times a positive number; none if the block has no such row.
    fn row(&self, block: usize, name: u32) -> Option<Vec<Dyadic>>;

    /// The names of all rows of a block.
    fn names(&self, block: usize) -> Vec<u32>;
}

/// Why a certificate proves nothing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// It could not be read.
    #[error("the certificate cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// It is not in the format.
    #[error("the certificate is malformed: {0}")]
    Malformed(&'static str),
    /// It is about another problem.
    #[error("the certificate is about {certificate} {what}, the files give {files}")]
    Other {
        /// What differs.
        what: &'static str,
        /// How many the certificate says.
        certificate: u64,
        /// How many there are.
        files: u64,
    },
    /// The weights do not reach what it says.
    #[error("the weights of the certificate satisfy blocks of gain {counted}, not {claimed}")]
    Found {
        /// What the certificate says.
        claimed: u64,
        /// What was counted.
        counted: u64,
    },
    /// A step of the proof is wrong.
    #[error("the certificate fails at node {node}: {reason}")]
    Refused {
        /// Number of the node in the file, from 1; 0 before the first.
        node: u64,
        /// What is wrong with it.
        reason: String,
    },
}
