//! The result of an attack, and the ladder of attacks as a table.

use crate::error::Result;
use crate::linkage::{Attack, Release, TieRule};
use crate::progress::Progress;
use crate::risk::wilson_interval;
use crate::table::Table;
use serde::{Serialize, Serializer};
use std::time::Instant;

/// The result of one attack on a release.
#[derive(Debug, Clone, Serialize)]
pub struct AttackRow {
    /// The attack's name.
    pub attack: String,
    /// Records re-identified; fractional only where ties are shared or guessed.
    #[serde(serialize_with = "whole_where_possible")]
    pub reidentified: f64,
    /// Records attacked.
    pub of: usize,
    /// `reidentified` as a share of `of`.
    pub rate: f64,
    /// 95% Wilson interval of the rate, where the records are a sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Records whose own released record ties with others.
    pub tied: usize,
    /// How many of those guessing would get on average.
    pub expected_ties: f64,
    /// Time the attack took.
    pub seconds: f64,
}
