//! A quasi-identifier of a file as codes, on every level of its hierarchy.

use super::Hierarchy;
use crate::dataset::{
    Attribute, Categorical, Dataset, DateFormat, GENERALIZED, Notation, Numeric, Values,
};
use crate::error::{Error, Result};
use crate::words::quoted;
use std::collections::HashMap;

/// The codes of a quasi-identifier, of the values that occur and no others.
///
/// Codes are given in the order of the hierarchy read from the top: a level is a
/// non-decreasing function of the one below, so that sorted tables stay sorted.
pub(super) struct CodeDomain {
    /// Code of each record on level 0.
    pub records: Vec<u32>,
    /// By level and code: the code on the next level.
    pub up: Vec<Vec<u32>>,
    /// By level and code: the code in the hierarchy, `None` for missing.
    pub origin: Vec<Vec<Option<u32>>>,
}

impl CodeDomain {
    /// Codes the quasi-identifier of `hierarchy` in `data`.
    ///
    /// Fails when `data` has no such attribute or the hierarchy misses a value of it.
    pub fn new(data: &Dataset, hierarchy: &Hierarchy) -> Result<Self> {
        let attribute = &data.attributes()[data.position(hierarchy.attribute())?];
        let coded = CodedValues::new(attribute);
        let finder = Finder::new(hierarchy, attribute)?;
        let mut paths = Vec::with_capacity(coded.values.len());
        for (number, value) in coded.values.iter().enumerate() {
            let code = match value {
                None => hierarchy.missing_code(),
                Some(value) => Some(
                    finder
                        .code(value)
                        .ok_or_else(|| uncovered(data, hierarchy, value, coded.first(number)))?,
                ),
            };
            paths.push(path(hierarchy, code));
        }
        Ok(Self::from_paths(&coded.records, &paths))
    }

    /// `paths[number]` is what a value is called from the top level down.
    fn from_paths(records: &[u32], paths: &[Vec<Option<u32>>]) -> Self {
        let mut order: Vec<usize> = (0..paths.len()).collect();
        order.sort_by(|&a, &b| paths[a].cmp(&paths[b]));
        let levels = paths.first().map_or(0, Vec::len);
        let mut codes = vec![vec![0u32; paths.len()]; levels];
        let mut origin = vec![Vec::new(); levels];
        for (level, origin) in origin.iter_mut().enumerate() {
            let depth = levels - level;
            let mut before: Option<&[Option<u32>]> = None;
            for &number in &order {
                let here = &paths[number][..depth];
                if before != Some(here) {
                    origin.push(here[depth - 1]);
                    before = Some(here);
                }
                codes[level][number] = origin.len() as u32 - 1;
            }
        }
        let up = (1..levels).map(|level| upward(&codes[level - 1], &codes[level])).collect();
        let records = records.iter().map(|&number| codes[0][number as usize]).collect();
        Self { records, up, origin }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.origin.len()
    }

    /// Number of codes on `level`.
    pub fn size(&self, level: usize) -> usize {
        self.origin[level].len()
    }

    /// By code on level `from`: the code on level `to >= from`.
    pub fn raised(&self, from: usize, to: usize) -> Vec<u32> {
        let mut codes: Vec<u32> = (0..self.size(from) as u32).collect();
        for level in from..to {
            codes.iter_mut().for_each(|code| *code = self.up[level][*code as usize]);
        }
        codes
    }
}

/// The values of `attribute` in order of appearance, missing ones left out.
pub(super) fn distinct_values(data: &Dataset, attribute: &str) -> Result<Vec<String>> {
    let attribute = &data.attributes()[data.position(attribute)?];
    Ok(CodedValues::new(attribute).values.into_iter().flatten().collect())
}

/// By code below: the code above.
fn upward(below: &[u32], above: &[u32]) -> Vec<u32> {
    let size = below.iter().max().map_or(0, |code| *code as usize + 1);
    let mut up = vec![0; size];
    below.iter().zip(above).for_each(|(&b, &a)| up[b as usize] = a);
    up
}

/// The distinct values of an attribute, and which of them each record has.
struct CodedValues {
    values: Vec<Option<String>>,
    records: Vec<u32>,
}

impl CodedValues {
    fn new(attribute: &Attribute) -> Self {
        match &attribute.values {
            Values::Numeric(column) => Self::numbers(column),
            Values::Categorical(column) => Self::labels(column),
        }
    }

