//! The values an attacker wants to learn, as codes.

use crate::dataset::{Dataset, Numeric, Values};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// How the range of a numeric sensitive attribute is cut into levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum LevelRule {
    /// Levels of equal width over the observed range
    #[default]
    EqualWidth,
    /// Levels of equally many records, as far as equal values allow
    Quantile,
}

/// Levels of numeric sensitive attributes: values on one level are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Levels {
    /// Number of levels; some may hold no value.
    pub count: u32,
    /// Where the levels are cut.
    pub rule: LevelRule,
}

/// The values of a sensitive attribute: a code per record.
///
/// Codes of numeric and ordinal attributes follow their order. A missing value
/// has the last code, which is no value that counts and has no place in the order.
#[derive(Debug, Clone, PartialEq)]
pub struct SensitiveValues {
    pub(crate) codes: Vec<u32>,
    /// Number of codes, the one of missing values not counted.
    pub(super) levels: u32,
    pub(super) ordered: bool,
}

impl SensitiveValues {
    /// The values of `attribute`. With `levels`, the range of a numeric attribute
    /// is cut into levels, and values on one level are the same (section 3.2 of
    /// Han, Cen, Yu 2008); else every number is a value of its own.
    ///
    /// Of equal width: a value v of the range [low, high] is on level
    /// ⌊L (v - low) / (high - low)⌋, high on the last. Quantiles: with r values below
    /// v among the n present ones, v is on level ⌊L r / n⌋.
    pub fn new(dataset: &Dataset, attribute: &str, levels: Option<Levels>) -> Result<Self> {
        if levels.is_some_and(|levels| levels.count == 0) {
            return Err(Error::parameter("levels", 0, "but at least one level is needed"));
        }
        let position = dataset.position(attribute)?;
        Ok(match &dataset.attributes()[position].values {
            Values::Numeric(column) => match levels {
                Some(Levels { count, rule: LevelRule::EqualWidth }) => {
                    Self::equal_width(column, count)
                }
                Some(Levels { count, rule: LevelRule::Quantile }) => Self::quantile(column, count),
                None => Self::distinct(column),
            },
            Values::Categorical(column) => {
                let levels = column.labels().len() as u32;
                let code = |i| column.code(i).unwrap_or(levels);
                let codes = (0..column.len()).map(code).collect();
                Self { codes, levels, ordered: column.is_ordinal() }
            }
        })
    }

    fn distinct(column: &Numeric) -> Self {
        let mut values: Vec<f64> = column.present().map(|v| v + 0.0).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let levels = values.len() as u32;
        let code = |v: f64| values.partition_point(|other| *other < v) as u32;
        let codes = column.iter().map(|v| v.map_or(levels, code)).collect();
        Self { codes, levels, ordered: true }
    }

    fn equal_width(column: &Numeric, levels: u32) -> Self {
        // Halved, so that the width does not overflow.
        let low = column.present().fold(f64::INFINITY, f64::min) / 2.0;
        let width = column.present().fold(f64::NEG_INFINITY, f64::max) / 2.0 - low;
        let code = |v: f64| {
            let share = if width > 0.0 { (v / 2.0 - low) / width } else { 0.0 };
            ((share * f64::from(levels)) as u32).min(levels - 1)
        };
        let codes = column.iter().map(|v| v.map_or(levels, code)).collect();
        Self { codes, levels, ordered: true }
    }

    fn quantile(column: &Numeric, levels: u32) -> Self {
        let mut sorted: Vec<f64> = column.present().collect();
        sorted.sort_by(f64::total_cmp);
        let code = |v: f64| {
            let below = sorted.partition_point(|other| *other < v);
            (below as u64 * u64::from(levels) / sorted.len() as u64) as u32
        };
        let codes = column.iter().map(|v| v.map_or(levels, code)).collect();
        Self { codes, levels, ordered: true }
    }

    /// The code of each record; that of missing values is the last.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Those of the codes `sorted` that are values: a missing one is none.
    pub(super) fn present<'c>(&self, sorted: &'c [u32]) -> &'c [u32] {
        &sorted[..sorted.partition_point(|code| *code < self.levels)]
    }

    /// True where `record` has a value.
    pub(super) fn has_value(&self, record: u32) -> bool {
        self.codes[record as usize] < self.levels
    }

    /// The codes of `records`, sorted.
    pub(super) fn of(&self, records: &[u32]) -> Vec<u32> {
        let mut codes: Vec<u32> = records.iter().map(|&i| self.codes[i as usize]).collect();
        codes.sort_unstable();
        codes
    }
}
