//! How a release is made, as a file that can be kept beside it.

use super::Method;
use crate::error::{Error, Result};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// A method with its parameters, the attributes it protects, and the seed.
///
/// Whoever knows the seed can undo noise and swapping: a recipe with one is for its owner alone.
/// In TOML, as in an experiment:
///
/// ```
/// use unmask::protection::Recipe;
///
/// let recipe = Recipe::parse("method = \"noise\"\np = 16\nattributes = [\"AGI\"]\nseed = 7")?;
/// assert_eq!((recipe.method.name(), recipe.seed), ("noise", Some(7)));
/// # Ok::<(), unmask::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recipe {
    /// How values are changed.
    #[serde(flatten)]
    pub method: Method,
    /// What is protected; when empty, what [`super::Protection`] protects by default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<String>,
    /// Seed of the random numbers; without one, [`super::Protection`] draws it from the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// Which file became which release, as checksums beside the recipe.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Making {
    /// Version of unmask.
    pub version: &'static str,
    /// The original file, as it was typed.
    pub input: String,
    /// SHA-256 of its bytes.
    pub input_sha256: String,
    /// The release, as it was typed.
    pub output: String,
    /// SHA-256 of its bytes.
    pub output_sha256: String,
}

/// The section of a [`Making`] in the file of a recipe.
const MAKING: &str = "making";

impl From<Method> for Recipe {
    fn from(method: Method) -> Self {
        Self { method, attributes: Vec::new(), seed: None }
    }
}

impl Recipe {
    /// Reads the TOML file `path`.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
        let place = || path.display().to_string();
        Self::parse(&text).map_err(|error| Error::input(place(), error.to_string()))
    }

    /// Reads TOML text.
    pub fn parse(text: &str) -> Result<Self> {
        let table: Table =
            text.parse().map_err(|e: toml::de::Error| Error::input("recipe", e.message()))?;
        Self::from_table(table)
    }

    /// The recipe of the keys of `table`; unknown ones are refused.
    pub fn from_table(mut table: Table) -> Result<Self> {
        let attributes = typed(&mut table, "attributes", "a list of names")?.unwrap_or_default();
        let seed = typed(&mut table, "seed", "a whole number, 0 or more,")?;
        // Told to people; the release itself says whether it is what the recipe gives.
        table.remove(MAKING);
        Ok(Self { method: Method::from_table(table)?, attributes, seed })
    }

    /// The same recipe with twice the protection; see [`Method::doubled`].
    pub fn doubled(&self) -> Result<Self> {
        Ok(Self { method: self.method.doubled()?, ..self.clone() })
    }

    /// The recipe as TOML. Fails on a seed of 2^63 or more, which TOML cannot hold.
    pub fn to_toml(&self) -> Result<String> {
        if let Some(seed) = self.seed.filter(|seed| i64::try_from(*seed).is_err()) {
            let problem = format!("but a recipe holds seeds up to {}; choose another", i64::MAX);
            return Err(Error::parameter("seed", seed, problem));
        }
        written(self)
    }

    /// The private file that is kept of a release: the recipe, and what `making` says.
    pub fn private_file(&self, making: &Making) -> Result<String> {
        let section = written(&BTreeMap::from([(MAKING, making)]))?;
        Ok(format!("{PRIVATE_NOTE}{}\n{section}", self.to_toml()?))
    }
}

const PRIVATE_NOTE: &str = "\
# Private: how a release was made. Whoever has the seed can undo noise and swapping.\n";

fn written(value: &impl Serialize) -> Result<String> {
    toml::to_string(value).map_err(|e| Error::Internal(e.to_string()))
}

fn typed<T: serde::de::DeserializeOwned>(
    table: &mut Table,
    key: &str,
    needed: &str,
) -> Result<Option<T>> {
    let Some(value) = table.remove(key) else { return Ok(None) };
    let shown = value.to_string();
    let typed = Value::try_into(value).map(Some);
    typed.map_err(|_| Error::parameter(key, shown, format!("but {needed} is needed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_survives_being_written_and_read() {
        let text = "method = \"mdav\"\nk = [2, 8, 5]\ngroups = \"5,5,3\"\nrefine = 1000\nseed = 3";
        let recipe = Recipe::parse(text).unwrap();
        assert_eq!(Recipe::parse(&recipe.to_toml().unwrap()).unwrap(), recipe);
        let making = Making {
            version: "1",
            input: "a \"quoted\" name".into(),
            input_sha256: "00".into(),
            output: "out.csv".into(),
            output_sha256: "11".into(),
        };
        assert_eq!(Recipe::parse(&recipe.private_file(&making).unwrap()).unwrap(), recipe);
    }

    #[test]
    fn a_recipe_without_a_seed_stays_one() {
        let recipe = Recipe::parse("method = \"noise\"\np = 1").unwrap();
        assert_eq!(recipe.seed, None);
        assert!(!recipe.to_toml().unwrap().contains("seed"));
    }

    #[test]
    fn a_seed_that_a_recipe_cannot_hold_is_refused() {
        let recipe = Recipe::parse("method = \"noise\"\np = 1").unwrap();
        let error = Recipe { seed: Some(u64::MAX), ..recipe }.to_toml().unwrap_err().to_string();
        assert!(error.contains("seed = 18446744073709551615"), "{error}");
        assert!(Recipe::parse("method = \"noise\"\np = 1\nseed = -1").is_err());
    }

    #[test]
    fn what_a_recipe_cannot_be_read_from_is_named() {
        let error = |text: &str| Recipe::parse(text).unwrap_err().to_string();
        assert!(error("method = \"noise\"\np = 1\nseed = \"x\"").contains("seed"));
        assert!(error("method = ").contains("recipe"));
        assert!(error("method = \"noise\"").contains("\"p\""));
    }
}
