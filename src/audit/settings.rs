//! What is attacked and how: the settings that audits, key attributes and attacks share.

use super::Scales;
use super::reproduction::{Reproduction, merged};
use crate::dataset::{DefaultAttributes, Role};
use crate::error::Result;
use crate::files::FileDigest;
use crate::learning::Learner;
use crate::linkage::Release;
use crate::protection::{Recipe, Supposition};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Which records and attributes are attacked.
#[derive(Debug, Clone)]
pub(super) struct Target<'a> {
    pub release: &'a Release,
    pub attributes: Vec<String>,
    pub key: Option<String>,
    pub sample: Option<usize>,
    pub haystack: Haystack,
    pub seed: u64,
}

/// Among which released records a sample of targets is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Haystack {
    /// Among all of them
    #[default]
    Whole,
    /// Among those of the sample: both files are cut to it, as in the studies of 2012, which
    /// says nothing about the whole file
    Sample,
}

impl<'a> Target<'a> {
    pub fn new(release: &'a Release) -> Self {
        Self {
            release,
            attributes: Vec::new(),
            key: None,
            sample: None,
            haystack: Haystack::default(),
            seed: 1,
        }
    }

    /// The attributes named, or the default ones; fails where released values cannot be read.
    pub fn chosen(&self) -> Result<DefaultAttributes> {
        let chosen = match self.attributes.as_slice() {
            [] => self.release.default_attributes(self.key.as_deref())?,
            names => DefaultAttributes { names: names.to_vec(), left_out: Vec::new() },
        };
        self.release.check_labels(&chosen.names)?;
        Ok(chosen)
    }

    /// The targets of `whole`: all, or a sample of them.
    pub fn drawn(&self, whole: &Release) -> Result<Release> {
        match (self.sample, self.haystack) {
            (None, _) => Ok(whole.clone()),
            (Some(size), Haystack::Whole) => whole.targets(size, self.seed),
            (Some(size), Haystack::Sample) => whole.sample(size, self.seed),
        }
    }

    /// As [`Target::drawn`], and `other` targets that are not among them.
    pub fn drawn_apart(&self, whole: &Release, other: usize) -> Result<(Release, Release)> {
        match self.haystack {
            Haystack::Whole => whole.split_targets(self.sample, other, self.seed),
            Haystack::Sample => whole.split(self.sample, other, self.seed),
        }
    }

    /// The attributes that have a role, by name.
    fn roles(&self) -> BTreeMap<&str, Role> {
        let attributes = self.release.original().attributes().iter();
        attributes.filter(|a| a.role != Role::Other).map(|a| (a.name.as_str(), a.role)).collect()
    }

    /// True when both files are cut to a sample.
    pub fn is_cut(&self) -> bool {
        self.sample.is_some() && self.haystack == Haystack::Sample
    }
}

/// Where a search for the worst case looks, and what is known about what it looks at.
#[derive(Debug, Default)]
pub(super) struct SearchSettings<'a> {
    /// Further releases of the same original, by name.
    pub others: Vec<(String, &'a Release)>,
    pub learner: Learner<'a>,
    pub scales: Scales,
    pub recipe: Option<Recipe>,
    pub supposed: Option<Supposition>,
    pub date: Option<String>,
    pub command: String,
    pub files: Vec<FileDigest>,
}

impl<'a> SearchSettings<'a> {
    /// The same attackers, without other releases and what was typed.
    pub fn attackers(&self) -> Self {
        Self { learner: self.learner.clone(), scales: self.scales, ..Self::default() }
    }
}

impl SearchSettings<'_> {
    /// Fails where values of a further release cannot be read.
    pub fn check_labels(&self, names: &[String]) -> Result<()> {
        self.others.iter().try_for_each(|(_, release)| release.check_labels(names))
    }

    /// How to make a record again; `own` are the settings beside the learner's. The seed of the
    /// protection is not in it, nor anything that it can be guessed from.
    pub fn reproduction(&self, target: &Target<'_>, own: Value) -> Reproduction {
        Reproduction {
            version: env!("CARGO_PKG_VERSION"),
            date: self.date.clone(),
            command: self.command.clone(),
            seeds: json!({ "samples": target.seed }),
            files: self.files.clone(),
            settings: merged([
                self.learner.settings(),
                json!({
                    "standardization": self.scales,
                    "haystack": target.haystack,
                    "key": target.key,
                    "roles": target.roles(),
                }),
                own,
            ]),
        }
    }
}

