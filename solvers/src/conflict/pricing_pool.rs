//! The few rows that the conflict LP prices first.
//!
//! A row that was ever violated at an LP point tends to be violated again, and
//! conflicts are made of such rows. Pricing them first leaves scans of all
//! rows to the rare moments when none of them is violated.

use crate::row_table::RowTable;
use crate::vectorized;

/// Copies of some rows of a table, by row for the simplex and by column for pricing.
pub(crate) struct PricingPool {
    dimension: usize,
    rows: Vec<f64>,
    columns: Vec<Vec<f64>>,
    blocks: Vec<usize>,
    /// The root table's row of each.
    ids: Vec<u32>,
    /// Added to a row's value when pricing: 0, or infinity for masked blocks.
    mask: Vec<f64>,
    values: Vec<f64>,
}

impl PricingPool {
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            rows: Vec::new(),
            columns: vec![Vec::new(); dimension],
            blocks: Vec::new(),
            ids: Vec::new(),
            mask: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        self.blocks.clear();
        self.ids.clear();
        self.mask.clear();
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Row `index` of the pool.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.rows[index * self.dimension..(index + 1) * self.dimension]
    }

    /// Block of the table that row `index` of the pool belongs to.
    pub fn block(&self, index: usize) -> usize {
        self.blocks[index]
    }

    /// The root table's row that row `index` of the pool is.
    pub fn id(&self, index: usize) -> usize {
        self.ids[index] as usize
    }

    pub fn push(&mut self, table: &RowTable, row: usize, block: usize) {
        self.blocks.push(block);
        self.ids.push(table.ids[row]);
        self.mask.push(0.0);
        for (k, column) in self.columns.iter_mut().enumerate() {
            let entry = table.entry(row, k);
            column.push(entry);
            self.rows.push(entry);
        }
    }

    /// Leaves the rows of masked blocks out of all later pricing.
    pub fn set_mask(&mut self, masked: &[bool]) {
        for (block, mask) in self.blocks.iter().zip(&mut self.mask) {
            *mask = if masked[*block] { f64::INFINITY } else { 0.0 };
        }
    }

    /// The row of the pool with the smallest value at `point`, and the value.
    pub fn lowest(&mut self, point: &[f64]) -> Option<(usize, f64)> {
        self.values.clear();
        self.values.extend_from_slice(&self.mask);
        let (columns, values) = (&self.columns, &mut self.values);
        let low = vectorized!({
            for (column, weight) in columns.iter().zip(point) {
                for (value, x) in values.iter_mut().zip(column) {
                    *value += x * weight;
                }
            }
            minimum(values)
        });
        let position = self.values.iter().position(|v| *v == low)?;
        (low < f64::INFINITY).then_some((position, low))
    }

    /// The lowest row, if it misses `level` by more than `tolerance`.
    pub fn violated(&mut self, point: &[f64], level: f64, tolerance: f64) -> Option<(usize, f64)> {
        self.lowest(point).filter(|l| level - l.1 > tolerance)
    }
}

/// Smallest value; four running minima, so that vectors fit.
#[inline(always)]
pub(crate) fn minimum(values: &[f64]) -> f64 {
    let mut lows = [f64::INFINITY; 4];
    let (whole, tail) = values.split_at(values.len() / 4 * 4);
    for chunk in whole.chunks_exact(4) {
        for lane in 0..4 {
            lows[lane] = if chunk[lane] < lows[lane] { chunk[lane] } else { lows[lane] };
        }
    }
    let all = tail.iter().chain(&lows);
    all.fold(f64::INFINITY, |a, b| if *b < a { *b } else { a })
}
