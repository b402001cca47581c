//! C4.5 as the book tells it: recursive, every node with its own copy of the
//! records, entropies per record. Shares nothing with the library.

use std::collections::{BTreeMap, BTreeSet};

/// A value that is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Of a nominal attribute.
    Label(String),
    /// Of a numeric attribute.
    Number(f64),
}

/// A record, or a part of one.
#[derive(Debug, Clone)]
pub struct Case {
    /// By attribute, `None` when not known.
    pub values: Vec<Option<Value>>,
    /// Its class.
    pub class: String,
    /// How many records it counts for.
    pub weight: f64,
}

/// A tree; every node keeps its cases.
#[derive(Debug, Clone)]
pub struct Tree {
    cases: Vec<Case>,
    test: Option<Test>,
    branches: Vec<Tree>,
}

/// The labels to branch on, or a threshold.
#[derive(Debug, Clone)]
enum Outcomes {
    Labels(Vec<String>),
    AtMost(f64),
}

#[derive(Debug, Clone)]
struct Test {
    attribute: usize,
    outcomes: Outcomes,
}

const TINY: f64 = 1e-6;

fn weight(cases: &[Case]) -> f64 {
    cases.iter().map(|c| c.weight).sum()
}

fn by_class(cases: &[Case]) -> BTreeMap<&str, f64> {
    let mut weights = BTreeMap::new();
    cases.iter().for_each(|c| *weights.entry(c.class.as_str()).or_insert(0.0) += c.weight);
    weights
}

/// Entropy in bits of parts with these weights.
fn information(weights: impl Iterator<Item = f64>) -> f64 {
    let weights: Vec<f64> = weights.filter(|w| *w > TINY).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| -(w / total) * (w / total).log2()).sum()
}

fn errors(cases: &[Case]) -> f64 {
    weight(cases) - by_class(cases).into_values().fold(0.0, f64::max)
}

/// Expected errors at confidence 0.25.
fn pessimistic(cases: &[Case]) -> f64 {
    const Z: f64 = 0.674_489_750_196_081_7;
    fn extra(n: f64, e: f64) -> f64 {
        if e < 1.0 {
            let none = n * (1.0 - 0.25f64.powf(1.0 / n));
            return if e == 0.0 { none } else { none + e * (extra(n, 1.0) - none) };
        }
        if e + 0.5 >= n {
            return (n - e).max(0.0);
        }
        let f = (e + 0.5) / n;
        let root = (f / n - f * f / n + Z * Z / (4.0 * n * n)).sqrt();
        n * (f + Z * Z / (2.0 * n) + Z * root) / (1.0 + Z * Z / n) - e
    }
    let (n, e) = (weight(cases), errors(cases));
    if n < TINY { 0.0 } else { e + extra(n, e) }
}

impl Test {
    fn outcome(&self, case: &Case) -> Option<usize> {
        match (&self.outcomes, case.values[self.attribute].as_ref()?) {
            (Outcomes::Labels(labels), Value::Label(label)) => {
                labels.iter().position(|l| l == label)
            }
            (Outcomes::AtMost(limit), Value::Number(number)) => Some(usize::from(number > limit)),
            _ => panic!("an attribute is of one kind"),
        }
    }

    fn count(&self) -> usize {
        match &self.outcomes {
            Outcomes::Labels(labels) => labels.len(),
            Outcomes::AtMost(_) => 2,
        }
    }

    fn known(&self, cases: &[Case]) -> Vec<Vec<Case>> {
        let mut parts = vec![Vec::new(); self.count()];
        for case in cases {
            if let Some(outcome) = self.outcome(case) {
                parts[outcome].push(case.clone());
            }
        }
        parts
    }

    fn divide(&self, cases: &[Case]) -> Vec<Vec<Case>> {
        let mut parts = self.known(cases);
        let weights: Vec<f64> = parts.iter().map(|p| weight(p)).collect();
        let total: f64 = weights.iter().sum();
        for case in cases.iter().filter(|c| self.outcome(c).is_none()) {
            for (part, w) in parts.iter_mut().zip(&weights) {
                let share = if total > TINY { w / total } else { 1.0 / weights.len() as f64 };
                if share > TINY {
                    part.push(Case { weight: case.weight * share, ..case.clone() });
                }
            }
        }
        parts
    }

