//! Gain and gain ratio of a test (Quinlan 1993, sections 2.2 and 3.1).

/// Smaller differences of weights and gains are rounding.
pub(super) const TINY: f64 = 1e-6;

/// Weights of the records whose value is known, by branch of a test and class.
#[derive(Debug, Clone)]
pub(super) struct Distribution {
    classes: usize,
    weights: Vec<f64>,
}

impl Distribution {
    /// No weight in any of `branches` branches.
    pub fn new(branches: usize, classes: usize) -> Self {
        Self { classes, weights: vec![0.0; branches * classes] }
    }

    /// Adds a record.
    pub fn add(&mut self, branch: usize, class: u32, weight: f64) {
        self.weights[branch * self.classes + class as usize] += weight;
    }

    /// Moves a record between branches.
    pub fn shift(&mut self, from: usize, to: usize, class: u32, weight: f64) {
        self.add(from, class, -weight);
        self.add(to, class, weight);
    }

    fn branches(&self) -> impl Iterator<Item = &[f64]> {
        self.weights.chunks_exact(self.classes)
    }

    /// The weight of each branch.
    pub fn branch_weights(&self) -> impl Iterator<Item = f64> + '_ {
        self.branches().map(|branch| branch.iter().sum())
    }

    /// The weight of all branches.
    pub fn known(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// True when at least two branches weigh `minimum` or more.
    pub fn divides(&self, minimum: f64) -> bool {
        self.branch_weights().filter(|w| *w > minimum - TINY).count() > 1
    }

    /// Bits of information about the class that knowing the branch gives, per
    /// record of `total`: records whose value is not known gain nothing.
    pub fn gain(&self, total: f64) -> f64 {
        self.gain_over(self.bits_of_classes(), total)
    }

    /// [`Distribution::gain`] when the bits without the test are at hand.
    pub fn gain_over(&self, bits_before: f64, total: f64) -> f64 {
        let saved = bits_before - self.branches().map(bits).sum::<f64>();
        if saved.abs() < TINY { 0.0 } else { saved / total }
    }

    /// Bits to tell the classes of all known records.
    pub fn bits_of_classes(&self) -> f64 {
        let mut sums = vec![0.0; self.classes];
        for branch in self.branches() {
            sums.iter_mut().zip(branch).for_each(|(sum, weight)| *sum += weight);
        }
        bits(&sums)
    }

    /// Bits per record to tell the branch itself, unknown values being one more branch.
    pub fn split_information(&self, total: f64) -> f64 {
        let unknown = total - self.known();
        let branches: f64 = self.branch_weights().map(weighted_log).sum();
        (weighted_log(total) - branches - weighted_log(unknown)) / total
    }

    /// `gain` per bit of split information; 0 for a test with one outcome.
    pub fn gain_ratio(&self, gain: f64, total: f64) -> f64 {
        let information = self.split_information(total);
        if information * total < TINY { 0.0 } else { gain / information }
    }
}

/// Bits to tell the part of every record, for parts of these weights.
fn bits(weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    weighted_log(total) - weights.iter().copied().map(weighted_log).sum::<f64>()
}

/// w log2 w, 0 at 0.
fn weighted_log(weight: f64) -> f64 {
    if weight < TINY { 0.0 } else { weight * weight.log2() }
}
