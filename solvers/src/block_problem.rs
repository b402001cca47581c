//! The mathematical problem: weights that satisfy as many blocks as possible.
//!
//! A *row* `r` is the strict homogeneous inequality `r . p > 0`; a *block* is
//! a set of rows, satisfied when all of them hold. The problem is built block
//! by block and each block is reduced as it is made, so that the full set of
//! rows is never in memory.

use crate::reduce::{ReducedBlock, Reductions, reduce_block};
use crate::{SolverError, WeightDomain};
use std::ops::Range;

/// Blocks of strict homogeneous inequalities over a domain of weights.
///
/// ```
/// use unmask_solvers::BlockProblemBuilder;
/// let mut builder = BlockProblemBuilder::new(2)?;
/// builder.push_block(&[2.0, -1.0, 1.0, 1.0])?; // 2 p0 > p1 and p0 + p1 > 0
/// builder.push_block(&[0.0, 0.0])?; // 0 > 0: never
/// let problem = builder.finish();
/// assert_eq!((problem.blocks(), problem.reductions().blocks_dead), (2, 1));
/// # Ok::<(), unmask_solvers::SolverError>(())
/// ```
#[derive(Debug, Clone)]
pub struct BlockProblem {
    domain: WeightDomain,
    rows: Vec<f64>,
    blocks: Vec<StoredBlock>,
    reductions: Reductions,
}

#[derive(Debug, Clone)]
struct StoredBlock {
    dead: bool,
    rows: Range<usize>,
    supports: Vec<u64>,
}

impl BlockProblem {
    /// The domain of the weights.
    pub fn domain(&self) -> WeightDomain {
        self.domain
    }

    /// Number of weights.
    pub fn dimension(&self) -> usize {
        self.domain.dimension()
    }

    /// Number of blocks, dead ones included.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Number of rows after reduction.
    pub fn row_count(&self) -> usize {
        self.rows.len() / self.dimension()
    }

    /// Row `index` of the reduced rows of all blocks.
    pub fn row(&self, index: usize) -> &[f64] {
        let n = self.dimension();
        &self.rows[index * n..(index + 1) * n]
    }

    /// Indices of the reduced rows of a block; empty for dead blocks.
    pub fn block_rows(&self, block: usize) -> Range<usize> {
        self.blocks[block].rows.clone()
    }

    /// True when no weights satisfy the block.
    pub fn is_dead(&self, block: usize) -> bool {
        self.blocks[block].dead
    }

    /// Masks of entries: a satisfied block needs a positive weight in each.
    pub(crate) fn supports(&self, block: usize) -> &[u64] {
        &self.blocks[block].supports
    }

    /// Blocks that depend on the weights: alive, with rows left.
    pub fn open_blocks(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.blocks()).filter(|b| !self.blocks[*b].rows.is_empty())
    }

    /// Counts of what reduction removed.
    pub fn reductions(&self) -> &Reductions {
        &self.reductions
    }
}

/// Collects reduced blocks into a [`BlockProblem`].
#[derive(Debug)]
pub struct BlockProblemBuilder {
    problem: BlockProblem,
}

impl BlockProblemBuilder {
    /// Starts a problem over the simplex with `dimension` weights.
    pub fn new(dimension: usize) -> Result<Self, SolverError> {
        Ok(Self::over(WeightDomain::simplex(dimension)?))
    }

    /// Starts a problem over the given domain.
    pub fn over(domain: WeightDomain) -> Self {
        let problem = BlockProblem {
            domain,
            rows: Vec::new(),
            blocks: Vec::new(),
            reductions: Reductions::default(),
        };
        Self { problem }
    }

    /// Reduces a block, given as a flat slice of rows, and adds it.
    pub fn push_block(&mut self, rows: &[f64]) -> Result<(), SolverError> {
        self.push_reduced(reduce_block(rows, self.problem.dimension())?)
    }

    /// Adds a block that [`reduce_block`] has reduced, possibly on another thread.
    pub fn push_reduced(&mut self, block: ReducedBlock) -> Result<(), SolverError> {
        let problem = &mut self.problem;
        if block.dimension != problem.dimension() {
            return Err(SolverError::BlockDimension {
                block: block.dimension,
                problem: problem.dimension(),
            });
        }
        let start = problem.row_count();
        problem.rows.extend_from_slice(&block.rows);
        problem.reductions.add(&block.reductions);
        let rows = start..problem.row_count();
        problem.blocks.push(StoredBlock { dead: block.dead, rows, supports: block.supports });
        Ok(())
    }

    /// The problem built so far.
    pub fn finish(self) -> BlockProblem {
        self.problem
    }
}
