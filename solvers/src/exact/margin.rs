//! The weights with the largest smallest margin over a set of rows.
//!
//! `max t : r . p >= t for all rows, p >= 0, sum p = 1`. With `x = p / t` this
//! is `min sum x : r . x >= 1, x >= 0`; its dual `max sum y : R' y <= 1, y >= 0`
//! has one constraint per weight and starts from `y = 0`, so the primal simplex
//! on the dual needs no first phase and only prices rows by a scan.

use crate::conflict::Dense;
use crate::row_table::RowTable;
use crate::solver::Clock;
use std::time::{Duration, Instant};

const ITERATIONS: usize = 2000;

/// How long it may take once the search should have ended.
const PATIENCE: Duration = Duration::from_millis(250);

/// Direction of the weights with the largest smallest `r . p`, if it is positive and found in
/// time.
pub(crate) fn widest_margin(table: &RowTable, clock: &Clock<'_>) -> Option<Vec<f64>> {
    let started = Instant::now();
    let n = table.dimension();
    // Basis entry: a row of the table, or the slack of weight k as len + k.
    let mut basis: Vec<usize> = (0..n).map(|k| table.len() + k).collect();
    let mut inverse = Dense::default();
    let mut values = vec![0.0; table.len()];
    for _ in 0..ITERATIONS {
        if started.elapsed() > PATIENCE && clock.stop().is_some() {
            return None;
        }
        let entry = |k: usize, column: usize| column_entry(table, basis[column], k);
        if !inverse.invert(n, entry) {
            return None;
        }
        let prices = prices(&inverse, &basis, table.len());
        let Some(entering) = entering(table, &prices, &mut values) else {
            return Some(prices.iter().map(|x| x.max(0.0)).collect());
        };
        basis[leaving(table, &inverse, entering)?] = entering;
    }
    None
}

fn column_entry(table: &RowTable, column: usize, k: usize) -> f64 {
    match column.checked_sub(table.len()) {
        None => table.entry(column, k),
        Some(slack) => f64::from(u8::from(slack == k)),
    }
}

/// `x = c_B B^-1`, the weights over their margin; rows cost 1, slacks 0.
fn prices(inverse: &Dense, basis: &[usize], rows: usize) -> Vec<f64> {
    let costly: Vec<usize> = (0..basis.len()).filter(|i| basis[*i] < rows).collect();
    let price = |k: usize| costly.iter().map(|i| inverse.at(*i, k)).sum();
    (0..basis.len()).map(price).collect()
}

/// A negative weight's slack, else the row furthest below its margin.
fn entering(table: &RowTable, prices: &[f64], values: &mut [f64]) -> Option<usize> {
    let negative = (0..prices.len()).find(|k| prices[*k] < -1e-9);
    if let Some(k) = negative {
        return Some(table.len() + k);
    }
    values.fill(0.0);
    table.add_dots(prices, values);
    let lowest = (0..values.len()).min_by(|a, b| values[*a].total_cmp(&values[*b]))?;
    (values[lowest] < 1.0 - 1e-9).then_some(lowest)
}

/// Ratio test; none when the dual is unbounded, that is when no margin exists.
fn leaving(table: &RowTable, inverse: &Dense, entering: usize) -> Option<usize> {
    let n = table.dimension();
    let mut best: Option<(f64, usize)> = None;
    for i in 0..n {
        let rate: f64 = (0..n).map(|k| inverse.at(i, k) * column_entry(table, entering, k)).sum();
        let level: f64 = (0..n).map(|k| inverse.at(i, k)).sum();
        if rate > 1e-11 {
            let step = level.max(0.0) / rate;
            if best.is_none_or(|b| step < b.0) {
                best = Some((step, i));
            }
        }
    }
    best.map(|b| b.1)
}
