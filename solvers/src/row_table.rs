//! Rows stored by column, grouped by block, with the two kernels that all
//! searches spend their time in.
//!
//! Plain loops over columns, compiled for the widest vectors the processor
//! has. Every value is computed by the same sequence of additions whatever
//! the width, so results do not depend on the machine.

use crate::BlockProblem;
use crate::vectorized;

/// Rows of the open blocks of a problem or of a box, column by column.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowTable {
    dimension: usize,
    /// `dimension` columns of `len` values.
    columns: Vec<f64>,
    /// Row `i` of this table is row `ids[i]` of the root table.
    pub ids: Vec<u32>,
    /// Block `b` of this table holds rows `starts[b]..starts[b + 1]`.
    pub starts: Vec<u32>,
    /// Column `k` is in units of weights of `2^exponents[k]`.
    pub exponents: Vec<i32>,
    /// What each block is worth, in units of the problem's common divisor.
    pub gains: Vec<u64>,
}

impl RowTable {
    /// All open blocks of a problem: row `i` of the table is row `i` of the problem.
    pub fn of_problem(problem: &BlockProblem) -> Self {
        Self::collect(problem, problem.open_blocks())
    }

    /// The rows of the given blocks.
    pub fn of_blocks(problem: &BlockProblem, blocks: &[usize]) -> Self {
        Self::collect(problem, blocks.iter().copied())
    }

    fn collect(problem: &BlockProblem, blocks: impl Iterator<Item = usize>) -> Self {
        let (mut starts, mut gains) = (vec![0], Vec::new());
        let mut rows = Vec::new();
        for b in blocks.filter(|b| !problem.block_rows(*b).is_empty()) {
            rows.extend(problem.block_rows(b));
            starts.push(rows.len() as u32);
            gains.push(problem.gain(b) / problem.gain_unit());
        }
        let entries =
            (0..problem.dimension()).flat_map(|k| rows.iter().map(move |i| problem.row(*i)[k]));
        Self {
            dimension: problem.dimension(),
            columns: entries.collect(),
            ids: rows.iter().map(|i| *i as u32).collect(),
            starts,
            exponents: vec![0; problem.dimension()],
            gains,
        }
    }

    /// The rows `ids` of this root table, grouped as `starts` says, with the gains of the groups.
    pub fn gather(&self, ids: &[u32], starts: &[u32], gains: &[u64]) -> Self {
        let mut columns = Vec::with_capacity(ids.len() * self.dimension);
        for k in 0..self.dimension {
            let column = self.column(k);
            columns.extend(ids.iter().map(|i| column[*i as usize]));
        }
        Self {
            dimension: self.dimension,
            columns,
            ids: ids.to_vec(),
            starts: starts.to_vec(),
            exponents: self.exponents.clone(),
            gains: gains.to_vec(),
        }
    }

    /// Keeps the rows at `positions` of this table, grouped as `starts` says.
    pub fn select(&self, positions: &[u32], starts: &[u32], gains: &[u64]) -> Self {
        let mut selected = self.gather(positions, starts, gains);
        for id in &mut selected.ids {
            *id = self.ids[*id as usize];
        }
        selected
    }

    /// Multiplies column `k` by `2^shifts[k]`, for weights in units of that, and each row by a
    /// power of two that brings its largest entry into `[1/2, 1)`.
    pub fn rescale(&mut self, shifts: &[i32]) {
        let len = self.len();
        let mut largest = vec![0.0f64; len];
        for (k, shift) in shifts.iter().enumerate() {
            self.exponents[k] += shift;
            let factor = 2f64.powi(*shift);
            for (x, largest) in self.columns[k * len..(k + 1) * len].iter_mut().zip(&mut largest) {
                *x *= factor;
                *largest = largest.max(x.abs());
            }
        }
        let factors: Vec<f64> = largest.into_iter().map(unit_factor).collect();
        for column in self.columns.chunks_exact_mut(len.max(1)) {
            column.iter_mut().zip(&factors).for_each(|(x, factor)| *x *= factor);
        }
    }

