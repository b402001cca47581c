//! What knowing a method tells: how likely a released record is, given an original one.
//!
//! Nobody may rely on the secrecy of a method and its parameters. A method that can say how likely
//! a released value is given an original one is attacked by [`crate::linkage`]'s informed
//! attackers; its own file says so in [`super::ProtectionMethod::likelihoods`].

use super::{Protection, Recipe};
use crate::dataset::{Dataset, Numeric, Values};
use crate::distance::{AttributeDistances, Standardization};
use crate::error::Result;
use crate::listener::Listener;
use std::collections::HashSet;

/// How likely released records are, by what became of some attributes of an original one.
pub trait Likelihood: Send + Sync {
    /// Adds minus the logarithm of the likelihood that original record `i` became the released
    /// record j to `out[j]`, infinity where it cannot; up to a number that is the same for all
    /// released records, and one that is the same for all originals.
    fn add_costs(&self, i: usize, out: &mut [f64]);
}

/// A file, the release that a method made of it, and the attributes that an attacker looks at.
#[derive(Debug, Clone, Copy)]
pub struct MadeFile<'a> {
    /// The file.
    pub original: &'a Dataset,
    /// The release; rows in any order.
    pub released: &'a Dataset,
    /// The attributes that were protected, in the order of the recipe.
    pub protected: &'a [String],
    /// Those that the attacker looks at.
    pub attacked: &'a [String],
}

impl<'a> MadeFile<'a> {
    /// The place in the recipe and the columns of each protected attribute that is attacked.
    pub(super) fn columns(&self, purpose: &str) -> Result<Vec<(usize, [&'a Numeric; 2])>> {
        let attacked = |(_, name): &(usize, &String)| self.attacked.contains(name);
        let numbers = |(place, name): (usize, &String)| {
            let columns =
                [self.original.numeric(name, purpose)?, self.released.numeric(name, purpose)?];
            Ok((place, columns))
        };
        self.protected.iter().enumerate().filter(attacked).map(numbers).collect()
    }

    /// Released cells stand for the original values, and tell no more.
    pub(super) fn contained(&self) -> Result<Vec<Box<dyn Likelihood>>> {
        let mut names = self.protected.to_vec();
        names.retain(|name| self.attacked.contains(name));
        match names.as_slice() {
            [] => Ok(Vec::new()),
            names => Ok(vec![Box::new(Equal::new(self.original, self.released, names)?)]),
        }
    }

    /// The attacked attributes that were left as they are: those that were not protected, and of
    /// which the release holds no value that the original lacks.
    fn untouched(&self) -> Result<Vec<String>> {
        let mut names = self.attacked.to_vec();
        names.retain(|name| !self.protected.contains(name));
        let mut untouched = Vec::new();
        for name in names {
            let [known, released] = [self.original, self.released].map(|file| texts(file, &name));
            if released?.is_subset(&known?) {
                untouched.push(name);
            }
        }
        Ok(untouched)
    }
}

fn texts(file: &Dataset, name: &str) -> Result<HashSet<Option<String>>> {
    Ok(match file.values(name)? {
        Values::Numeric(column) => column.iter().map(|v| v.map(|v| v.to_string())).collect(),
        Values::Categorical(column) => {
            (0..column.len()).map(|i| column.get(i).map(str::to_owned)).collect()
        }
    })
}

impl Recipe {
    /// True when whoever applies it again gets the same file, the seed being unknown.
    pub fn gives_the_same_again(&self) -> bool {
        let method = self.method.implementation();
        !method.draws() && method.keeps_every_record()
    }

    /// What this recipe tells of the release that it made of a file, with the seed unknown; none
    /// where its method says nothing. Attributes it left alone tell who is who by being equal.
    ///
    /// Fails where the files do not fit the recipe.
    pub fn likelihoods(&self, made: MadeFile<'_>) -> Result<Option<Vec<Box<dyn Likelihood>>>> {
        let Some(mut parts) = self.method.implementation().likelihoods(&made)? else {
            return Ok(None);
        };
        let untouched = made.untouched()?;
        if !untouched.is_empty() {
            parts.push(Box::new(Equal::new(made.original, made.released, &untouched)?));
        }
        Ok(Some(parts))
    }

    /// What applying this recipe to the original again tells, the method drawing nothing; none
    /// where it draws.
    ///
    /// Fails where the files do not fit the recipe.
    pub fn again(
        &self,
        made: MadeFile<'_>,
        listener: &dyn Listener,
    ) -> Result<Option<Box<dyn Likelihood>>> {
        if !self.gives_the_same_again() {
            return Ok(None);
        }
        let again = Protection::from(self.clone()).keep_identifiers(true);
        let again = again.apply(made.original, listener)?.protected.released;
        Ok(Some(Box::new(Equal::new(&again, made.released, made.attacked)?)))
    }
}

/// Records that are equal on all attributes, or whose released cells may stand for the original.
struct Equal(AttributeDistances);

impl Equal {
    fn new(known: &Dataset, released: &Dataset, names: &[String]) -> Result<Self> {
        AttributeDistances::new(known, released, names, Standardization::Raw).map(Self)
    }
}

impl Likelihood for Equal {
    fn add_costs(&self, i: usize, out: &mut [f64]) {
        for (j, cost) in out.iter_mut().enumerate() {
            if *cost < f64::INFINITY && self.0.sum_up_to(0.0, i, j) > 0.0 {
                *cost = f64::INFINITY;
            }
        }
    }
}
