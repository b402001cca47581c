//! The best weights on a line, over all its points at once.

use crate::row_table::RowTable;

/// Finds, on lines through weight space, the point that satisfies most blocks.
pub(crate) struct LineSearch<'a> {
    table: &'a RowTable,
    at: Vec<f64>,
    slope: Vec<f64>,
    ends: Vec<(f64, i32)>,
}

impl<'a> LineSearch<'a> {
    pub fn new(table: &'a RowTable) -> Self {
        Self {
            table,
            at: Vec::new(),
            slope: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Most blocks of the table satisfied by `p + s direction`, and such a point.
    ///
    /// All weights stay at least `floor` times the largest of `p`. The point is
    /// the middle of the widest best interval. Cost: one pass over the rows and
    /// a sort of two ends per block.
    pub fn best_point(&mut self, p: &[f64], direction: &[f64], floor: f64) -> (usize, Vec<f64>) {
        let range = step_range(p, direction, floor);
        self.fill(p, direction);
        self.collect_ends(range);
        let (count, low, high) = self.sweep(range);
        let step = middle(low, high, p, direction);
        let point = p.iter().zip(direction).map(|(x, d)| x + step * d).collect();
        (count, point)
    }

    fn fill(&mut self, p: &[f64], direction: &[f64]) {
        for (values, x) in [(&mut self.at, p), (&mut self.slope, direction)] {
            values.clear();
            values.resize(self.table.len(), 0.0);
            self.table.add_dots(x, values);
        }
    }

    /// Ends of the interval on which each block holds, within `range`.
    fn collect_ends(&mut self, range: (f64, f64)) {
        self.ends.clear();
        for b in 0..self.table.blocks() {
            let (mut low, mut high) = range;
            for i in self.table.block(b) {
                let (at, slope) = (self.at[i], self.slope[i]);
                let zero = -at / slope;
                if slope > 0.0 {
                    low = low.max(zero);
                } else if slope < 0.0 {
                    high = high.min(zero);
                } else if at <= 0.0 {
                    high = f64::NEG_INFINITY;
                }
                if low >= high {
                    break;
                }
            }
            if low < high {
                self.ends.push((low, 1));
                self.ends.push((high, -1));
            }
        }
    }

    /// Largest overlap and the widest interval on which it is attained.
    fn sweep(&mut self, range: (f64, f64)) -> (usize, f64, f64) {
        // Closing ends first: intervals are open and do not overlap in a point.
        self.ends
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best = (0, range.0, range.1);
        let mut overlap = 0;
        for pair in self.ends.windows(2) {
            overlap += pair[0].1;
            let (low, high) = (pair[0].0, pair[1].0);
            let wider = overlap == best.0 && high - low > best.2 - best.1;
            if high > low && (overlap > best.0 || wider) {
                best = (overlap, low, high);
            }
        }
        (best.0 as usize, best.1, best.2)
    }
}

/// Steps that keep every weight within a factor `1 / floor` of the others.
fn step_range(p: &[f64], direction: &[f64], floor: f64) -> (f64, f64) {
    let largest = p.iter().copied().fold(0.0, f64::max);
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for (x, d) in p.iter().zip(direction) {
        let (to_floor, to_ceiling) = ((floor * largest - x) / d, (largest * 100.0 - x) / d);
        if *d > 0.0 {
            low = low.max(to_floor);
            high = high.min(to_ceiling);
        } else if *d < 0.0 {
            high = high.min(to_floor);
            low = low.max(to_ceiling);
        }
    }
    (low.min(0.0), high.max(0.0))
}

/// The middle of an interval of steps: geometric along a coordinate axis.
fn middle(low: f64, high: f64, p: &[f64], direction: &[f64]) -> f64 {
    let mut moving = (0..p.len()).filter(|k| direction[*k] != 0.0);
    match (moving.next(), moving.next()) {
        (Some(k), None) => {
            let at = |step: f64| (p[k] + step * direction[k]).max(f64::MIN_POSITIVE);
            ((at(low) * at(high)).sqrt() - p[k]) / direction[k]
        }
        _ => 0.5 * (low + high),
    }
}
