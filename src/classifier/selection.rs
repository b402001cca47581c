//! Which test a node gets.
//!
//! Of the tests whose gain is at least the average one (less a small constant),
//! the one with the largest gain ratio, the first among equals. A test needs at
//! least two branches of the minimum weight; a threshold leaves at least the
//! minimum, and a tenth of the average class up to 25 records, on both sides, and
//! pays log2(thresholds) bits for being chosen among them (Quinlan 1996).

use super::criterion::{Distribution, TINY};
use super::domain::{Domain, UNKNOWN};
use super::sample::{Portion, Sample};
use super::split::{Split, SplitKind};

/// How far below the average a gain may be.
const BELOW_AVERAGE: f64 = 1e-3;

/// Labels are many when there are this many per record; such attributes do not
/// count for the average gain unless all have so many.
const MANY_LABELS: f64 = 0.3;

/// A test with its worth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub split: Split,
    pub gain: f64,
    pub ratio: f64,
}

/// Chooses tests for the nodes of one tree.
pub(super) struct Selection<'a> {
    sample: &'a Sample,
    minimum: f64,
    counts_for_average: Vec<bool>,
}

impl<'a> Selection<'a> {
    /// Tests on `sample` that leave `minimum` in at least two branches.
    pub fn new(sample: &'a Sample, minimum: f64) -> Self {
        let total: f64 = sample.portions.iter().map(|p| p.weight).sum();
        let few: Vec<bool> = (sample.predictors.iter())
            .map(|p| match &p.domain {
                Domain::Labels(labels) => (labels.len() as f64) < MANY_LABELS * total,
                Domain::Numbers(_) => true,
            })
            .collect();
        let all_many = !few.contains(&true);
        let counts_for_average = few.iter().map(|few| all_many || *few).collect();
        Self { sample, minimum, counts_for_average }
    }

    /// The test for a node that `portions` reach, `None` when it is a leaf.
    pub fn best(&self, portions: &[Portion]) -> Option<Split> {
        let classes = self.sample.class_weights(portions);
        let total: f64 = classes.iter().sum();
        let pure = classes.iter().any(|weight| total - weight < TINY);
        if pure || total < 2.0 * self.minimum - TINY {
            return None;
        }
        let attributes = 0..self.sample.predictors.len();
        let candidates = attributes.filter_map(|a| self.candidate(a, portions, total)).collect();
        self.choose(candidates)
    }

    fn choose(&self, candidates: Vec<Candidate>) -> Option<Split> {
        let counted = candidates.iter().filter(|c| self.counts_for_average[c.split.attribute]);
        let gains: Vec<f64> = counted.map(|c| c.gain).collect();
        if gains.is_empty() {
            return None;
        }
        let average = gains.iter().sum::<f64>() / gains.len() as f64;
        let mut best: (f64, Option<Split>) = (0.0, None);
        for candidate in candidates.iter().filter(|c| c.gain >= average - BELOW_AVERAGE) {
            if candidate.ratio > best.0 + TINY {
                best = (candidate.ratio, Some(candidate.split));
            }
        }
        best.1
    }

    /// The best test on one attribute.
    pub fn candidate(
        &self,
        attribute: usize,
        portions: &[Portion],
        total: f64,
    ) -> Option<Candidate> {
        match &self.sample.predictors[attribute].domain {
            Domain::Labels(labels) => self.labels(attribute, labels.len(), portions, total),
            Domain::Numbers(numbers) => self.threshold(attribute, numbers, portions, total),
        }
    }

    /// The known values of an attribute: (code, class, weight).
    fn known<'p>(
        &'p self,
        attribute: usize,
        portions: &'p [Portion],
    ) -> impl Iterator<Item = (u32, u32, f64)> + 'p {
        let (column, class) = (&self.sample.columns[attribute], &self.sample.class);
        let value = |p: &Portion| (column[p.record as usize], class[p.record as usize], p.weight);
        portions.iter().map(value).filter(|(code, ..)| *code != UNKNOWN)
    }

    fn labels(
        &self,
        attribute: usize,
        labels: usize,
        portions: &[Portion],
        total: f64,
    ) -> Option<Candidate> {
        let mut distribution = Distribution::new(labels, self.sample.classes.len());
        for (code, class, weight) in self.known(attribute, portions) {
            distribution.add(code as usize, class, weight);
        }
        let gain = distribution.divides(self.minimum).then(|| distribution.gain(total))?;
        let split = Split { attribute, kind: SplitKind::Label(labels) };
        Some(Candidate { split, gain, ratio: distribution.gain_ratio(gain, total) })
    }

    fn threshold(
        &self,
        attribute: usize,
        numbers: &[f64],
        portions: &[Portion],
        total: f64,
    ) -> Option<Candidate> {
        let mut values: Vec<(u32, u32, f64)> = self.known(attribute, portions).collect();
        values.sort_unstable_by_key(|(code, ..)| *code);
        let mut search = ThresholdSearch::new(&values, self.sample.classes.len(), self.minimum);
        search.run(total);
        let (last, distribution, best) = search.best?;
        let gain = best - f64::from(search.tried).log2() / total;
        if gain <= TINY {
            return None;
        }
        let (low, high) = (values[last].0 as usize, values[last + 1].0 as usize);
        let limit = threshold_code(numbers, low, high);
        let split = Split { attribute, kind: SplitKind::Threshold(limit) };
        Some(Candidate { split, gain, ratio: distribution.gain_ratio(gain, total) })
    }
}

