//! Reduction of one block, before any solver sees it.
//!
//! All four rules are exact: they use comparisons and multiplications by
//! powers of two only, or quotients with a guard for their rounding.
//!
//! 1. A row `r <= 0` can never hold strictly: the block is *dead*.
//! 2. A row `r >= 0`, `r != 0` holds for every interior weight vector: it is
//!    *free*. Only its support is kept, for weights with zeros.
//! 3. A row `r'` is *implied* by `r` of the same block when `c r <= r'` for
//!    some `c > 0`. With `c = 1` this is the skyline of the block; the general
//!    `c` uses that inequalities are homogeneous.
//! 4. The rows left are scaled by a power of two to a largest entry in
//!    `[1/2, 1)`.

use crate::SolverError;
use crate::row_table::unit_factor;
use serde::Serialize;

/// How far the rules shrank a problem.
///
/// `rows_full = rows_reduced + rows_free + rows_dominated + rows_in_dead_blocks`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Reductions {
    /// Blocks in all.
    pub blocks: usize,
    /// Blocks with a row that no weights satisfy.
    pub blocks_dead: usize,
    /// Blocks that every interior weight vector satisfies.
    pub blocks_always_satisfied: usize,
    /// Rows before reduction.
    pub rows_full: usize,
    /// Rows left for the solvers.
    pub rows_reduced: usize,
    /// Rows without a negative entry.
    pub rows_free: usize,
    /// Rows implied by another row of their block.
    pub rows_dominated: usize,
    /// Rows that left with their dead block.
    pub rows_in_dead_blocks: usize,
}

impl Reductions {
    /// Adds the counts of another set of blocks.
    pub fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.blocks_dead += other.blocks_dead;
        self.blocks_always_satisfied += other.blocks_always_satisfied;
        self.rows_full += other.rows_full;
        self.rows_reduced += other.rows_reduced;
        self.rows_free += other.rows_free;
        self.rows_dominated += other.rows_dominated;
        self.rows_in_dead_blocks += other.rows_in_dead_blocks;
    }
}

/// One block after reduction; made by [`reduce_block`].
#[derive(Debug, Clone, PartialEq)]
pub struct ReducedBlock {
    pub(crate) dimension: usize,
    pub(crate) dead: bool,
    pub(crate) rows: Vec<f64>,
    pub(crate) names: Vec<u32>,
    pub(crate) supports: Vec<u64>,
    pub(crate) reductions: Reductions,
}

impl ReducedBlock {
    /// True when no weights satisfy the block.
    pub fn is_dead(&self) -> bool {
        self.dead
    }

    /// The rows left, flat, `dimension` values each.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// The same block, the row at position i of those that were reduced now called `names[i]`.
    ///
    /// ```
    /// use unmask_solvers::{BlockProblemBuilder, reduce_block};
    /// let block = reduce_block(&[1.0, 0.0, 1.0, -1.0], 2)?.named(&[7, 8]);
    /// let mut builder = BlockProblemBuilder::new(2)?;
    /// builder.push_reduced(block)?;
    /// assert_eq!(builder.finish().row_name(0), 8);
    /// # Ok::<(), unmask_solvers::SolverError>(())
    /// ```
    pub fn named(mut self, names: &[u32]) -> Self {
        self.names.iter_mut().for_each(|name| *name = names[*name as usize]);
        self
    }

    /// What was removed.
    pub fn reductions(&self) -> &Reductions {
        &self.reductions
    }
}

/// Reduces one block given as a flat slice of rows of `dimension` values.
///
/// Pure, so that callers may reduce many blocks in parallel. Cost: rows times
/// skyline size times `dimension` comparisons. Fails on ragged input and on
/// coefficients that are not finite or that scaling would round.
pub fn reduce_block(rows: &[f64], dimension: usize) -> Result<ReducedBlock, SolverError> {
    crate::WeightDomain::simplex(dimension)?;
    check_values(rows, dimension)?;
    let mut block = ReducedBlock {
        dimension,
        dead: rows.chunks_exact(dimension).any(is_never_positive),
        rows: Vec::new(),
        names: Vec::new(),
        supports: Vec::new(),
        reductions: Reductions {
            blocks: 1,
            rows_full: rows.len() / dimension,
            ..Reductions::default()
        },
    };
    if block.dead {
        block.reductions.blocks_dead = 1;
        block.reductions.rows_in_dead_blocks = block.reductions.rows_full;
        return Ok(block);
    }
    block.supports = free_supports(rows, dimension);
    let mixed: Vec<Named<&[f64]>> =
        (0..).zip(rows.chunks_exact(dimension)).filter(|(_, r)| is_mixed(r)).collect();
    block.reductions.rows_free = block.reductions.rows_full - mixed.len();
    let count = mixed.len();
    let scaled = skyline(mixed).into_iter().map(|(name, r)| (name, scale_row(r))).collect();
    let (names, kept): (Vec<u32>, Vec<Vec<f64>>) = remove_implied(scaled).into_iter().unzip();
    (block.names, block.rows) = (names, kept.concat());
    block.reductions.rows_reduced = block.rows.len() / dimension;
    block.reductions.rows_dominated = count - block.reductions.rows_reduced;
    block.reductions.blocks_always_satisfied = usize::from(block.rows.is_empty());
    Ok(block)
}

