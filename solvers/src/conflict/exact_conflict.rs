//! Whether rows exclude each other in a box, where rounding cannot tell.
//!
//! Rows that meet exactly, such as a row and its opposite, have a mixture that is 0 somewhere
//! in every box, and often everywhere. Doubles cannot tell that from a hair more, so the multipliers
//! are found again from the basis of the LP, as whole numbers, and the mixture is bounded
//! without rounding.

use super::weight_box::WeightBox;
use crate::{BlockProblem, Dyadic};
use num_bigint::{BigInt, Sign};

/// True only if multipliers of at least 0, with which the mixture of the exact `rows` vanishes on
/// the weights `basic`, make it at most 0 all over the box.
///
/// Bounds of weight `k` are in units of `2^exponents[k]`. Cost: the cube of the number of rows in
/// products of whole numbers.
pub(super) fn exclude_each_other(
    problem: &BlockProblem,
    rows: &[usize],
    basic: &[usize],
    bounds: &WeightBox,
    exponents: &[i32],
) -> bool {
    let exact: Vec<Vec<BigInt>> =
        rows.iter().map(|i| Dyadic::whole(&problem.exact_row(*i))).collect();
    let equation = |k: &usize| exact.iter().map(|r| r[*k].clone()).collect();
    let Some(multipliers) = vanishing(basic.iter().map(equation).collect(), rows.len()) else {
        return false;
    };
    let mut largest = Dyadic::zero();
    for k in (0..bounds.low.len()).filter(|k| !basic.contains(k)) {
        let terms = exact.iter().zip(&multipliers);
        let mixed: BigInt = terms.map(|(r, l)| &r[k] * l).sum();
        let bound = if mixed.sign() == Sign::Plus { bounds.high[k] } else { bounds.low[k] };
        let bound = Dyadic::from(bound).scaled(i64::from(exponents[k]));
        largest = &largest + &(&Dyadic::from(mixed) * &bound);
    }
    largest.sign().is_le()
}

/// The numbers of at least 0, unique up to a factor, with which every equation sums to 0.
///
/// None when there are none, or more than one solution. Gauss and Jordan's elimination without
/// fractions (E. H. Bareiss 1968, doi:10.1090/S0025-5718-1968-0226829-0).
pub(super) fn vanishing(mut equations: Vec<Vec<BigInt>>, unknowns: usize) -> Option<Vec<BigInt>> {
    let mut pivots: Vec<usize> = Vec::new();
    let mut last = BigInt::from(1);
    for column in 0..unknowns {
        let rank = pivots.len();
        let nonzero = |row: &usize| equations[*row][column].sign() != Sign::NoSign;
        let Some(found) = (rank..equations.len()).find(nonzero) else { continue };
        equations.swap(rank, found);
        let pivot = equations[rank].clone();
        for (_, row) in equations.iter_mut().enumerate().filter(|(i, _)| *i != rank) {
            let factor = row[column].clone();
            let terms = row.iter_mut().zip(&pivot);
            terms.for_each(|(x, p)| *x = (&*x * &pivot[column] - &factor * p) / &last);
        }
        last = pivot[column].clone();
        pivots.push(column);
    }
    let free = (0..unknowns).find(|k| !pivots.contains(k))?;
    let mut solution = vec![BigInt::ZERO; unknowns];
    pivots.iter().enumerate().for_each(|(i, k)| solution[*k] = -&equations[i][free]);
    solution[free] = last;
    let negative = solution.iter().any(|x| x.sign() == Sign::Minus);
    let positive = solution.iter().any(|x| x.sign() == Sign::Plus);
    match (pivots.len() + 1 == unknowns, negative, positive) {
        (true, false, _) => Some(solution),
        (true, true, false) => Some(solution.into_iter().map(|x| -x).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BlockProblemBuilder;

    fn solve(equations: &[&[i64]]) -> Option<Vec<BigInt>> {
        let whole = |row: &&[i64]| row.iter().copied().map(BigInt::from).collect();
        vanishing(equations.iter().map(whole).collect(), equations[0].len())
    }

    #[test]
    fn multipliers_are_unique_and_not_negative() {
        let ratio = |found: Vec<BigInt>| &found[0] * 3 == &found[1] * 2;
        assert!(solve(&[&[3, -2]]).is_some_and(ratio));
        assert_eq!(solve(&[&[3, 2]]), None);
        assert_eq!(solve(&[&[1, -1, 0]]), None);
        let found = solve(&[&[1, -2, 1], &[0, 5, -5]]).expect("one solution");
        assert!(found.iter().all(|x| *x == found[0]));
        assert_eq!(solve(&[&[1, 0], &[0, 1]]), None);
    }

    #[test]
    fn rows_that_meet_exactly_exclude_each_other() {
        let mut builder = BlockProblemBuilder::new(3).unwrap();
        for row in [[0.1, -0.3, 0.7], [-0.1, 0.3, -0.7], [-0.1, 0.3, -0.6]] {
            builder.push_block(&row).unwrap();
        }
        let problem = builder.finish();
        let bounds = WeightBox { low: vec![0.0, 0.0, 0.0], high: vec![1.0; 3] };
        let exclude =
            |rows: &[usize]| exclude_each_other(&problem, rows, &[0], &bounds, &[0, 0, -40]);
        assert!(exclude(&[0, 1]));
        assert!(!exclude(&[0, 2]));
    }
}