    /// Gain, F (info(T) - info_X(T)), and split information.
    fn gain(&self, cases: &[Case]) -> (f64, f64) {
        let parts = self.known(cases);
        let known: Vec<Case> = parts.iter().flatten().cloned().collect();
        let (all, part_of) = (weight(cases), weight(&known));
        let after: f64 = (parts.iter())
            .map(|p| weight(p) / part_of * information(by_class(p).into_values()))
            .sum();
        let before = information(by_class(&known).into_values());
        let sizes = parts.iter().map(|p| weight(p)).chain([all - part_of]);
        (part_of / all * (before - after), information(sizes))
    }
}

struct Trainer {
    labels: Vec<Vec<String>>,
    numbers: Vec<Vec<f64>>,
    classes: usize,
    all: f64,
}

impl Trainer {
    fn new(cases: &[Case]) -> Self {
        let attributes = cases[0].values.len();
        let values = |a: usize| cases.iter().filter_map(move |c| c.values[a].clone());
        let labels = |a| {
            let label = |v| if let Value::Label(label) = v { Some(label) } else { None };
            values(a).filter_map(label).collect::<BTreeSet<_>>().into_iter().collect()
        };
        let numbers = |a| {
            let number = |v| if let Value::Number(number) = v { Some(number) } else { None };
            let mut numbers: Vec<f64> = values(a).filter_map(number).collect();
            numbers.sort_by(f64::total_cmp);
            numbers.dedup();
            numbers
        };
        Self {
            labels: (0..attributes).map(labels).collect(),
            numbers: (0..attributes).map(numbers).collect(),
            classes: by_class(cases).len(),
            all: weight(cases),
        }
    }

    /// The test on an attribute with its gain and gain ratio.
    fn test(&self, attribute: usize, cases: &[Case]) -> Option<(Test, f64, f64)> {
        if !self.numbers[attribute].is_empty() {
            return self.threshold(attribute, cases);
        }
        let outcomes = Outcomes::Labels(self.labels[attribute].clone());
        let test = Test { attribute, outcomes };
        let large = test.known(cases).iter().filter(|p| weight(p) > 2.0 - TINY).count();
        if large < 2 {
            return None;
        }
        let (gain, split) = test.gain(cases);
        Some((test, gain, if split > TINY { gain / split } else { 0.0 }))
    }

    fn threshold(&self, attribute: usize, cases: &[Case]) -> Option<(Test, f64, f64)> {
        let number = |c: &Case| match c.values[attribute] {
            Some(Value::Number(number)) => Some(number),
            _ => None,
        };
        let mut here: Vec<f64> = cases.iter().filter_map(number).collect();
        here.sort_by(f64::total_cmp);
        here.dedup();
        let known: f64 = cases.iter().filter(|c| number(c).is_some()).map(|c| c.weight).sum();
        let at_least = (0.1 * known / self.classes as f64).clamp(2.0, 25.0);
        let (mut tried, mut best) = (0, None);
        for pair in here.windows(2) {
            let test = Test { attribute, outcomes: Outcomes::AtMost(pair[0]) };
            if test.known(cases).iter().any(|p| weight(p) < at_least - TINY) {
                continue;
            }
            tried += 1;
            let (gain, split) = test.gain(cases);
            if gain > best.as_ref().map_or(0.0, |(_, gain, _)| *gain) + TINY {
                best = Some(((pair[0] + pair[1]) / 2.0, gain, split));
            }
        }
        let (middle, gain, split) = best?;
        let gain = gain - f64::from(tried).log2() / weight(cases);
        let below = self.numbers[attribute].iter().copied().filter(|n| *n <= middle);
        let limit = below.fold(f64::NEG_INFINITY, f64::max);
        let test = Test { attribute, outcomes: Outcomes::AtMost(limit) };
        (gain > TINY).then_some((test, gain, gain / split))
    }

    fn choose(&self, cases: &[Case]) -> Option<Test> {
        if by_class(cases).len() < 2 || errors(cases) < TINY || weight(cases) < 4.0 - TINY {
            return None;
        }
        let tests: Vec<_> = (0..self.labels.len()).filter_map(|a| self.test(a, cases)).collect();
        let few = |a: usize| (self.labels[a].len() as f64) < 0.3 * self.all;
        let none_few = !(0..self.labels.len()).any(few);
        let gains: Vec<f64> =
            tests.iter().filter(|t| none_few || few(t.0.attribute)).map(|t| t.1).collect();
        let average = gains.iter().sum::<f64>() / gains.len() as f64;
        let mut best = None;
        let mut most = 0.0;
        for (test, gain, ratio) in tests {
            if gain >= average - 1e-3 && ratio > most + TINY {
                (best, most) = (Some(test), ratio);
            }
        }
        best
    }