/// The setters of [`Target`].
macro_rules! target_setters {
    ($job:ident) => {
        impl<'a> $job<'a> {
            /// The attributes the attacker knows. Default: those of
            /// [`crate::linkage::Release::default_attributes`].
            pub fn attributes<S: Into<String>>(
                mut self,
                names: impl IntoIterator<Item = S>,
            ) -> Self {
                self.target.attributes = names.into_iter().map(Into::into).collect();
                self
            }

            /// The column that names records; it is never attacked by default. Default: records
            /// are named by their rows.
            pub fn key<'k>(mut self, column: impl Into<Option<&'k str>>) -> Self {
                self.target.key = column.into().map(str::to_owned);
                self
            }

            /// Looks for a random sample of so many targets. Default: all records.
            pub fn sample(mut self, records: impl Into<Option<usize>>) -> Self {
                self.target.sample = records.into();
                self
            }

            /// Among which released records the targets are looked for. Default: all of them.
            pub fn haystack(mut self, haystack: $crate::audit::Haystack) -> Self {
                self.target.haystack = haystack;
                self
            }

            /// The seed of the samples. Default: 1.
            pub fn seed(mut self, seed: u64) -> Self {
                self.target.seed = seed;
                self
            }
        }
    };
}

/// The setters of [`SearchSettings`].
macro_rules! search_setters {
    ($job:ident) => {
        impl<'a> $job<'a> {
            /// Another release of the same original, called `name`, that is compared with the
            /// first.
            pub fn compared_with(
                mut self,
                name: impl Into<String>,
                release: &'a $crate::linkage::Release,
            ) -> Self {
                self.search.others.push((name.into(), release));
                self
            }

            /// How the weights are learned, all at once. Default: [`crate::learning::Learner::default`].
            pub fn learner(mut self, learner: $crate::learning::Learner<'a>) -> Self {
                self.search.learner = learner;
                self
            }

            /// On which scales values are compared, in place of the learner's. Default: both.
            pub fn scales(mut self, scales: $crate::audit::Scales) -> Self {
                self.search.scales = scales;
                self
            }

            /// What the weights maximize. Default: right guesses on average.
            pub fn count(mut self, count: $crate::learning::Count) -> Self {
                self.search.learner.count = count;
                self
            }

            /// Who looks for the weights. Default: the exact search.
            pub fn solver(mut self, solver: $crate::learning::SolverChoice) -> Self {
                self.search.learner.solver = solver;
                self
            }

            /// When to stop short of a proof. Default: never.
            pub fn limits(mut self, limits: unmask_solvers::Limits) -> Self {
                self.search.learner.limits = limits;
                self
            }

            /// How the release was made, to tell what twice the protection of each attribute
            /// would do. Default: not known.
            pub fn recipe(mut self, recipe: impl Into<Option<$crate::protection::Recipe>>) -> Self {
                self.search.recipe = recipe.into();
                self
            }

            /// A guess at how the release was made, for attackers who know the method. Default:
            /// none.
            pub fn suppose(
                mut self,
                supposed: impl Into<Option<$crate::protection::Supposition>>,
            ) -> Self {
                self.search.supposed = supposed.into();
                self
            }

            /// The day that the record bears. Default: none.
            pub fn dated(mut self, day: impl Into<String>) -> Self {
                self.search.date = Some(day.into());
                self
            }

            /// The command that was typed and the files that were read, for the record.
            pub fn typed_as(
                mut self,
                command: impl Into<String>,
                files: Vec<$crate::files::FileDigest>,
            ) -> Self {
                self.search.command = command.into();
                self.search.files = files;
                self
            }
        }
    };
}

pub(super) use {search_setters, target_setters};
