//! Every node of the lattice with its classes counted.
//!
//! The nodes are walked depth first, one quasi-identifier after the other: the table of a
//! node comes from the table one level below on the quasi-identifier raised last, so the
//! records are read once and no more than two tables per quasi-identifier are kept.

use super::class_table::{self, ClassTable, Entry};
use super::coded_file::CodedFile;
use super::criteria::Judge;
use super::key::{Key, Wide};
use super::{Criteria, Hierarchy, LatticeMetric};
use crate::dataset::Dataset;
use crate::error::Result;
use crate::listener::Listener;
use rayon::prelude::*;
use serde::Serialize;

/// What is known of one node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeRecord {
    /// The level of each quasi-identifier.
    pub levels: Vec<usize>,
    /// Size of the smallest class, before any suppression.
    pub k: usize,
    /// Number of classes.
    pub classes: usize,
    /// Size of the largest class.
    pub largest: usize,
    /// [`LatticeMetric::Samarati`].
    pub samarati: usize,
    /// [`LatticeMetric::Precision`].
    pub precision: f64,
    /// [`LatticeMetric::DmStar`].
    pub dm_star: u64,
    /// [`LatticeMetric::Discernibility`].
    pub discernibility: u64,
    /// [`LatticeMetric::Entropy`].
    pub entropy: f64,
    /// Records in classes that fail the criteria.
    pub suppressed: usize,
    /// True when no more records would be suppressed than the criteria allow.
    pub satisfied: bool,
}

impl NodeRecord {
    /// The information loss by `metric`.
    pub fn loss(&self, metric: LatticeMetric) -> f64 {
        match metric {
            LatticeMetric::Samarati => self.samarati as f64,
            LatticeMetric::Precision => self.precision,
            LatticeMetric::DmStar => self.dm_star as f64,
            LatticeMetric::Discernibility => self.discernibility as f64,
            LatticeMetric::Entropy => self.entropy,
        }
    }
}

/// What the sizes of the classes of a node say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Classes {
    pub k: usize,
    pub classes: usize,
    pub largest: usize,
    pub dm_star: u64,
    pub discernibility: u64,
    pub suppressed: usize,
}

/// Every node of the lattice of `hierarchies` on `data`, by index in the
/// [`Lattice`](super::Lattice) of their numbers of levels.
///
/// Fails on a value without a name, a criterion out of its range, and more than 2^24 nodes.
/// Cost: each node is rolled up from one below it; each thread keeps at most two tables for
/// each quasi-identifier, of an entry (16 bytes up to 64 bits of codes) for each different
/// record, and about 200 bytes are taken by each node. The result does not depend on the number of threads.
pub fn enumerate(
    data: &Dataset,
    hierarchies: &[Hierarchy],
    criteria: &Criteria,
    listener: &dyn Listener,
) -> Result<Vec<NodeRecord>> {
    let file = CodedFile::new(data, hierarchies, criteria)?;
    let classes = match file.words() {
        1 => LatticeWalk::<u64>::new(&file).all(listener),
        2 => LatticeWalk::<Wide<2>>::new(&file).all(listener),
        _ => LatticeWalk::<Wide<{ super::coded_file::MOST_WORDS }>>::new(&file).all(listener),
    };
    let record = |(index, classes): (usize, &Classes)| file.record(index, classes);
    Ok(classes.iter().enumerate().map(record).collect())
}

/// The walk over the nodes of one file.
struct LatticeWalk<'a, K> {
    file: &'a CodedFile,
    base: ClassTable<K>,
}

/// Least number of subtrees that threads share out.
const SUBTREES: usize = 32;

impl<'a, K: Key> LatticeWalk<'a, K> {
    fn new(file: &'a CodedFile) -> Self {
        Self { file, base: file.table() }
    }

