//! Linear programs of few variables, solved from vertex to vertex.
//!
//! `min c . x` over all `x` with `a_0 . x = b_0` and `a_i . x >= b_i`. A *vertex* is the point
//! where as many rows as there are variables are *tight*; the price of a tight row is what the
//! objective changes per unit by which it is loosened. From a vertex that holds every row, rows of
//! negative price are loosened until another row becomes tight (primal simplex). Where rows
//! were added that the best vertex breaks, a broken row becomes tight in the place of the one
//! whose price reaches 0 first, so that no price becomes negative (dual simplex). The tight
//! rows are inverted anew at every vertex: nothing is carried along that rounding could spoil.

use crate::conflict::Dense;
use crate::sign::dot;

/// A row broken by less than this counts as held, a price above minus this as not negative.
const TOLERANCE: f64 = 1e-10;

/// Rates of change below this count as 0.
const SMALLEST_RATE: f64 = 1e-9;

/// Vertices after which the first candidate is taken in place of the best: that cannot cycle
/// (R. G. Bland, "New finite pivoting rules for the simplex method", 1977).
const PATIENCE: usize = 2_000;

/// Vertices after which rounding must have spoiled the search.
const MOST_VERTICES: usize = 20_000;

/// What a linear program came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LinearOptimum {
    /// The objective is least here.
    At(Vec<f64>),
    /// No point holds all rows.
    Infeasible,
    /// Rounding spoiled the search.
    Unknown,
}

/// Rows, and the vertex reached so far.
#[derive(Debug)]
pub(crate) struct LinearProgram {
    variables: usize,
    /// Coefficients, flat.
    rows: Vec<f64>,
    limits: Vec<f64>,
    /// As many rows as variables, the equation first.
    tight: Vec<usize>,
    inverse: Dense,
}

impl LinearProgram {
    /// The program of the given rows `(a, b)`, the first an equation. The first rows, as many as
    /// there are variables, are tight at a point that holds all others.
    pub fn new(variables: usize, rows: &[(Vec<f64>, f64)]) -> Self {
        let tight = (0..variables).collect();
        let inverse = Dense::default();
        let mut program = Self { variables, rows: Vec::new(), limits: Vec::new(), tight, inverse };
        rows.iter().for_each(|(row, limit)| program.add(row, *limit));
        program
    }

    /// Asks for `row . x >= limit` too; coefficients left out are 0.
    ///
    /// The next objective must be the last one again if its optimum breaks the row.
    pub fn add(&mut self, row: &[f64], limit: f64) {
        self.rows.extend_from_slice(row);
        self.rows.resize((self.limits.len() + 1) * self.variables, 0.0);
        self.limits.push(limit);
    }

    /// The point where `cost . x` is least.
    ///
    /// Cost: for each vertex on the way the cube of the number of variables, and one pass
    /// over the rows.
    pub fn minimize(&mut self, cost: &[f64]) -> LinearOptimum {
        for visited in 0..MOST_VERTICES {
            let first = visited >= PATIENCE;
            let Some(point) = self.vertex() else { return LinearOptimum::Unknown };
            let prices = self.in_tight_rows(cost);
            if let Some(row) = self.broken(&point, first) {
                let Some(position) = self.first_priceless(row, &prices, first) else {
                    return LinearOptimum::Infeasible;
                };
                self.tight[position] = row;
            } else if let Some(position) = negative(&prices, first) {
                let Some(row) = self.first_met(position, &point, first) else {
                    return LinearOptimum::Unknown;
                };
                self.tight[position] = row;
            } else {
                return LinearOptimum::At(point);
            }
        }
        LinearOptimum::Unknown
    }

    fn row(&self, index: usize) -> &[f64] {
        &self.rows[index * self.variables..(index + 1) * self.variables]
    }

    fn slack(&self, index: usize, point: &[f64]) -> f64 {
        dot(self.row(index), point) - self.limits[index]
    }

