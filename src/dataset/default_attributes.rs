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
    /// role says so, all that have no other role, labels too. Only attributes
    /// that are `usable` to the job count.
    ///
    /// Fails when there are none at all.
    pub fn default_attributes(
        &self,
        usable: impl Fn(&Attribute) -> bool,
    ) -> Result<DefaultAttributes> {
        let with = |role| self.named(|a| a.role == role && usable(a));
        let choices = [with(Role::QuasiIdentifier), with(Role::Other)];
        let names = choices.into_iter().find(|names| !names.is_empty()).ok_or_else(|| {
            let problem = "no attribute that can be used; name some with `attributes` or `quasi`";
            Error::input(self.name(), problem)
        })?;
        let is_open = |a: &Attribute| !matches!(a.role, Role::Identifier | Role::Confidential);
        let left_out = self.named(|a| is_open(a) && !names.contains(&a.name));
        Ok(DefaultAttributes { names, left_out })
    }

    /// [`Dataset::default_attributes`] of an experiment on numbers; named quasi-identifiers that
    /// hold labels are left for it to refuse. None where there are none.
    pub fn default_numeric_attributes(&self) -> Vec<String> {
        let usable = |a: &Attribute| a.is_numeric() || a.role == Role::QuasiIdentifier;
        self.default_attributes(usable).unwrap_or_default().names
    }

    fn named(&self, keep: impl Fn(&Attribute) -> bool) -> Vec<String> {
        self.attributes.iter().filter(|a| keep(a)).map(|a| a.name.clone()).collect()
    }
}
