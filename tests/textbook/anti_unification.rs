//! The published recursion, word by word, without memory: Figs. 1 to 4 of Armengol and Torra.

use std::collections::{BTreeMap, BTreeSet};
use unmask::protection::generalization::{Unknown, Value, Variant};

/// A record: `None` is unknown.
pub type Record = Vec<Option<String>>;

/// A pattern of a class.
pub type Pattern = (String, Vec<Value>);

/// What the recursion found.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    /// The patterns as a list, in no order, with repetitions.
    pub list: Vec<Pattern>,
    /// The records a pattern was found for.
    pub identified: BTreeSet<usize>,
}

pub struct Textbook<'a> {
    pub records: &'a [Record],
    pub classes: &'a [String],
    pub k: usize,
    pub unknown: Unknown,
}

impl Textbook<'_> {
    /// ANONYMIZE with `conditions` in sequence.
    pub fn anonymize(&self, conditions: &str, indifferent: usize, variant: Variant) -> Found {
        let width = self.records[0].len();
        let mut found = Found::default();
        for condition in conditions.split(',') {
            let first =
                if variant == Variant::Progressive { indifferent.min(1) } else { indifferent };
            for short in first..=indifferent {
                let loose = variant == Variant::Progressive && self.unknown == Unknown::OwnValue;
                self.analyze_partition(condition, width - short, loose, &mut found);
            }
        }
        found
    }

    fn analyze_partition(&self, condition: &str, long: usize, loose: bool, found: &mut Found) {
        for class in self.classes.iter().collect::<BTreeSet<_>>() {
            loop {
                let rest: Vec<usize> = (0..self.records.len())
                    .filter(|i| self.classes[*i] == *class && !found.identified.contains(i))
                    .collect();
                let before = found.identified.len();
                if rest.len() >= self.k {
                    self.analyze_set(class, rest.clone(), condition, long, found);
                }
                if loose {
                    let with_unknown = |i: &&usize| self.records[**i].contains(&None);
                    for &i in rest.iter().filter(with_unknown) {
                        if found
                            .list
                            .iter()
                            .any(|(c, p)| c == class && loosely(p, &self.records[i]))
                        {
                            found.identified.insert(i);
                        }
                    }
                }
                if found.identified.len() == before {
                    break;
                }
            }
        }
    }

    fn analyze_set(
        &self,
        class: &str,
        set: Vec<usize>,
        condition: &str,
        long: usize,
        found: &mut Found,
    ) {
        let width = self.records[0].len();
        let au: Vec<Value> = (0..width).map(|a| self.common(&set, a)).collect();
        if au.iter().filter(|v| **v != Value::Indifferent).count() >= long {
            found.list.push((class.to_owned(), au));
            found.identified.extend(set);
            return;
        }
        let partitions: Vec<Vec<Vec<usize>>> = (0..width)
            .filter(|&a| au[a] == Value::Indifferent)
            .map(|a| self.partition(&set, a))
            .filter(|parts| !parts.is_empty())
            .collect();
        let sizes = partitions.iter().map(Vec::len);
        let best = if condition == "<" { sizes.min() } else { sizes.max() };
        for parts in partitions.iter().filter(|parts| Some(parts.len()) == best) {
            for part in parts.iter().filter(|part| part.len() >= self.k) {
                self.analyze_set(class, part.clone(), condition, long, found);
            }
        }
    }

    /// The value all records of `set` have in common.
    fn common(&self, set: &[usize], a: usize) -> Value {
        let values: BTreeSet<_> = set.iter().map(|&i| self.records[i][a].clone()).collect();
        let mut known = values.iter().flatten();
        let unknown = values.contains(&None);
        match (known.next(), known.next()) {
            (Some(label), None) if !unknown || self.unknown == Unknown::Wildcard => {
                Value::Label(label.clone())
            }
            (None, None) if self.unknown == Unknown::OwnValue => Value::Unknown,
            _ => Value::Indifferent,
        }
    }

    fn partition(&self, set: &[usize], a: usize) -> Vec<Vec<usize>> {
        let value = |i: usize| self.records[i][a].as_deref();
        let mut parts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for &i in set {
            if let Some(label) = value(i) {
                parts.entry(label).or_default().push(i);
            }
        }
        let unknown: Vec<usize> = set.iter().copied().filter(|&i| value(i).is_none()).collect();
        let mut parts: Vec<Vec<usize>> = parts.into_values().collect();
        match self.unknown {
            Unknown::OwnValue if !unknown.is_empty() => parts.push(unknown),
            Unknown::OwnValue => {}
            Unknown::NeverEqual => parts.extend(unknown.into_iter().map(|i| vec![i])),
            Unknown::Wildcard => parts.iter_mut().for_each(|part| part.extend(&unknown)),
        }
        parts
    }
}

/// True when `pattern` matches `record` with unknown values matching anything.
fn loosely(pattern: &[Value], record: &Record) -> bool {
    pattern.iter().zip(record).all(|(value, own)| match (value, own) {
        (Value::Indifferent | Value::Unknown, _) | (_, None) => true,
        (Value::Label(label), Some(own)) => label == own,
    })
}
