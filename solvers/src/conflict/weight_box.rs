//! Boxes of weights, scaled so that the largest weight is 1.

/// Share of its upper bound at which a weight that may be 0 is split.
const SMALL_SHARE: f64 = 1.0 / 1024.0;

/// Binary digits to which places in a box are rounded.
const COARSE: i32 = 7;

/// All weights `low <= p <= high`; some entry is fixed at 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WeightBox {
    pub low: Vec<f64>,
    pub high: Vec<f64>,
}

impl WeightBox {
    /// The `n` boxes `p_m = 1`, all other weights in `[0, 1]`.
    ///
    /// Inequalities are homogeneous, so together they stand for all weights.
    pub fn roots(n: usize) -> Vec<Self> {
        let root = |m: usize| Self {
            low: (0..n).map(|k| f64::from(u8::from(k == m))).collect(),
            high: vec![1.0; n],
        };
        (0..n).map(root).collect()
    }

    /// One box with a point on every ray of weights of at least `floor` times the largest.
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

    /// Where weight `k` is split: at the geometric mean of its bounds, and where it may be 0 at a
    /// small share of its upper bound.
    pub fn cut(&self, k: usize) -> f64 {
        let cut = match self.low[k] > 0.0 {
            true => (self.low[k] * self.high[k]).sqrt(),
            false => return self.high[k] * SMALL_SHARE,
        };
        let coarse = self.coarse(k, cut, f64::round);
        if coarse > self.low[k] && coarse < self.high[k] { coarse } else { cut }
    }

    /// A number near `value` of few binary digits, by the width of the box in weight `k`.
    pub fn coarse(&self, k: usize, value: f64, round: fn(f64) -> f64) -> f64 {
        let width = self.high[k] - self.low[k];
        let step = 2f64.powi((width.to_bits() >> 52) as i32 - 1023 - COARSE);
        let steps = value / step;
        if steps.abs() < (1u64 << 52) as f64 { round(steps) * step } else { value }
    }

    /// True when no weights are in the box.
    pub fn is_empty(&self) -> bool {
        self.low.iter().zip(&self.high).any(|(low, high)| low > high)
    }

    /// The part where weight `k` is at its upper bound.
    pub fn face(&self, k: usize) -> Self {
        let mut face = self.clone();
        face.low[k] = face.high[k];
        face
    }

    /// Product of the ratios of the widths of this box and one that contains it.
    pub fn relative_volume(&self, outer: &Self) -> f64 {
        let ratio = |k: usize| {
            let width = outer.high[k] - outer.low[k];
            if width > 0.0 { (self.high[k] - self.low[k]) / width } else { 1.0 }
        };
        (0..self.low.len()).map(ratio).product()
    }

    /// The parts below and above [`WeightBox::cut`] of weight `k`.
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
