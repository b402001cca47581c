//! Which attributes a job works on when none are named: the one rule.

use super::{Attribute, Dataset, Role};
use crate::error::{Error, Result};

/// The attributes a job works on, and those it could have been told to work on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DefaultAttributes {
    /// What is worked on.
    pub names: Vec<String>,
    /// The others that are neither identifier nor confidential.
    pub left_out: Vec<String>,
}

impl Dataset {
    /// The attributes that a job works on when none are named: the quasi-identifiers; where no
    /// role says so, the numeric attributes that are neither identifier nor confidential; where
    /// there are none, those of labels. Only attributes that are `usable` to the job count.
    ///
    /// Fails when there are none at all.
    pub fn default_attributes(
        &self,
        usable: impl Fn(&Attribute) -> bool,
    ) -> Result<DefaultAttributes> {
        self.first_that_has_some([
            self.named(|a| a.role == Role::QuasiIdentifier && usable(a)),
            self.named(|a| a.role == Role::Other && a.is_numeric() && usable(a)),
            self.named(|a| a.role == Role::Other && usable(a)),
        ])
    }

    /// The same for a job on labels, where numbers do not come first: an attribute of numbers is
    /// left for the job to refuse.
    pub fn default_label_attributes(&self) -> Result<DefaultAttributes> {
        let with = |role| self.named(|a| a.role == role);
        self.first_that_has_some([with(Role::QuasiIdentifier), with(Role::Other)])
    }

    /// [`Dataset::default_attributes`] of a method that takes numbers; named quasi-identifiers
    /// that hold labels are left for it to refuse. None where there are none.
    pub fn default_numeric_attributes(&self) -> Vec<String> {
        let usable = |a: &Attribute| a.is_numeric() || a.role == Role::QuasiIdentifier;
        self.default_attributes(usable).unwrap_or_default().names
    }

    fn first_that_has_some<const N: usize>(
        &self,
        choices: [Vec<String>; N],
    ) -> Result<DefaultAttributes> {
        let names = choices.into_iter().find(|names| !names.is_empty()).ok_or_else(|| {
            let problem = "no attribute that can be used; name some with `attributes` or `quasi`";
            Error::input(self.name(), problem)
        })?;
        let is_open = |a: &Attribute| matches!(a.role, Role::Other | Role::QuasiIdentifier);
        let left_out = self.named(|a| is_open(a) && !names.contains(&a.name));
        Ok(DefaultAttributes { names, left_out })
    }

    fn named(&self, keep: impl Fn(&Attribute) -> bool) -> Vec<String> {
        self.attributes.iter().filter(|a| keep(a)).map(|a| a.name.clone()).collect()
    }
}