/// A row and its position among the rows that are reduced.
type Named<R> = (u32, R);

fn check_values(rows: &[f64], dimension: usize) -> Result<(), SolverError> {
    if !rows.len().is_multiple_of(dimension) {
        return Err(SolverError::RaggedRows { values: rows.len(), dimension });
    }
    if are_ordinary(rows) {
        return Ok(());
    }
    for (row, r) in rows.chunks_exact(dimension).enumerate() {
        let largest = max_norm(r);
        let in_range = |x: f64| {
            let x = x.abs();
            x == 0.0 || (1e-140..=1e140).contains(&x) && x >= largest * 2f64.powi(-500)
        };
        if let Some(&value) = r.iter().find(|x| !in_range(**x)) {
            return Err(SolverError::Coefficient { row, value });
        }
    }
    Ok(())
}

/// True where no two entries can be too far apart for scaling. Without branches, for vector code.
fn are_ordinary(values: &[f64]) -> bool {
    let is_ordinary = |x: f64| (x == 0.0) | (1e-140..=1e10).contains(&x);
    values.iter().fold(true, |all, x| all & is_ordinary(x.abs()))
}

fn is_never_positive(r: &[f64]) -> bool {
    r.iter().all(|x| *x <= 0.0)
}

fn is_mixed(r: &[f64]) -> bool {
    r.iter().any(|x| *x < 0.0)
}

fn max_norm(r: &[f64]) -> f64 {
    r.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// Minimal supports of the free rows, without the full one.
///
/// Weights satisfy a free row exactly when they are positive somewhere on its
/// support; on the full support every weight vector is.
fn free_supports(rows: &[f64], dimension: usize) -> Vec<u64> {
    let full = u64::MAX >> (64 - dimension);
    let mut supports: Vec<u64> = rows
        .chunks_exact(dimension)
        .filter(|r| !is_mixed(r))
        .map(support)
        .filter(|s| *s != full)
        .collect();
    supports.sort_unstable_by_key(|s| (s.count_ones(), *s));
    supports.dedup();
    let mut minimal: Vec<u64> = Vec::new();
    for s in supports {
        if minimal.iter().all(|m| m & s != *m) {
            minimal.push(s);
        }
    }
    minimal
}

/// Bit `k` is set when entry `k` is positive.
pub(crate) fn support(values: &[f64]) -> u64 {
    let bit = |(k, x): (usize, &f64)| u64::from(*x > 0.0) << k;
    values.iter().enumerate().map(bit).sum()
}

/// Rows that no other row undercuts in every entry; of equal rows the first.
///
/// Block-nested loop in order of increasing sum: a row can only be dominated
/// by rows before it.
fn skyline(rows: Vec<Named<&[f64]>>) -> Vec<Named<&[f64]>> {
    let mut order: Vec<(f64, Named<&[f64]>)> =
        rows.into_iter().map(|named| (named.1.iter().sum(), named)).collect();
    // Equal or misrounded sums only cost a missed reduction, never a wrong one.
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let stride = order.first().map_or(LANES, |(_, (_, r))| r.len().next_multiple_of(LANES));
    let mut row = vec![0.0; stride];
    let mut kept: Vec<Named<&[f64]>> = Vec::new();
    // The kept rows one after the other, each filled up with zeros.
    let mut lanes: Vec<f64> = Vec::new();
    for (_, named) in order {
        row[..named.1.len()].copy_from_slice(named.1);
        if !lanes.chunks_exact(stride).any(|k| is_below(k, &row)) {
            kept.push(named);
            lanes.extend_from_slice(&row);
        }
    }
    kept
}

/// Entries that are compared at once.
const LANES: usize = 4;

/// True when no entry of `r` is above that of `other`; both are whole lanes long.
fn is_below(r: &[f64], other: &[f64]) -> bool {
    let pairs = r.chunks_exact(LANES).zip(other.chunks_exact(LANES));
    let below = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(true, |all, (a, b)| all & (a <= b));
    pairs.into_iter().all(|(a, b)| below(a, b))
}

/// The row times a power of two that brings its largest entry into `[1/2, 1)`.
fn scale_row(r: &[f64]) -> Vec<f64> {
    let factor = unit_factor(max_norm(r));
    r.iter().map(|x| x * factor).collect()
}

fn remove_implied(mut rows: Vec<Named<Vec<f64>>>) -> Vec<Named<Vec<f64>>> {
    let mut i = 0;
    while i < rows.len() {
        let implied = (0..rows.len()).any(|j| j != i && implies(&rows[j].1, &rows[i].1));
        if implied {
            rows.remove(i);
        } else {
            i += 1;
        }
    }
    rows
}

/// True only if `c r <= other` for some `c > 0`.
///
/// Each entry bounds `c` by a quotient; the guard covers their rounding, so
/// "true" is certain and a borderline case is merely kept.
fn implies(r: &[f64], other: &[f64]) -> bool {
    let (mut low, mut high) = (0.0f64, f64::INFINITY);
    for (&a, &b) in r.iter().zip(other) {
        if a > 0.0 {
            high = high.min(b / a);
        } else if b < 0.0 {
            low = low.max(if a < 0.0 { b / a } else { f64::INFINITY });
        }
        if low * (1.0 + 4.0 * f64::EPSILON) >= high {
            return false;
        }
    }
    true
}
