//! From a release to the inequalities of the block problem.

use super::Aggregation;
use crate::distance::{AttributeDistances, Standardization};
use crate::error::Result;
use crate::linkage::{Release, relative_margin};
use crate::listener::Listener;
use rayon::prelude::*;
use unmask_solvers::{BlockProblem, BlockProblemBuilder, ReducedBlock, check, reduce_block};

/// The inequalities of a release, made when asked for.
///
/// Nothing of size n² is kept: a block's rows exist while it is reduced or counted.
#[derive(Debug)]
pub struct PairRows<'a> {
    release: &'a Release,
    distances: AttributeDistances,
    aggregation: Aggregation,
}

/// Blocks reduced in parallel before they are added in order.
const BATCH: usize = 512;

impl<'a> PairRows<'a> {
    /// Prepares the attributes `names`; fails as [`AttributeDistances::new`] does.
    pub fn new<S: AsRef<str>>(
        release: &'a Release,
        names: &[S],
        standardization: Standardization<'_>,
        aggregation: Aggregation,
    ) -> Result<Self> {
        let distances = release.distances(names, standardization)?;
        Ok(Self { release, distances, aggregation })
    }

    /// Number of weights.
    pub fn dimension(&self) -> usize {
        self.distances.len()
    }

    /// Number of blocks: one per original record.
    pub fn blocks(&self) -> usize {
        self.release.records()
    }

    /// Number of inequalities in all.
    pub fn rows_full(&self) -> usize {
        self.blocks() * (self.release.released().records() - 1)
    }

    /// All inequalities of record `i`, one after the other.
    pub fn block(&self, i: usize) -> Vec<f64> {
        let own = self.release.own()[i];
        self.rows_of(i, (0..self.release.released().records() as u32).filter(|j| *j != own))
    }

    /// The inequalities of record `i` and the released records `others`.
    fn rows_of(&self, i: usize, others: impl Iterator<Item = u32>) -> Vec<f64> {
        let mut row = self.row_maker(i);
        let mut rows = Vec::with_capacity(others.size_hint().1.unwrap_or(0) * self.dimension());
        others.for_each(|j| rows.extend_from_slice(row.with(j)));
        rows
    }

    fn row_maker(&self, i: usize) -> RowMaker<'_> {
        let mut own = vec![0.0; self.dimension()];
        self.distances.vector(i, self.release.own()[i] as usize, &mut own);
        self.aggregation.arrange(&mut own);
        let row = own.clone();
        RowMaker { distances: &self.distances, aggregation: self.aggregation, i, own, row }
    }

    /// The whole problem, each block reduced as it is made.
    ///
    /// Cost: O(n²) inequalities made, a skyline per block; memory for the reduced
    /// rows and one block per thread.
    pub fn problem(&self, listener: &dyn Listener) -> Result<BlockProblem> {
        self.collect(|i| self.block(i), listener)
    }

    /// The problem with only some rows: `others[i]` are the released records that
    /// record i is compared with.
    pub fn problem_of(&self, others: &[Vec<u32>], listener: &dyn Listener) -> Result<BlockProblem> {
        self.collect(|i| self.rows_of(i, others[i].iter().copied()), listener)
    }

    fn collect(
        &self,
        rows: impl Fn(usize) -> Vec<f64> + Sync,
        listener: &dyn Listener,
    ) -> Result<BlockProblem> {
        let mut builder = BlockProblemBuilder::new(self.dimension())?;
        for start in (0..self.blocks()).step_by(BATCH) {
            let batch = start..self.blocks().min(start + BATCH);
            let done = batch.len() as u64;
            let reduced: Vec<ReducedBlock> = batch
                .into_par_iter()
                .map(|i| reduce_block(&rows(i), self.dimension()))
                .collect::<std::result::Result<_, _>>()?;
            for block in reduced {
                builder.push_reduced(block)?;
            }
            listener.advance(done, self.blocks() as u64);
        }
        Ok(builder.finish())
    }

    /// For each record whether `weights` re-identify it, compared with every
    /// released record with exact signs: a tie does not identify.
    ///
    /// Cost: O(n²) inequalities, memory O(n) per thread.
    pub fn reidentified(&self, weights: &[f64]) -> Vec<bool> {
        let records = (0..self.blocks()).into_par_iter();
        records.map(|i| self.rival(i, weights).is_none()).collect()
    }

    /// The lowest released record that is as near to record `i` as its own, or nearer.
    pub fn rival(&self, i: usize, weights: &[f64]) -> Option<u32> {
        let own = self.release.own()[i];
        let mut row = self.row_maker(i);
        let mut others = (0..self.release.released().records() as u32).filter(|j| *j != own);
        others.find(|&j| !check::row_holds(row.with(j), weights))
    }

    /// By how much each record is told apart under `weights`: (d - o) / (d + o), o
    /// being the distance to its own released record and d that to the nearest other one. Rounded: for
    /// display, never for counting. Cost: O(n²).
    pub fn margins(&self, weights: &[f64]) -> Vec<f64> {
        let dot = |d: &[f64]| d.iter().zip(weights).map(|(d, w)| d * w).sum::<f64>();
        let margin = |i: usize| {
            let own_record = self.release.own()[i];
            let mut row = self.row_maker(i);
            let own = dot(&row.own);
            let others = (0..self.release.released().records() as u32).filter(|j| *j != own_record);
            let least = others.map(|j| dot(row.with(j))).fold(f64::INFINITY, f64::min);
            relative_margin(own, least + own)
        };
        (0..self.blocks()).into_par_iter().map(margin).collect()
    }
}

/// Makes the inequalities of one record, one at a time.
struct RowMaker<'a> {
    distances: &'a AttributeDistances,
    aggregation: Aggregation,
    i: usize,
    own: Vec<f64>,
    row: Vec<f64>,
}

impl RowMaker<'_> {
    /// The inequality of the record and released record `j`.
    fn with(&mut self, j: u32) -> &[f64] {
        self.distances.vector(self.i, j as usize, &mut self.row);
        self.aggregation.arrange(&mut self.row);
        self.row.iter_mut().zip(&self.own).for_each(|(d, own)| *d -= own);
        &self.row
    }
}