    fn numbers(column: &Numeric) -> Self {
        let mut numbers: HashMap<Option<u64>, u32> = HashMap::new();
        let mut coded = Self { values: Vec::new(), records: Vec::with_capacity(column.len()) };
        for value in column.iter() {
            let number = *numbers.entry(value.map(bits)).or_insert_with(|| {
                coded.values.push(value.map(|v| column.form().notation.text(v + 0.0)));
                coded.values.len() as u32 - 1
            });
            coded.records.push(number);
        }
        coded
    }

    /// Labels have codes already; those that no record has are left out.
    fn labels(column: &Categorical) -> Self {
        let labels = column.labels().len();
        let mut numbers: Vec<Option<u32>> = vec![None; labels + 2];
        let mut coded = Self { values: Vec::new(), records: Vec::with_capacity(column.len()) };
        for i in 0..column.len() {
            let generalized = column.is_generalized(i).then_some(GENERALIZED);
            let unknown = labels + usize::from(generalized.is_some());
            let code = column.code(i).map_or(unknown, |code| code as usize);
            let number = *numbers[code].get_or_insert_with(|| {
                coded.values.push(column.get(i).or(generalized).map(str::to_owned));
                coded.values.len() as u32 - 1
            });
            coded.records.push(number);
        }
        coded
    }

    /// The first record with value `number`, counted from 1.
    fn first(&self, number: usize) -> usize {
        self.records.iter().position(|n| *n as usize == number).map_or(0, |i| i + 1)
    }
}

/// Finds values on level 0 of a hierarchy.
enum Finder<'a> {
    /// By their text.
    Names(&'a Hierarchy),
    /// By their number, however it is written; the notation is that of the column.
    Numbers(HashMap<u64, u32>, &'a Notation),
}

impl<'a> Finder<'a> {
    fn new(hierarchy: &'a Hierarchy, attribute: &'a Attribute) -> Result<Self> {
        let Values::Numeric(column) = &attribute.values else {
            return Ok(Self::Names(hierarchy));
        };
        let notation = &column.form().notation;
        let mut numbers = HashMap::new();
        for (code, name) in hierarchy.names(0).iter().enumerate() {
            let Some(bits) = written_bits(name, notation) else { continue };
            if let Some(other) = numbers.insert(bits, code as u32) {
                let other = &hierarchy.names(0)[other as usize];
                let problem = format!(
                    "{} and {} are the same number; keep one row",
                    quoted(other),
                    quoted(name)
                );
                return Err(Error::input(hierarchy.place(), problem));
            }
        }
        Ok(Self::Numbers(numbers, notation))
    }

    fn code(&self, value: &str) -> Option<u32> {
        match self {
            Self::Names(hierarchy) => hierarchy.code(value),
            Self::Numbers(numbers, notation) => {
                numbers.get(&written_bits(value, notation)?).copied()
            }
        }
    }
}

/// The number that `text` spells in a column of this notation; dates may be written as ISO does.
fn written_bits(text: &str, notation: &Notation) -> Option<u64> {
    match notation {
        Notation::Date(_) => notation.read(text).or_else(|| DateFormat::iso().read(text)).map(bits),
        _ => number_bits(text).or_else(|| notation.read(text).map(bits)),
    }
}

/// The number that `text` spells, however it is written.
pub(crate) fn number_bits(text: &str) -> Option<u64> {
    text.parse().ok().map(bits)
}

/// Equal where numbers are; adding 0 makes -0 and 0 one.
fn bits(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

/// The codes of a value from the top level down.
fn path(hierarchy: &Hierarchy, code: Option<u32>) -> Vec<Option<u32>> {
    let on = |level: usize| match code {
        Some(code) => Some(hierarchy.raise(code, 0, level)),
        None => (level > 0 && hierarchy.names(level).len() == 1).then_some(0),
    };
    (0..hierarchy.levels()).rev().map(on).collect()
}

fn uncovered(data: &Dataset, hierarchy: &Hierarchy, value: &str, record: usize) -> Error {
    let problem = format!(
        "no row for {} on level 0, which column {} of {} has in record {record}; add a row for it",
        quoted(value),
        hierarchy.attribute(),
        data.name(),
    );
    Error::input(hierarchy.place(), problem)
}
