//! A release whose recipe is known: applied anew, as it was and twice as strong.

use super::settings::Target;
use super::{KnownProtection, Strength};
use crate::dataset::{Dataset, Values};
use crate::error::{Error, Result};
use crate::listener::Listener;
use crate::protection::{Protected, Protection, Recipe};
use serde_json::{Value, json};

/// The seed of what is estimated where a recipe holds none.
const ESTIMATE_SEED: u64 = 1;

/// What a recipe gives on the original file.
pub(super) struct AppliedRecipe {
    recipe: Recipe,
    /// False when the seed is not known.
    is_whole: bool,
    doubled: Recipe,
    again: Protected,
    stronger: Result<Dataset>,
}

impl AppliedRecipe {
    /// Applies `recipe` to the original of `target` once as it was and once with twice its
    /// strength; that the latter does not fit is told when it is asked for. A recipe without the
    /// seed that its method draws from is an estimate.
    ///
    /// Fails on a method that discards records, and where rows do not correspond.
    pub fn new(recipe: &Recipe, target: &Target<'_>, listener: &dyn Listener) -> Result<Self> {
        check(recipe, target)?;
        let apply =
            |recipe: Recipe| Protection::from(recipe).apply(target.release.original(), listener);
        let draws = recipe.method.implementation().draws();
        let is_whole = recipe.seed.is_some() || !draws;
        let recipe = &Recipe { seed: recipe.seed.or(Some(ESTIMATE_SEED)), ..recipe.clone() };
        let doubled = recipe.doubled()?;
        let made = apply(recipe.clone())?;
        let stronger = apply(doubled.clone()).map(|stronger| stronger.protected.released);
        Ok(Self { recipe: made.recipe, is_whole, doubled, again: made.protected, stronger })
    }

    /// What is known, the seed aside, and whether it gives the protected attributes of `released`
    /// exactly.
    pub fn record(&self, released: &Dataset) -> KnownProtection {
        let mut names = self.recipe.attributes.iter();
        KnownProtection {
            method: self.recipe.method.name().to_owned(),
            parameters: self.recipe.method.parameters(),
            doubled_parameters: self.doubled.method.parameters(),
            reproduced: self.is_whole
                && names.all(|n| column(released, n) == column(&self.again.released, n)),
        }
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

    /// The method's strength, p or k, for each of `names`.
    pub fn strength(&self, names: &[String]) -> Strength {
        let parameters = self.recipe.method.parameters();
        let parameter = if parameters.get("p").is_some() { "p" } else { "k" }.to_owned();
        let values = names.iter().map(|name| self.strength_of(name, &parameters)).collect();
        Strength { parameter, values }
    }

    fn strength_of(&self, name: &String, parameters: &Value) -> Option<Value> {
        let rank = self.recipe.attributes.iter().position(|protected| protected == name)?;
        let mut groups = self.again.partitions.iter();
        if let Some(group) = groups.find(|g| g.attributes.contains(name)) {
            return Some(json!(group.k));
        }
        let values = parameters.get("p")?.as_array()?;
        values.get(rank).or(values.first()).cloned()
    }
}

fn check(recipe: &Recipe, target: &Target<'_>) -> Result<()> {
    if !recipe.method.implementation().keeps_every_record() {
        let problem = "but what twice the protection does is known for methods that keep every \
                       record; leave `recipe` out";
        return Err(Error::parameter("method", recipe.method.name(), problem));
    }
    if !target.release.rows_correspond() {
        let problem = "records that do not correspond row by row to those of the original, which \
                       `recipe` needs; leave it out";
        return Err(Error::input(target.release.released().name(), problem));
    }
    Ok(())
}

fn column<'a>(file: &'a Dataset, name: &str) -> Option<&'a Values> {
    file.attributes().iter().find(|a| a.name == name).map(|a| &a.values)
}
