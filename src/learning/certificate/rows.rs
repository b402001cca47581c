//! The inequalities of a release as a checker of certificates asks for them.

use crate::error::Result;
use crate::learning::{Count, Gains, PairRows};
use crate::listener::Listener;
use unmask_solvers::Dyadic;
use unmask_solvers::certificate::RowSource;

/// Inequalities without rounding, called by the released records they are with, and gains.
pub(super) struct CheckedRows<'a> {
    rows: &'a PairRows<'a>,
    gains: Gains,
}

impl<'a> CheckedRows<'a> {
    pub fn new(rows: &'a PairRows<'a>, listener: &dyn Listener) -> Result<Self> {
        Ok(Self { rows, gains: rows.gains(listener)? })
    }
}

impl RowSource for CheckedRows<'_> {
    fn weights(&self) -> usize {
        self.rows.dimension()
    }

    fn blocks(&self) -> usize {
        self.rows.blocks()
    }

    fn gain(&self, block: usize) -> u64 {
        self.gains.units(block)
    }

    fn row(&self, block: usize, rival: u32) -> Option<Vec<Dyadic>> {
        let own = self.rows.release().own()[block];
        let exists = (rival as usize) < self.rows.release().released().records();
        let row = (exists && rival != own).then(|| self.rows.exact_row(block, rival))?;
        let is_twin = row.iter().all(|entry| entry.sign().is_eq());
        (!is_twin || self.rows.count() == Count::Certain).then_some(row)
    }

    fn names(&self, block: usize) -> Vec<u32> {
        self.rows.rivals_of(block)
    }
}
