//! What a release must satisfy: k-anonymity, l-diversity, t-closeness, and how many records may go.

use crate::anonymity::{Levels, SensitiveValues, WholeFile, entropy_l, frequencies};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use std::collections::HashMap;

/// How varied the sensitive values of a class must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LeastDiversity {
    /// At least this many different values.
    Distinct(usize),
    /// exp(entropy) at least this.
    Entropy(f64),
}

/// The criteria a node must satisfy, and the share of the records that may be suppressed for it.
///
/// A class fails when it is smaller than k, or not l-diverse or t-close on one of the sensitive
/// attributes; its records are suppressed. Missing sensitive values: as in
/// [`crate::anonymity::Anonymity`].
#[derive(Debug, Clone, PartialEq)]
pub struct Criteria {
    /// Least size of a class.
    pub k: usize,
    /// The sensitive attributes that diversity and closeness look at.
    pub sensitive: Vec<String>,
    /// l-diversity, if asked for.
    pub diversity: Option<LeastDiversity>,
    /// The t of t-closeness, if asked for.
    pub closeness: Option<f64>,
    /// Cut numeric sensitive attributes into levels.
    pub sensitive_levels: Option<Levels>,
    /// Greatest share of the records that may be suppressed, 0 to 1.
    pub suppression_limit: f64,
}

/// Differences of sums of floats below this are rounding.
const ROUNDING: f64 = 1e-12;

impl Criteria {
    /// k-anonymity alone, without suppression.
    pub fn k(k: usize) -> Self {
        Self {
            k,
            sensitive: Vec::new(),
            diversity: None,
            closeness: None,
            sensitive_levels: None,
            suppression_limit: 0.0,
        }
    }

    /// True when a node that satisfies the criteria has only such nodes above it.
    ///
    /// Classes merge on the way up. A merged class is as large, as varied and as close as the
    /// worst of its parts: without suppression every criterion is monotone. With suppression a
    /// part that fails may join one that does not: size and number of distinct values still
    /// cannot fall, but entropy and closeness can get worse.
    pub fn is_monotone(&self) -> bool {
        let averages =
            self.closeness.is_some() || matches!(self.diversity, Some(LeastDiversity::Entropy(_)));
        self.suppression_limit == 0.0 || !averages
    }

    fn check(&self, quasi: &[&str]) -> Result<()> {
        let refuse = |name: &str, value: &dyn std::fmt::Display, problem: &str| {
            Err(Error::parameter(name, value, problem))
        };
        if self.k == 0 {
            return refuse("k", &self.k, "but k is at least 1");
        }
        if !(0.0..=1.0).contains(&self.suppression_limit) {
            let problem = "but it is a share of the records, 0 to 1";
            return refuse("suppression-limit", &self.suppression_limit, problem);
        }
        match self.diversity {
            Some(LeastDiversity::Distinct(0)) => return refuse("l", &0, "but l is at least 1"),
            Some(LeastDiversity::Entropy(l)) if !(l.is_finite() && l >= 1.0) => {
                return refuse("l", &l, "but l is a number from 1");
            }
            _ => {}
        }
        if let Some(t) = self.closeness.filter(|t| !(0.0..=1.0).contains(t)) {
            return refuse("t", &t, "but t is a number from 0 to 1");
        }
        if let Some(both) = self.sensitive.iter().find(|s| quasi.contains(&s.as_str())) {
            return refuse(
                "sensitive",
                both,
                "is also a quasi-identifier; an attribute has one role",
            );
        }
        let asks = self.diversity.is_some() || self.closeness.is_some();
        match (asks, self.sensitive.is_empty()) {
            (true, true) => {
                refuse("sensitive", &"none", "but l and t need one; name it with `sensitive`")
            }
            (false, false) => {
                refuse("sensitive", &self.sensitive.join(","), "but neither l nor t is given")
            }
            _ => Ok(()),
        }
    }
}

/// The criteria ready to judge the classes of one file.
pub(super) struct Judge {
    pub k: usize,
    diversity: Option<LeastDiversity>,
    closeness: Option<f64>,
    /// Most records that may be suppressed.
    pub most_suppressed: usize,
    /// By sensitive attribute: the file's distribution, and the code of each combination.
    attributes: Vec<(WholeFile, Vec<u32>)>,
    /// The combination of sensitive values of each record.
    pub combination: Vec<u32>,
    /// Number of combinations.
    pub combinations: usize,
}

impl Judge {
    /// Fails on a parameter out of its range and an unknown sensitive attribute.
    pub fn new(data: &Dataset, quasi: &[&str], criteria: &Criteria) -> Result<Self> {
        criteria.check(quasi)?;
        data.positions(&criteria.sensitive)?;
        let values: Vec<SensitiveValues> = criteria
            .sensitive
            .iter()
            .map(|name| SensitiveValues::new(data, name, criteria.sensitive_levels))
            .collect::<Result<_>>()?;
        let (combination, distinct) = combinations(&values, data.records());
        let attribute = |(i, values): (usize, &SensitiveValues)| {
            (WholeFile::new(values), distinct.iter().map(|codes| codes[i]).collect())
        };
        let records = data.records() as f64;
        Ok(Self {
            k: criteria.k,
            diversity: criteria.diversity,
            closeness: criteria.closeness,
            // The share times the records may miss a whole number by rounding.
            most_suppressed: (criteria.suppression_limit * records + 1e-9).floor() as usize,
            attributes: values.iter().enumerate().map(attribute).collect(),
            combination,
            combinations: distinct.len(),
        })
    }

    /// True when classes are judged by their sizes alone.
    pub fn looks_at_sizes_only(&self) -> bool {
        self.attributes.is_empty()
    }

    /// True for a class of `size` records with these (combination, records).
    pub fn passes(&self, size: usize, class: impl Iterator<Item = (u32, u32)> + Clone) -> bool {
        size >= self.k
            && self.attributes.iter().all(|attribute| self.accepts(attribute, class.clone()))
    }

    fn accepts(
        &self,
        (file, code): &(WholeFile, Vec<u32>),
        class: impl Iterator<Item = (u32, u32)>,
    ) -> bool {
        let mut codes: Vec<u32> = class
            .flat_map(|(combination, n)| {
                std::iter::repeat_n(code[combination as usize], n as usize)
            })
            .collect();
        codes.sort_unstable();
        let present = || frequencies(file.present(&codes));
        let diverse = match self.diversity {
            None => true,
            Some(LeastDiversity::Distinct(l)) => present().len() >= l,
            Some(LeastDiversity::Entropy(l)) => entropy_l(&present()) >= l - ROUNDING,
        };
        diverse && self.closeness.is_none_or(|t| file.distance(&codes) <= t + ROUNDING)
    }
}

/// A number per record for its combination of values, and the codes of each combination.
fn combinations(values: &[SensitiveValues], records: usize) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut distinct = Vec::new();
    let mut number = |i: usize| {
        let codes: Vec<u32> = values.iter().map(|v| v.codes[i]).collect();
        *numbers.entry(codes).or_insert_with_key(|codes| {
            distinct.push(codes.clone());
            distinct.len() as u32 - 1
        })
    };
    let combination = (0..records).map(&mut number).collect();
    (combination, distinct)
}
