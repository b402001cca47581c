//! The sizes of the classes of one node.

use super::class_table::ClassTable;
use super::coded_file::{CodedFile, MOST_WORDS};
use super::key::{Key, Wide};
use super::{Criteria, Hierarchy};
use crate::anonymity::ClassSize;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// How many classes of each size `node` has, small ones first.
///
/// Fails as [`enumerate()`](super::enumerate()) does, and on a node that does not exist.
pub fn class_sizes(
    data: &Dataset,
    hierarchies: &[Hierarchy],
    node: &[usize],
) -> Result<Vec<ClassSize>> {
    let file = CodedFile::new(data, hierarchies, &Criteria::k(1))?;
    let index = file.lattice.index(node).ok_or_else(|| {
        let problem = format!("but the numbers of levels are {:?}", file.lattice.levels());
        Error::parameter("node", format!("{node:?}"), problem)
    })?;
    Ok(match file.words() {
        1 => sizes::<u64>(&file, index),
        2 => sizes::<Wide<2>>(&file, index),
        _ => sizes::<Wide<MOST_WORDS>>(&file, index),
    })
}

fn sizes<K: Key>(file: &CodedFile, index: usize) -> Vec<ClassSize> {
    let mut table: ClassTable<K> = ClassTable::new();
    file.raise(&file.table(), 0, index, &mut table);
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    table.iter().for_each(|entry| *counts.entry(entry.count as usize).or_default() += 1);
    let one = |(size, classes)| ClassSize { size, classes, records: size * classes };
    counts.into_iter().map(one).collect()
}
