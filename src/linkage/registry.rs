//! Every attack, once: its name, what it means, what it needs, its place on the ladder.
//!
//! The command line, experiments, the ladder of an audit and the glossary of a report read this
//! list. A new attack is a variant of [`Attack`] in its own file, an entry here, and its tests.

use super::{Attack, DEFAULT_DEGREE, DEFAULT_TOLERANCE};
use crate::error::{Error, Result};
use crate::table::Table;

/// One attack of the list.
#[derive(Debug)]
pub struct AttackEntry {
    /// Its name on the command line, in TOML and in JSON.
    pub name: &'static str,
    /// What its attacker does, in plain words.
    pub meaning: &'static str,
    /// What it needs beside two files.
    pub needs: Needs,
    /// Whether an audit runs it; the list is in the order of the ladder.
    pub ladder: LadderPlace,
    /// The scale it compares values on, where that is one of an audit's: own or original.
    pub scale: Option<&'static str>,
    kind: AttackKind,
}

/// What an attack needs beside two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Numeric attributes only.
    pub numbers: bool,
    /// A weight for each attribute.
    pub weights: bool,
    /// How the true pairs differ: the answers help its attacker.
    pub answers: bool,
    /// How the release was made.
    pub method: bool,
}

/// Whether an attack is a rung of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LadderPlace {
    /// Of every audit.
    Always,
    /// Where attributes hold labels.
    WithLabels,
    /// Where it is known how the release was made, by drawing random numbers.
    WithDraws,
    /// The same, without any.
    WithoutDraws,
    /// Never.
    Off,
}

/// What an entry of the list gives.
#[derive(Debug, Clone, Copy)]
enum AttackKind {
    /// One attack or several, for the attributes named.
    Links(fn(&AttackParameters, &[&str]) -> Vec<Attack>),
    /// A measure of [`crate::disclosure`], which links nothing.
    Discloses,
}

/// The parameters of the attacks, at their defaults unless given.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(feature = "cli", command(next_help_heading = "Parameters of the attacks"))]
pub struct AttackParameters {
    /// weighted: weight of each attribute's squared distance, in the order of the attributes
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "W,...", value_delimiter = ',', allow_negative_numbers = true)
    )]
    pub weights: Vec<f64>,

    /// kernel: the exponent
    #[cfg_attr(feature = "cli", arg(long, value_name = "D", default_value_t = DEFAULT_DEGREE))]
    pub degree: u32,

    /// probabilistic: numbers agree within this share of the original's standard deviation
    #[cfg_attr(feature = "cli", arg(long, value_name = "T", default_value_t = DEFAULT_TOLERANCE))]
    pub tolerance: f64,

    /// mahalanobis: ignore directions without variance in place of refusing them
    #[cfg_attr(feature = "cli", arg(long))]
    pub pseudo_inverse: bool,
}

impl Default for AttackParameters {
    fn default() -> Self {
        Self {
            weights: Vec::new(),
            degree: DEFAULT_DEGREE,
            tolerance: DEFAULT_TOLERANCE,
            pseudo_inverse: false,
        }
    }
}

const NOTHING: Needs = Needs { numbers: false, weights: false, answers: false, method: false };
const METHOD: Needs = Needs { method: true, ..NOTHING };
const NUMBERS: Needs = Needs { numbers: true, ..NOTHING };
const WEIGHTS: Needs = Needs { weights: true, ..NOTHING };
const ANSWERS: Needs = Needs { answers: true, ..NOTHING };
const NUMBERS_AND_ANSWERS: Needs = Needs { answers: true, ..NUMBERS };

