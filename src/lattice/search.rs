//! The best node that satisfies the criteria.
//!
//! Predictive tagging (K. El Emam et al., "A globally optimal k-anonymity method for the
//! de-identification of health data", JAMIA 16 (2009), doi:10.1197/jamia.M3144): a node that
//! satisfies a monotone criterion makes all above it satisfy it, a node that fails makes all
//! below it fail. Paths of untagged nodes are halved until every node is tagged, as in
//! F. Kohlmayer et al., "Flash: efficient, stable and optimal k-anonymity" (2012). A lowest node
//! that satisfies the criteria is never tagged by another, so each of them is counted, and no
//! metric that does not fall on the way up is less elsewhere.

use super::class_table::ClassTable;
use super::coded_file::{CodedFile, MOST_WORDS};
use super::enumerate::NodeRecord;
use super::key::{Key, Wide};
use super::{Criteria, Hierarchy, LatticeMetric, enumerate};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::listener::Listener;
use serde::Serialize;

/// The best node, and what it took to find it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Optimum {
    /// The node with the least loss that satisfies the criteria; of several the lowest, then
    /// the first.
    pub node: NodeRecord,
    /// Nodes in the lattice.
    pub nodes: usize,
    /// Nodes whose classes were counted; the others were tagged.
    pub counted: usize,
}

/// The node of the lattice of `hierarchies` on `data` that satisfies `criteria` with the least
/// loss by `metric`.
///
/// Tagging is used where it is valid: the criteria are monotone ([`Criteria::is_monotone`]) and
/// the metric does not fall on the way up among the nodes that satisfy them, which all do but
/// discernibility under a suppression limit. Elsewhere every node is counted.
///
/// Memory: the class tables of the bottom and of the nodes that failed, of these at most 64 MB.
///
/// Fails as [`enumerate()`] does, and when no node satisfies the criteria; the error names the
/// nearest.
pub fn search(
    data: &Dataset,
    hierarchies: &[Hierarchy],
    criteria: &Criteria,
    metric: LatticeMetric,
    listener: &dyn Listener,
) -> Result<Optimum> {
    let falls = metric == LatticeMetric::Discernibility && criteria.suppression_limit > 0.0;
    if falls || !criteria.is_monotone() {
        return best_of_all(data, hierarchies, criteria, metric, listener);
    }
    let file = CodedFile::new(data, hierarchies, criteria)?;
    let (best, counted) = match file.words() {
        1 => Tagging::<u64>::new(&file, metric).run(listener),
        2 => Tagging::<Wide<2>>::new(&file, metric).run(listener),
        _ => Tagging::<Wide<MOST_WORDS>>::new(&file, metric).run(listener),
    };
    match best.satisfied {
        true => Ok(Optimum { node: best, nodes: file.lattice.len(), counted }),
        false => Err(no_node(data, hierarchies, criteria, &best)),
    }
}

fn best_of_all(
    data: &Dataset,
    hierarchies: &[Hierarchy],
    criteria: &Criteria,
    metric: LatticeMetric,
    listener: &dyn Listener,
) -> Result<Optimum> {
    let records = enumerate(data, hierarchies, criteria, listener)?;
    let nodes = records.len();
    let least = |better: &dyn Fn(&NodeRecord, &NodeRecord) -> bool| {
        let rest = records.iter().skip(1);
        rest.fold(&records[0], |best, next| if better(next, best) { next } else { best })
    };
    let key = |node: &NodeRecord| (!node.satisfied, rank(node, metric));
    let best = least(&|a, b| key(a) < key(b));
    match best.satisfied {
        true => Ok(Optimum { node: best.clone(), nodes, counted: nodes }),
        false => {
            let nearest = least(&|a, b| (a.suppressed, a.samarati) < (b.suppressed, b.samarati));
            Err(no_node(data, hierarchies, criteria, nearest))
        }
    }
}

/// Less is better; equal nodes are taken in order of their index.
fn rank(node: &NodeRecord, metric: LatticeMetric) -> (f64, usize) {
    (node.loss(metric), node.samarati)
}

fn no_node(
    data: &Dataset,
    hierarchies: &[Hierarchy],
    criteria: &Criteria,
    nearest: &NodeRecord,
) -> Error {
    let levels: Vec<String> = hierarchies
        .iter()
        .zip(&nearest.levels)
        .map(|(hierarchy, level)| format!("{} {level}", hierarchy.attribute()))
        .collect();
    let problem = format!(
        "but no node satisfies the criteria; the nearest ({}) has k = {} and would suppress {} of \
         {} records: ask for less, add levels, or raise `suppression_limit` above {}",
        levels.join(", "),
        nearest.k,
        nearest.suppressed,
        data.records(),
        criteria.suppression_limit,
    );
    Error::parameter("k", criteria.k, problem)
}

