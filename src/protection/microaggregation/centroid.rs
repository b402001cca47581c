//! A mean that does not depend on the order in which records come and go.

/// The running centroid of a set of points, exact under adding and removing.
///
/// Sums are kept in 128-bit fixed point, scaled by the largest magnitude of each
/// coordinate, so taking a record out gives to the last bit the sum one would get
/// by starting anew. The error of a mean is below 2⁻⁸⁰ of the largest magnitude.
#[derive(Debug, Clone)]
pub struct ExactCentroid {
    sums: Vec<i128>,
    units: Vec<f64>,
    count: usize,
}

/// Bits of the largest magnitude; with 2³² points the sum stays below 2¹²⁰.
const BITS: i32 = 88;

impl ExactCentroid {
    /// The empty centroid for points of `columns`, which fix the scale.
    pub fn new<C: AsRef<[f64]>>(columns: &[C]) -> Self {
        let unit = |column: &C| {
            let largest = column.as_ref().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let exponent = if largest > 0.0 { largest.log2().ceil() as i32 } else { 0 };
            2f64.powi((exponent - BITS).max(-1000))
        };
        Self { sums: vec![0; columns.len()], units: columns.iter().map(unit).collect(), count: 0 }
    }

    /// The empty centroid on the same scale.
    pub fn emptied(&self) -> Self {
        Self { sums: vec![0; self.sums.len()], units: self.units.clone(), count: 0 }
    }

    /// Adds a point.
    pub fn add(&mut self, point: impl Iterator<Item = f64>) {
        self.change(point, 1);
        self.count += 1;
    }

    /// Takes a point out that was added before.
    pub fn remove(&mut self, point: impl Iterator<Item = f64>) {
        self.change(point, -1);
        self.count -= 1;
    }

    /// The mean of the points.
    pub fn mean(&self) -> Vec<f64> {
        let scaled = self.sums.iter().zip(&self.units);
        scaled.map(|(sum, unit)| *sum as f64 / self.count as f64 * unit).collect()
    }

    fn change(&mut self, point: impl Iterator<Item = f64>, sign: i128) {
        for ((sum, unit), value) in self.sums.iter_mut().zip(&self.units).zip(point) {
            *sum += sign * (value / unit).round() as i128;
        }
    }
}
