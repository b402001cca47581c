//! How far a known value is from what a released cell stands for.
//!
//! On an axis (numbers, levels, labels in an order) a cell is a few ranges. A value in one of
//! them is at distance 0, another as far as the nearest of them. The index sees a cell as its
//! two outer ends, a coordinate each: of the terms of [`CellMetric`] one at most is not 0, so
//! that their sum is the distance to the last bit.

use super::exact::Measure;
use super::metric::larger;
use super::{Coordinates, Metric};
use std::sync::Arc;

/// What the gap between a value and the nearest one of a cell adds to a distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Gap {
    /// Its square.
    Squared,
    /// The gap itself, at most the cap.
    Steps(f64),
    /// This, whatever its size.
    Mismatch(f64),
}

impl Gap {
    /// What `gap` adds; one that is not positive, or unknown, adds nothing.
    #[inline(always)]
    pub fn add(self, gap: f64) -> f64 {
        let gap = larger(gap, 0.0);
        match self {
            Self::Squared => gap * gap,
            Self::Steps(cap) => gap.min(cap),
            Self::Mismatch(value) => f64::from(u8::from(gap > 0.0)) * value,
        }
    }

    /// What coordinates are multiplied by, and the measure of the products, for `weight` times
    /// the distance.
    fn weighed(self, weight: f64) -> (f64, Self) {
        match self {
            Self::Squared => (weight.sqrt(), self),
            Self::Steps(cap) => (weight, Self::Steps(cap * weight)),
            Self::Mismatch(value) => (1.0, Self::Mismatch(value * weight)),
        }
    }
}

/// One term of the distance between an original value, the query, and a released cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CellMetric {
    /// How far the value is below the cell's lower end.
    Below(Gap),
    /// How far the value is above the cell's upper end.
    Above(Gap),
    /// How far the value is from both sides of the hole it lies in; cells by number.
    Inside(Arc<Holes>),
    /// This where the value is known (1, else 0) and the cell is apart from all (1, else 0).
    Apart(f64),
}

/// The holes of cells.
#[derive(Debug, PartialEq)]
pub(crate) struct Holes {
    gap: Gap,
    /// By cell, ascending: what lies strictly between is not in it.
    of_cell: Vec<Box<[(f64, f64)]>>,
    /// True when the query is the cell.
    reversed: bool,
}

impl Holes {
    fn add(&self, x: f64, y: f64) -> f64 {
        let (value, cell) = if self.reversed { (y, x) } else { (x, y) };
        self.gap.add(hole_gap(&self.of_cell[cell as usize], value))
    }
}

/// How far `value` is from the nearer side of the hole it lies in; 0 when it lies in none.
fn hole_gap(holes: &[(f64, f64)], value: f64) -> f64 {
    let place = holes.partition_point(|hole| hole.1 <= value);
    match holes.get(place) {
        Some(&(low, high)) if value > low => (value - low).min(high - value),
        _ => 0.0,
    }
}

impl CellMetric {
    /// What the coordinates x of the query and y of the point add.
    #[inline(always)]
    pub fn between(&self, x: f64, y: f64) -> f64 {
        match self {
            Self::Below(gap) => gap.add(y - x),
            Self::Above(gap) => gap.add(x - y),
            Self::Inside(holes) => holes.add(x, y),
            Self::Apart(value) => x * y * value,
        }
    }

    /// The least that a point in [low, high] can add.
    #[inline(always)]
    pub fn least_in(&self, low: f64, high: f64, x: f64) -> f64 {
        match self {
            Self::Below(gap) => gap.add(low - x),
            Self::Above(gap) => gap.add(x - high),
            Self::Inside(_) => 0.0,
            Self::Apart(value) => x * low * value,
        }
    }

    /// True for the one term by which boxes are told apart.
    pub fn leads(&self) -> bool {
        matches!(self, Self::Below(_))
    }

    /// The same term where the cell is the query and the value the point.
    fn reversed(&self) -> Self {
        match self {
            Self::Below(gap) => Self::Above(*gap),
            Self::Above(gap) => Self::Below(*gap),
            Self::Apart(value) => Self::Apart(*value),
            Self::Inside(holes) => Self::Inside(Arc::new(Holes {
                gap: holes.gap,
                of_cell: holes.of_cell.clone(),
                reversed: !holes.reversed,
            })),
        }
    }
}

impl Metric {
    /// The same metric where points and queries change places.
    pub(crate) fn reversed(&self) -> Self {
        match self {
            Self::Cell(metric) => Self::Cell(metric.reversed()),
            other => other.clone(),
        }
    }
}

/// What a released cell stands for on its axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReleasedCell {
    low: f64,
    high: f64,
    holes: Box<[(f64, f64)]>,
    /// It stands for none of the values there are, but for one of its own.
    apart: bool,
}

impl ReleasedCell {
    /// Any value.
    pub fn anything() -> Self {
        Self { low: f64::NEG_INFINITY, high: f64::INFINITY, holes: [].into(), apart: false }
    }

    /// A value of its own.
    pub fn apart() -> Self {
        Self { apart: true, ..Self::anything() }
    }

