//! Generalized numbers as single numbers, so that losses can be measured.

use crate::dataset::{Dataset, Numeric, Values};
use crate::distance::generalized_numbers;
use std::borrow::Cow;

/// `released` with the middle of what each cell stands for in place of the labels of generalized
/// numbers: 24.5 for `20-29`. What lies beyond the original's values does not count: a top code is
/// the middle between its start and the original's greatest value. Suppressed cells are missing.
///
/// Columns with a label that cannot be read stay as they are. Cost: O(n) for each such column.
pub(crate) fn with_middles<'a>(original: &Dataset, released: &'a Dataset) -> Cow<'a, Dataset> {
    let middles = |(position, name): (usize, &String)| {
        let Ok(Values::Numeric(known)) = original.values(name) else { return None };
        let before = original.position(name).ok()?;
        let ranges = generalized_numbers([(original, before), (released, position)])?;
        let ends = ends(known)?;
        let values = ranges.iter().map(|ranges| middle(ranges.as_ref()?, ends));
        Some((position, Values::Numeric(Numeric::new(values)?)))
    };
    let columns: Vec<(usize, Values)> =
        released.names().iter().enumerate().filter_map(middles).collect();
    match columns.is_empty() {
        true => Cow::Borrowed(released),
        false => Cow::Owned(released.with_columns(columns)),
    }
}

/// The least and the greatest of the values that are there.
fn ends(known: &Numeric) -> Option<(f64, f64)> {
    known.present().fold(None, |ends: Option<(f64, f64)>, value| {
        let (low, high) = ends.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

/// The middle of ranges within the ends, the longer ones counting more; none where nothing is left.
fn middle(ranges: &[(f64, f64)], (least, most): (f64, f64)) -> Option<f64> {
    let within: Vec<(f64, f64)> = match ranges {
        // A value beyond the original's is that value.
        [(low, high)] if low == high => return Some(*low),
        ranges => {
            ranges.iter().map(|r| (r.0.max(least), r.1.min(most))).filter(|r| r.0 <= r.1).collect()
        }
    };
    let length: f64 = within.iter().map(|r| r.1 - r.0).sum();
    let weight = |r: &(f64, f64)| {
        if length > 0.0 { (r.1 - r.0) / length } else { 1.0 / within.len() as f64 }
    };
    let sum = within.iter().map(|r| (r.0 + r.1) / 2.0 * weight(r)).sum();
    (!within.is_empty()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::ReadOptions;

    fn middles(original: &str, released: &str) -> Vec<Option<f64>> {
        let read = |text: &str| {
            Dataset::from_csv("t", format!("x\n{text}").as_bytes(), &ReadOptions::default())
                .unwrap()
        };
        let (original, released) = (read(original), read(released));
        let found = with_middles(&original, &released);
        match found.values("x").unwrap() {
            Values::Numeric(column) => column.iter().collect(),
            Values::Categorical(_) => panic!("still labels"),
        }
    }

    #[test]
    fn a_cell_is_the_middle_of_what_it_stands_for() {
        let found = middles("23\n61\n90\n20\n40\n", "20-29\n\"[60, 70[\"\n70+\n{20|22}\n*\n");
        assert_eq!(found, [Some(24.5), Some(64.5), Some(80.0), Some(21.0), None]);
    }

    #[test]
    fn numbers_among_generalized_ones_are_themselves() {
        assert_eq!(middles("1\n2\n30\n", "1\n2-3\n45\n"), [Some(1.0), Some(2.5), Some(45.0)]);
    }
}
