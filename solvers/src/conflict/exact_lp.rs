//! Whether rows hold together somewhere in a box, in whole numbers.
//!
//! The LP of [`ConflictLp`](super::ConflictLp) without rounding, for boxes in which rows meet exactly
//! and doubles cannot tell. Its dual, `min max(mixture . p) over the box : lambda >= 0, sum lambda
//! = 1`, is solved by the revised simplex method; the inverse of the basis is kept as whole numbers
//! over one determinant (J. Edmonds 1967, doi:10.6028/jres.071B.033). It ends always: pivots are
//! chosen by R. G. Bland's rule (1977, doi:10.1287/moor.2.2.103) once there were many.

use super::weight_box::WeightBox;
use crate::{BlockProblem, Dyadic};
use num_bigint::{BigInt, Sign};

/// Pivots by the largest violation before Bland's rule.
const GREEDY: usize = 64;

/// What is known of some rows in a box.
pub(crate) enum Together {
    /// Never do all hold: the positions of some of them, with multipliers above 0 of the exact rows,
    /// as [`Dyadic::whole`] has them, whose mixture is at most 0 all over the box.
    Never(Vec<(usize, BigInt)>),
    /// All of them hold here: weights in whole numbers, up to a common factor.
    At(Vec<BigInt>),
}

/// Rows and a box, exactly.
pub(crate) struct ExactLp {
    rows: Vec<Vec<BigInt>>,
    low: Vec<BigInt>,
    high: Vec<BigInt>,
}

/// A column of the LP: the multiplier of a row, or what the mixture is above or below 0 for a
/// weight. In the order of Bland's rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Column {
    Above(usize),
    Below(usize),
    Row(usize),
}

/// A basis with its inverse times the determinant, which is above 0.
struct Basis {
    columns: Vec<Column>,
    inverse: Vec<Vec<BigInt>>,
    determinant: BigInt,
}

impl ExactLp {
    /// The rows `ids` of a problem over a box whose bounds of weight `k` are in units of
    /// `2^exponents[k]`.
    pub fn new(
        problem: &BlockProblem,
        ids: impl Iterator<Item = usize>,
        bounds: &WeightBox,
        exponents: &[i32],
    ) -> Self {
        let exact = |side: &[f64]| {
            let scaled = |(x, e): (&f64, &i32)| Dyadic::from(*x).scaled((*e).into());
            side.iter().zip(exponents).map(scaled).collect::<Vec<_>>()
        };
        let mut low = Dyadic::whole(&[exact(&bounds.low), exact(&bounds.high)].concat());
        let high = low.split_off(bounds.low.len());
        let rows = ids.map(|id| Dyadic::whole(&problem.exact_row(id))).collect();
        Self { rows, low, high }
    }

    /// Decides on the rows at these positions.
    ///
    /// Cost: for each pivot a product of each row with the weights and the square of the number of
    /// weights, in whole numbers that grow with that number.
    pub fn decide(&self, positions: &[usize]) -> Together {
        let Some(first) = positions.first() else {
            return Together::At(self.low.iter().zip(&self.high).map(|(l, h)| l + h).collect());
        };
        let mut basis = self.start(*first);
        for pivots in 0.. {
            let prices = self.prices(&basis);
            let (level, weights) = prices.split_last().expect("a price for the sum of multipliers");
            if level.sign() != Sign::Plus {
                return Together::Never(basis.multipliers());
            }
            match self.entering(positions, &basis, weights, level, pivots >= GREEDY) {
                None => return Together::At(weights.to_vec()),
                Some(entering) => basis.enter(entering, &self.entries(entering)),
            }
        }
        unreachable!("pivots end by Bland's rule")
    }

    /// The basis of one row alone, the mixture at its best corner of the box.
    fn start(&self, row: usize) -> Basis {
        let entries = &self.rows[row];
        let n = entries.len();
        let column = |k: usize| match entries[k].sign() {
            Sign::Plus => Column::Above(k),
            _ => Column::Below(k),
        };
        let unit = |k: usize, value: i8| {
            let mut unit = vec![BigInt::ZERO; n + 1];
            unit[k] = value.into();
            unit
        };
        let inverse = |k: usize| {
            let sign = if entries[k].sign() == Sign::Plus { -1 } else { 1 };
            let mut inverse = unit(k, sign);
            inverse[n] = -&entries[k] * sign;
            inverse
        };
        Basis {
            columns: (0..n).map(column).chain([Column::Row(row)]).collect(),
            inverse: (0..n).map(inverse).chain([unit(n, 1)]).collect(),
            determinant: 1.into(),
        }
    }

    /// The weights of the basis and, last, the level at which its rows are, times the determinant.
    fn prices(&self, basis: &Basis) -> Vec<BigInt> {
        let mut prices = vec![BigInt::ZERO; basis.columns.len()];
        for (column, inverse) in basis.columns.iter().zip(&basis.inverse) {
            let cost = match column {
                Column::Above(k) => self.high[*k].clone(),
                Column::Below(k) => -&self.low[*k],
                Column::Row(_) => continue,
            };
            prices.iter_mut().zip(inverse).for_each(|(price, x)| *price += &cost * x);
        }
        let n = prices.len() - 1;
        prices[..n].iter_mut().for_each(|price| *price = -&*price);
        prices
    }

