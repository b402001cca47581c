//! On which levels of its hierarchy a value exists.
//!
//! A name can exist on several levels (`Private` may be a class of worker and a group of
//! them), and a missing value stays missing on most: then a single value does not tell its
//! level, and identification goes by the levels that all records share.

use super::pattern::GeneralizationPattern;
use crate::dataset::{Attribute, Dataset, GENERALIZED, Values};
use crate::error::{Error, Result};
use crate::lattice::{Hierarchy, MISSING, generalize, number_bits};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// A set of levels, a bit each.
pub(super) type LevelSet = u64;

/// The highest number of levels a set can hold.
pub(super) const MOST_LEVELS: usize = 64;

/// The highest of `levels`.
pub(super) fn highest(levels: LevelSet) -> usize {
    (u64::BITS - 1).saturating_sub(levels.leading_zeros()) as usize
}

/// All levels of a hierarchy.
pub(super) fn all_levels(hierarchy: &Hierarchy) -> LevelSet {
    u64::MAX >> (u64::BITS as usize - hierarchy.levels().clamp(1, MOST_LEVELS))
}

/// Finds the levels on which names exist.
pub(super) struct LevelFinder {
    by_name: HashMap<String, LevelSet>,
    /// Numbers may be written in more than one way.
    by_number: HashMap<u64, LevelSet>,
    missing: LevelSet,
}

impl LevelFinder {
    /// Fails on more than 64 levels.
    pub fn new(hierarchy: &Hierarchy) -> Result<Self> {
        if hierarchy.levels() > MOST_LEVELS {
            let name = format!("levels of {}", hierarchy.attribute());
            let problem = format!("but fingerprints know {MOST_LEVELS} at most; merge some");
            return Err(Error::parameter(name, hierarchy.levels(), problem));
        }
        let mut finder = Self { by_name: HashMap::new(), by_number: HashMap::new(), missing: 1 };
        for level in 0..hierarchy.levels() {
            let names = hierarchy.names(level);
            names.iter().for_each(|name| finder.add(name, 1 << level));
            if hierarchy.missing_code().is_none() && names.len() > 1 {
                finder.missing |= 1 << level;
            }
        }
        Ok(finder)
    }

    fn add(&mut self, name: &str, level: LevelSet) {
        *self.by_name.entry(name.to_owned()).or_default() |= level;
        if let Some(bits) = number_bits(name) {
            *self.by_number.entry(bits).or_default() |= level;
        }
        if MISSING.contains(&name) {
            self.missing |= level;
        }
    }

    /// The levels `value` exists on, a missing one being `None`; no level when it is unknown.
    fn find(&self, value: Option<&str>) -> LevelSet {
        let Some(name) = value else { return self.missing };
        let by_number = || number_bits(name).and_then(|bits| self.by_number.get(&bits));
        self.by_name.get(name).or_else(by_number).copied().unwrap_or(0)
    }

    /// The levels of every value of `attribute`, by record.
    pub fn of_records(&self, attribute: &Attribute) -> Vec<LevelSet> {
        let generalized = self.find(Some(GENERALIZED));
        let mut levels: Vec<LevelSet> = match &attribute.values {
            Values::Numeric(column) => {
                let text = column.texts();
                text.map(|text| self.find(text.as_deref())).collect()
            }
            Values::Categorical(column) => {
                let by_code: Vec<LevelSet> =
                    column.labels().iter().map(|label| self.find(Some(label))).collect();
                let levels = |i| column.code(i).map_or(self.missing, |c| by_code[c as usize]);
                (0..column.len()).map(levels).collect()
            }
        };
        for (i, level) in levels.iter_mut().enumerate() {
            if attribute.is_generalized(i) {
                *level = generalized;
            }
        }
        levels
    }
}

/// From how much of a file its recipient is to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TellApart {
    /// From any single record.
    #[default]
    Record,
    /// From the whole file: patterns that look alike in some records may go to two recipients.
    File,
}

/// How the records of one file look on each level: what can be mistaken for what.
pub(super) struct Appearances(Vec<RecordKind>);

