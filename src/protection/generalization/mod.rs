//! Generalization without an ontology: records become patterns that k of them share.
//!
//! E. Armengol, V. Torra, "Generalization-based k-anonymization" (Modeling Decisions
//! for Artificial Intelligence). A pattern is the anti-unification of a set of
//! records: the values all of them have, and *indifferent* (`*`) elsewhere.
//! [`AntiUnification`] is the method; it discards the records that no pattern covers.

mod analyze_partition;
mod analyze_set;
mod choice;
mod coded;
mod outcome;
mod pattern;
mod release;
mod summary;

#[cfg(test)]
mod tests;

pub use release::{Generalization, Pattern, Value};
pub use summary::{GeneralizationSummary, Spread};

use crate::dataset::{Dataset, Role};
use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::protection::{
    AttributeKinds, Described, Likelihood, MadeFile, Protected, ProtectionMethod,
};
use coded::Coded;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Which attributes divide a set of records: all that tie at the best number of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Condition {
    /// `<`: the fewest parts.
    #[serde(rename = "<")]
    Fewest,
    /// `>`: the most parts.
    #[serde(rename = ">")]
    Most,
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.trim() {
            "<" => Ok(Self::Fewest),
            ">" => Ok(Self::Most),
            _ => Err("a condition is < (fewest parts first) or > (most parts first), as in \
                      `conditions` \"<,>\""
                .into()),
        }
    }
}

/// In which steps indifferent values are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// As the text of the paper: all allowed indifferent values at once
    #[default]
    Literal,
    /// One indifferent value first, then one more at a time; a record with an
    /// unknown value counts as identified when a pattern matches it with the
    /// unknown matching anything. Not stated in the paper, nearer to its counts
    Progressive,
}

/// What an unknown value (`?`) equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Unknown {
    /// Other unknown values only: it is a value of its own
    #[default]
    OwnValue,
    /// Nothing, not even another unknown: each makes a part of its own
    NeverEqual,
    /// Every value: the record is in each part, and in patterns of any value
    Wildcard,
}

/// Generalization to patterns that at least k records of a class share (anti-unification).
///
/// The records of a class, which is one combination of confidential values, are divided by the
/// attributes that the conditions select until at least k records agree on all but a few
/// attributes: their common values are a pattern, with `*` for the indifferent ones. That is
/// repeated on the records without a pattern, and again with the next condition. Records left
/// without one are discarded, and so are classes of less than k records. Where the paper says
/// both "at least K" and "more than K", this is "at least". Of the records that several patterns
/// cover, those patterns that would have less than k records get some; the others go to the
/// pattern with the most records.
///
/// Takes labels; generalized values in the input are refused. Attributes that are neither
/// protected, confidential nor identifiers are left out of the release. Deterministic, whatever
/// the order of rows and columns. Cost: O(n log n) for coding, then O(sets of at least k records
/// that are reached, times their size); the number of sets can grow exponentially with the number
/// of attributes that tie. Source: E. Armengol, V. Torra, "Generalization-based k-anonymization",
/// Figs. 1 to 4.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(deny_unknown_fields)]
pub struct AntiUnification {
    /// Fewest records that a pattern covers; at least 2
    #[cfg_attr(feature = "cli", arg(long, value_name = "K"))]
    pub k: usize,

    /// Most indifferent values of a pattern; fewer than there are attributes
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = INDIFFERENT_BY_DEFAULT))]
    #[serde(default = "indifferent_by_default")]
    pub indifferent: usize,

    /// Which attributes divide a set of records, < those with the fewest parts, > those with the
    /// most; in sequence
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "CONDITION,...", value_delimiter = ',', default_value = "<,>")
    )]
    #[serde(default = "conditions_by_default")]
    pub conditions: Vec<Condition>,

    /// In which steps indifferent values are allowed
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "VARIANT", default_value_t))]
    #[serde(default)]
    pub variant: Variant,

    /// What an unknown (missing) value equals
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "POLICY", default_value_t))]
    #[serde(default)]
    pub unknown: Unknown,
}

const INDIFFERENT_BY_DEFAULT: usize = 2;

fn indifferent_by_default() -> usize {
    INDIFFERENT_BY_DEFAULT
}

fn conditions_by_default() -> Vec<Condition> {
    vec![Condition::Fewest, Condition::Most]
}

impl Described for AntiUnification {
    const NAME: &'static str = "anti-unification";
    const STRENGTHS: &'static [&'static str] = &["k"];
}

impl ProtectionMethod for AntiUnification {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn takes(&self) -> AttributeKinds {
        AttributeKinds::Labels
    }

    fn keeps_every_record(&self) -> bool {
        false
    }

    fn likelihoods(&self, made: &MadeFile<'_>) -> Result<Option<Vec<Box<dyn Likelihood>>>> {
        made.contained().map(Some)
    }

    fn check(&self, original: &Dataset, attributes: &[String]) -> Result<()> {
        self.check_positions(original, &original.positions(attributes)?)
    }