    /// Rows that are not tight.
    fn loose(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.limits.len()).filter(|i| !self.tight.contains(i))
    }

    /// The point at which the tight rows meet, if they do in one.
    fn vertex(&mut self) -> Option<Vec<f64>> {
        let (rows, tight, n) = (&self.rows, &self.tight, self.variables);
        if !self.inverse.invert(n, |i, j| rows[tight[i] * n + j]) {
            return None;
        }
        let limits: Vec<f64> = tight.iter().map(|&i| self.limits[i]).collect();
        let value = |k: usize| (0..n).map(|i| self.inverse.at(k, i) * limits[i]).sum();
        Some((0..n).map(value).collect())
    }

    /// `row` as a combination of the tight rows.
    fn in_tight_rows(&self, row: &[f64]) -> Vec<f64> {
        let n = self.variables;
        let share = |i: usize| (0..n).map(|k| row[k] * self.inverse.at(k, i)).sum();
        (0..n).map(share).collect()
    }

    /// The most broken row, or the first.
    fn broken(&self, point: &[f64], first: bool) -> Option<usize> {
        let slacks = self.loose().map(|i| (self.slack(i, point), i));
        let mut broken = slacks.filter(|(slack, _)| *slack < -TOLERANCE);
        match first {
            true => broken.next(),
            false => broken.min_by(|a, b| a.0.total_cmp(&b.0)),
        }
        .map(|(_, i)| i)
    }

    /// The tight row, by position, whose price is first to reach 0 when `row` becomes tight.
    fn first_priceless(&self, row: usize, prices: &[f64], first: bool) -> Option<usize> {
        let rates = self.in_tight_rows(self.row(row));
        let met = (1..self.variables).filter(|&i| rates[i] > SMALLEST_RATE);
        least(met.map(|i| (prices[i].max(0.0) / rates[i], rates[i], i)), first, |i| self.tight[i])
    }

    /// The row that is first to become tight when the one at `position` is loosened.
    fn first_met(&self, position: usize, point: &[f64], first: bool) -> Option<usize> {
        let direction: Vec<f64> =
            (0..self.variables).map(|k| self.inverse.at(k, position)).collect();
        let rates = self.loose().map(|i| (i, -dot(self.row(i), &direction)));
        let met = rates.filter(|(_, rate)| *rate > SMALLEST_RATE);
        least(met.map(|(i, rate)| (self.slack(i, point).max(0.0) / rate, rate, i)), first, |i| i)
    }
}

/// The most negative price after the equation's, or the first.
fn negative(prices: &[f64], first: bool) -> Option<usize> {
    let mut negative = (1..prices.len()).filter(|&i| prices[i] < -TOLERANCE);
    match first {
        true => negative.next(),
        false => negative.min_by(|a, b| prices[*a].total_cmp(&prices[*b])),
    }
}

/// Of (step, rate, index) the index of the least step; of equal ones that of the largest rate,
/// or of the first row.
fn least(
    steps: impl Iterator<Item = (f64, f64, usize)>,
    first: bool,
    row: impl Fn(usize) -> usize,
) -> Option<usize> {
    let tie = |a: &(f64, f64, usize), b: &(f64, f64, usize)| match first {
        true => row(a.2).cmp(&row(b.2)),
        false => b.1.total_cmp(&a.1),
    };
    steps.min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| tie(a, b))).map(|s| s.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x + y + z = 1`, all at least 0, from the corner `z = 1`.
    fn triangle() -> LinearProgram {
        let rows = [
            (vec![1.0, 1.0, 1.0], 1.0),
            (vec![1.0, 0.0, 0.0], 0.0),
            (vec![0.0, 1.0, 0.0], 0.0),
            (vec![0.0, 0.0, 1.0], 0.0),
        ];
        LinearProgram::new(3, &rows)
    }

    fn expect(found: LinearOptimum, point: [f64; 3]) {
        let LinearOptimum::At(found) = found else { panic!("{found:?}") };
        assert!(found.iter().zip(&point).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn the_optimum_is_at_a_corner() {
        let mut program = triangle();
        expect(program.minimize(&[-1.0, 0.0, 0.0]), [1.0, 0.0, 0.0]);
        expect(program.minimize(&[-1.0, -2.0, 3.0]), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn rows_added_move_the_optimum() {
        let mut program = triangle();
        let cost = [-1.0, -0.5, 0.0];
        expect(program.minimize(&cost), [1.0, 0.0, 0.0]);
        program.add(&[-1.0], -0.25);
        expect(program.minimize(&cost), [0.25, 0.75, 0.0]);
        program.add(&[0.0, -1.0, 1.0], 0.0);
        expect(program.minimize(&cost), [0.25, 0.375, 0.375]);
    }

    #[test]
    fn rows_that_exclude_each_other_are_infeasible() {
        let mut program = triangle();
        program.minimize(&[1.0, 0.0, 0.0]);
        program.add(&[1.0, -1.0, -1.0], 0.5);
        program.add(&[0.0, 1.0, 1.0], 0.5);
        assert_eq!(program.minimize(&[1.0, 0.0, 0.0]), LinearOptimum::Infeasible);
    }
}