    /// The values in `ranges`, which ascend without overlap; a value of its own when there are none.
    pub fn of(ranges: &[(f64, f64)]) -> Self {
        let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else {
            return Self::apart();
        };
        let holes = ranges.windows(2).map(|pair| (pair[0].1, pair[1].0)).collect();
        Self { low: first.0, high: last.1, holes, apart: false }
    }

    /// `value` minus the nearest value in the cell; 0 when it is in it.
    pub fn signed_gap(&self, value: f64) -> f64 {
        if value < self.low {
            return value - self.low;
        }
        if value > self.high {
            return value - self.high;
        }
        hole_gap(&self.holes, value)
    }

    /// The nearest value in the cell to `value`, which is not in it; the lower of two as near.
    fn nearest(&self, value: f64) -> Option<f64> {
        if value < self.low {
            return Some(self.low);
        }
        if value > self.high {
            return Some(self.high);
        }
        let place = self.holes.partition_point(|hole| hole.1 <= value);
        let &(low, high) = self.holes.get(place).filter(|hole| value > hole.0)?;
        let nearer = Measure::Gap(value, low).cmp_exactly(Measure::Gap(value, high)).is_le();
        Some(if nearer { low } else { high })
    }

    /// Both outer ends.
    pub fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// True when a finite end is farther from 0 than `limit`.
    pub fn reaches_beyond(&self, limit: f64) -> bool {
        self.ends().iter().any(|end| end.is_finite() && end.abs() > limit)
    }

    /// The cell on another axis, to which `to` takes values in their order.
    pub fn mapped(&self, to: impl Fn(f64) -> f64) -> Self {
        let end = |end: f64| if end.is_infinite() { end } else { to(end) };
        let holes = self.holes.iter().map(|(a, b)| (end(*a), end(*b))).collect();
        Self { low: end(self.low), high: end(self.high), holes, apart: self.apart }
    }
}

/// The cells of a released column, and how distances to them are measured.
#[derive(Debug, Clone)]
pub(super) struct CellTable {
    pub cells: Vec<ReleasedCell>,
    pub gap: Gap,
    /// The distance of every known value to a cell that is apart.
    pub apart: f64,
}

impl CellTable {
    /// The distance of the value `a`, NaN when it is unknown, to cell number `b`.
    #[inline]
    pub fn distance(&self, a: f64, b: f64) -> f64 {
        let cell = &self.cells[b as usize];
        if a.is_nan() {
            return 0.0;
        }
        if cell.apart {
            return self.apart;
        }
        let outside = larger(cell.low - a, a - cell.high);
        match outside > 0.0 || cell.holes.is_empty() {
            true => self.gap.add(outside),
            false => self.gap.add(hole_gap(&cell.holes, a)),
        }
    }

    /// The same distance, as it is defined.
    pub fn measure(&self, a: f64, b: f64) -> Measure {
        let cell = &self.cells[b as usize];
        if a.is_nan() {
            return Measure::Known(0.0);
        }
        if cell.apart {
            return Measure::Known(self.apart);
        }
        match cell.nearest(a) {
            None => Measure::Known(0.0),
            Some(end) => match self.gap {
                Gap::Squared => Measure::Square(a, end, 0.0),
                Gap::Steps(cap) if (a - end).abs() > cap => Measure::Known(cap),
                Gap::Steps(_) => Measure::Gap(a, end),
                Gap::Mismatch(value) => Measure::Known(value),
            },
        }
    }

    /// Adds the coordinates of `values` and of the cells `numbers`, times `weight`.
    pub fn add_to(&self, all: &mut Coordinates, values: &[f64], numbers: &[f64], weight: f64) {
        let (factor, gap) = self.gap.weighed(weight);
        let cells: Vec<ReleasedCell> =
            self.cells.iter().map(|c| c.mapped(|v| v * factor)).collect();
        let values: Vec<f64> = values.iter().map(|v| v * factor).collect();
        let of_cells = |coordinate: &dyn Fn(&ReleasedCell) -> f64| -> Vec<f64> {
            numbers.iter().map(|&number| coordinate(&cells[number as usize])).collect()
        };
        let mut push = |metric, original, released| {
            all.push(Metric::Cell(metric), [original, released]);
        };
        push(CellMetric::Below(gap), values.clone(), of_cells(&|cell| cell.low));
        push(CellMetric::Above(gap), values.clone(), of_cells(&|cell| cell.high));
        if cells.iter().any(|cell| cell.apart) {
            let known = values.iter().map(|v| f64::from(u8::from(!v.is_nan()))).collect();
            let apart = of_cells(&|cell| f64::from(u8::from(cell.apart)));
            push(CellMetric::Apart(self.apart * weight), known, apart);
        }
        if cells.iter().any(|cell| !cell.holes.is_empty()) {
            let of_cell = cells.iter().map(|cell| cell.holes.clone()).collect();
            let holes = Arc::new(Holes { gap, of_cell, reversed: false });
            push(CellMetric::Inside(holes), values, numbers.to_vec());
        }
    }
}
