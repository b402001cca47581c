//! Rows that others of their block imply in a box.
//!
//! Where `(r - s) . p < 0` all over the box, row `s` holds wherever `r` does.
//! Leaving `s` out loses nothing in the box and in its parts.

use crate::conflict::WeightBox;
use crate::exact::node::rounding_guard;
use crate::row_table::RowTable;

/// Blocks with more rows keep them all: in boxes so large few rows imply others.
const MOST_ROWS: usize = 256;

/// The table without rows that a row of the same block implies in the box.
///
/// Rows low at the center come first, because they imply most others. Cost: at most
/// the product of a block's numbers of rows before and after, times the weights.
pub(super) fn strongest_rows(table: &RowTable, bounds: &WeightBox) -> RowTable {
    let mut sieve = Sieve {
        center: bounds.center(),
        radius: bounds.radius(),
        guard: 2.0 * rounding_guard(table.dimension()),
        kept: Vec::new(),
    };
    let mut values = vec![0.0; table.len()];
    table.add_dots(&sieve.center, &mut values);
    let (mut positions, mut starts) = (Vec::new(), vec![0]);
    for b in 0..table.blocks() {
        let mut rows: Vec<usize> = table.block(b).collect();
        if rows.len() <= MOST_ROWS {
            rows.sort_by(|i, j| values[*i].total_cmp(&values[*j]));
            sieve.kept.clear();
            rows.retain(|i| sieve.keeps(table, *i));
            rows.sort_unstable();
        }
        positions.extend(rows.iter().map(|i| *i as u32));
        starts.push(positions.len() as u32);
    }
    table.select(&positions, &starts, &table.gains)
}

struct Sieve {
    center: Vec<f64>,
    radius: Vec<f64>,
    guard: f64,
    /// Rows of the block that stay, one after the other.
    kept: Vec<f64>,
}

impl Sieve {
    /// Keeps a row unless one kept before is certainly lower all over the box.
    fn keeps(&mut self, table: &RowTable, row: usize) -> bool {
        let start = self.kept.len();
        self.kept.extend((0..self.center.len()).map(|k| table.entry(row, k)));
        let (kept, row) = self.kept.split_at(start);
        let implied = kept.chunks_exact(row.len()).any(|r| self.most(r, row) < -self.guard);
        if implied {
            self.kept.truncate(start);
        }
        !implied
    }

    /// The largest value of `(r - s) . p` over the box.
    fn most(&self, r: &[f64], s: &[f64]) -> f64 {
        let mut most = 0.0;
        for k in 0..r.len() {
            let more = r[k] - s[k];
            most += more * self.center[k] + more.abs() * self.radius[k];
        }
        most
    }
}