/// The code of the largest number of the training file that is at most midway
/// between the neighbors `low` and `high`.
fn threshold_code(numbers: &[f64], low: usize, high: usize) -> u32 {
    let middle = numbers[low] / 2.0 + numbers[high] / 2.0;
    let within = numbers[low + 1..high].partition_point(|n| *n <= middle);
    (low + within) as u32
}

/// A scan over the sorted known values of a numeric attribute.
struct ThresholdSearch<'a> {
    values: &'a [(u32, u32, f64)],
    distribution: Distribution,
    at_least: f64,
    tried: u32,
    /// Last value on the left side, the distribution there, and its gain.
    best: Option<(usize, Distribution, f64)>,
}

impl<'a> ThresholdSearch<'a> {
    fn new(values: &'a [(u32, u32, f64)], classes: usize, minimum: f64) -> Self {
        let mut distribution = Distribution::new(2, classes);
        values.iter().for_each(|(_, class, weight)| distribution.add(1, *class, *weight));
        let tenth = 0.1 * distribution.known() / classes as f64;
        let at_least = tenth.min(25.0).max(minimum);
        Self { values, distribution, at_least, tried: 0, best: None }
    }

    fn run(&mut self, total: f64) {
        let before = self.distribution.bits_of_classes();
        for i in 0..self.values.len().saturating_sub(1) {
            let (code, class, weight) = self.values[i];
            self.distribution.shift(1, 0, class, weight);
            let wide = self.distribution.branch_weights().all(|w| w > self.at_least - TINY);
            if code == self.values[i + 1].0 || !wide {
                continue;
            }
            self.tried += 1;
            let gain = self.distribution.gain_over(before, total);
            if gain > self.best.as_ref().map_or(0.0, |b| b.2) + TINY {
                self.best = Some((i, self.distribution.clone(), gain));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Dataset, ReadOptions};

    const GOLF: &str = "outlook,windy,class\nsunny,t,p\nsunny,t,d\nsunny,f,d\nsunny,f,d\nsunny,f,p\n\
        overcast,t,p\novercast,f,p\novercast,t,p\novercast,f,p\n\
        rain,t,d\nrain,t,d\nrain,f,p\nrain,f,p\nrain,f,p\n";

    /// Gain, split information and gain ratio of each attribute, to three digits.
    fn worth(text: &str) -> Vec<String> {
        let file = Dataset::from_csv("golf", text.as_bytes(), &ReadOptions::default()).unwrap();
        let sample = Sample::new(&file, "class", &["outlook", "windy"], None, &[]).unwrap();
        let selection = Selection::new(&sample, 2.0);
        let candidate = |a| selection.candidate(a, &sample.portions, 14.0).unwrap();
        let shown = |c: Candidate| format!("{:.3} {:.3} {:.3}", c.gain, c.gain / c.ratio, c.ratio);
        (0..2).map(|a| shown(candidate(a))).collect()
    }

    /// Quinlan 1993, section 2.2: the book prints gains 0.246 (from rounded parts) and 0.048,
    /// split information 1.577 and gain ratio 0.156.
    #[test]
    fn gains_of_the_golf_table_are_those_of_the_book() {
        assert_eq!(worth(GOLF), ["0.247 1.577 0.156", "0.048 0.985 0.049"]);
    }

    /// Quinlan 1993, section 3.1: gain 0.199, split information 1.809, gain ratio 0.110.
    #[test]
    fn an_unknown_value_lowers_the_gain_as_in_the_book() {
        let unknown = GOLF.replacen("overcast,t", "?,t", 1);
        assert_eq!(worth(&unknown)[0], "0.199 1.809 0.110");
    }

    #[test]
    fn a_threshold_is_a_number_of_the_file_at_most_midway() {
        let numbers = [1.0, 2.0, 3.0, 5.0, 6.0];
        assert_eq!(threshold_code(&numbers, 0, 4), 2);
        assert_eq!(threshold_code(&numbers, 0, 1), 0);
        assert_eq!(threshold_code(&[-1.7e308, 0.0, 1.7e308], 0, 2), 1);
        // Midway rounds to the larger neighbor; the threshold stays below it.
        assert_eq!(threshold_code(&[1.0, 1.0 + f64::EPSILON], 0, 1), 0);
    }
}
