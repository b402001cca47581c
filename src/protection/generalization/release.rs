//! The files of a generalization.

use super::coded::Coded;
use super::outcome::{CodedPattern, Outcome};
use super::pattern::{INDIFFERENT, UNKNOWN};
use super::summary::GeneralizationSummary;
use crate::dataset::{Attribute, Categorical, Dataset, GENERALIZED, Role, Values};
use crate::error::{Error, Result};
use std::fmt;

/// One value of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// Any value.
    Indifferent,
    /// The unknown value.
    Unknown,
    /// This label.
    Label(String),
}

impl Value {
    /// The value as a cell of a file: `None` is missing.
    fn cell(&self) -> Option<&str> {
        match self {
            Self::Indifferent => Some(GENERALIZED),
            Self::Unknown => None,
            Self::Label(label) => Some(label),
        }
    }
}

/// A pattern that at least k records of a class share.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// One value per quasi-identifier, in the order they were named.
    pub values: Vec<Value>,
    /// A record of the pattern's class.
    pub class_record: usize,
    /// Records of the class that the pattern covers.
    pub covered: usize,
    /// Records released as this pattern.
    pub released: usize,
    /// How often the published list has it.
    pub repetitions: u64,
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: Vec<&str> = self.values.iter().map(|v| v.cell().unwrap_or("?")).collect();
        write!(f, "({})", text.join(", "))
    }
}

/// Patterns, and the one that each record is released as.
#[derive(Debug, Clone)]
pub struct Generalization {
    /// By class, then by values.
    pub patterns: Vec<Pattern>,
    /// The pattern of each record, `None` for those that are discarded.
    pub pattern_of: Vec<Option<u32>>,
    /// Counts.
    pub summary: GeneralizationSummary,
    quasi: Vec<usize>,
}

impl Generalization {
    pub(super) fn new(
        original: &Dataset,
        quasi: &[usize],
        coded: &Coded,
        outcome: Outcome,
    ) -> Result<Self> {
        if outcome.patterns.is_empty() {
            let problem = format!(
                "no {} records of a class agree on enough attributes, so every record would be \
                 discarded; lower `k` or raise `indifferent`",
                outcome.k
            );
            return Err(Error::input(original.name(), problem));
        }
        let mut pattern_of = vec![None; original.records()];
        for (class, chosen) in coded.classes.iter().zip(&outcome.chosen) {
            for (t, pattern) in chosen.iter().enumerate() {
                let records = class.records_of(t as u32);
                records.iter().for_each(|&r| pattern_of[r as usize] = *pattern);
            }
        }
        let patterns = outcome.patterns.iter().map(|p| decoded(coded, quasi, p)).collect();
        let summary = GeneralizationSummary::new(coded, &outcome);
        Ok(Self { patterns, pattern_of, summary, quasi: quasi.to_vec() })
    }

    /// The positions in the original file of the records that are released.
    pub fn kept(&self) -> Vec<usize> {
        let all = self.pattern_of.iter().enumerate();
        all.filter(|(_, pattern)| pattern.is_some()).map(|(record, _)| record).collect()
    }

    /// The positions in the original file of the records that are discarded.
    pub fn discarded(&self) -> Vec<usize> {
        let all = self.pattern_of.iter().enumerate();
        all.filter(|(_, pattern)| pattern.is_none()).map(|(record, _)| record).collect()
    }

    /// The records that are not discarded, in their order, each as its pattern.
    ///
    /// Identifiers and confidential attributes stay as they are; attributes that are
    /// neither these nor quasi-identifiers are left out, since they could tell
    /// records of a pattern apart.
    pub fn released(&self, original: &Dataset) -> Result<Dataset> {
        let kept = self.pattern_of.iter().enumerate();
        let (rows, patterns): (Vec<usize>, Vec<u32>) =
            kept.filter_map(|(record, pattern)| Some((record, (*pattern)?))).unzip();
        self.filled(original, &rows, &patterns)
    }

    /// One record per pattern: its values, those of its class, and the columns
    /// `covered`, `released` and `repetitions`.
    pub fn pattern_file(&self, original: &Dataset) -> Result<Dataset> {
        let rows: Vec<usize> = self.patterns.iter().map(|p| p.class_record).collect();
        let all: Vec<u32> = (0..self.patterns.len() as u32).collect();
        let mut file = self.filled(original, &rows, &all)?.without_role(Role::Identifier)?;
        let count = |count: fn(&Pattern) -> f64| self.patterns.iter().map(count).collect();
        file = file.with_attribute(Attribute::numeric("covered", count(|p| p.covered as f64))?)?;
        file =
            file.with_attribute(Attribute::numeric("released", count(|p| p.released as f64))?)?;
        let repetitions = Attribute::numeric("repetitions", count(|p| p.repetitions as f64))?;
        file.with_attribute(repetitions)
    }

    /// The records `rows` of `original` with the values of `patterns`.
    fn filled(&self, original: &Dataset, rows: &[usize], patterns: &[u32]) -> Result<Dataset> {
        let column = |(place, &position): (usize, &usize)| {
            let cell = |p: &u32| self.patterns[*p as usize].values[place].cell();
            (position, Values::Categorical(Categorical::nominal(patterns.iter().map(cell))))
        };
        let mut file =
            original.select(rows)?.with_columns(self.quasi.iter().enumerate().map(column));
        let names: Vec<&str> =
            self.quasi.iter().map(|&p| original.attributes()[p].name.as_str()).collect();
        let mut unprotected = file.names_with(Role::QuasiIdentifier);
        unprotected.retain(|name| !names.contains(&name.as_str()));
        file.set_role(&unprotected, Role::Other)?;
        file.set_role(&names, Role::QuasiIdentifier)?;
        file.without_role(Role::Other)
    }
}

fn decoded(coded: &Coded, quasi: &[usize], pattern: &CodedPattern) -> Pattern {
    let value = |position: &usize| {
        let place = coded.positions.iter().position(|p| p == position).unwrap_or(0);
        match pattern.values[place] {
            INDIFFERENT => Value::Indifferent,
            UNKNOWN => Value::Unknown,
            code => Value::Label(coded.labels[place][code as usize - 1].clone()),
        }
    };
    Pattern {
        values: quasi.iter().map(value).collect(),
        class_record: coded.classes[pattern.class].any_record(),
        covered: pattern.covered,
        released: pattern.released,
        repetitions: pattern.repetitions,
    }
}
