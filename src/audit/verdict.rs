//! The verdict: the strongest of all attackers, and what bounds them.

use super::Ladder;
use super::fewer_attributes::FEWER;
use super::key_attributes::LEARNED;
use super::worst_cases::{Guessing, ScaledWorstCase, WorstCases};
use crate::distance::{Standardization, SuppressedReading};
use crate::learning::Count;
use crate::linkage::{AttackRow, registry};
use crate::words::{people, people_at_least, people_at_most, whole_where_possible};
use serde::{Deserialize, Serialize};
use unmask_solvers::{ProofScope, StopReason};

/// What an audit says first: how many are found by the strongest attacker, and at most by any.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The strongest attacker: an attack of the ladder, or `worst case`.
    pub attack: String,
    /// The scale it compares values on, where it has one.
    pub scale: Option<String>,
    /// Right guesses on average.
    #[serde(serialize_with = "whole_where_possible")]
    pub expected: f64,
    /// Records it re-identifies for certain.
    pub certain: usize,
    /// Records attacked, suppressed ones included.
    pub of: usize,
    /// Those of them that are not in the release, which count as not found.
    pub suppressed: usize,
    /// Those whose released values on the attacked attributes are all suppressed or missing.
    pub blank: usize,
    /// What `rate` counts: right guesses on average, or what is certain.
    pub count: Count,
    /// What was counted, as a share of `of`.
    pub rate: f64,
    /// The share that no attacker examined exceeds: the greatest of their bounds, or of what was
    /// found by those that have none; 1 where one could not be bounded.
    pub upper_bound: f64,
    /// Attackers that found more than every bound covers, or that there was no time to bound.
    pub unbounded: Vec<String>,
    /// False when one of those may find more than what is proven of the others; `upper_bound` is
    /// then 1.
    pub bounded: bool,
    /// True when `rate` is the upper bound and no attacker is unbounded.
    pub proven: bool,
    /// True when the upper bound rests on a sample of targets, with an error rate of 2.5%.
    pub sampled: bool,
    /// True when `rate` was counted on a sample of the people alone, so that it may be too high.
    pub estimated: bool,
    /// The best attacker who is not helped by the answers.
    pub without_answers: Option<BlindAttacker>,
    /// The greatest share allowed, where one was given.
    pub threshold: Option<f64>,
    /// True when nothing exceeds what is allowed; none where nothing was said.
    pub kept: Option<bool>,
    /// What to know before trusting the verdict.
    pub warnings: Vec<String>,
}

/// An attacker who knows the two files only.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlindAttacker {
    /// The attack.
    pub attack: String,
    /// The share it finds.
    pub rate: f64,
}

/// What a threshold is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// The share that no attacker examined exceeds
    #[default]
    Bound,
    /// The share that the strongest attacker found
    Found,
}

/// Bounds and found shares closer than this are equal.
const SAME: f64 = 1e-9;

impl Verdict {
    /// The strongest of the attacks in `ladder` and of the worst cases.
    ///
    /// An attack that looked for a sample of the records may find as many of them all as the upper
    /// end of its interval says.
    pub(super) fn of(ladder: &Ladder, cases: &WorstCases) -> Self {
        let (rungs, worst) = (&ladder.rungs, &cases.solved);
        let strongest = rungs.iter().fold(None::<&AttackRow>, |best, row| match best {
            Some(best) if row.rate <= best.rate => Some(best),
            _ => Some(row),
        });
        let learned = super::worst_cases::strongest(worst).ok();
        let bound = worst.iter().map(|w| w.on_file.upper_bound_rate).fold(0.0, f64::max);
        let mut verdict = match (strongest, learned) {
            (Some(row), Some(w)) if row.rate > w.on_file.rate + SAME => Self::fixed(row),
            // Nobody searched: an attack that finds as much has the better name.
            (Some(row), Some(w)) if w.is_given() && row.rate >= w.on_file.rate => Self::fixed(row),
            (_, Some(w)) => Self::learned(w),
            (Some(row), None) => Self::fixed(row),
            (None, None) => Self::fixed(&AttackRow::default()),
        };
        let uncovered = rungs.iter().filter(|row| ladder.at_most(row) > bound + SAME);
        verdict.unbounded = uncovered.map(|row| row.attack.clone()).collect();
        let mut open = cases.unbounded();
        open.extend(ladder.no_time.iter().filter(|name| !cases.cover(name)).cloned());
        verdict.bounded = open.is_empty();
        verdict.unbounded.extend(open);
        // Sums of shares are rounded: no attack may end a hair above the verdict.
        verdict.rate = verdict.rate.max(strongest.map_or(0.0, |row| row.rate));
        let reached = rungs.iter().map(|row| ladder.at_most(row)).fold(verdict.rate, f64::max);
        verdict.upper_bound = if verdict.bounded { bound.max(reached) } else { 1.0 };
        verdict.sampled = worst.iter().any(|w| w.on_file.sampled) || !ladder.sampled.is_empty();
        verdict.estimated = match learned.filter(|_| verdict.attack == LEARNED) {
            Some(w) => w.on_file.is_estimate(),
            None => ladder.sampled.contains(&verdict.attack),
        };
        if verdict.rate >= 1.0 && !verdict.estimated {
            // Nobody finds more than everybody.
            verdict.unbounded.clear();
            (verdict.bounded, verdict.sampled) = (true, false);
        }
        verdict.proven = !verdict.sampled
            && verdict.unbounded.is_empty()
            && verdict.upper_bound - verdict.rate < SAME;
        if let Some((_, scale)) = cases.ignoring_attributes().filter(|_| verdict.attack == FEWER) {
            verdict.scale = Some(scale.name().into());
        }
        verdict.without_answers = blind(rungs);
        verdict.count = learned.map_or_else(Count::default, |w| w.found.count);
        verdict
    }

