//! Inverse of a small dense matrix, in place of a factorisation to update:
//! with at most one row per weight it is cheaper than one scan of the rows,
//! and fresh every time.

/// A square matrix of at most a few dozen rows, row by row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dense {
    size: usize,
    values: Vec<f64>,
    work: Vec<f64>,
}

impl Dense {
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.size + column]
    }

    /// Becomes the inverse of the matrix with the given entries; false if singular.
    pub fn invert(&mut self, size: usize, entry: impl Fn(usize, usize) -> f64) -> bool {
        self.size = size;
        self.values.clear();
        self.work.clear();
        for i in 0..size {
            self.work.extend((0..size).map(|j| entry(i, j)));
            self.values
                .extend((0..size).map(|j| f64::from(u8::from(i == j))));
        }
        (0..size).all(|column| self.eliminate(column))
    }

    /// One Gauss-Jordan step with partial pivoting.
    fn eliminate(&mut self, column: usize) -> bool {
        let n = self.size;
        let size_of = |row: usize, work: &[f64]| work[row * n + column].abs();
        let pivot = (column..n).fold(column, |best, row| {
            if size_of(row, &self.work) > size_of(best, &self.work) {
                row
            } else {
                best
            }
        });
        let value = self.work[pivot * n + column];
        if value.abs() < 1e-13 {
            return false;
        }
        for j in 0..n {
            self.work.swap(pivot * n + j, column * n + j);
            self.values.swap(pivot * n + j, column * n + j);
        }
        for j in 0..n {
            self.work[column * n + j] /= value;
            self.values[column * n + j] /= value;
        }
        for row in (0..n).filter(|row| *row != column) {
            let factor = self.work[row * n + column];
            if factor != 0.0 {
                subtract_row(&mut self.work, n, row, column, factor);
                subtract_row(&mut self.values, n, row, column, factor);
            }
        }
        true
    }
}

fn subtract_row(values: &mut [f64], n: usize, row: usize, from: usize, factor: f64) {
    for j in 0..n {
        values[row * n + j] -= factor * values[from * n + j];
    }
}