    fn grow(&self, cases: Vec<Case>) -> Tree {
        let test = self.choose(&cases);
        let parts = test.as_ref().map_or(Vec::new(), |t| t.divide(&cases));
        Tree { branches: parts.into_iter().map(|p| self.grow(p)).collect(), cases, test }
    }
}

impl Tree {
    /// Trains with the defaults of C4.5.
    pub fn train(cases: &[Case], pruning: bool) -> Self {
        let mut tree = Trainer::new(cases).grow(cases.to_vec());
        tree.collapse();
        if pruning {
            tree.prune();
        }
        tree
    }

    fn cut(&mut self) {
        self.test = None;
        self.branches.clear();
    }

    fn sum_of_leaves(&self, measure: &dyn Fn(&[Case]) -> f64) -> f64 {
        match self.test {
            None => measure(&self.cases),
            Some(_) => self.branches.iter().map(|b| b.sum_of_leaves(measure)).sum(),
        }
    }

    fn collapse(&mut self) {
        if self.sum_of_leaves(&errors) >= errors(&self.cases) - 1e-3 {
            self.cut();
        }
        self.branches.iter_mut().for_each(Self::collapse);
    }

    fn with_cases(&self, cases: Vec<Case>) -> Self {
        let parts = self.test.as_ref().map_or(Vec::new(), |t| t.divide(&cases));
        let branches = self.branches.iter().zip(parts).map(|(b, p)| b.with_cases(p)).collect();
        Self { cases, test: self.test.clone(), branches }
    }

    fn prune(&mut self) {
        self.branches.iter_mut().for_each(Self::prune);
        let mut largest = 0;
        for i in 1..self.branches.len() {
            let heavier = weight(&self.branches[i].cases) - weight(&self.branches[largest].cases);
            largest = if heavier > -TINY { i } else { largest };
        }
        let Some(branch) = self.branches.get(largest) else { return };
        let raised = branch.with_cases(self.cases.clone());
        let leaf = pessimistic(&self.cases);
        let tree = self.sum_of_leaves(&pessimistic);
        let as_branch = raised.sum_of_leaves(&pessimistic);
        if leaf < tree + 0.1 + TINY && leaf < as_branch + 0.1 + TINY {
            self.cut();
        } else if as_branch < tree + 0.1 + TINY {
            *self = raised;
            self.prune();
        }
    }

    /// The probability of `class` for `case`.
    pub fn probability(&self, case: &Case, class: &str) -> f64 {
        let Some(test) = &self.test else {
            return by_class(&self.cases).get(class).unwrap_or(&0.0) / weight(&self.cases);
        };
        let below = |branch: &Self| match weight(&branch.cases) > TINY {
            true => branch.probability(case, class),
            false => by_class(&self.cases).get(class).unwrap_or(&0.0) / weight(&self.cases),
        };
        match test.outcome(case) {
            Some(outcome) => below(&self.branches[outcome]),
            None => {
                let share = |b: &Self| weight(&b.cases) / weight(&self.cases);
                self.branches.iter().map(|b| share(b) * below(b)).sum()
            }
        }
    }

    /// Every branch as (way from the root, weight there).
    pub fn outline(&self, names: &[&str]) -> Vec<(String, f64)> {
        let mut lines = vec![(String::new(), weight(&self.cases))];
        let Some(test) = &self.test else { return lines };
        for (i, branch) in self.branches.iter().enumerate() {
            let condition = match &test.outcomes {
                Outcomes::Labels(labels) => format!("= {}", labels[i]),
                Outcomes::AtMost(limit) => format!("{} {limit}", ["<=", ">"][i]),
            };
            let here = format!("/{} {condition}", names[test.attribute]);
            let below = branch.outline(names).into_iter();
            lines.extend(below.map(|(way, weight)| (format!("{here}{way}"), weight)));
        }
        lines
    }
}
