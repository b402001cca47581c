//! Boxes of weights, scaled so that the largest weight is 1.

/// All weights `low <= p <= high`; some entry is fixed at 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WeightBox {
    pub low: Vec<f64>,
    pub high: Vec<f64>,
}

impl WeightBox {
    /// The `n` boxes `p_m = 1`, all other weights in `[floor, 1]`.
    ///
    /// Inequalities are homogeneous, so together they stand for all weights
    /// of at least `floor` times the largest.
    pub fn roots(n: usize, floor: f64) -> Vec<Self> {
        let root = |m: usize| Self {
            low: (0..n).map(|k| if k == m { 1.0 } else { floor }).collect(),
            high: vec![1.0; n],
        };
        (0..n).map(root).collect()
    }

    /// One box with a point on every ray of the root boxes.
    pub fn everywhere(n: usize, floor: f64) -> Self {
        Self { low: vec![floor; n], high: vec![1.0; n] }
    }

    pub fn center(&self) -> Vec<f64> {
        let bounds = self.low.iter().zip(&self.high);
        bounds.map(|(l, h)| 0.5 * (l + h)).collect()
    }

    pub fn radius(&self) -> Vec<f64> {
        let bounds = self.low.iter().zip(&self.high);
        bounds.map(|(l, h)| 0.5 * (h - l)).collect()
    }

    /// Where weight `k` is split: at the geometric mean of its bounds.
    pub fn cut(&self, k: usize) -> f64 {
        (self.low[k] * self.high[k]).sqrt()
    }

    /// Product of the ratios of the widths of this box and one that contains it.
    pub fn relative_volume(&self, outer: &Self) -> f64 {
        let ratio = |k: usize| {
            let width = outer.high[k] - outer.low[k];
            if width > 0.0 { (self.high[k] - self.low[k]) / width } else { 1.0 }
        };
        (0..self.low.len()).map(ratio).product()
    }

    /// Halves at the geometric mean of the bounds of weight `k`: lower, upper.
    pub fn split(&self, k: usize) -> (Self, Self) {
        let cut = self.cut(k);
        let (mut lower, mut upper) = (self.clone(), self.clone());
        lower.high[k] = cut;
        upper.low[k] = cut;
        (lower, upper)
    }

    /// False when the bounds of weight `k` are too close to halve.
    pub fn can_split(&self, k: usize) -> bool {
        self.high[k] > self.low[k] * (1.0 + 1e-10)
    }
}