    /// The classes of every node, by index.
    fn all(&self, listener: &dyn Listener) -> Vec<Classes> {
        let (depth, roots) = self.roots();
        let total = self.file.lattice.len();
        let found: Vec<Vec<(usize, Classes)>> = roots
            .par_iter()
            .with_max_len(1)
            .map(|&root| {
                let found = self.subtree(depth, root);
                listener.advance(found.len() as u64, total as u64);
                found
            })
            .collect();
        let mut nodes: Vec<(usize, Classes)> = found.into_iter().flatten().collect();
        nodes.sort_unstable_by_key(|(index, _)| *index);
        nodes.into_iter().map(|(_, classes)| classes).collect()
    }

    /// The nodes on which only the first quasi-identifiers of the order are raised, so many
    /// that there are enough subtrees; and how many quasi-identifiers that are.
    fn roots(&self) -> (usize, Vec<usize>) {
        let lattice = &self.file.lattice;
        let (mut depth, mut roots) = (0, vec![0]);
        for &attribute in &self.file.order {
            if roots.len() >= SUBTREES {
                break;
            }
            let levels = 0..lattice.levels()[attribute];
            let step = lattice.stride(attribute);
            roots = roots.iter().flat_map(|r| levels.clone().map(move |l| r + l * step)).collect();
            depth += 1;
        }
        (depth, roots)
    }

    /// All nodes that raise quasi-identifiers from position `depth` on above `root`.
    fn subtree(&self, depth: usize, root: usize) -> Vec<(usize, Classes)> {
        let mut table = ClassTable::new();
        self.file.raise(&self.base, 0, root, &mut table);
        let mut buffers = vec![[ClassTable::new(), ClassTable::new()]; self.file.order.len()];
        let mut found = Vec::new();
        self.visit(depth, root, &table, &mut buffers[depth..], &mut found);
        found
    }

    fn visit(
        &self,
        position: usize,
        index: usize,
        table: &[Entry<K>],
        buffers: &mut [[ClassTable<K>; 2]],
        found: &mut Vec<(usize, Classes)>,
    ) {
        let Some(([current, next], deeper)) = buffers.split_first_mut() else {
            found.push((index, self.file.classes(table)));
            return;
        };
        self.visit(position + 1, index, table, deeper, found);
        let attribute = self.file.order[position];
        let domain = &self.file.domains[attribute];
        let (field, is_last) = (self.file.fields[attribute], self.file.is_last(attribute));
        for level in 1..domain.levels() {
            let from = if level == 1 { table } else { current.as_slice() };
            class_table::roll_up(from, field, &domain.up[level - 1], is_last, next);
            std::mem::swap(current, next);
            let index = index + level * self.file.lattice.stride(attribute);
            self.visit(position + 1, index, current, deeper, found);
        }
    }
}

impl Classes {
    const NONE: Self = Self {
        k: usize::MAX,
        classes: 0,
        largest: 0,
        dm_star: 0,
        discernibility: 0,
        suppressed: 0,
    };

    /// The classes of `table` when sizes alone count; `records` in the file.
    pub fn by_size<K>(table: &[Entry<K>], k: usize, records: usize) -> Self {
        let mut all = Self::NONE;
        table.iter().for_each(|entry| {
            let size = entry.count as usize;
            all.add(size, size >= k, records);
        });
        all
    }

    /// The classes of `table`, whose last field has the sensitive values.
    pub fn by_judge<K: Key>(
        table: &[Entry<K>],
        sensitive: super::key::Field,
        judge: &Judge,
        records: usize,
    ) -> Self {
        let mut all = Self::NONE;
        let same = |a: &Entry<K>, b: &Entry<K>| a.key.before(sensitive) == b.key.before(sensitive);
        for class in table.chunk_by(same) {
            let size = class.iter().map(|entry| entry.count as usize).sum();
            let values = class.iter().map(|entry| (entry.key.code(sensitive), entry.count));
            all.add(size, judge.passes(size, values), records);
        }
        all
    }

    fn add(&mut self, size: usize, passes: bool, records: usize) {
        let square = size as u64 * size as u64;
        self.k = self.k.min(size);
        self.classes += 1;
        self.largest = self.largest.max(size);
        self.dm_star += square;
        self.discernibility += if passes { square } else { size as u64 * records as u64 };
        self.suppressed += if passes { 0 } else { size };
    }
}
