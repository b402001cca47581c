//! The best weights on a line, over all its points at once.

use crate::row_table::RowTable;

/// A line through the current point.
pub(crate) enum Direction {
    /// Only this weight changes.
    Axis(usize),
    /// All weights change.
    Any(Vec<f64>),
}

/// A point that moves, line by line, to where the satisfied blocks gain more.
pub(crate) struct LineSearch<'a> {
    table: &'a RowTable,
    point: Vec<f64>,
    /// Value of every row at the point.
    at: Vec<f64>,
    slope: Vec<f64>,
    /// Where blocks begin and cease to hold, and the gain that comes or goes.
    ends: Vec<(f64, i64)>,
}

impl<'a> LineSearch<'a> {
    pub fn new(table: &'a RowTable, point: &[f64]) -> Self {
        let mut at = vec![0.0; table.len()];
        table.add_dots(point, &mut at);
        Self { table, point: point.to_vec(), at, slope: vec![0.0; table.len()], ends: Vec::new() }
    }

    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// Moves to the best point of the line unless its gain is below `best`.
    ///
    /// Returns the larger gain. All weights stay at least `floor` times the
    /// largest. The new point is the middle of the widest best interval. Cost:
    /// one pass over the rows and a sort of two ends per block.
    pub fn improve(&mut self, direction: Direction, best: u64, floor: f64) -> u64 {
        let direction = match direction {
            Direction::Axis(k) => {
                self.slope.copy_from_slice(self.table.column(k));
                (0..self.point.len()).map(|j| f64::from(u8::from(j == k))).collect()
            }
            Direction::Any(direction) => {
                self.slope.fill(0.0);
                self.table.add_dots(&direction, &mut self.slope);
                direction
            }
        };
        let range = step_range(&self.point, &direction, floor);
        self.collect_ends(range);
        let (gain, low, high) = self.sweep(range);
        if gain < best {
            return best;
        }
        self.step(middle(low, high, &self.point, &direction), &direction);
        gain
    }

    fn step(&mut self, step: f64, direction: &[f64]) {
        self.point.iter_mut().zip(direction).for_each(|(p, d)| *p += step * d);
        self.at.iter_mut().zip(&self.slope).for_each(|(a, s)| *a += step * s);
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
                let gain = self.table.gains[b] as i64;
                self.ends.push((low, gain));
                self.ends.push((high, -gain));
            }
        }
    }

    /// Largest gain of overlapping blocks and the widest interval on which it is attained.
    fn sweep(&mut self, range: (f64, f64)) -> (u64, f64, f64) {
        // Closing ends first: intervals are open and do not overlap in a point.
        self.ends.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
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
        (best.0 as u64, best.1, best.2)
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
