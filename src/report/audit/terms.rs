//! The words of an audit, explained to who has not read the papers.

/// The attacks and what their attacker does.
pub(super) fn attacks() -> Vec<(String, String)> {
    let terms = [
        ("random", "Guesses a released record for each original one: the floor."),
        ("single:NAME", "Links each record to the nearest released one by this attribute alone."),
        (
            "dbrl1",
            "Links each record to the nearest released one, every attribute standardized and \
             weighted equally: what is usually reported as the risk.",
        ),
        ("dbrl2", "As dbrl1, but knows how far the values of each attribute were moved."),
        ("gower", "As dbrl1, with distances divided by the range, made for numbers and labels."),
        (
            "mahalanobis-cov0, mahalanobis-cov",
            "Takes into account how attributes hang together; with cov also how their changes do.",
        ),
        ("kernel", "Compares products of attributes as well as the attributes."),
        (
            "probabilistic",
            "Counts on which attributes two records agree, and weighs agreements by how telling \
             they are (Fellegi and Sunter).",
        ),
        (
            "assignment",
            "Links all records at once, no released record twice, with the least total distance. \
             It uses that every record has exactly one partner.",
        ),
        (
            "worst case",
            "The attribute weights that re-identify the most of these records: no choice of \
             weights does better where that is proven.",
        ),
        (
            "tied",
            "Records whose own released record is as near as others. A tie does not identify.",
        ),
        (
            "held out",
            "The weights learned on the audited records, used on records that were not used to \
             learn them: what an attacker can expect who learns on other data.",
        ),
    ];
    terms.map(|(term, meaning)| (term.to_owned(), meaning.to_owned())).to_vec()
}