    fn fixed(row: &AttackRow) -> Self {
        Self {
            attack: row.attack.clone(),
            scale: registry::find(&row.attack).and_then(|entry| entry.scale).map(str::to_owned),
            expected: row.expected,
            certain: row.certain,
            of: row.of,
            rate: row.rate,
            ..Self::nothing()
        }
    }

    fn learned(worst: &ScaledWorstCase) -> Self {
        Self {
            attack: LEARNED.into(),
            scale: Some(worst.standardization.name().into()),
            expected: worst.on_file.expected,
            certain: worst.on_file.certain,
            of: worst.on_file.of,
            rate: worst.on_file.rate,
            ..Self::nothing()
        }
    }

    /// No attacker at all.
    pub(super) fn nothing() -> Self {
        Self {
            attack: String::new(),
            scale: None,
            expected: 0.0,
            certain: 0,
            of: 0,
            suppressed: 0,
            blank: 0,
            count: Count::default(),
            rate: 0.0,
            upper_bound: 0.0,
            unbounded: Vec::new(),
            bounded: true,
            proven: false,
            sampled: false,
            estimated: false,
            without_answers: None,
            threshold: None,
            kept: None,
            warnings: Vec::new(),
        }
    }

    /// The verdict in plain words.
    pub fn sentence(&self) -> String {
        format!("{} {}", self.headline(), self.context())
    }

    /// A share of all people as one of those whose values were released: who was suppressed, as a
    /// record or value by value, does not make others safer.
    pub fn among_released(&self, share: f64) -> f64 {
        let released = self.of.saturating_sub(self.suppressed + self.blank);
        if released == 0 { share } else { (share * self.of as f64 / released as f64).min(1.0) }
    }

    /// Whose share [`Verdict::among_released`] is, as words behind "people"; empty for all.
    pub(super) fn whose(&self) -> &'static str {
        match (self.suppressed, self.blank) {
            (0, 0) => "",
            (_, 0) => " in the release",
            _ => " with released values",
        }
    }

    /// What is added to "found" where guesses do not count.
    fn surely(&self) -> &'static str {
        match self.count {
            Count::Expected => "",
            Count::Certain => " for certain",
        }
    }

    /// How many are found at most, or at least where nothing bounds the strongest attacker: of the
    /// people in the release, where some of the original are not.
    pub fn headline(&self) -> String {
        let found = format!("found{}", self.surely());
        let whose = self.whose();
        let [rate, upper_bound] = [self.rate, self.upper_bound].map(|s| self.among_released(s));
        if self.proven && rate >= 1.0 && self.blank == 0 {
            let attack = &self.attack;
            return format!("Everybody{whose} is {found} by the strongest attacker ({attack}).");
        }
        if !self.unbounded.is_empty() {
            let (least, found_people) = match self.estimated {
                true => ("By a sample, about", people(rate)),
                false => ("At least", people_at_least(rate)),
            };
            let examined = match found_people.as_str() {
                "nobody" => format!("Nobody{whose} was {found} by any attacker examined"),
                some => format!(
                    "{least} {some}{whose} are {found} by the strongest attacker examined ({})",
                    self.attack
                ),
            };
            return format!("{examined}, and nothing proves that no one finds more.");
        }
        let sure = match self.sampled {
            true => ", as far as a sample tells (with an error rate of 2.5%)",
            false => "",
        };
        match people_at_most(upper_bound).as_str() {
            "nobody" => format!("Nobody is {found} by any attacker examined."),
            most => format!(
                "At most {most}{whose} are {found} by any attacker examined, even one who tunes himself \
                 with the answers{sure}."
            ),
        }
    }

    /// What the strongest and the best attacker without answers find, and what all are taken to
    /// know.
    pub fn context(&self) -> String {
        let close = self.proven || self.upper_bound - self.rate < 5e-3;
        let strongest = match close || !self.unbounded.is_empty() {
            true => String::new(),
            false => {
                let found = people(self.rate);
                format!("The strongest so far ({}) finds {found}{}. ", self.attack, self.surely())
            }
        };
        format!("{strongest}{} {}", self.blind_sentence(), self.known_sentence())
    }

    /// What all attackers are taken to know about who is in the file.
    fn known_sentence(&self) -> String {
        let known = "All of them are assumed to know that the person is in the file.";
        let of = self.of;
        let missing = format!(
            "{} of the {of} people of the original are not in the release and count as not found in \
             shares of all",
            self.suppressed
        );
        let blank = format!("of {} people every attacked value is suppressed", self.blank);
        let others = "the first sentence is about the others.";
        match (self.suppressed, self.blank) {
            (0, 0) => known.to_owned(),
            (_, 0) => format!("{missing}; {others}"),
            (0, _) => format!("{known} O{}; {others}", &blank[1..]),
            (_, _) => format!("{missing}, and {blank}; {others}"),
        }
    }

    fn blind_sentence(&self) -> String {
        match &self.without_answers {
            Some(blind) => {
                let found = people(blind.rate);
                format!(
                    "The best who has no answers ({}) finds {found}{}.",
                    blind.attack,
                    self.surely()
                )
            }
            None => "No attacker without answers was tried.".to_owned(),
        }
    }
}