    /// The column that is violated most, or the first that is.
    fn entering(
        &self,
        positions: &[usize],
        basis: &Basis,
        weights: &[BigInt],
        level: &BigInt,
        first: bool,
    ) -> Option<Column> {
        let bounds = (0..weights.len()).flat_map(|k| {
            let [low, high] = [&self.low[k], &self.high[k]].map(|x| x * &basis.determinant);
            [(Column::Above(k), &weights[k] - high), (Column::Below(k), low - &weights[k])]
        });
        let rows = positions.iter().map(|row| {
            let value: BigInt = self.rows[*row].iter().zip(weights).map(|(r, p)| r * p).sum();
            (Column::Row(*row), level - value)
        });
        let mut violated = bounds.chain(rows).filter(|(_, by)| by.sign() == Sign::Plus);
        let most = if first { violated.next() } else { violated.max_by(|a, b| a.1.cmp(&b.1)) };
        most.map(|(column, _)| column)
    }

    /// Entries of a column of the LP.
    fn entries(&self, column: Column) -> Vec<BigInt> {
        let n = self.low.len();
        let mut entries = vec![BigInt::ZERO; n + 1];
        match column {
            Column::Above(k) => entries[k] = (-1).into(),
            Column::Below(k) => entries[k] = 1.into(),
            Column::Row(row) => {
                entries[..n].clone_from_slice(&self.rows[row]);
                entries[n] = 1.into();
            }
        }
        entries
    }
}

impl Basis {
    /// Brings a column into the basis.
    fn enter(&mut self, entering: Column, entries: &[BigInt]) {
        let change = |row: &Vec<BigInt>| row.iter().zip(entries).map(|(x, e)| x * e).sum();
        let changes: Vec<BigInt> = self.inverse.iter().map(change).collect();
        let leaving = self.leaving(&changes);
        let pivot_row = self.inverse[leaving].clone();
        let rows = self.inverse.iter_mut().zip(&changes).enumerate();
        for (_, (row, change)) in rows.filter(|(i, _)| *i != leaving) {
            let terms = row.iter_mut().zip(&pivot_row);
            terms
                .for_each(|(x, p)| *x = (&*x * &changes[leaving] - change * p) / &self.determinant);
        }
        self.determinant = changes[leaving].clone();
        self.columns[leaving] = entering;
    }

    /// The place in the basis that first falls to 0.
    fn leaving(&self, changes: &[BigInt]) -> usize {
        let value = |i: usize| self.inverse[i].last().expect("a column for the sum");
        let falls = (0..changes.len()).filter(|i| changes[*i].sign() == Sign::Plus);
        let sooner = |a: &usize, b: &usize| {
            let (a, b) = (*a, *b);
            let order = (value(a) * &changes[b]).cmp(&(value(b) * &changes[a]));
            order.then(self.columns[a].cmp(&self.columns[b]))
        };
        falls.min_by(sooner).expect("multipliers sum to 1")
    }

    /// The multipliers of the rows in the basis that are not 0.
    fn multipliers(&self) -> Vec<(usize, BigInt)> {
        let values = self.columns.iter().zip(&self.inverse);
        let rows = values.filter_map(|(column, inverse)| match column {
            Column::Row(row) => Some((*row, inverse.last()?.clone())),
            _ => None,
        });
        rows.filter(|(_, multiplier)| multiplier.sign() == Sign::Plus).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BlockProblemBuilder;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn problem(rows: &[Vec<f64>]) -> BlockProblem {
        let mut builder = BlockProblemBuilder::new(rows[0].len()).unwrap();
        rows.iter().for_each(|row| builder.push_block(row).unwrap());
        builder.finish()
    }

    /// The largest value over a box of a sum of rows, each times its multiplier.
    fn greatest(lp: &ExactLp, mixed: &[(usize, BigInt)]) -> BigInt {
        let entry = |k: usize| mixed.iter().map(|(row, m)| &lp.rows[*row][k] * m).sum::<BigInt>();
        let corner = |(k, x): (usize, BigInt)| match x.sign() {
            Sign::Plus => x * &lp.high[k],
            _ => x * &lp.low[k],
        };
        (0..lp.low.len()).map(entry).enumerate().map(corner).sum()
    }

    /// Rows through one point, none of them 0: whether they hold together is in every corner of a
    /// box around it the same.
    #[test]
    fn rows_that_meet_are_decided_and_every_answer_checks() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let (mut never, mut at) = (0, 0);
        for case in 0..400 {
            let n = random.random_range(2..=5);
            let rows: Vec<Vec<f64>> = (0..random.random_range(1..=12))
                .map(|_| {
                    let mut row: Vec<f64> =
                        (1..n).map(|_| f64::from(random.random_range(-3..=3i8))).collect();
                    // All weights equal is where every row is 0.
                    row.push(-row.iter().sum::<f64>());
                    row
                })
                .filter(|row| row.iter().any(|x| *x > 0.0))
                .collect();
            if rows.is_empty() {
                continue;
            }
            let problem = problem(&rows);
            let width = 2f64.powi(-random.random_range(0..40));
            let bounds = WeightBox { low: vec![1.0 - width; n], high: vec![1.0; n] };
            let lp = ExactLp::new(&problem, 0..problem.row_count(), &bounds, &vec![0; n]);
            let all: Vec<usize> = (0..problem.row_count()).collect();
            match lp.decide(&all) {
                Together::Never(mixed) => {
                    assert!(!mixed.is_empty(), "case {case}");
                    assert!(greatest(&lp, &mixed).sign() != Sign::Plus, "case {case}");
                    never += 1;
                }
                Together::At(weights) => {
                    let value = |row: &Vec<BigInt>| -> BigInt {
                        row.iter().zip(&weights).map(|(r, p)| r * p).sum()
                    };
                    assert!(
                        lp.rows.iter().all(|row| value(row).sign() == Sign::Plus),
                        "case {case}"
                    );
                    at += 1;
                }
            }
        }
        assert!(never > 50 && at > 50, "{never} never, {at} at a point");
    }
}