/// All attacks, those of the ladder first, weakest attacker first.
pub const ATTACKS: [AttackEntry; 16] = [
    AttackEntry {
        name: "single",
        meaning: "Links each record to the nearest released one by one attribute alone.",
        needs: NOTHING,
        ladder: LadderPlace::Always,
        scale: Some("own"),
        kind: AttackKind::Links(|_, names| {
            names.iter().map(|name| Attack::Single { attribute: (*name).to_owned() }).collect()
        }),
    },
    AttackEntry {
        name: "dbrl1",
        meaning: "Links each record to the nearest released one, every attribute standardized and \
                  weighted equally: what is usually reported as the risk.",
        needs: NOTHING,
        ladder: LadderPlace::Always,
        scale: Some("own"),
        kind: AttackKind::Links(|_, _| vec![Attack::Dbrl1]),
    },
    AttackEntry {
        name: "dbrl2",
        meaning: "As dbrl1, but knows how far the values of each attribute were moved.",
        needs: ANSWERS,
        ladder: LadderPlace::Always,
        scale: Some("original"),
        kind: AttackKind::Links(|_, _| vec![Attack::Dbrl2]),
    },
    AttackEntry {
        name: "gower",
        meaning: "As dbrl1, with distances divided by the range, made for numbers and labels.",
        needs: NOTHING,
        ladder: LadderPlace::WithLabels,
        scale: None,
        kind: AttackKind::Links(|_, _| vec![Attack::Gower]),
    },
    AttackEntry {
        name: "mahalanobis-cov0",
        meaning: "As dbrl1, but takes into account how the attributes of each file vary together \
                  (Mahalanobis distance).",
        needs: NUMBERS,
        ladder: LadderPlace::Always,
        scale: None,
        kind: AttackKind::Links(|p, _| {
            vec![Attack::MahalanobisCov0 { pseudo_inverse: p.pseudo_inverse }]
        }),
    },
    AttackEntry {
        name: "mahalanobis-cov",
        meaning: "As mahalanobis-cov0, but knows how the changes of the attributes vary together.",
        needs: NUMBERS_AND_ANSWERS,
        ladder: LadderPlace::Always,
        scale: None,
        kind: AttackKind::Links(|p, _| {
            vec![Attack::MahalanobisCov { pseudo_inverse: p.pseudo_inverse }]
        }),
    },
    AttackEntry {
        name: "kernel",
        meaning: "Compares products of attributes as well as the attributes.",
        needs: NUMBERS,
        ladder: LadderPlace::Always,
        scale: None,
        kind: AttackKind::Links(|p, _| vec![Attack::Kernel { degree: p.degree }]),
    },
    AttackEntry {
        name: "probabilistic",
        meaning: "Counts on which attributes two records agree, and weighs agreements by how \
                  telling they are (Fellegi and Sunter).",
        needs: NOTHING,
        ladder: LadderPlace::Always,
        scale: None,
        kind: AttackKind::Links(|p, _| vec![Attack::Probabilistic { tolerance: p.tolerance }]),
    },
    AttackEntry {
        name: "assignment",
        meaning: "Links all records at once, no released record twice, with the least total \
                  distance. It uses that every record has exactly one partner.",
        needs: NOTHING,
        ladder: LadderPlace::Always,
        scale: Some("own"),
        kind: AttackKind::Links(|_, _| vec![Attack::Assignment]),
    },
    AttackEntry {
        name: "informed",
        meaning: "Knows the method and its parameters, not the seed, and links each record to the \
                  released one that is most probably its own.",
        needs: METHOD,
        ladder: LadderPlace::WithDraws,
        scale: None,
        kind: AttackKind::Links(|_, _| vec![Attack::Informed]),
    },
    AttackEntry {
        name: "informed-one-to-one",
        meaning: "As informed, and uses that every record has exactly one partner.",
        needs: METHOD,
        ladder: LadderPlace::WithDraws,
        scale: None,
        kind: AttackKind::Links(|_, _| vec![Attack::InformedOneToOne]),
    },
    AttackEntry {
        name: "maximum-knowledge",
        meaning: "Holds the whole original and applies the method again, where it draws no random \
                  numbers: nobody who looks at the same attributes finds more.",
        needs: METHOD,
        ladder: LadderPlace::WithoutDraws,
        scale: None,
        kind: AttackKind::Links(|_, _| vec![Attack::MaximumKnowledge]),
    },
    AttackEntry {
        name: "mahalanobis",
        meaning: "Both mahalanobis-cov and mahalanobis-cov0.",
        needs: NUMBERS_AND_ANSWERS,
        ladder: LadderPlace::Off,
        scale: None,
        kind: AttackKind::Links(|p, _| {
            let pseudo_inverse = p.pseudo_inverse;
            vec![
                Attack::MahalanobisCov { pseudo_inverse },
                Attack::MahalanobisCov0 { pseudo_inverse },
            ]
        }),
    },
    AttackEntry {
        name: "weighted",
        meaning: "As dbrl1, with the weight you give for each attribute.",
        needs: WEIGHTS,
        ladder: LadderPlace::Off,
        scale: Some("own"),
        kind: AttackKind::Links(|p, _| vec![Attack::Weighted { weights: p.weights.clone() }]),
    },
    AttackEntry {
        name: "interval",
        meaning: "Links nothing: counts the values that lie in an interval round the released one \
                  (interval disclosure).",
        needs: NUMBERS,
        ladder: LadderPlace::Off,
        scale: None,
        kind: AttackKind::Discloses,
    },
    AttackEntry {
        name: "dld",
        meaning: "Counts the released records whose own original record is the nearest or the \
                  second nearest (distance-linkage disclosure).",
        needs: NOTHING,
        ladder: LadderPlace::Off,
        scale: None,
        kind: AttackKind::Discloses,
    },
];

