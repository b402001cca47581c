//! The attacks by the names that specifications give them.

use crate::disclosure::{Attempt, IntervalParameters};
use crate::experiment::specification::{KeyTable, Problems};
use crate::linkage::registry::{self, AttackParameters};

/// What is run on every sample, besides DBRL1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attacks {
    /// Learn the worst case.
    pub worst_case: bool,
    /// Link by each known attribute alone.
    pub single: bool,
    /// Any other attacks, in the order of the specification.
    pub further: Vec<Attempt>,
}

/// The parameters of further attacks, `[attack_parameters]`.
pub(super) struct FurtherParameters {
    attack: AttackParameters,
    interval: IntervalParameters,
}

impl FurtherParameters {
    /// Reads the section; what is not given has its default.
    pub fn read(mut section: KeyTable<'_>) -> Self {
        let (mut attack, mut interval) =
            (AttackParameters::default(), IntervalParameters::default());
        attack.weights = section.take("weights").unwrap_or(attack.weights);
        attack.degree = section.take("degree").unwrap_or(attack.degree);
        attack.tolerance = section.take("tolerance").unwrap_or(attack.tolerance);
        attack.pseudo_inverse = section.take("pseudo_inverse").unwrap_or(attack.pseudo_inverse);
        interval.interval = section.take("interval").unwrap_or(interval.interval);
        interval.interval_rule = section.take("interval_rule").unwrap_or(interval.interval_rule);
        section.finish();
        Self { attack, interval }
    }
}

/// Attacks that a record has fields of its own for.
const OWN: [&str; 3] = ["dbrl1", "worst-case", "single"];

impl Attacks {
    /// Reads the names under `attacks`; DBRL1 and the worst case by default.
    pub fn read(
        names: Option<Vec<String>>,
        parameters: &FurtherParameters,
        known: &[String],
        to: &Problems,
    ) -> Self {
        let names = names.unwrap_or_else(|| OWN[..2].iter().map(|&n| n.into()).collect());
        let has = |name: &str| names.iter().any(|n| n == name);
        if !has(OWN[0]) {
            to.say("attacks lacks \"dbrl1\", what every other attack is compared with; add it");
        }
        let mut further: Vec<Attempt> = Vec::new();
        for name in names.iter().filter(|name| !OWN.contains(&name.as_str())) {
            let FurtherParameters { attack, interval } = parameters;
            let shown = format!("{name:?}");
            match Attempt::named(name, attack, *interval, known) {
                Ok(found) if found.iter().any(|attempt| further.contains(attempt)) => {
                    to.add("attacks", shown, "which is named twice; name it once");
                }
                Ok(found) => further.extend(found),
                Err(_) if registry::find(name).is_none() => to.add("attacks", shown, unknown()),
                Err(_) => {
                    let problem =
                        "which needs attack_parameters.weights, one for each known attribute";
                    to.add("attacks", shown, problem);
                }
            }
        }
        Self { worst_case: has(OWN[1]), single: has(OWN[2]), further }
    }

    /// Names of the attacks that a record has no field of its own for.
    pub fn further_names(&self) -> Vec<String> {
        self.further.iter().map(Attempt::name).collect()
    }
}

fn unknown() -> String {
    let listed = registry::ATTACKS.iter().map(|entry| entry.name);
    let further = listed.filter(|name| !OWN.contains(name));
    let names: Vec<&str> = OWN.into_iter().chain(further).collect();
    format!("which is no attack; there are {}", names.join(", "))
}
