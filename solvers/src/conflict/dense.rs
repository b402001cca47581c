//! Inverse of a small dense matrix, in place of a factorization to update:
//! with at most one row per weight it is cheaper than one scan of the rows,
//! and fresh every time.

/// A square matrix of at most a few dozen rows, row by row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dense {
    size: usize,
    values: Vec<f64>,
    swaps: Vec<usize>,
    pivot_row: Vec<f64>,
}

impl Dense {
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.size + column]
    }

    /// Becomes the inverse of the matrix with the given entries; false if singular.
    ///
    /// Gauss-Jordan in place with partial pivoting: `size^3` multiplications.
    pub fn invert(&mut self, size: usize, entry: impl Fn(usize, usize) -> f64) -> bool {
        self.size = size;
        self.values.clear();
        self.swaps.clear();
        for i in 0..size {
            self.values.extend((0..size).map(|j| entry(i, j)));
        }
        if !(0..size).all(|column| self.eliminate(column)) {
            return false;
        }
        self.undo_swaps();
        true
    }

    fn eliminate(&mut self, column: usize) -> bool {
        let n = self.size;
        let size_of = |row: &usize| self.values[row * n + column].abs();
        let pivot = (column..n).max_by(|a, b| size_of(a).total_cmp(&size_of(b))).unwrap_or(column);
        if size_of(&pivot) < 1e-13 {
            return false;
        }
        self.swaps.push(pivot);
        if pivot != column {
            (0..n).for_each(|j| self.values.swap(pivot * n + j, column * n + j));
        }
        let scale = 1.0 / self.values[column * n + column];
        self.values[column * n + column] = 1.0;
        self.values[column * n..(column + 1) * n].iter_mut().for_each(|x| *x *= scale);
        self.pivot_row.clear();
        self.pivot_row.extend_from_slice(&self.values[column * n..(column + 1) * n]);
        for (i, row) in self.values.chunks_exact_mut(n).enumerate() {
            let factor = row[column];
            if i != column && factor != 0.0 {
                row[column] = 0.0;
                row.iter_mut().zip(&self.pivot_row).for_each(|(x, p)| *x -= factor * p);
            }
        }
        true
    }

    /// Row swaps of the matrix are column swaps of its inverse, in reverse order.
    fn undo_swaps(&mut self) {
        let n = self.size;
        for (column, pivot) in self.swaps.iter().enumerate().rev() {
            if *pivot != column {
                (0..n).for_each(|i| self.values.swap(i * n + column, i * n + pivot));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let matrix = [[0.0, 2.0, 1.0], [1.0, -1.0, 3.0], [4.0, 0.5, 0.0]];
        let mut inverse = Dense::default();
        assert!(inverse.invert(3, |i, j| matrix[i][j]));
        for (i, row) in matrix.iter().enumerate() {
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| row[k] * inverse.at(k, j)).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
        assert!(!inverse.invert(2, |_, _| 1.0));
    }
}