/// The entry called `name`; `single:AGI` is one of `single`.
pub fn find(name: &str) -> Option<&'static AttackEntry> {
    let name = if name.starts_with("single:") { "single" } else { name };
    ATTACKS.iter().find(|entry| entry.name == name)
}

/// The attack called `name`, with its default parameters: `dbrl1`, `kernel`, `single:AGI`.
///
/// Fails on an unknown name, and on one that is not one attack by itself: `single` without its
/// attribute, `weighted` without weights, a measure that links nothing.
pub fn parse(name: &str) -> Result<Attack> {
    if let Some(attribute) = name.strip_prefix("single:") {
        return Ok(Attack::Single { attribute: attribute.to_owned() });
    }
    let attacks = entry(name)?.attacks(&AttackParameters::default(), &[])?;
    <[Attack; 1]>::try_from(attacks).map(|[attack]| attack).map_err(|_| {
        let problem = "which is not one attack by itself; `single` needs its attribute \
                       (single:NAME), a group its members' names";
        Error::parameter("attack", name, problem)
    })
}

/// The entry called `name`; the error lists the names there are.
pub fn entry(name: &str) -> Result<&'static AttackEntry> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = ATTACKS.iter().map(|entry| entry.name).collect();
        let problem = format!("which is no attack; there are {}", names.join(", "));
        Error::parameter("attack", name, problem)
    })
}

/// The attacks that an audit of the attributes `names` runs, weakest attacker first;
/// `labels` says that some of them hold labels, `draws` whether the method drew random numbers,
/// where it is known how the release was made.
pub fn ladder(names: &[&str], labels: bool, draws: Option<bool>) -> Vec<Attack> {
    let defaults = AttackParameters::default();
    let rungs = ATTACKS.iter().filter(|entry| entry.is_rung(labels, draws));
    rungs.flat_map(|entry| entry.attacks(&defaults, names).unwrap_or_default()).collect()
}

impl AttackEntry {
    /// What it stands for on the attributes `names`; `single` is one attack for each of them.
    ///
    /// Fails where it needs weights and none are given, and where it links nothing.
    pub fn attacks(&self, parameters: &AttackParameters, names: &[&str]) -> Result<Vec<Attack>> {
        if self.needs.weights && parameters.weights.is_empty() {
            let problem = "but `weights` is not given; it needs one weight for each attribute";
            return Err(Error::parameter("attack", self.name, problem));
        }
        match self.kind {
            AttackKind::Links(make) => Ok(make(parameters, names)),
            AttackKind::Discloses => {
                let problem = "but it links no records; name an attack that does";
                Err(Error::parameter("attack", self.name, problem))
            }
        }
    }

    /// True when it links records; the others measure a [`crate::disclosure`].
    pub fn links(&self) -> bool {
        matches!(self.kind, AttackKind::Links(_))
    }

    fn is_rung(&self, labels: bool, draws: Option<bool>) -> bool {
        match self.ladder {
            LadderPlace::Always => true,
            LadderPlace::WithLabels => labels,
            LadderPlace::WithDraws => draws == Some(true),
            LadderPlace::WithoutDraws => draws == Some(false),
            LadderPlace::Off => false,
        }
    }
}

impl Needs {
    /// In words; a dash for nothing.
    pub fn words(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        words.extend(self.numbers.then(|| "numbers only".to_owned()));
        words.extend(self.weights.then(|| "weights".to_owned()));
        words.extend(self.answers.then(|| "true pairs".to_owned()));
        words.extend(self.method.then(|| "the method".to_owned()));
        if words.is_empty() { "-".to_owned() } else { words.join(", ") }
    }
}

/// The list as a table.
pub fn table() -> Table {
    let mut table = Table::new(["attack", "needs", "in an audit", "what the attacker does"]);
    for entry in &ATTACKS {
        let audit = match entry.ladder {
            LadderPlace::Always => "yes",
            LadderPlace::WithLabels => "with labels",
            LadderPlace::WithDraws | LadderPlace::WithoutDraws => "with a recipe",
            LadderPlace::Off => "no",
        };
        table.row([entry.name, &entry.needs.words(), audit, entry.meaning]);
    }
    table
}
