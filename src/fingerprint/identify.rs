//! Who leaked (section 3.2).

use super::leak::LeakPart;
use super::release::Assignment;
use super::set_cover::SetCover;
use crate::error::Result;
use serde::Serialize;

/// What the levels of a leak say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// One recipient has exactly this pattern.
    Exact,
    /// One recipient alone can make it, by generalizing further.
    Generalized,
    /// It takes several recipients together, and only these can.
    Coalition,
    /// Several recipients, or several coalitions of the same size, can have made it.
    Ambiguous,
    /// It is finer than anyone received.
    Nobody,
}

/// Who can have made a leak.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identification {
    /// What is known.
    pub verdict: Verdict,
    /// The smallest sets of recipients whose files together can make it; the owner of the
    /// pattern alone where one has exactly it.
    pub sources: Vec<Vec<String>>,
    /// False when there are more sets than are listed.
    pub complete: bool,
    /// Recipients who do not have this pattern but can make it by generalizing their own.
    pub also_able: Vec<String>,
    /// Quasi-identifiers that are finer than anyone received.
    pub finer: Vec<String>,
}

/// Sets listed at most.
const MOST_SETS: usize = 100;

impl LeakPart {
    /// Takes the part back to `assignments`, patterns of the attributes `quasi`.
    ///
    /// The recipient with exactly this pattern is named. Where there is none, a set of
    /// recipients can make it when for each quasi-identifier one of them has a level that is
    /// no higher: all minimum set covers.
    pub fn identify(&self, assignments: &[Assignment], quasi: &[String]) -> Result<Identification> {
        let alone = |a: &&Assignment| (0..quasi.len()).all(|q| a.levels[q] <= self.highest(q));
        let name = |a: &Assignment| a.recipient.clone();
        let exact: Vec<&Assignment> =
            assignments.iter().filter(|a| self.matches(&a.levels)).collect();
        if exact.is_empty() {
            return self.covers(assignments, quasi);
        }
        let others = assignments.iter().filter(|a| !exact.contains(a)).filter(alone);
        Ok(Identification {
            verdict: if exact.len() == 1 { Verdict::Exact } else { Verdict::Ambiguous },
            also_able: others.map(name).collect(),
            sources: exact.into_iter().map(|a| vec![name(a)]).collect(),
            complete: true,
            finer: Vec::new(),
        })
    }

    fn covers(&self, assignments: &[Assignment], quasi: &[String]) -> Result<Identification> {
        let has = |a: &Assignment| -> Vec<usize> {
            (0..quasi.len()).filter(|&q| a.levels[q] <= self.highest(q)).collect()
        };
        let problem =
            SetCover { elements: quasi.len(), sets: assignments.iter().map(has).collect() };
        let Some(found) = problem.minimum_covers(MOST_SETS) else {
            let finer = problem.uncovered().into_iter().map(|q| quasi[q].clone()).collect();
            return Ok(Identification::nobody(finer));
        };
        let verdict = match found.covers.as_slice() {
            [one] if one.len() == 1 => Verdict::Generalized,
            [_] => Verdict::Coalition,
            _ => Verdict::Ambiguous,
        };
        let names = |cover: &Vec<usize>| -> Vec<String> {
            cover.iter().map(|&i| assignments[i].recipient.clone()).collect()
        };
        Ok(Identification {
            verdict,
            sources: found.covers.iter().map(names).collect(),
            complete: found.complete,
            also_able: Vec::new(),
            finer: Vec::new(),
        })
    }
}

impl Identification {
    fn nobody(finer: Vec<String>) -> Self {
        Self {
            verdict: Verdict::Nobody,
            sources: Vec::new(),
            complete: true,
            also_able: Vec::new(),
            finer,
        }
    }
}
