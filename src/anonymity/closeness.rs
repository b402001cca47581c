//! How far the sensitive values of one class are from those of the whole file.
//!
//! N. Li, T. Li, S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity
//! and l-diversity", ICDE (2007), doi:10.1109/ICDE.2007.367856.

use super::sensitive::SensitiveValues;

/// The distribution of a sensitive attribute in the whole file.
///
/// Earth mover's distance: for numeric and ordinal attributes with m values
/// neighboring values are 1/(m - 1) apart, and records with a missing value are
/// left out; for nominal ones all values are 1 apart, missing being one of them.
pub(crate) struct WholeFile {
    /// Number of codes, the one of missing values not counted.
    levels: u32,
    ordered: bool,
    /// Share of the records with each code.
    share: Vec<f64>,
    /// Share of the records with each code or a lower one.
    cumulative: Vec<f64>,
    /// Sum of `cumulative` before each code.
    sums: Vec<f64>,
}

impl WholeFile {
    pub fn new(values: &SensitiveValues) -> Self {
        let codes = values.levels as usize + usize::from(!values.ordered);
        let mut counts = vec![0usize; codes];
        for &code in values.codes.iter().filter(|c| (**c as usize) < codes) {
            counts[code as usize] += 1;
        }
        let total = counts.iter().sum::<usize>().max(1) as f64;
        let running = |state: &mut usize, count: &usize| {
            *state += count;
            Some(*state as f64 / total)
        };
        let cumulative: Vec<f64> = counts.iter().scan(0, running).collect();
        let mut sums = vec![0.0];
        cumulative.iter().for_each(|c| sums.push(sums[sums.len() - 1] + c));
        let share = counts.iter().map(|c| *c as f64 / total).collect();
        Self { levels: values.levels, ordered: values.ordered, share, cumulative, sums }
    }

    /// Those of the sorted codes `class` that are values: a missing one is none.
    pub fn present<'c>(&self, class: &'c [u32]) -> &'c [u32] {
        &class[..class.partition_point(|code| *code < self.levels)]
    }

    /// The distance of a class with the sorted codes `class`.
    pub fn distance(&self, class: &[u32]) -> f64 {
        if !self.ordered {
            return self.unordered(class);
        }
        match self.present(class) {
            [] => 0.0,
            present => self.ordered(present),
        }
    }

    /// Half the sum of differences; values outside the class add their share.
    fn unordered(&self, class: &[u32]) -> f64 {
        let size = class.len() as f64;
        let (mut sum, mut covered) = (0.0, 0.0);
        for run in class.chunk_by(|a, b| a == b) {
            let share = self.share[run[0] as usize];
            sum += (run.len() as f64 / size - share).abs();
            covered += share;
        }
        0.5 * (sum + (1.0 - covered).max(0.0))
    }

    /// The area between the cumulative distributions, O(log m) for each value of the class.
    fn ordered(&self, class: &[u32]) -> f64 {
        let steps = self.cumulative.len().saturating_sub(1).max(1) as f64;
        let (mut area, mut from, mut below) = (0.0, 0, 0);
        for run in class.chunk_by(|a, b| a == b) {
            let to = run[0] as usize;
            area += self.area(from, to, below as f64 / class.len() as f64);
            from = to;
            below += run.len();
        }
        area += self.area(from, self.cumulative.len(), 1.0);
        area / steps
    }

    /// Sum of |p - cumulative| over the codes from..to.
    fn area(&self, from: usize, to: usize, p: f64) -> f64 {
        let crossing = from + self.cumulative[from..to].partition_point(|c| *c < p);
        let sum = |a: usize, b: usize| self.sums[b] - self.sums[a];
        let below = p * (crossing - from) as f64 - sum(from, crossing);
        let above = sum(crossing, to) - p * (to - crossing) as f64;
        below + above
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of section 4.3 of the paper: salaries 3k to 11k, one of each.
    #[test]
    fn the_worked_examples_of_the_t_closeness_paper_hold() {
        let values = SensitiveValues { codes: (0..9).collect(), levels: 9, ordered: true };
        let file = WholeFile::new(&values);
        assert!((file.distance(&[0, 1, 2]) - 0.375).abs() < 1e-12);
        assert!((file.distance(&[3, 5, 8]) - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_nominal_class_of_one_value_is_as_far_as_the_others_are_frequent() {
        let values = SensitiveValues { codes: vec![0, 0, 1, 2], levels: 3, ordered: false };
        assert_eq!(WholeFile::new(&values).distance(&[0, 0]), 0.5);
    }
}
