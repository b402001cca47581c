//! How a release was made, where the user knows: the flags of commands that ask.

use clap::Args;
use serde_json::{Value, json};
use unmask::dataset::Dataset;
use unmask::error::{Error, Result};
use unmask::linkage::Release;
use unmask::protection::{MethodChoice, MethodParameters, Protected, ProtectionMethod};

/// The method that made the release.
#[derive(Args)]
pub struct MadeBy {
    /// How the release was made, with the options of `unmask protect`: shows what
    /// twice as much protection of each attribute would do
    #[arg(long, value_enum)]
    method: Option<MethodChoice>,

    /// The seed the release was made with
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    method_seed: u64,

    /// The attributes that were protected [default: as `unmask protect`]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    protected: Vec<String>,

    #[command(flatten)]
    parameters: MethodParameters,
}

/// The method with what it gives on the original file.
pub struct Known {
    pub method: Box<dyn ProtectionMethod>,
    pub doubled: Box<dyn ProtectionMethod>,
    pub seed: u64,
    positions: Vec<usize>,
    again: Protected,
    stronger: Result<Dataset>,
}

impl MadeBy {
    /// Fails on parameters without a method, on a method without its parameters,
    /// and on a method where records do not correspond row by row.
    pub fn check(&self, key: Option<&str>) -> Result<()> {
        if self.method.is_none() && self.parameters.has_strength() {
            let problem = "but --p, --k and --l say how a release was made; name the --method too";
            return Err(Error::parameter("method", "none", problem));
        }
        let Some(method) = self.method else { return Ok(()) };
        if let Some(key) = key {
            let problem = "but --method needs rows that correspond: leave one of them out";
            return Err(Error::parameter("key", key, problem));
        }
        if method == MethodChoice::AntiUnification {
            let problem = "but what twice the protection does is known for methods that keep every \
                           record; leave --method out";
            return Err(Error::parameter("method", "anti-unification", problem));
        }
        method.with_refinement(&self.parameters).map(drop)
    }

    /// The known method applied to the original of `whole`, once as it was and once
    /// with twice its parameters; none when no method is given.
    pub fn known(&self, whole: &Release) -> Result<Option<Known>> {
        let Some(name) = self.method else { return Ok(None) };
        let original = &mut whole.original().clone();
        self.parameters.mark_sensitive(original, ("--protected", &self.protected))?;
        let method = name.with_refinement(&self.parameters)?;
        let doubled = name.with_refinement(&self.parameters.doubled())?;
        let positions = self.positions(original)?;
        let seed = self.method_seed;
        let again = method.protect(original, &positions, seed, &())?;
        let stronger = doubled.protect(original, &positions, seed, &()).map(|p| p.released);
        Ok(Some(Known { method, doubled, seed, positions, again, stronger }))
    }

    fn positions(&self, original: &Dataset) -> Result<Vec<usize>> {
        match self.protected.as_slice() {
            [] => original.default_numeric_positions(),
            names => original.positions(names),
        }
    }

    /// The seed, for the reproduction block.
    pub fn seed(&self) -> Option<u64> {
        self.method.map(|_| self.method_seed)
    }
}

impl Known {
    /// True when the method gives exactly the protected attributes of `released`.
    pub fn reproduces(&self, released: &Dataset) -> bool {
        self.positions.iter().all(|&position| {
            let made = &self.again.released.attributes()[position];
            let found = released.position(&made.name).map(|i| &released.attributes()[i].values);
            found.is_ok_and(|values| *values == made.values)
        })
    }

    /// `released` with the column `name` protected twice as much; none when the
    /// method does not protect it.
    pub fn doubled(&self, released: &Dataset, name: &str) -> Result<Option<Dataset>> {
        let stronger = match &self.stronger {
            Ok(stronger) => stronger,
            Err(error) => return Err(Error::input("twice the protection", error.to_string())),
        };
        let place = self.positions.iter().find(|&&i| stronger.attributes()[i].name == name);
        let Some(&position) = place else { return Ok(None) };
        let column = stronger.attributes()[position].values.clone();
        Ok(Some(released.with_columns([(released.position(name)?, column)])))
    }

    /// The letter of the method's strength, p or k, and its value for each of `names`.
    pub fn strengths(&self, names: &[String]) -> (&'static str, Vec<Option<Value>>) {
        let parameters = self.method.parameters();
        let letter = if parameters.get("p").is_some() { "p" } else { "k" };
        let of = |name: &String| {
            let attributes = self.again.released.attributes();
            let rank = self.positions.iter().position(|&i| attributes[i].name == *name)?;
            let position = self.positions[rank];
            let group = self.again.partitions.iter().find(|g| g.attributes.contains(&position));
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
