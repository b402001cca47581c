//! The few rows that the conflict LP prices first.
//!
//! A row that was ever violated at an LP point tends to be violated again, and
//! conflicts are made of such rows. Pricing them first leaves scans of all
//! rows to the rare moments when none of them is violated.

use crate::row_table::RowTable;

/// A row is violated when it misses the level of the LP by more than this.
pub(crate) const TOLERANCE: f64 = 1e-11;

/// Copies of some rows of a table, column by column.
pub(crate) struct PricingPool {
    rows: Vec<usize>,
    columns: Vec<Vec<f64>>,
    mask: Vec<f64>,
    values: Vec<f64>,
}

impl PricingPool {
    pub fn new(dimension: usize) -> Self {
        Self {
            rows: Vec::new(),
            columns: vec![Vec::new(); dimension],
            mask: Vec::new(),
            values: Vec::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn push(&mut self, table: &RowTable, row: usize) {
        self.rows.push(row);
        self.mask.push(0.0);
        for (k, column) in self.columns.iter_mut().enumerate() {
            column.push(table.entry(row, k));
        }
    }

    /// Leaves the rows in this range of the table out of all later pricing.
    pub fn mask_rows(&mut self, range: &std::ops::Range<usize>) {
        for (row, mask) in self.rows.iter().zip(&mut self.mask) {
            if range.contains(row) {
                *mask = f64::INFINITY;
            }
        }
    }

    /// Takes all rows back in.
    pub fn unmask(&mut self) {
        self.mask.fill(0.0);
    }

    /// The row of the table with the smallest value at `point`, and the value.
    pub fn lowest(&mut self, point: &[f64]) -> Option<(usize, f64)> {
        self.values.clear();
        self.values.extend_from_slice(&self.mask);
        for (column, weight) in self.columns.iter().zip(point) {
            for (value, x) in self.values.iter_mut().zip(column) {
                *value += x * weight;
            }
        }
        let low = self
            .values
            .iter()
            .fold(f64::INFINITY, |a, b| if *b < a { *b } else { a });
        let position = self.values.iter().position(|v| *v == low)?;
        (low < f64::INFINITY).then_some((self.rows[position], low))
    }

    /// The lowest row, if it misses `level`.
    pub fn violated(&mut self, point: &[f64], level: f64) -> Option<(usize, f64)> {
        self.lowest(point).filter(|l| level - l.1 > TOLERANCE)
    }
}