/// What is known of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    Unknown,
    Satisfies,
    Fails,
}

/// The class table of a node that fails, to start from on the way up.
struct Snapshot<K> {
    index: usize,
    levels: Vec<usize>,
    table: ClassTable<K>,
}

struct Tagging<'a, K> {
    file: &'a CodedFile,
    metric: LatticeMetric,
    tags: Vec<Tag>,
    snapshots: Vec<Snapshot<K>>,
    /// Bytes of all snapshots.
    kept: usize,
    best: Option<NodeRecord>,
    counted: usize,
}

/// No snapshot is kept beyond so many bytes.
const MOST_KEPT: usize = 64 << 20;

impl<'a, K: Key> Tagging<'a, K> {
    fn new(file: &'a CodedFile, metric: LatticeMetric) -> Self {
        let nodes = file.lattice.len();
        let bottom = Snapshot { index: 0, levels: file.lattice.node(0), table: file.table() };
        Self {
            file,
            metric,
            tags: vec![Tag::Unknown; nodes],
            kept: size_of_val(bottom.table.as_slice()),
            snapshots: vec![bottom],
            best: None,
            counted: 0,
        }
    }

    /// The best node and how many were counted; the top node where none satisfies.
    fn run(mut self, listener: &dyn Listener) -> (NodeRecord, usize) {
        let nodes = self.tags.len();
        let mut by_height: Vec<usize> = (0..nodes).collect();
        by_height.sort_by_key(|&index| self.file.lattice.height(index));
        for index in by_height {
            if self.tags[index] == Tag::Unknown {
                let path = self.path(index);
                self.halve(&path);
            }
            listener.advance(1, nodes as u64);
        }
        let top = nodes - 1;
        let best = self.best.take().unwrap_or_else(|| self.count(top));
        (best, self.counted)
    }

    /// Untagged nodes from `index` upwards, each one step above the last.
    fn path(&self, index: usize) -> Vec<usize> {
        let is_open = |i: &usize| self.tags[*i] == Tag::Unknown;
        let step = |&index: &usize| self.file.lattice.above(index).find(is_open);
        std::iter::successors(Some(index), step).collect()
    }

    /// Finds the lowest node of `path` that satisfies the criteria, and tags by each one counted.
    fn halve(&mut self, path: &[usize]) {
        let (mut low, mut high) = (0, path.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.tag(path[middle]) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
    }

    /// Counts a node and tags what follows from it; true when it satisfies the criteria.
    fn tag(&mut self, index: usize) -> bool {
        let node = self.count(index);
        let satisfied = node.satisfied;
        self.spread(index, if satisfied { Tag::Satisfies } else { Tag::Fails });
        if satisfied && self.best.as_ref().is_none_or(|best| self.is_better(&node, best)) {
            self.best = Some(node);
        }
        satisfied
    }

    fn is_better(&self, node: &NodeRecord, best: &NodeRecord) -> bool {
        let key = |n: &NodeRecord| (rank(n, self.metric), self.file.lattice.index(&n.levels));
        key(node) < key(best)
    }

    /// Tags a node and all above it (satisfies) or below it (fails).
    fn spread(&mut self, index: usize, tag: Tag) {
        let mut open = vec![index];
        while let Some(index) = open.pop() {
            if self.tags[index] != Tag::Unknown {
                continue;
            }
            self.tags[index] = tag;
            match tag {
                Tag::Satisfies => open.extend(self.file.lattice.above(index)),
                _ => open.extend(self.file.lattice.below(index)),
            }
        }
    }

    /// Counts the classes of a node, from the smallest table below it.
    fn count(&mut self, index: usize) -> NodeRecord {
        let levels = self.file.lattice.node(index);
        let is_below =
            |s: &&Snapshot<K>| s.levels.iter().zip(&levels).all(|(low, high)| low <= high);
        let below = self.snapshots.iter().filter(is_below).min_by_key(|s| s.table.len());
        let mut table = ClassTable::new();
        if let Some(from) = below {
            self.file.raise(&from.table, from.index, index, &mut table);
        }
        self.counted += 1;
        let node = self.file.record(index, &self.file.classes(&table));
        let bytes = size_of_val(table.as_slice());
        if !node.satisfied && self.kept + bytes <= MOST_KEPT {
            self.kept += bytes;
            self.snapshots.push(Snapshot { index, levels, table });
        }
        node
    }
}
