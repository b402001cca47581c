//! Key attributes: what to protect first.

use crate::learning::{Bounds, WeightRange, WorstCase};
use crate::words::{isolated, short_percent};
use serde::Serialize;

/// Which attributes carry the worst case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeyAttributes {
    /// The weights, and how far each can move while the same records stay re-identified.
    pub weights: Vec<WeightRange>,
    /// What each attribute contributes.
    pub attributes: Vec<AttributeRisk>,
    /// How the release was made, where the user said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protection: Option<KnownProtection>,
    /// What to do, most effective first; empty when nothing was solved again.
    pub recommendations: Vec<String>,
    /// What was not looked at, and why.
    pub notes: Vec<String>,
}

impl KeyAttributes {
    /// What to keep in mind about the ranges and about what doubling does.
    pub(super) fn doubts(found: &WorstCase, protection: Option<&KnownProtection>) -> Vec<String> {
        let mut doubts = Vec::new();
        if found.rounds > 0 {
            doubts.push("Inequalities were generated: the true ranges may be narrower.".into());
        }
        if let Some(other) = protection.filter(|p| !p.reproduced) {
            doubts.push(format!(
                "The released file is not what {} gives with these parameters, or the recipe \
                 lacks the seed: what doubling does is an estimate.",
                other.method
            ));
        }
        doubts
    }
}

/// What one attribute contributes to the worst case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttributeRisk {
    /// The attribute.
    pub attribute: String,
    /// Share re-identified with this attribute alone.
    pub alone_rate: Option<f64>,
    /// The worst case without it, where it was solved again.
    pub without: Option<Bounds>,
    /// The share that the strongest attacker finds without it, where that is not the worst case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strongest_without: Option<f64>,
    /// The worst case when its protection is doubled, where the method is known.
    pub doubled: Option<Bounds>,
}

/// How a release was made; never its seed, with which noise and swapping can be undone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnownProtection {
    /// The method's name.
    pub method: String,
    /// Its parameters.
    pub parameters: serde_json::Value,
    /// The doubled ones.
    pub doubled_parameters: serde_json::Value,
    /// True when the recipe gives exactly the attributes of the released file; false when it
    /// lacks the seed that its method draws from.
    pub reproduced: bool,
}

/// Sentences that say which attribute to protect first, at most three; `strongest` is the name of
/// the strongest attacker and `all` what it finds with all attributes.
///
/// Attributes are ranked by what it or the best weights find at most without them. An attribute
/// without which that does not fall is not named. Empty where nothing is found.
pub fn recommendations(strongest: &str, all: &Bounds, attributes: &[AttributeRisk]) -> Vec<String> {
    let mut ranked: Vec<(&AttributeRisk, Bounds)> =
        attributes.iter().filter_map(|a| Some((a, a.left_of(strongest)?))).collect();
    if ranked.is_empty() || all.rate == 0.0 {
        return Vec::new();
    }
    ranked.sort_by(|(_, a), (_, b)| a.upper_bound_rate.total_cmp(&b.upper_bound_rate));
    let falls: Vec<_> = ranked.iter().filter(|(_, w)| w.upper_bound_rate < all.rate).collect();
    if falls.is_empty() {
        return vec![format!(
            "No single attribute carries the risk: whichever is left out, the strongest attacker \
             may still find {}. Protect all of them more.",
            short_percent(all.rate)
        )];
    }
    let subject = match strongest {
        LEARNED => "the worst case falls".to_owned(),
        other => format!("what the strongest attacker finds ({other}, or the best weights) falls"),
    };
    let say = |(i, (a, w)): (usize, &&(&AttributeRisk, Bounds))| sentence(i, a, &subject, all, w);
    falls.iter().take(3).enumerate().map(say).collect()
}

/// The name of the attacker whose weights are learned.
pub(super) const LEARNED: &str = "worst case";

