//! How a release is made, as a file that can be kept beside it.

use super::Method;
use crate::error::{Error, Result};
use serde::Serialize;
use std::path::Path;
use toml::{Table, Value};

/// A method with its parameters, the attributes it protects, and the seed.
///
/// In TOML, as in an experiment:
///
/// ```
/// use unmask::protection::Recipe;
///
/// let recipe = Recipe::parse("method = \"noise\"\np = 16\nattributes = [\"AGI\"]\nseed = 7")?;
/// assert_eq!((recipe.method.name(), recipe.seed), ("noise", 7));
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
    /// Seed of the random numbers.
    pub seed: u64,
}

/// The seed where none is given.
const DEFAULT_SEED: u64 = 1;

impl From<Method> for Recipe {
    fn from(method: Method) -> Self {
        Self { method, attributes: Vec::new(), seed: DEFAULT_SEED }
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
        let seed = typed(&mut table, "seed", "a whole number")?.unwrap_or(DEFAULT_SEED);
        Ok(Self { method: Method::from_table(table)?, attributes, seed })
    }

    /// The same recipe with twice the protection; see [`Method::doubled`].
    pub fn doubled(&self) -> Result<Self> {
        Ok(Self { method: self.method.doubled()?, ..self.clone() })
    }

    /// The recipe as TOML, for a file beside the release.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(self).map_err(|e| Error::Internal(e.to_string()))
    }
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
    }

    #[test]
    fn what_a_recipe_cannot_be_read_from_is_named() {
        let error = |text: &str| Recipe::parse(text).unwrap_err().to_string();
        assert!(error("method = \"noise\"\np = 1\nseed = \"x\"").contains("seed"));
        assert!(error("method = ").contains("recipe"));
        assert!(error("method = \"noise\"").contains("\"p\""));
    }
}
