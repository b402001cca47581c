//! From a release to the inequalities of the block problem.

use super::Aggregation;
use crate::distance::{AttributeDistances, Standardisation};
use crate::error::Result;
use crate::linkage::Release;
use crate::progress::Progress;
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
        standardisation: Standardisation<'_>,
        aggregation: Aggregation,
    ) -> Result<Self> {
        let (original, released) = (release.original(), release.released());
        let distances = AttributeDistances::new(original, released, names, standardisation)?;
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

    /// The inequality of original record `i` and released record `j`, appended to `rows`.
    pub fn push_row(&self, i: usize, j: usize, rows: &mut Vec<f64>) {
        let n = self.dimension();
        let start = rows.len();
        rows.resize(start + 2 * n, 0.0);
        let (row, own) = rows[start..].split_at_mut(n);
        self.distances.vector(i, j, row);
        self.distances.vector(i, self.release.own()[i] as usize, own);
        self.aggregation.arrange(row);
        self.aggregation.arrange(own);
        row.iter_mut().zip(own).for_each(|(d, own)| *d -= *own);
        rows.truncate(start + n);
    }

    /// All inequalities of record `i`, one after the other.
    pub fn block(&self, i: usize) -> Vec<f64> {
        let released = self.release.released().records();
        let mut rows = Vec::with_capacity(released * self.dimension() + self.dimension());
        let own = self.release.own()[i] as usize;
        (0..released).filter(|j| *j != own).for_each(|j| self.push_row(i, j, &mut rows));
        rows
    }

    /// The whole problem, each block reduced as it is made.
    ///
    /// Cost: O(n²) inequalities made, a skyline per block; memory for the reduced
    /// rows and one block per thread.
    pub fn problem(&self, progress: &dyn Progress) -> Result<BlockProblem> {
        self.collect(|i| self.block(i), progress)
    }

    /// The problem with only some rows: `others[i]` are the released records that
    /// record i is compared with.
    pub fn problem_of(&self, others: &[Vec<u32>], progress: &dyn Progress) -> Result<BlockProblem> {
        let rows = |i: usize| {
            let mut rows = Vec::new();
            others[i].iter().for_each(|&j| self.push_row(i, j as usize, &mut rows));
            rows
        };
        self.collect(rows, progress)
    }

    fn collect(
        &self,
        rows: impl Fn(usize) -> Vec<f64> + Sync,
        progress: &dyn Progress,
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
            progress.advance(done, self.blocks() as u64);
        }
        Ok(builder.finish())
    }

    /// For each record whether `weights` re-identify it, compared with every
    /// released record with exact signs: a tie does not identify.
    ///
    /// Cost: O(n²) inequalities, memory O(n) per thread.
    pub fn reidentified(&self, weights: &[f64]) -> Vec<bool> {
        let released = self.release.released().records();
        let holds = |i: usize| {
            let own = self.release.own()[i] as usize;
            let mut row = Vec::with_capacity(2 * self.dimension());
            (0..released).filter(|j| *j != own).all(|j| {
                row.clear();
                self.push_row(i, j, &mut row);
                check::row_holds(&row, weights)
            })
        };
        (0..self.blocks()).into_par_iter().map(holds).collect()
    }

    /// The lowest released record that is as near to record `i` as its own.
    pub fn rival(&self, i: usize, weights: &[f64]) -> Option<u32> {
        let own = self.release.own()[i];
        let mut row = Vec::with_capacity(2 * self.dimension());
        (0..self.release.released().records() as u32).find(|&j| {
            row.clear();
            self.push_row(i, j as usize, &mut row);
            j != own && !check::row_holds(&row, weights)
        })
    }
}