    /// The weights that a point of a box in this table's units stands for.
    pub fn weights(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.exponents).map(|(p, e)| p * 2f64.powi(*e)).collect()
    }

    /// The blocks for which `keep` is true.
    pub fn of_some_blocks(&self, keep: impl Fn(usize) -> bool) -> Self {
        let (mut positions, mut starts, mut gains) = (Vec::new(), vec![0], Vec::new());
        for b in (0..self.blocks()).filter(|b| keep(*b)) {
            positions.extend(self.block(b).map(|i| i as u32));
            starts.push(positions.len() as u32);
            gains.push(self.gains[b]);
        }
        self.select(&positions, &starts, &gains)
    }

    /// The rows that are kept, and the blocks that have some.
    pub fn of_some_rows(&self, keep: impl Fn(usize) -> bool) -> Self {
        let (mut positions, mut starts, mut gains) = (Vec::new(), vec![0], Vec::new());
        for b in 0..self.blocks() {
            positions.extend(self.block(b).filter(|i| keep(*i)).map(|i| i as u32));
            if starts.last() != Some(&(positions.len() as u32)) {
                starts.push(positions.len() as u32);
                gains.push(self.gains[b]);
            }
        }
        self.select(&positions, &starts, &gains)
    }

    /// The row of a block that is row `id` of the root table, if it is still here.
    pub fn row_of(&self, block: usize, id: usize) -> Option<usize> {
        let rows = self.block(block);
        let found = self.ids[rows.clone()].binary_search(&(id as u32)).ok()?;
        Some(rows.start + found)
    }

    pub fn dimension(&self) -> usize {
        self.dimension
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn blocks(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Row range of a block.
    pub fn block(&self, b: usize) -> std::ops::Range<usize> {
        self.starts[b] as usize..self.starts[b + 1] as usize
    }

    /// Mean gain of a block; 1 without blocks.
    pub fn mean_gain(&self) -> f64 {
        match self.gains.len() {
            0 => 1.0,
            blocks => self.gains.iter().sum::<u64>() as f64 / blocks as f64,
        }
    }

    /// Sum of the gains of the blocks for which `counts` is true.
    pub fn gain_where(&self, counts: impl Fn(usize) -> bool) -> u64 {
        (0..self.blocks()).filter(|b| counts(*b)).map(|b| self.gains[b]).sum()
    }

    /// True when some row of the block fails at the point; rounded.
    pub fn violates(&self, block: usize, point: &[f64]) -> bool {
        self.block(block).any(|i| self.dot(i, point) <= 0.0)
    }

    pub fn column(&self, k: usize) -> &[f64] {
        &self.columns[k * self.len()..(k + 1) * self.len()]
    }

    pub fn entry(&self, row: usize, k: usize) -> f64 {
        self.columns[k * self.len() + row]
    }

    /// `r_row . p`.
    pub fn dot(&self, row: usize, p: &[f64]) -> f64 {
        (0..self.dimension).map(|k| self.entry(row, k) * p[k]).sum()
    }

    /// Adds `r . p` of every row to `out`.
    pub fn add_dots(&self, p: &[f64], out: &mut [f64]) {
        vectorized!(add_dots(&self.columns, self.len(), p, out));
    }

    /// Adds `r . p` of these rows to `out`.
    pub fn add_dots_of(&self, rows: std::ops::Range<usize>, p: &[f64], out: &mut [f64]) {
        vectorized!(for (k, weight) in p.iter().enumerate() {
            let column = &self.columns[k * self.len()..(k + 1) * self.len()];
            for (o, x) in out.iter_mut().zip(&column[rows.clone()]) {
                *o += x * weight;
            }
        });
    }

    /// `r . center` and `|r| . radius` of every row.
    pub fn ranges(
        &self,
        center: &[f64],
        radius: &[f64],
        mid: &mut Vec<f64>,
        spread: &mut Vec<f64>,
    ) {
        mid.clear();
        mid.resize(self.len(), 0.0);
        spread.clear();
        spread.resize(self.len(), 0.0);
        vectorized!(add_ranges(&self.columns, self.len(), center, radius, mid, spread));
    }

    /// For each column the sum of `|r_k| / spread` over all rows.
    pub fn shares(&self, spread: &[f64]) -> Vec<f64> {
        let inverse: Vec<f64> = spread.iter().map(|s| 1.0 / s.max(1e-300)).collect();
        let mut shares = vec![0.0; self.dimension];
        vectorized!(for (k, share) in shares.iter_mut().enumerate() {
            *share = weighted_abs_sum(self.column(k), &inverse);
        });
        shares
    }
}

/// The power of two that brings a positive number into `[1/2, 1)`.
pub(crate) fn unit_factor(largest: f64) -> f64 {
    let exponent = (largest.to_bits() >> 52) as i32 - 1023;
    2f64.powi(-exponent - 1)
}

/// Rows per pass: the accumulators of one pass stay in the first-level cache.
const CHUNK: usize = 512;

#[inline(always)]
fn add_dots(columns: &[f64], len: usize, p: &[f64], out: &mut [f64]) {
    for start in (0..len).step_by(CHUNK) {
        let end = (start + CHUNK).min(len);
        let out = &mut out[start..end];
        for (k, weight) in p.iter().enumerate() {
            let column = &columns[k * len + start..k * len + end];
            for (o, x) in out.iter_mut().zip(column) {
                *o += x * weight;
            }
        }
    }
}

#[inline(always)]
fn add_ranges(
    columns: &[f64],
    len: usize,
    center: &[f64],
    radius: &[f64],
    mid: &mut [f64],
    spread: &mut [f64],
) {
    for start in (0..len).step_by(CHUNK) {
        let end = (start + CHUNK).min(len);
        let (mid, spread) = (&mut mid[start..end], &mut spread[start..end]);
        for (k, (c, w)) in center.iter().zip(radius).enumerate() {
            let column = &columns[k * len + start..k * len + end];
            for ((m, s), x) in mid.iter_mut().zip(spread.iter_mut()).zip(column) {
                *m += x * c;
                *s += x.abs() * w;
            }
        }
    }
}

/// Eight running sums, so that the order of additions is fixed and vectors fit.
#[inline(always)]
fn weighted_abs_sum(column: &[f64], weights: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let whole = column.len() / 8 * 8;
    for (c, w) in column[..whole].chunks_exact(8).zip(weights[..whole].chunks_exact(8)) {
        for lane in 0..8 {
            sums[lane] += c[lane].abs() * w[lane];
        }
    }
    let tail: f64 = column[whole..].iter().zip(&weights[whole..]).map(|(c, w)| c.abs() * w).sum();
    sums.iter().sum::<f64>() + tail
}