impl KeyAttributes {
    /// Places of the attributes, the one without which the attacker called `strongest` falls
    /// most first; those it was not tried without follow in their order.
    pub fn ranked(&self, strongest: &str) -> Vec<usize> {
        let left = |k: &usize| {
            let bounds = self.attributes[*k].left_of(strongest);
            bounds.map_or(f64::INFINITY, |b| b.upper_bound_rate)
        };
        let mut places: Vec<usize> = (0..self.attributes.len()).collect();
        places.sort_by(|a, b| left(a).total_cmp(&left(b)));
        places
    }
}

impl AttributeRisk {
    /// What is found without the attribute by the attacker called `strongest` or by the best
    /// weights, whichever is more, where both were tried.
    fn left_of(&self, strongest: &str) -> Option<Bounds> {
        let learned = self.without?;
        match strongest {
            LEARNED => Some(learned),
            _ => self.strongest_without.map(|rate| Bounds {
                proven_optimal: learned.proven_optimal || rate >= learned.upper_bound_rate,
                rate: learned.rate.max(rate),
                upper_bound_rate: learned.upper_bound_rate.max(rate),
                ..learned
            }),
        }
    }
}

fn sentence(
    rank: usize,
    attribute: &AttributeRisk,
    subject: &str,
    all: &Bounds,
    without: &Bounds,
) -> String {
    let name = isolated(&attribute.attribute);
    let order = match rank {
        0 => format!("Protect {name} first"),
        _ => format!("Then {name}"),
    };
    let doubled = match &attribute.doubled {
        Some(doubled) => {
            format!("; with its protection doubled the worst case is {}", reaches(doubled))
        }
        None => String::new(),
    };
    format!(
        "{order}: without it {subject} from {} to {}{doubled}.",
        short_percent(all.rate),
        reaches(without)
    )
}

/// `71.0%`, or `at most 72.5%` where that is all that is proven.
pub fn reaches(bounds: &Bounds) -> String {
    match bounds.proven_optimal {
        true => short_percent(bounds.rate),
        false => format!("at most {}", short_percent(bounds.upper_bound_rate)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(reidentified: usize, upper_bound: usize) -> Bounds {
        let proven = reidentified == upper_bound;
        Bounds::new(reidentified as f64, upper_bound as f64, proven, 100)
    }

    fn risk(attribute: &str, without: Bounds) -> AttributeRisk {
        AttributeRisk {
            attribute: attribute.to_owned(),
            alone_rate: None,
            without: Some(without),
            strongest_without: Some(0.5),
            doubled: None,
        }
    }

    #[test]
    fn the_attribute_without_which_the_worst_case_falls_most_comes_first() {
        let risks = [
            risk("AGI", bounds(80, 85)),
            risk("TAXINC", bounds(71, 71)),
            risk("FICA", bounds(93, 93)),
        ];
        let said = recommendations(LEARNED, &bounds(93, 93), &risks);
        assert_eq!(
            said,
            [
                "Protect TAXINC first: without it the worst case falls from 93.0% to 71.0%.",
                "Then AGI: without it the worst case falls from 93.0% to at most 85.0%.",
            ]
        );
        let said = recommendations("assignment", &bounds(97, 97), &risks);
        assert_eq!(
            said[0],
            "Protect TAXINC first: without it what the strongest attacker finds (assignment, or \
             the best weights) falls from 97.0% to 71.0%."
        );
        assert!(said[1].ends_with("from 97.0% to at most 85.0%."), "{said:?}");
    }

    #[test]
    fn nothing_is_recommended_that_does_not_help() {
        let said = recommendations(LEARNED, &bounds(93, 93), &[risk("AGI", bounds(90, 93))]);
        assert!(said[0].starts_with("No single attribute carries the risk"), "{said:?}");
        assert!(recommendations(LEARNED, &bounds(93, 93), &[]).is_empty());
        assert!(recommendations(LEARNED, &bounds(0, 0), &[risk("a", bounds(0, 0))]).is_empty());
    }
}