/// A kind of record.
struct RecordKind {
    /// By quasi-identifier and level, the levels its value could be on.
    levels: Appearance,
    /// By quasi-identifier and level, the highest level that a value no higher can seem to be on.
    seeming: Vec<Vec<usize>>,
}

/// By quasi-identifier and level, the levels a value could be on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Appearance(Vec<Vec<LevelSet>>);

impl Appearances {
    /// The different kinds of records of `data`, or what they have in common.
    ///
    /// Cost: O(records) for each level of each quasi-identifier.
    pub fn new(data: &Dataset, hierarchies: &[Hierarchy], tell_apart: TellApart) -> Result<Self> {
        let columns: Vec<Vec<Vec<LevelSet>>> =
            hierarchies.iter().map(|h| by_level(data, h)).collect::<Result<_>>()?;
        let of = |i: usize| {
            let level = |column: &Vec<LevelSet>| column[i];
            Appearance(columns.iter().map(|levels| levels.iter().map(level).collect()).collect())
        };
        let all: BTreeSet<Appearance> = (0..data.records()).map(of).collect();
        let kinds = match tell_apart {
            TellApart::Record => most_ambiguous(all),
            TellApart::File => all.into_iter().reduce(|a, b| a.common(&b)).into_iter().collect(),
        };
        Ok(Self(kinds.into_iter().map(RecordKind::new).collect()))
    }

    /// True when a record of `pattern` is never taken for one of `other`.
    pub fn differ(&self, pattern: &[usize], other: &[usize]) -> bool {
        self.0.iter().all(|kind| {
            let mut places = kind.levels.0.iter().zip(pattern.iter().zip(other));
            places.any(|(levels, (&own, &other))| levels[own] >> other & 1 == 0)
        })
    }

    /// True when pattern `own` of `patterns` is finer on one quasi-identifier than every
    /// other, and looks it in every record.
    pub fn stands_out(&self, own: usize, patterns: &[&GeneralizationPattern]) -> bool {
        let others = || patterns.iter().enumerate().filter(|(i, _)| *i != own).map(|(_, p)| p);
        self.0.iter().all(|kind| {
            patterns[own].iter().enumerate().any(|(a, &level)| {
                let seeming = kind.seeming[a][level];
                others().all(|other| seeming < other[a])
            })
        })
    }
}

impl RecordKind {
    fn new(levels: Appearance) -> Self {
        let seeming = levels.0.iter().map(|levels| rising(levels)).collect();
        Self { levels, seeming }
    }
}

/// By level, the highest of `levels` so far.
fn rising(levels: &[LevelSet]) -> Vec<usize> {
    let mut most = 0;
    let highest_so_far = |l: &LevelSet| {
        most = highest(*l).max(most);
        most
    };
    levels.iter().map(highest_so_far).collect()
}

/// By level and record: the levels the value could be on.
fn by_level(data: &Dataset, hierarchy: &Hierarchy) -> Result<Vec<Vec<LevelSet>>> {
    let finder = LevelFinder::new(hierarchy)?;
    let position = data.position(hierarchy.attribute())?;
    (0..hierarchy.levels())
        .map(|level| {
            let release = generalize(data, std::slice::from_ref(hierarchy), &[level])?;
            Ok(finder.of_records(&release.attributes()[position]))
        })
        .collect()
}

/// Kinds above which all pairs are not compared.
const MOST_COMPARED: usize = 2000;

/// The kinds of records that are not more telling than another.
fn most_ambiguous(kinds: BTreeSet<Appearance>) -> Vec<Appearance> {
    if kinds.len() > MOST_COMPARED {
        return kinds.into_iter().collect();
    }
    let needed = |kind: &&Appearance| !kinds.iter().any(|o| o != *kind && o.includes(kind));
    kinds.iter().filter(needed).cloned().collect()
}

impl Appearance {
    fn includes(&self, other: &Self) -> bool {
        let mut pairs = self.0.iter().flatten().zip(other.0.iter().flatten());
        pairs.all(|(mine, theirs)| theirs & !mine == 0)
    }

    fn common(mut self, other: &Self) -> Self {
        let mine = self.0.iter_mut().flatten();
        mine.zip(other.0.iter().flatten()).for_each(|(mine, theirs)| *mine &= theirs);
        self
    }
}
