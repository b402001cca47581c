//! The attacks by the names that specifications give them.

use crate::error::Error;
use crate::experiment::specification::Problems;
use crate::linkage::{Attack, registry};

/// What is run on every sample, besides DBRL1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attacks {
    /// Learn the worst case.
    pub worst_case: bool,
    /// Link by each known attribute alone.
    pub single: bool,
    /// Any other attacks, in the order of the specification.
    pub further: Vec<Attack>,
}

/// Attacks that a record has fields of its own for.
const OWN: [&str; 3] = ["dbrl1", "worst-case", "single"];

impl Attacks {
    /// Reads the names under `attacks`; DBRL1 and the worst case by default.
    pub fn read(names: Option<Vec<String>>, to: &Problems) -> Self {
        let names = names.unwrap_or_else(|| OWN[..2].iter().map(|&n| n.into()).collect());
        let has = |name: &str| names.iter().any(|n| n == name);
        if !has(OWN[0]) {
            to.say("attacks lacks \"dbrl1\", what every other attack is compared with; add it");
        }
        let mut further: Vec<Attack> = Vec::new();
        for name in names.iter().filter(|name| !OWN.contains(&name.as_str())) {
            match registry::parse(name) {
                Ok(attack) if further.contains(&attack) => {
                    to.add("attacks", format!("{name:?}"), "which is named twice; name it once");
                }
                Ok(attack) => further.push(attack),
                Err(Error::Parameter { problem, .. }) => {
                    to.add("attacks", format!("{name:?}"), problem);
                }
                Err(error) => to.say(error),
            }
        }
        Self { worst_case: has(OWN[1]), single: has(OWN[2]), further }
    }

    /// Names of the attacks that a record has no field of its own for.
    pub fn further_names(&self) -> Vec<String> {
        self.further.iter().map(Attack::name).collect()
    }
}
