//! Fractional cover of conflicts: the best bound a set of conflicts can give.
//!
//! Every conflict needs a violated block. With overlapping conflicts the gain
//! `g` of the violated blocks is at least the value of `min g . x : sum of x
//! over each conflict >= 1, x >= 0`, and, being whole, at least that value
//! rounded up: three blocks of gain 1 that exclude each other in pairs give
//! 3/2 and so 2, where disjoint conflicts give 1. The dual multipliers are a
//! fractional packing, in which no block is loaded beyond its gain; any such
//! packing is a proof, so the bound is computed from them.
//!
//! A dense dual simplex whose tableau grows by a row per conflict.

/// The cover LP over the conflicts added so far.
pub(crate) struct Cover<'a> {
    gains: &'a [u64],
    conflicts: Vec<Vec<usize>>,
    /// Column of a block, once a conflict contains it.
    column_of: Vec<Option<usize>>,
    /// What each column stands for.
    columns: Vec<CoverColumn>,
    /// One row per conflict over all columns.
    rows: Vec<Vec<f64>>,
    /// Values of the basic variables.
    values: Vec<f64>,
    /// Column that is basic in each row.
    basis: Vec<usize>,
    /// Reduced costs; never negative.
    costs: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
enum CoverColumn {
    Block(usize),
    Surplus(usize),
}

/// Cap on pivots per conflict: stopping early weakens the bound, nothing else.
const PIVOTS: usize = 60;

impl<'a> Cover<'a> {
    /// No conflicts yet, among blocks of the given gains.
    pub fn new(gains: &'a [u64]) -> Self {
        Self {
            gains,
            conflicts: Vec::new(),
            column_of: vec![None; gains.len()],
            columns: Vec::new(),
            rows: Vec::new(),
            values: Vec::new(),
            basis: Vec::new(),
            costs: Vec::new(),
        }
    }

    /// Adds a conflict and restores the optimum.
    pub fn add(&mut self, conflict: &[usize]) {
        let mut row = vec![0.0; self.columns.len()];
        for b in conflict {
            let column = self.column(*b);
            row.resize(self.columns.len(), 0.0);
            row[column] = -1.0;
        }
        let surplus = self.push_column(CoverColumn::Surplus(self.conflicts.len()), 0.0);
        row.push(1.0);
        let mut value = -1.0;
        for (i, basic) in self.basis.iter().enumerate() {
            let factor = row[*basic];
            if factor != 0.0 {
                subtract(&mut row, &self.rows[i], factor);
                value -= factor * self.values[i];
            }
        }
        self.rows.push(row);
        self.values.push(value);
        self.basis.push(surplus);
        self.conflicts.push(conflict.to_vec());
        self.restore();
    }

    fn column(&mut self, block: usize) -> usize {
        match self.column_of[block] {
            Some(column) => column,
            None => {
                let column = self.push_column(CoverColumn::Block(block), self.gains[block] as f64);
                self.column_of[block] = Some(column);
                column
            }
        }
    }

    fn push_column(&mut self, column: CoverColumn, cost: f64) -> usize {
        self.columns.push(column);
        self.costs.push(cost);
        self.rows.iter_mut().for_each(|row| row.push(0.0));
        self.columns.len() - 1
    }

    /// Dual simplex pivots until no basic value is negative.
    fn restore(&mut self) {
        for _ in 0..PIVOTS {
            let worst = (0..self.values.len())
                .reduce(|a, b| if self.values[b] < self.values[a] { b } else { a });
            let Some(row) = worst.filter(|r| self.values[*r] < -1e-9) else {
                return;
            };
            let Some(column) = self.entering(row) else {
                return;
            };
            self.pivot(row, column);
        }
    }

    fn entering(&self, row: usize) -> Option<usize> {
        let entries = self.rows[row].iter().zip(&self.costs).enumerate();
        let ratios = entries.filter(|(_, (a, _))| **a < -1e-9).map(|(j, (a, cost))| (j, cost / -a));
        ratios.reduce(|a, b| if b.1 < a.1 { b } else { a }).map(|best| best.0)
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let scale = 1.0 / self.rows[row][column];
        self.rows[row].iter_mut().for_each(|x| *x *= scale);
        self.values[row] *= scale;
        let pivot_row = std::mem::take(&mut self.rows[row]);
        for i in 0..self.rows.len() {
            let factor = if i == row { 0.0 } else { self.rows[i][column] };
            if factor != 0.0 {
                subtract(&mut self.rows[i], &pivot_row, factor);
                self.values[i] -= factor * self.values[row];
            }
        }
        let factor = self.costs[column];
        subtract(&mut self.costs, &pivot_row, factor);
        self.rows[row] = pivot_row;
        self.basis[row] = column;
    }

    /// Weight of each block in the cover.
    pub fn weights(&self) -> Vec<f64> {
        let mut weights = vec![0.0; self.column_of.len()];
        for (column, value) in self.basis.iter().zip(&self.values) {
            if let CoverColumn::Block(b) = self.columns[*column] {
                weights[b] = *value;
            }
        }
        weights
    }

    /// A fractional packing: what each conflict takes, such that no block bears more than its
    /// gain, up to rounding.
    pub fn shares(&self) -> Vec<f64> {
        let mut packing = vec![0.0; self.conflicts.len()];
        for (column, cost) in self.columns.iter().zip(&self.costs) {
            if let CoverColumn::Surplus(c) = column {
                packing[*c] = cost.max(0.0);
            }
        }
        let mut loads = vec![0.0; self.column_of.len()];
        for (conflict, share) in self.conflicts.iter().zip(&packing) {
            conflict.iter().for_each(|b| loads[*b] += share);
        }
        let overloads = loads.iter().zip(self.gains).map(|(load, gain)| load / *gain as f64);
        let largest = overloads.fold(1.0, f64::max);
        packing.into_iter().map(|share| share / largest).collect()
    }

    /// Certain lower bound on the gain of the violated blocks: the fractional packing, rounded
    /// up once more than the rounding of its sums is taken off.
    pub fn bound(&self) -> u64 {
        let shares = self.shares();
        let total: f64 = shares.iter().sum();
        let rounding = 4.0 * (shares.len() + 4) as f64 * f64::EPSILON * total;
        (total - rounding.max(1e-6)).ceil().max(0.0) as u64
    }
}

fn subtract(target: &mut [f64], row: &[f64], factor: f64) {
    target.iter_mut().zip(row).for_each(|(t, r)| *t -= factor * r);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disjoint_conflicts_add_up() {
        let mut cover = Cover::new(&[1; 6]);
        for conflict in [[0, 1], [2, 3], [4, 5]] {
            cover.add(&conflict);
        }
        assert_eq!(cover.bound(), 3);
    }

    #[test]
    fn a_triangle_of_pairs_needs_two_violated_blocks() {
        let mut cover = Cover::new(&[1; 3]);
        for (conflict, bound) in [([0, 1], 1), ([1, 2], 1), ([0, 2], 2)] {
            cover.add(&conflict);
            assert_eq!(cover.bound(), bound);
        }
        assert!((cover.weights().iter().sum::<f64>() - 1.5).abs() < 1e-9);
    }

    #[test]
    fn a_conflict_costs_its_smallest_gain_and_leaves_the_rest_to_others() {
        let mut cover = Cover::new(&[5, 2, 4]);
        for (conflict, bound) in [([0, 1], 2), ([0, 2], 5), ([1, 2], 6)] {
            cover.add(&conflict);
            assert_eq!(cover.bound(), bound);
        }
    }
}
