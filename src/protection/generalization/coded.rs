//! Records as small integers, equal ones together.
//!
//! Attributes are coded in the order of their names and labels in their own order, so
//! that neither the order of rows nor that of columns changes what is found.

use super::pattern::UNKNOWN;
use crate::dataset::{Attribute, Dataset, Values};
use rayon::prelude::*;

/// The quasi-identifiers of a file, class by class.
pub(super) struct Coded {
    /// Position in the file of each coded attribute.
    pub positions: Vec<usize>,
    /// The labels of each coded attribute; code c is label c - 1.
    pub labels: Vec<Vec<String>>,
    /// The correct partition: the records by their confidential values.
    pub classes: Vec<Class>,
}

/// The records with one combination of confidential values.
pub(super) struct Class {
    /// The different records.
    pub tuples: Tuples,
    /// Where the records of each tuple start in `records`, and their end.
    starts: Vec<usize>,
    /// Record numbers, tuple by tuple, ascending within a tuple.
    records: Vec<u32>,
}

/// Different records of one class, each with the number of times it occurs.
#[derive(Debug, Clone)]
pub(super) struct Tuples {
    codes: Vec<u32>,
    /// Number of codes of each attribute, that of unknown values included.
    pub domains: Vec<u32>,
    /// How many records a tuple stands for.
    pub weights: Vec<u32>,
}

impl Tuples {
    /// The codes of tuple `t`.
    #[inline(always)]
    pub fn codes(&self, t: u32) -> &[u32] {
        let width = self.domains.len();
        &self.codes[t as usize * width..][..width]
    }

    /// The codes of all tuples.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.codes.chunks_exact(self.domains.len())
    }

    /// Number of tuples.
    pub fn len(&self) -> u32 {
        self.weights.len() as u32
    }

    /// Number of records that `tuples` stand for.
    pub fn weight(&self, tuples: &[u32]) -> usize {
        tuples.iter().map(|&t| self.weights[t as usize] as usize).sum()
    }
}

impl Class {
    /// The records of tuple `t`.
    pub fn records_of(&self, t: u32) -> &[u32] {
        &self.records[self.starts[t as usize]..self.starts[t as usize + 1]]
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// One of the records.
    pub fn any_record(&self) -> usize {
        self.records.first().map_or(0, |&r| r as usize)
    }
}

impl Coded {
    /// Codes the attributes `quasi` of `dataset` and divides its records by `confidential`.
    ///
    /// Cost: O(n log n).
    pub fn new(dataset: &Dataset, quasi: &[usize], confidential: &[usize]) -> Self {
        let by_name = |positions: &[usize]| -> Vec<usize> {
            let mut positions = positions.to_vec();
            positions.sort_by_key(|&p| &dataset.attributes()[p].name);
            positions
        };
        let (positions, class_positions) = (by_name(quasi), by_name(confidential));
        let code = |p: &usize| codes(&dataset.attributes()[*p]);
        let class_columns: Vec<_> = class_positions.par_iter().map(code).collect();
        let columns: Vec<_> = positions.par_iter().map(code).collect();
        let all: Vec<&[u32]> =
            class_columns.iter().chain(&columns).map(|(codes, _)| codes.as_slice()).collect();
        let rows = Rows::new(&all, dataset.records());
        let labels: Vec<Vec<String>> = columns.into_iter().map(|(_, labels)| labels).collect();
        let domains: Vec<u32> = labels.iter().map(|l| l.len() as u32 + 1).collect();
        let order = rows.sorted();
        let split = class_positions.len();
        let classes = order
            .chunk_by(|&a, &b| rows.of(a)[..split] == rows.of(b)[..split])
            .map(|records| class(&rows, records, split, &domains))
            .collect();
        Self { positions, labels, classes }
    }
}

/// Codes row by row.
struct Rows {
    width: usize,
    codes: Vec<u32>,
}

impl Rows {
    fn new(columns: &[&[u32]], records: usize) -> Self {
        let width = columns.len();
        let mut codes = Vec::with_capacity(width * records);
        for i in 0..records {
            codes.extend(columns.iter().map(|column| column[i]));
        }
        Self { width, codes }
    }

    fn of(&self, record: u32) -> &[u32] {
        &self.codes[record as usize * self.width..][..self.width]
    }

    /// The records by their codes, equal ones ascending.
    fn sorted(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..(self.codes.len() / self.width) as u32).collect();
        order.par_sort_unstable_by(|&a, &b| self.of(a).cmp(self.of(b)).then(a.cmp(&b)));
        order
    }
}

fn class(rows: &Rows, records: &[u32], split: usize, domains: &[u32]) -> Class {
    let (mut codes, mut weights, mut starts) = (Vec::new(), Vec::new(), vec![0]);
    for equal in records.chunk_by(|&a, &b| rows.of(a) == rows.of(b)) {
        codes.extend_from_slice(&rows.of(equal[0])[split..]);
        weights.push(equal.len() as u32);
        starts.push(starts[starts.len() - 1] + equal.len());
    }
    let tuples = Tuples { codes, domains: domains.to_vec(), weights };
    Class { tuples, starts, records: records.to_vec() }
}

/// The code of each record, and the labels in their order.
fn codes(attribute: &Attribute) -> (Vec<u32>, Vec<String>) {
    match &attribute.values {
        Values::Numeric(column) => {
            let mut values: Vec<f64> = column.present().map(|v| v + 0.0).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            let code = |v: f64| values.partition_point(|other| *other < v) as u32 + 1;
            let codes = column.iter().map(|v| v.map_or(UNKNOWN, code)).collect();
            (codes, values.iter().map(f64::to_string).collect())
        }
        Values::Categorical(column) => {
            let mut labels = column.labels().to_vec();
            labels.sort_unstable();
            let rank = |label: &String| labels.partition_point(|other| other < label) as u32 + 1;
            let ranks: Vec<u32> = column.labels().iter().map(rank).collect();
            let code = |i| column.code(i).map_or(UNKNOWN, |c| ranks[c as usize]);
            ((0..column.len()).map(code).collect(), labels)
        }
    }
}
