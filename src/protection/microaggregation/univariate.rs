//! Groups of records that lie on one line.

/// Records in ascending order of `values`, equal values by record number.
fn ranked(values: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| {
        values[a as usize].total_cmp(&values[b as usize]).then(a.cmp(&b))
    });
    order
}

/// The groups of records on one line: optimal, or of exactly `k`.
pub(super) fn line_groups(values: &[f64], k: usize, optimal: bool) -> Vec<Vec<u32>> {
    if optimal { optimal_groups(values, k) } else { fixed_groups(values, k) }
}

/// Cuts the ordered records into groups of exactly `k`; the last has up to 2k - 1.
pub fn fixed_groups(values: &[f64], k: usize) -> Vec<Vec<u32>> {
    let count = (values.len() / k).max(1);
    let ends = (1..=count).map(|g| if g == count { values.len() } else { g * k });
    cut(&ranked(values), ends)
}

/// The partition into groups of at least `k` with the least sum of squared
/// deviations from the group means.
///
/// Dynamic programming over the ordered records: an optimal group has k to
/// 2k - 1 consecutive records, so the cost is O(n k) after the sort.
/// S. L. Hansen, S. Mukherjee, "A polynomial algorithm for optimal univariate
/// microaggregation", IEEE TKDE 15 (2003), doi:10.1109/TKDE.2003.1209020.
pub fn optimal_groups(values: &[f64], k: usize) -> Vec<Vec<u32>> {
    let order = ranked(values);
    let n = order.len();
    if n < 2 * k {
        return cut(&order, [n]);
    }
    let errors = GroupErrors::new(&order, values);
    let mut best = vec![f64::INFINITY; n + 1];
    let mut start_of_last = vec![0; n + 1];
    best[0] = 0.0;
    for end in k..=n {
        for start in (end + 1).saturating_sub(2 * k)..=end - k {
            let total = best[start] + errors.of(start, end);
            if total < best[end] {
                (best[end], start_of_last[end]) = (total, start);
            }
        }
    }
    let mut ends = vec![n];
    while let start @ 1.. = start_of_last[ends[ends.len() - 1]] {
        ends.push(start);
    }
    cut(&order, ends.into_iter().rev())
}

fn cut(order: &[u32], ends: impl IntoIterator<Item = usize>) -> Vec<Vec<u32>> {
    let mut start = 0;
    let mut groups = Vec::new();
    for end in ends {
        let mut group = order[start..end].to_vec();
        group.sort_unstable();
        groups.push(group);
        start = end;
    }
    groups
}

/// Squared error of any run of ordered records in O(1), from running sums.
struct GroupErrors {
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl GroupErrors {
    fn new(order: &[u32], values: &[f64]) -> Self {
        // Centered, so that the difference of squares loses few digits.
        let center = crate::statistics::mean(values);
        let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
        for &record in order {
            let value = values[record as usize] - center;
            sums.push(sums[sums.len() - 1] + value);
            squares.push(squares[squares.len() - 1] + value * value);
        }
        Self { sums, squares }
    }

    fn of(&self, start: usize, end: usize) -> f64 {
        let sum = self.sums[end] - self.sums[start];
        let squares = self.squares[end] - self.squares[start];
        (squares - sum * sum / (end - start) as f64).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn error(values: &[f64], groups: &[Vec<u32>]) -> f64 {
        let squared = |group: &Vec<u32>| {
            let members: Vec<f64> = group.iter().map(|&i| values[i as usize]).collect();
            let mean = crate::statistics::mean(&members);
            members.iter().map(|v| (v - mean).powi(2)).sum::<f64>()
        };
        groups.iter().map(squared).sum()
    }

    /// All ways to cut 0..n into runs of at least k.
    fn all_cuts(n: usize, k: usize) -> Vec<Vec<usize>> {
        let mut found = if n >= k { vec![vec![n]] } else { Vec::new() };
        for last in k..=n.saturating_sub(k) {
            for mut cut in all_cuts(n - last, k) {
                cut.push(n);
                found.push(cut);
            }
        }
        found
    }

    proptest! {
        #[test]
        fn the_optimal_partition_is_as_good_as_the_best_of_all(
            values in prop::collection::vec(-100i32..100, 4..12), k in 2usize..4
        ) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let order = ranked(&values);
            let best = all_cuts(values.len(), k)
                .into_iter()
                .map(|ends| error(&values, &cut(&order, ends)))
                .fold(f64::INFINITY, f64::min);
            let ours = optimal_groups(&values, k);
            prop_assert!(ours.iter().all(|g| g.len() >= k && g.len() < 2 * k));
            prop_assert!((error(&values, &ours) - best).abs() <= 1e-9 * (1.0 + best));
        }
    }

    #[test]
    fn fixed_groups_give_the_rest_to_the_last() {
        let groups = fixed_groups(&[5.0, 1.0, 4.0, 2.0, 3.0], 2);
        assert_eq!(groups, [vec![1, 3], vec![0, 2, 4]]);
    }
}
