//! What it costs a recipient to hide (section 4).

use super::pattern::{GeneralizationPattern, above_both, is_below};
use super::release::Assignment;
use crate::lattice::{Lattice, LatticeMetric, NodeRecord};
use serde::Serialize;

/// The cheapest way for a recipient to make a leak that does not name them alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Escape {
    /// Who leaks.
    pub recipient: String,
    /// The pattern they received.
    pub pattern: GeneralizationPattern,
    /// Its information loss.
    pub loss: f64,
    /// The pattern to generalize to; `None` when every leak names them.
    pub escape: Option<GeneralizationPattern>,
    /// Information loss of that pattern.
    pub escape_loss: Option<f64>,
    /// What more it loses.
    pub further_loss: Option<f64>,
    /// The others who can have made that leak, or the one whose own pattern it is.
    pub shared_with: Vec<String>,
}

/// For each recipient the least further generalization, by `metric`, after which a leak can be
/// another's as well. `nodes` are those of `lattice`.
///
/// A leak above the patterns of two recipients names neither for certain, so the candidates
/// are the least patterns above one's own and another's; every metric only grows on the way
/// up. Where another is finer throughout, the leak must move off one's own pattern, which
/// would be an exact match. Cost: O(recipients^2).
pub fn robustness(
    assignments: &[Assignment],
    lattice: &Lattice,
    nodes: &[NodeRecord],
    metric: LatticeMetric,
) -> Vec<Escape> {
    let loss = |pattern: &GeneralizationPattern| {
        lattice.index(pattern).and_then(|i| nodes.get(i)).map(|node| node.loss(metric))
    };
    let escape = |own: &Assignment| {
        let others = assignments.iter().filter(|a| a.recipient != own.recipient);
        let candidates = others.flat_map(|other| meeting_points(own, other, lattice));
        let priced = candidates.filter_map(|p| loss(&p).map(|loss| (loss, p)));
        let best = priced.min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        let own_loss = loss(&own.levels).unwrap_or(f64::NAN);
        Escape {
            recipient: own.recipient.clone(),
            pattern: own.levels.clone(),
            loss: own_loss,
            escape_loss: best.as_ref().map(|b| b.0),
            further_loss: best.as_ref().map(|b| b.0 - own_loss),
            shared_with: best.as_ref().map_or_else(Vec::new, |b| able(assignments, own, &b.1)),
            escape: best.map(|b| b.1),
        }
    };
    assignments.iter().map(escape).collect()
}

/// The lowest patterns that `own` can make and that do not name them alone because of `other`.
fn meeting_points(
    own: &Assignment,
    other: &Assignment,
    lattice: &Lattice,
) -> Vec<GeneralizationPattern> {
    if !is_below(&other.levels, &own.levels) {
        return vec![above_both(&own.levels, &other.levels)];
    }
    let index = lattice.index(&own.levels);
    index.map_or_else(Vec::new, |i| lattice.above(i).map(|node| lattice.node(node)).collect())
}

/// Who else a leak of `pattern` is taken to: its exact owner, or all who can make it.
fn able(
    assignments: &[Assignment],
    own: &Assignment,
    pattern: &GeneralizationPattern,
) -> Vec<String> {
    let exact = |a: &&Assignment| a.levels == *pattern;
    let can = |a: &&Assignment| a.recipient != own.recipient && is_below(&a.levels, pattern);
    let name = |a: &Assignment| a.recipient.clone();
    match assignments.iter().find(exact) {
        Some(owner) => vec![name(owner)],
        None => assignments.iter().filter(can).map(name).collect(),
    }
}
