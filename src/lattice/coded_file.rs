//! A file as codes: what enumeration and search work on.

use super::class_table::{self, ClassTable, Entry};
use super::criteria::Judge;
use super::domain::CodeDomain;
use super::enumerate::{Classes, NodeRecord};
use super::key::{self, Field, Key};
use super::metric::LevelLosses;
use super::{Criteria, Hierarchy, Lattice};
use crate::dataset::Dataset;
use crate::error::{Error, Result};

/// Words of the widest key: 32 quasi-identifiers of 2^32 values, more than 2^24 nodes allow
/// unless most have a single level.
pub(super) const MOST_WORDS: usize = 16;

/// The quasi-identifiers of a file as codes, and the criteria its classes are judged by.
pub(super) struct CodedFile {
    pub domains: Vec<CodeDomain>,
    pub lattice: Lattice,
    /// Where each quasi-identifier lies in a key.
    pub fields: Vec<Field>,
    /// Quasi-identifiers with more than one level as they follow in a key, the one with the
    /// most levels last: rolling it up needs no sorting.
    pub order: Vec<usize>,
    pub judge: Judge,
    sensitive: Field,
    words: usize,
    records: usize,
    losses: Vec<LevelLosses>,
}

impl CodedFile {
    /// Fails as [`super::enumerate()`] does.
    pub fn new(data: &Dataset, hierarchies: &[Hierarchy], criteria: &Criteria) -> Result<Self> {
        let names: Vec<&str> = hierarchies.iter().map(Hierarchy::attribute).collect();
        data.positions(&names)?;
        let judge = Judge::new(data, &names, criteria)?;
        let domains: Vec<CodeDomain> =
            hierarchies.iter().map(|h| CodeDomain::new(data, h)).collect::<Result<_>>()?;
        let levels: Vec<usize> = domains.iter().map(CodeDomain::levels).collect();
        let lattice = Lattice::new(&levels)?;
        let mut places: Vec<usize> = (0..domains.len()).collect();
        places.sort_by_key(|&i| (levels[i], domains[i].size(0)));
        let mut sizes: Vec<usize> = places.iter().map(|&i| domains[i].size(0)).collect();
        sizes.push(judge.combinations);
        let (in_key, words) = key::fields(&sizes);
        if words > MOST_WORDS {
            let problem = "too many values for one key; leave some quasi-identifiers out";
            return Err(Error::parameter("quasi", names.join(","), problem));
        }
        let mut fields = vec![in_key[places.len()]; places.len()];
        places.iter().zip(&in_key).for_each(|(&attribute, field)| fields[attribute] = *field);
        Ok(Self {
            losses: domains.iter().map(LevelLosses::new).collect(),
            order: places.into_iter().filter(|&i| levels[i] > 1).collect(),
            sensitive: in_key[domains.len()],
            records: data.records(),
            fields,
            words,
            judge,
            lattice,
            domains,
        })
    }

    /// Number of words of a key.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The classes of the lowest node, divided by their sensitive values.
    pub fn table<K: Key>(&self) -> ClassTable<K> {
        class_table::count((0..self.records).map(|i| {
            let domains = self.domains.iter().zip(&self.fields);
            let key = domains.fold(K::ZERO, |key, (d, field)| key.with(*field, d.records[i]));
            key.with(self.sensitive, self.judge.combination[i])
        }))
    }

    /// True when no field after that of `attribute` has codes.
    pub fn is_last(&self, attribute: usize) -> bool {
        self.judge.combinations <= 1 && self.order.last() == Some(&attribute)
    }

    /// The table of the node `to` from that of a node `from` below it.
    pub fn raise<K: Key>(
        &self,
        table: &[Entry<K>],
        from: usize,
        to: usize,
        out: &mut ClassTable<K>,
    ) {
        let raised: Vec<(Field, Vec<u32>)> = (0..self.domains.len())
            .map(|i| (i, self.lattice.level(from, i), self.lattice.level(to, i)))
            .filter(|(_, low, high)| low < high)
            .map(|(i, low, high)| (self.fields[i], self.domains[i].raised(low, high)))
            .collect();
        let maps: Vec<(Field, &[u32])> =
            raised.iter().map(|(field, up)| (*field, up.as_slice())).collect();
        class_table::roll_up_all(table, &maps, out);
    }

    /// What the classes of `table` say.
    pub fn classes<K: Key>(&self, table: &[Entry<K>]) -> Classes {
        match self.judge.looks_at_sizes_only() {
            true => Classes::by_size(table, self.judge.k, self.records),
            false => Classes::by_judge(table, self.sensitive, &self.judge, self.records),
        }
    }

    /// The record of the node `index` with these classes.
    pub fn record(&self, index: usize, classes: &Classes) -> NodeRecord {
        NodeRecord {
            levels: self.lattice.node(index),
            k: classes.k,
            classes: classes.classes,
            largest: classes.largest,
            samarati: self.lattice.height(index),
            precision: self.precision(index),
            dm_star: classes.dm_star,
            discernibility: classes.discernibility,
            entropy: self.entropy(index),
            suppressed: classes.suppressed,
            satisfied: classes.suppressed <= self.judge.most_suppressed,
        }
    }

    /// [`super::LatticeMetric::Precision`] of a node.
    pub fn precision(&self, index: usize) -> f64 {
        let losses = self.losses.iter().enumerate();
        losses.map(|(i, loss)| loss.precision[self.lattice.level(index, i)]).sum()
    }

    /// [`super::LatticeMetric::Entropy`] of a node.
    pub fn entropy(&self, index: usize) -> f64 {
        let losses = self.losses.iter().enumerate();
        losses.map(|(i, loss)| loss.entropy[self.lattice.level(index, i)]).sum()
    }
}