impl WorstCases {
    /// True when what is proven of all weights covers the attack called `name`: one that links to
    /// the nearest record on a scale that was solved.
    fn cover(&self, name: &str) -> bool {
        let scale = registry::find(name).and_then(|entry| entry.scale);
        let by_itself = registry::parse(name).is_ok_and(|attack| !attack.links_all_together());
        by_itself && self.solved.iter().any(|w| Some(w.standardization.name()) == scale)
    }

    /// Attackers whose weights nothing bounds: those of a heuristic that did not reach its bound,
    /// and of a solver that leaves out very small weights and margins.
    fn unbounded(&self) -> Vec<String> {
        let heuristic = |w: &&ScaledWorstCase| {
            let partial = w.found.outcome.scope() != ProofScope::default();
            let gap = w.on_file.upper_bound_rate - w.on_file.rate;
            partial || w.found.outcome.stop_reason() == StopReason::Heuristic && gap > SAME
        };
        let guessing = |w: &&ScaledWorstCase| matches!(w.fewer, Guessing::Unbounded);
        let called = |attack: &str, w: &ScaledWorstCase| {
            format!("{attack} ({})", attacker_words(w.standardization, w.reading))
        };
        let solved = self.solved.iter();
        let mut open: Vec<String> = solved.filter(heuristic).map(|w| called(LEARNED, w)).collect();
        open.extend(self.solved.iter().filter(guessing).map(|w| called(FEWER, w)));
        let unsolved = self.unsolved.iter();
        open.extend(unsolved.map(|(s, r)| format!("{LEARNED} ({})", attacker_words(*s, *r))));
        open.sort();
        open.dedup();
        open
    }

    /// What there was no time for, in words.
    pub(super) fn no_time(&self) -> Vec<String> {
        let unsolved = self.unsolved.iter().map(|(scale, reading)| {
            let attacker = attacker_words(*scale, *reading);
            format!("There was no time to solve the worst case on the scale {attacker}.")
        });
        let open = self.solved.iter().filter(|w| matches!(w.fewer, Guessing::Unbounded));
        let guessing = open.map(|w| {
            let attacker = attacker_words(w.standardization, w.reading);
            format!(
                "There was no time to bound who ignores attributes and guesses among equal records, \
                 on the scale {attacker}: give more time, or fewer targets by a sample."
            )
        });
        unsolved.chain(guessing).collect()
    }
}

/// The scale, and how suppressed cells are read where that is not as any value.
fn attacker_words(scale: Standardization<'_>, reading: SuppressedReading) -> String {
    match reading {
        SuppressedReading::OwnValue => {
            format!("{}, suppressed cells as a value of their own", scale.name())
        }
        _ => scale.name().to_owned(),
    }
}

/// The best of the attackers whom no true pairs help; guessing is one.
fn blind(ladder: &[AttackRow]) -> Option<BlindAttacker> {
    let blind = |row: &&AttackRow| {
        row.attack != FEWER && !registry::find(&row.attack).is_some_and(|e| e.needs.answers)
    };
    let best = ladder.iter().filter(blind).fold(None::<&AttackRow>, |best, row| match best {
        Some(best) if row.rate <= best.rate => Some(best),
        _ => Some(row),
    });
    best.map(|row| BlindAttacker { attack: row.attack.clone(), rate: row.rate })
}
