//! Learned weights on records they were not learned from.

use super::{Aggregation, PairRows};
use crate::distance::Standardization;
use crate::error::Result;
use crate::linkage::Release;
use crate::listener::Listener;
use crate::statistics::wilson_interval;
use serde::Serialize;

/// How many records of another sample equal and learned weights re-identify,
/// ties not counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeldOut {
    /// Records tested.
    pub records: usize,
    /// Re-identified by equal weights.
    pub dbrl1: usize,
    /// `dbrl1` as a share of the records.
    pub dbrl1_rate: f64,
    /// 95% Wilson interval of `dbrl1_rate`.
    pub dbrl1_interval: [f64; 2],
    /// Re-identified by the learned weights.
    pub worst_case_weights: usize,
    /// `worst_case_weights` as a share of the records.
    pub worst_case_weights_rate: f64,
    /// 95% Wilson interval of `worst_case_weights_rate`.
    pub worst_case_weights_interval: [f64; 2],
}

impl HeldOut {
    /// Tests `weights` on `release`, standardized by its own statistics.
    pub fn test<S: AsRef<str>>(
        release: &Release,
        names: &[S],
        standardization: Standardization<'_>,
        aggregation: Aggregation,
        weights: &[f64],
    ) -> Result<Self> {
        Self::test_until(release, names, standardization, aggregation, weights, &())
    }

    /// The same; fails when `listener` interrupts.
    pub fn test_until<S: AsRef<str>>(
        release: &Release,
        names: &[S],
        standardization: Standardization<'_>,
        aggregation: Aggregation,
        weights: &[f64],
        listener: &dyn Listener,
    ) -> Result<Self> {
        let rows = PairRows::new(release, names, standardization, aggregation)?;
        let count = |weights: &[f64]| -> Result<usize> {
            Ok(rows.reidentified(weights, listener)?.into_iter().filter(|r| *r).count())
        };
        let records = release.records();
        let (dbrl1, learned) = (count(&vec![1.0; weights.len()])?, count(weights)?);
        Ok(Self {
            records,
            dbrl1,
            dbrl1_rate: dbrl1 as f64 / records as f64,
            dbrl1_interval: wilson_interval(dbrl1 as f64, records),
            worst_case_weights: learned,
            worst_case_weights_rate: learned as f64 / records as f64,
            worst_case_weights_interval: wilson_interval(learned as f64, records),
        })
    }
}