    /// The seed is not used: the method draws nothing.
    fn protect(
        &self,
        original: &Dataset,
        attributes: &[String],
        _seed: u64,
        listener: &dyn Listener,
    ) -> Result<Protected> {
        let found = self.generalize(original, attributes, listener)?;
        let released = found.released(original)?;
        Ok(Protected { released, partitions: Vec::new(), generalization: Some(found) })
    }
}

impl AntiUnification {
    /// Patterns of at least `k` records with the defaults of the command line.
    pub fn new(k: usize) -> Self {
        Self {
            k,
            indifferent: INDIFFERENT_BY_DEFAULT,
            conditions: conditions_by_default(),
            variant: Variant::default(),
            unknown: Unknown::default(),
        }
    }

    /// The patterns of `original` on the attributes `quasi`, and a pattern for
    /// each record that has one; the confidential attributes make the classes.
    ///
    /// Fails when a parameter or the data do not fit, and, as an internal error,
    /// when a pattern turns out to cover less than k records of its class.
    ///
    /// ```
    /// use unmask::dataset::{Dataset, ReadOptions, Role};
    /// use unmask::protection::generalization::AntiUnification;
    ///
    /// let text = b"town,work,ill\na,x,yes\na,y,yes\na,x,no\nb,x,no\n";
    /// let mut file = Dataset::from_csv("example", text, &ReadOptions::default())?;
    /// file.set_role(&["ill"], Role::Confidential)?;
    /// let method = AntiUnification { indifferent: 1, ..AntiUnification::new(2) };
    /// let found = method.generalize(&file, &["town".into(), "work".into()], &())?;
    /// let patterns: Vec<String> = found.patterns.iter().map(|p| p.to_string()).collect();
    /// assert_eq!(patterns, ["(*, x)", "(a, *)"]);
    /// # Ok::<(), unmask::error::Error>(())
    /// ```
    pub fn generalize(
        &self,
        original: &Dataset,
        quasi: &[String],
        listener: &dyn Listener,
    ) -> Result<Generalization> {
        let quasi = &original.positions(quasi)?;
        self.check_positions(original, quasi)?;
        let with_role = |role| {
            let of_role = |i: &usize| original.attributes()[*i].role == role;
            (0..original.attributes().len()).filter(of_role).collect::<Vec<_>>()
        };
        let confidential = with_role(Role::Confidential);
        let coded = Coded::new(original, quasi, &confidential);
        self.check_classes(original, &coded)?;
        let steps = coded.classes.len() as u64;
        let rounds: Vec<_> = coded
            .classes
            .par_iter()
            .map(|class| analyze_partition::analyze_class(self, &class.tuples))
            .inspect(|_| listener.advance(1, steps))
            .collect();
        let outcome = outcome::Outcome::new(self, &coded, rounds)?;
        release::Generalization::new(original, quasi, &coded, outcome)
    }

    /// True when a record with an unknown value is covered where that could be anything.
    fn unknown_matches(&self) -> bool {
        match self.unknown {
            Unknown::OwnValue => self.variant == Variant::Progressive,
            Unknown::NeverEqual => false,
            Unknown::Wildcard => true,
        }
    }

    fn check_positions(&self, original: &Dataset, quasi: &[usize]) -> Result<()> {
        if self.k < 2 {
            return Err(Error::parameter("k", self.k, "but anonymity needs k >= 2"));
        }
        if self.conditions.is_empty() {
            return Err(Error::parameter("conditions", "", "but at least one is needed"));
        }
        if self.indifferent >= quasi.len() {
            let problem = format!(
                "but there are {} quasi-identifiers, of which a pattern keeps at least one; lower it",
                quasi.len()
            );
            return Err(Error::parameter("indifferent", self.indifferent, problem));
        }
        quasi.iter().try_for_each(|&position| check_attribute(original, position))
    }

    fn check_classes(&self, original: &Dataset, coded: &Coded) -> Result<()> {
        let largest = coded.classes.iter().map(coded::Class::len).max().unwrap_or(0);
        if largest >= self.k {
            return Ok(());
        }
        let problem = format!(
            "but the largest of the {} classes of {} has {largest} records; lower it, or name \
             fewer confidential attributes",
            coded.classes.len(),
            original.name()
        );
        Err(Error::parameter("k", self.k, problem))
    }
}

/// Fails on a numeric quasi-identifier, a confidential one, and on generalized values.
fn check_attribute(original: &Dataset, position: usize) -> Result<()> {
    let attribute = &original.attributes()[position];
    let name = &attribute.name;
    let place = || format!("{}: column {name}", original.name());
    if attribute.role == Role::Confidential {
        let problem = "is confidential and makes the classes; it is no quasi-identifier";
        return Err(Error::parameter("attributes", name, problem));
    }
    if attribute.is_numeric() {
        let problem = format!(
            "holds numbers, but anti-unification compares labels; cut it into intervals with \
             `discretize` {name}:WIDTH:LOW:HIGH, read it as labels with `categorical` {name}, or \
             leave it out of `attributes`"
        );
        return Err(Error::input(place(), problem));
    }
    if attribute.generalized() > 0 {
        let problem = "holds `*`, which stands for any value; protect the original file";
        return Err(Error::input(place(), problem));
    }
    Ok(())
}
