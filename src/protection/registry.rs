//! The one list of protection methods.
//!
//! The struct of a method, in its own file, is its parameter list: the same struct is parsed
//! from the command line, from a recipe and from an experiment, and printed in results.

use super::generalization::AntiUnification;
use super::microaggregation::{
    IndividualRanking, LDiverseVMdav, Mdav, PcProjection, Refinement, VMdav, ZProjection,
};
use super::{Noise, Protected, ProtectionMethod, RankSwapping};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::listener::Listener;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::Table;

/// What the registry knows of a method without an instance of it.
pub trait Described {
    /// Its name on the command line, in recipes and in results.
    const NAME: &'static str;
    /// The parameters that say how much is protected, the one that experiments vary first.
    const STRENGTHS: &'static [&'static str];
}

macro_rules! methods {
    ($($(#[doc = $about:literal])+ $method:ident,)+) => {
        /// A protection method with its parameters.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "cli", derive(clap::Subcommand))]
        #[serde(tag = "method", rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Method {
            $($(#[doc = $about])+ $method($method),)+
        }

        impl Method {
            /// Name and purpose of every method.
            pub const LIST: &'static [(&'static str, &'static str)] =
                &[$(($method::NAME, concat!($($about),+)),)+];

            /// The method itself.
            pub fn implementation(&self) -> &dyn ProtectionMethod {
                match self {
                    $(Self::$method(method) => method,)+
                }
            }

            /// The options of the method called `name` under its own description.
            #[cfg(feature = "cli")]
            pub fn command(name: &'static str) -> Option<clap::Command> {
                let command = clap::Command::new(name);
                match name {
                    $($method::NAME => Some(<$method as clap::Args>::augment_args(command)),)+
                    _ => None,
                }
            }

            /// The parameters by which the method called `name` protects more or less.
            fn strengths_of(name: &str) -> Option<&'static [&'static str]> {
                match name {
                    $($method::NAME => Some($method::STRENGTHS),)+
                    _ => None,
                }
            }
        }
    };
}

methods! {
    /// Additive Gaussian noise, p percent of each standard deviation
    Noise,
    /// Swap values at most p percent of the ranks apart
    RankSwapping,
    /// Multivariate microaggregation round the extreme records
    Mdav,
    /// MDAV with groups of k to 2k - 1 records, extended to near ones
    VMdav,
    /// V-MDAV with at least l levels of the sensitive attributes in every group
    LDiverseVMdav,
    /// Microaggregation of each attribute alone
    IndividualRanking,
    /// Microaggregation by the order of the sum of z-scores
    ZProjection,
    /// Microaggregation by the order of the first principal component
    PcProjection,
    /// Generalization: patterns that k records of a class share, for labels
    AntiUnification,
}

impl Method {
    /// The method's name.
    pub fn name(&self) -> &'static str {
        self.implementation().name()
    }

    /// All names, for a message: `noise, rank-swapping or mdav`.
    pub fn all_names() -> String {
        let names: Vec<&str> = Self::LIST.iter().map(|(name, _)| *name).collect();
        match names.split_last() {
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// The parameter that experiments vary for the method called `name`; none for an unknown one.
    pub fn main_parameter(name: &str) -> Option<&'static str> {
        Self::strengths_of(name)?.first().copied()
    }

    /// The parameters as JSON, for summaries and results.
    pub fn parameters(&self) -> Value {
        let mut parameters = serde_json::to_value(self).unwrap_or_default();
        if let Some(members) = parameters.as_object_mut() {
            members.shift_remove("method");
        }
        parameters
    }

    /// The method that the keys of a recipe describe, `method` among them.
    pub fn from_table(table: Table) -> Result<Self> {
        let name = match table.get("method") {
            Some(toml::Value::String(name)) => name.clone(),
            Some(other) => return Err(unknown_method(&other.to_string())),
            None => {
                let problem = format!("is missing; give {}", Self::all_names());
                return Err(Error::input("method", problem));
            }
        };
        if Self::strengths_of(&name).is_none() {
            return Err(unknown_method(&name));
        }
        toml::Value::Table(table)
            .try_into()
            .map_err(|e: toml::de::Error| Error::parameter("method", name, said(e.message())))
    }

    /// Protects `attributes` of `original`, the groups refined where that is asked for.
    pub fn protect(
        &self,
        original: &Dataset,
        attributes: &[String],
        seed: u64,
        listener: &dyn Listener,
    ) -> Result<Protected> {
        let (started, refined) = self.protect_in_steps(original, attributes, seed, listener)?;
        Ok(refined.unwrap_or(started))
    }

    /// As [`Method::protect`]: what the method gives, and that refined, where it is asked for.
    pub(super) fn protect_in_steps(
        &self,
        original: &Dataset,
        attributes: &[String],
        seed: u64,
        listener: &dyn Listener,
    ) -> Result<(Protected, Option<Protected>)> {
        let method = self.implementation();
        let started = method.protect(original, attributes, seed, listener)?;
        let refine = |r: Refinement| r.improve(method, original, &started, seed, listener);
        let refined = method.refinement().map(refine).transpose()?;
        Ok((started, refined))
    }

    /// The same method with twice the noise, ranks, group size or diversity.
    pub fn doubled(&self) -> Result<Self> {
        let mut described =
            serde_json::to_value(self).map_err(|e| Error::Internal(e.to_string()))?;
        for strength in Self::strengths_of(self.name()).unwrap_or_default() {
            if let Some(value) = described.get_mut(*strength) {
                *value = twice(value);
            }
        }
        serde_json::from_value(described).map_err(|e| Error::Internal(e.to_string()))
    }
}

fn unknown_method(name: &str) -> Error {
    let problem = format!("which is no method; it is {}", Method::all_names());
    Error::parameter("method", name, problem)
}

/// What the parser says, as the end of `method = x, ...`.
fn said(message: &str) -> String {
    format!("but {}", message.lines().next().unwrap_or_default().replace('`', "\""))
}

fn twice(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(twice).collect()),
        Value::Number(number) => match number.as_u64() {
            Some(whole) => Value::from(whole.saturating_mul(2)),
            None => number.as_f64().map_or(Value::Null, |n| Value::from(2.0 * n)),
        },
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Method> {
        Method::from_table(text.parse().expect("TOML"))
    }

    #[test]
    fn the_name_of_every_method_is_the_one_it_is_read_by() {
        for (name, about) in Method::LIST {
            let main = Method::main_parameter(name).expect("every method has a strength");
            let read = read(&format!("method = \"{name}\"\n{main} = 3")).expect(name);
            assert_eq!(read.name(), *name);
            assert!(!about.is_empty());
        }
    }

    #[test]
    fn twice_the_strength_doubles_all_that_protects_and_nothing_else() {
        let noise = read("method = \"noise\"\np = [1.5, 2]").unwrap().doubled().unwrap();
        assert_eq!(noise.parameters()["p"], serde_json::json!([3.0, 4.0]));
        let text = "method = \"l-diverse-v-mdav\"\nl = 2\nk = 5\ngamma = 0.3";
        let diverse = read(text).unwrap().doubled().unwrap().parameters();
        assert_eq!((&diverse["l"], &diverse["k"]), (&4.into(), &10.into()));
        assert_eq!(diverse["gamma"], 0.3);
    }

    #[test]
    fn what_a_method_does_not_take_is_refused_with_what_it_takes() {
        let error = read("method = \"noise\"\np = 1\nk = 3").unwrap_err().to_string();
        assert!(error.contains("\"k\"") && error.contains("\"noise\""), "{error}");
        let error = read("method = \"mdv\"\nk = 3").unwrap_err().to_string();
        assert!(error.contains("mdv") && error.contains("rank-swapping"), "{error}");
        assert!(read("k = 3").unwrap_err().to_string().contains("is missing"));
    }
}
