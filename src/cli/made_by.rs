//! How a release was made, where the user knows: the flags of commands that ask.

use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use unmask::dataset::Dataset;
use unmask::error::{Error, Result};
use unmask::linkage::Release;
use unmask::protection::{Protected, Protection, Recipe};

/// The recipe of the release.
#[derive(Args)]
pub struct MadeBy {
    /// How the release was made (TOML, as `unmask protect --recipe` writes it): shows what
    /// twice as much protection of each attribute would do
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
}

/// The recipe with what it gives on the original file.
pub struct Known {
    pub recipe: Recipe,
    pub doubled: Recipe,
    again: Protected,
    stronger: Result<Dataset>,
}

impl MadeBy {
    /// Fails on a recipe that cannot be read, on one that discards records, and where records
    /// do not correspond row by row.
    pub fn check(&self, key: Option<&str>) -> Result<()> {
        let Some(recipe) = self.load()? else { return Ok(()) };
        if let Some(key) = key {
            let problem = "but `recipe` needs rows that correspond: leave one of them out";
            return Err(Error::parameter("key", key, problem));
        }
        if !recipe.method.implementation().keeps_every_record() {
            let problem = "but what twice the protection does is known for methods that keep every \
                           record; leave `recipe` out";
            return Err(Error::parameter("method", recipe.method.name(), problem));
        }
        Ok(())
    }

    fn load(&self) -> Result<Option<Recipe>> {
        self.recipe.as_deref().map(Recipe::load).transpose()
    }

    /// The recipe applied to the original of `whole`, once as it was and once
    /// with twice its parameters; none when no recipe is given.
    pub fn known(&self, whole: &Release) -> Result<Option<Known>> {
        let Some(recipe) = self.load()? else { return Ok(None) };
        let doubled = recipe.doubled()?;
        let made = Protection::from(recipe).apply(whole.original(), &())?;
        let stronger = Protection::from(doubled.clone())
            .apply(whole.original(), &())
            .map(|stronger| stronger.protected.released);
        Ok(Some(Known { recipe: made.recipe, doubled, again: made.protected, stronger }))
    }

    /// The seed, for the reproduction block.
    pub fn seed(&self) -> Option<u64> {
        self.load().ok().flatten().map(|recipe| recipe.seed)
    }
}

impl Known {
    /// True when the method gives exactly the protected attributes of `released`.
    pub fn reproduces(&self, released: &Dataset) -> bool {
        let column = |file: &Dataset, name: &str| {
            file.position(name).ok().map(|i| file.attributes()[i].values.clone())
        };
        let names = &self.recipe.attributes;
        names.iter().all(|name| column(released, name) == column(&self.again.released, name))
    }

    /// `released` with the column `name` protected twice as much; none when the
    /// method does not protect it.
    pub fn doubled(&self, released: &Dataset, name: &str) -> Result<Option<Dataset>> {
        let stronger = match &self.stronger {
            Ok(stronger) => stronger,
            Err(error) => return Err(Error::input("twice the protection", error.to_string())),
        };
        if !self.recipe.attributes.iter().any(|protected| protected == name) {
            return Ok(None);
        }
        let column = stronger.attributes()[stronger.position(name)?].values.clone();
        Ok(Some(released.with_columns([(released.position(name)?, column)])))
    }

    /// The letter of the method's strength, p or k, and its value for each of `names`.
    pub fn strengths(&self, names: &[String]) -> (&'static str, Vec<Option<Value>>) {
        let parameters = self.recipe.method.parameters();
        let letter = if parameters.get("p").is_some() { "p" } else { "k" };
        let of = |name: &String| {
            let rank = self.recipe.attributes.iter().position(|protected| protected == name)?;
            let group = self.again.partitions.iter().find(|g| g.attributes.contains(name));
            match group {
                Some(group) => Some(json!(group.k)),
                None => {
                    let values = parameters.get("p")?.as_array()?;
                    values.get(rank).or(values.first()).cloned()
                }
            }
        };
        (letter, names.iter().map(of).collect())
    }
}
