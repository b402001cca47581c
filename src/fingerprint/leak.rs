//! The levels of a leaked file.

use super::levels::{LevelFinder, LevelSet, all_levels, highest};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::lattice::Hierarchy;
use std::collections::HashMap;

/// A leaked file as levels.
///
/// All records of a release are on the same levels, so the levels of a file are those its
/// records have in common. Records that have none in common come from several releases, or
/// were generalized one by one: each such part is taken back on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// The parts, the largest first.
    pub parts: Vec<LeakPart>,
    /// Quasi-identifiers that the file does not have; they say nothing.
    pub absent: Vec<String>,
}

/// Records that can be from one release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeakPart {
    /// Number of records.
    pub records: usize,
    pub(super) levels: Vec<LevelSet>,
}

impl LeakPart {
    /// The levels quasi-identifier `a` can be on, ascending.
    pub fn levels(&self, a: usize) -> Vec<usize> {
        (0..=highest(self.levels[a])).filter(|level| self.levels[a] >> level & 1 == 1).collect()
    }

    /// True when every quasi-identifier can be on the level that `pattern` has.
    pub fn matches(&self, pattern: &[usize]) -> bool {
        self.levels.iter().zip(pattern).all(|(levels, level)| levels >> level & 1 == 1)
    }

    /// The highest level quasi-identifier `a` can be on: who has no higher one can make it.
    pub fn highest(&self, a: usize) -> usize {
        highest(self.levels[a])
    }
}

impl Leak {
    /// Reads the levels off `file`.
    ///
    /// Fails when the file has no quasi-identifier, and on a value that is on no level; the
    /// error names the record and not the value. Cost: O(records) per quasi-identifier.
    pub fn read(file: &Dataset, hierarchies: &[Hierarchy]) -> Result<Self> {
        let mut columns = Vec::new();
        let mut absent = Vec::new();
        for hierarchy in hierarchies {
            match file.attributes().iter().find(|a| a.name == hierarchy.attribute()) {
                Some(attribute) => {
                    let levels = LevelFinder::new(hierarchy)?.of_records(attribute);
                    check_known(file, hierarchy, &levels)?;
                    columns.push(levels);
                }
                None => {
                    absent.push(hierarchy.attribute().to_owned());
                    columns.push(vec![all_levels(hierarchy); file.records()]);
                }
            }
        }
        if absent.len() == hierarchies.len() {
            let problem =
                format!("none of the quasi-identifiers {} is a column of it", absent.join(", "));
            return Err(Error::input(file.name(), problem));
        }
        Ok(Self { parts: parts(&columns, file.records()), absent })
    }
}

fn check_known(file: &Dataset, hierarchy: &Hierarchy, levels: &[LevelSet]) -> Result<()> {
    let Some(first) = levels.iter().position(|levels| *levels == 0) else { return Ok(()) };
    let unknown = levels.iter().filter(|levels| **levels == 0).count();
    let place = format!("{}: column {}, record {}", file.name(), hierarchy.attribute(), first + 1);
    let more = match unknown {
        1 => String::new(),
        n => format!(" (and {} more records)", n - 1),
    };
    let problem = format!("the value is on no level of the plan's hierarchy{more}; leave it out");
    Err(Error::input(place, problem))
}

/// Joins records with common levels; what tells most is joined first.
fn parts(columns: &[Vec<LevelSet>], records: usize) -> Vec<LeakPart> {
    let mut seen: HashMap<Vec<LevelSet>, (usize, usize)> = HashMap::new();
    for i in 0..records {
        let levels = columns.iter().map(|column| column[i]).collect();
        seen.entry(levels).or_insert((i, 0)).1 += 1;
    }
    let mut kinds: Vec<(Vec<LevelSet>, (usize, usize))> = seen.into_iter().collect();
    let open = |levels: &[LevelSet]| levels.iter().map(|l| l.count_ones()).sum::<u32>();
    kinds.sort_by_key(|(levels, (first, _))| (open(levels), *first));
    let mut parts: Vec<LeakPart> = Vec::new();
    for (levels, (_, count)) in kinds {
        let joined = |part: &LeakPart| -> Vec<LevelSet> {
            part.levels.iter().zip(&levels).map(|(a, b)| a & b).collect()
        };
        match parts.iter_mut().find(|part| joined(part).iter().all(|levels| *levels != 0)) {
            Some(part) => {
                part.levels = joined(part);
                part.records += count;
            }
            None => parts.push(LeakPart { records: count, levels }),
        }
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.records));
    parts
}
