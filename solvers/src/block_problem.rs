//! The mathematical problem: weights that satisfy blocks of the largest gain.
//!
//! A *row* `r` is the strict homogeneous inequality `r . p > 0`; a *block* is
//! a set of rows, satisfied when all of them hold, and then worth its *gain*: a
//! whole number of units that the caller chooses, so that every sum is exact.
//! With gains of 1 the problem asks for as many blocks as possible. It is built
//! block by block and each block is reduced as it is made, so that the full set
//! of rows is never in memory.

use crate::reduce::{ReducedBlock, Reductions, reduce_block};
use crate::{ExactRows, SolverError, WeightDomain};
use std::ops::Range;
use std::sync::Arc;

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
    /// What each row is called in its block.
    names: Vec<u32>,
    /// What the rows are exactly, where their entries are rounded.
    exact: Option<Arc<dyn ExactRows>>,
    blocks: Vec<StoredBlock>,
    reductions: Reductions,
    total_gain: u64,
    dead_gain: u64,
    gain_unit: u64,
}

#[derive(Debug, Clone)]
struct StoredBlock {
    gain: u64,
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

    /// What row `index` is called in its block: its position among the rows that were reduced, or
    /// as [`ReducedBlock::named`] says.
    pub fn row_name(&self, index: usize) -> u32 {
        self.names[index]
    }

    /// The block of row `index`.
    pub fn block_of(&self, index: usize) -> usize {
        self.blocks.partition_point(|b| b.rows.end <= index)
    }

    /// What the rows are exactly, where their entries are rounded.
    pub(crate) fn exact_rows(&self) -> Option<&dyn ExactRows> {
        self.exact.as_deref()
    }

    /// Indices of the reduced rows of a block; empty for dead blocks.
    pub fn block_rows(&self, block: usize) -> Range<usize> {
        self.blocks[block].rows.clone()
    }

    /// True when no weights satisfy the block.
    pub fn is_dead(&self, block: usize) -> bool {
        self.blocks[block].dead
    }

    /// What the block is worth when it is satisfied.
    pub fn gain(&self, block: usize) -> u64 {
        self.blocks[block].gain
    }

    /// Sum of the gains of all blocks, dead ones included; at most 2^53.
    pub fn total_gain(&self) -> u64 {
        self.total_gain
    }

    /// Sum of the gains of the blocks that no weights satisfy.
    pub fn dead_gain(&self) -> u64 {
        self.dead_gain
    }

    /// Greatest common divisor of the gains of the blocks that are not dead: every sum of them
    /// is a multiple of it.
    pub(crate) fn gain_unit(&self) -> u64 {
        self.gain_unit.max(1)
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

/// Largest sum of gains: up to here a double holds every whole number.
const MOST_GAIN: u64 = 1 << 53;

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
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
            names: Vec::new(),
            exact: None,
            blocks: Vec::new(),
            reductions: Reductions::default(),
            total_gain: 0,
            dead_gain: 0,
            gain_unit: 0,
        };
        Self { problem }
    }

    /// Reduces a block, given as a flat slice of rows, and adds it with gain 1.
    pub fn push_block(&mut self, rows: &[f64]) -> Result<(), SolverError> {
        self.push_reduced(reduce_block(rows, self.problem.dimension())?)
    }

    /// Adds a block that [`reduce_block`] has reduced, possibly on another thread, with gain 1.
    pub fn push_reduced(&mut self, block: ReducedBlock) -> Result<(), SolverError> {
        self.push_gaining(block, 1)
    }

    /// Adds a reduced block that is worth `gain` units when it is satisfied.
    ///
    /// Fails when the gain is 0, or when the sum of all gains would exceed 2^53.
    ///
    /// ```
    /// use unmask_solvers::{BlockProblemBuilder, Exact, Limits, Solver, reduce_block};
    /// let mut builder = BlockProblemBuilder::new(2)?;
    /// builder.push_gaining(reduce_block(&[1.0, -2.0], 2)?, 3)?; // p0 > 2 p1
    /// builder.push_block(&[-1.0, 1.0])?; // p0 < p1
    /// builder.push_block(&[-2.0, 1.0])?; // 2 p0 < p1
    /// let outcome = Exact::default().solve(&builder.finish(), &Limits::default(), &())?;
    /// assert_eq!((outcome.satisfied_gain(), outcome.satisfied_blocks()), (3, 1));
    /// # Ok::<(), unmask_solvers::SolverError>(())
    /// ```
    pub fn push_gaining(&mut self, block: ReducedBlock, gain: u64) -> Result<(), SolverError> {
        let problem = &mut self.problem;
        if block.dimension != problem.dimension() {
            return Err(SolverError::BlockDimension {
                block: block.dimension,
                problem: problem.dimension(),
            });
        }
        let total_gain = problem.total_gain.saturating_add(gain);
        if gain == 0 || total_gain > MOST_GAIN {
            return Err(SolverError::Gain { gain, total: problem.total_gain });
        }
        problem.total_gain = total_gain;
        match block.dead {
            true => problem.dead_gain += gain,
            false => problem.gain_unit = greatest_common_divisor(problem.gain_unit, gain),
        }
        let start = problem.row_count();
        problem.rows.extend_from_slice(&block.rows);
        problem.names.extend_from_slice(&block.names);
        problem.reductions.add(&block.reductions);
        let rows = start..problem.row_count();
        problem.blocks.push(StoredBlock { gain, dead: block.dead, rows, supports: block.supports });
        Ok(())
    }

    /// Says that entries are rounded, each by at most [`crate::ENTRY_ERROR`], and what they are
    /// exactly.
    ///
    /// Signs are then those of the exact rows, and so are proofs. Reduction compares rounded
    /// entries: a row that it takes for implied may exceed by their rounding the one that implies it,
    /// so bounds stay true, while a count is one of the rows kept.
    pub fn rounded_from(mut self, rows: Arc<dyn ExactRows>) -> Self {
        self.problem.exact = Some(rows);
        self
    }

    /// The problem built so far.
    pub fn finish(self) -> BlockProblem {
        self.problem
    }
}
