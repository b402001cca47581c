//! The words of an audit, explained to who has not read the papers.

use crate::linkage::registry::{ATTACKS, AttackEntry, LadderPlace};

/// The attacks of the ladder and what their attacker does, and the words beside them.
pub(super) fn attacks() -> Vec<(String, String)> {
    let term = |(term, meaning): &(&str, &str)| (term.to_string(), meaning.to_string());
    let rungs = ATTACKS.iter().filter(|entry| entry.ladder != LadderPlace::Off);
    let entry = |entry: &AttackEntry| match entry.name {
        "single" => ("single:NAME".to_owned(), entry.meaning.to_owned()),
        name => (name.to_owned(), entry.meaning.to_owned()),
    };
    FLOOR.iter().map(term).chain(rungs.map(entry)).chain(OTHERS.iter().map(term)).collect()
}

const FLOOR: [(&str, &str); 1] =
    [("random", "Guesses a released record for each original one: the floor.")];

const OTHERS: [(&str, &str); 7] = [
    (
        "worst case",
        "Tunes the attribute weights with the answers, on each scale: no choice of weights finds \
         more where that is proven.",
    ),
    (
        "fewer attributes",
        "Gives some attributes no weight at all, tunes the others with the answers, and guesses \
         among released records that are equal on these.",
    ),
    (
        "found",
        "Right guesses on average: who cannot tell some released records apart guesses among them.",
    ),
    ("certain", "People whose own released record alone is the nearest: no guessing is left."),
    (
        "scale",
        "Own: each file is divided by its own means and standard deviations. Original: both by \
         the original's. Weights absorb every other scaling.",
    ),
    ("tied", "Records whose own released record is as near as others."),
    (
        "held out",
        "The weights learned on the audited records, used on records that were not used to learn \
         them: what an attacker can expect who learns on other data.",
    ),
];
