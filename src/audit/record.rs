//! The record of an audit: the ladder of attacks and the worst case.

use super::{KeyAttributes, LeftOut, RecordsAtRisk, ReleaseRecord, Reproduction, Threshold};
use crate::anonymity::Anonymity;
use crate::learning::{Aggregation, Bounds, HeldOut, RowSet, WorstCase};
use crate::linkage::{AttackRow, TieRule};
use crate::words::short_percent;
use serde::Serialize;
use serde_json::{Map, Value};
use unmask_solvers::{ProofScope, StopReason};

/// Everything an audit found; what JSON shows, and what text and pages are made from.
#[derive(Debug, Clone, Serialize)]
pub struct AuditRecord {
    /// Original records attacked.
    pub records: usize,
    /// Released records among which the attacker looks.
    pub released_records: usize,
    /// Attributes the attacker knows.
    pub attributes: Vec<String>,
    /// Attributes that could have been named and were not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes_left_out: Vec<String>,
    /// How values were standardized: own, original or none.
    pub standardization: String,
    /// The ladder of attacks that learn nothing.
    pub attacks: Vec<AttackRow>,
    /// Attacks that the data do not allow, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The worst case over all weights.
    pub worst_case: WorstCaseRecord,
    /// The learned weights on other records, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
    /// What a tie counts.
    pub tie_rule: TieRule,
    /// The greatest risk allowed, where one was given.
    pub threshold: Option<Threshold>,
    /// Which attributes carry the worst case.
    pub key_attributes: KeyAttributes,
    /// Which records are at risk.
    pub records_at_risk: RecordsAtRisk,
    /// k, l and uniques of the whole released file on the attributes.
    pub anonymity: Anonymity,
    /// The releases, the audited one first.
    pub releases: Vec<ReleaseRecord>,
    /// True when the report holds values of records.
    pub internal: bool,
    /// How to make the report again.
    pub reproduction: Reproduction,
}

/// The worst case and what is proven about it.
#[derive(Debug, Clone, Serialize)]
pub struct WorstCaseRecord {
    /// The solver's name.
    pub solver: &'static str,
    /// What the weights belong to.
    pub aggregation: Aggregation,
    /// Records that the weights re-identify, ties not counted.
    pub reidentified: usize,
    /// Proven: no weights re-identify more.
    pub upper_bound: usize,
    /// True when both are equal.
    pub proven_optimal: bool,
    /// `reidentified` as a share of the records.
    pub rate: f64,
    /// `upper_bound` as a share of the records.
    pub upper_bound_rate: f64,
    /// The weights by name; they sum to 1.
    pub weights: Map<String, Value>,
    /// The smallest margin by which a re-identified record's inequality holds.
    pub margin: Option<f64>,
    /// Nodes searched.
    pub nodes: u64,
    /// Time of the solver.
    pub seconds: f64,
    /// Inequalities of the whole problem.
    pub rows_full: usize,
    /// Inequalities the solver worked on.
    pub rows_reduced: usize,
    /// Records that no weights re-identify: a released record is at least as near on every attribute.
    pub never_reidentified: usize,
    /// Records that all positive weights re-identify.
    pub always_reidentified: usize,
    /// Whether the solver saw all inequalities or generated them.
    pub rows: RowSet,
    /// Rounds of row generation.
    pub rounds: usize,
    /// Why the solver stopped.
    pub stop_reason: StopReason,
    /// The weights the proof speaks of.
    pub scope: ProofScope,
}

impl WorstCaseRecord {
    /// The record of `found`; `attributes` name the weights.
    pub fn new(found: &WorstCase, aggregation: Aggregation, attributes: &[String]) -> Self {
        let outcome = &found.outcome;
        let records = found.reidentified.len().max(1) as f64;
        let names = aggregation.weight_names(attributes);
        let weights = names.into_iter().zip(outcome.weights().iter().map(|w| Value::from(*w)));
        Self {
            solver: outcome.solver(),
            aggregation,
            reidentified: found.count(),
            upper_bound: found.upper_bound(),
            proven_optimal: outcome.proven_optimal(),
            rate: found.count() as f64 / records,
            upper_bound_rate: found.upper_bound() as f64 / records,
            weights: weights.collect(),
            margin: outcome.margin(),
            nodes: outcome.nodes(),
            seconds: outcome.elapsed().as_secs_f64(),
            rows_full: found.rows_full,
            rows_reduced: outcome.reductions().rows_reduced,
            never_reidentified: outcome.reductions().blocks_dead,
            always_reidentified: outcome.reductions().blocks_always_satisfied,
            rows: if found.rounds == 0 { RowSet::All } else { RowSet::Generated },
            rounds: found.rounds,
            stop_reason: outcome.stop_reason(),
            scope: outcome.scope(),
        }
    }

    /// The ladder's last rung; `equal` is the rate of equal weights.
    pub fn attack_row(&self, records: usize, equal: Option<f64>) -> AttackRow {
        AttackRow {
            attack: "worst case".into(),
            reidentified: self.reidentified as f64,
            of: records,
            rate: self.rate,
            seconds: self.seconds,
            gain: equal.map(|rate| self.rate - rate),
            ..AttackRow::default()
        }
    }

    /// The bounds alone.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            reidentified: self.reidentified,
            upper_bound: self.upper_bound,
            proven_optimal: self.proven_optimal,
            rate: self.rate,
            upper_bound_rate: self.upper_bound_rate,
        }
    }
}

impl AuditRecord {
    /// One sentence: what the worst case is, and whether that is proven.
    pub fn verdict(&self) -> String {
        let worst = &self.worst_case;
        let (weights, attributes) = (
            if worst.proven_optimal {
                "best possible attribute weights"
            } else {
                "best attribute weights found"
            },
            match self.attributes.len() {
                1 => "this attribute".to_owned(),
                several => format!("these {several} attributes"),
            },
        );
        format!(
            "With the {weights} an attacker who holds the original values of {attributes} \
             re-identifies {} of {} records ({}). {}",
            worst.reidentified,
            self.records,
            short_percent(worst.rate),
            self.proof()
        )
    }

    fn proof(&self) -> String {
        let worst = &self.worst_case;
        match worst.proven_optimal {
            true => "Proven: no weights reach more.".to_owned(),
            false if worst.upper_bound < self.records => format!(
                "Proven: no weights reach more than {} ({}); the search stopped at its {}.",
                worst.upper_bound,
                short_percent(worst.upper_bound_rate),
                stop_words(worst.stop_reason)
            ),
            false => "Nothing is proven about other weights.".to_owned(),
        }
    }

    /// True when the threshold is exceeded, by any of the releases.
    pub fn exceeded(&self) -> bool {
        let here = self.threshold.as_ref().is_some_and(|t| t.exceeded);
        here || self.releases.iter().any(|r| r.exceeded == Some(true))
    }

    /// All attacks, the worst case last.
    pub fn ladder(&self) -> Vec<AttackRow> {
        let equal = self.attacks.iter().find(|a| a.attack == "dbrl1").map(|a| a.rate);
        let mut ladder = self.attacks.clone();
        ladder.push(self.worst_case.attack_row(self.records, equal));
        ladder
    }

    /// Attacks that the bound does not cover, and attacks that do not apply.
    pub fn notes(&self) -> Vec<String> {
        let more = |a: &&AttackRow| {
            a.attack != "random" && a.reidentified > self.worst_case.reidentified as f64
        };
        let uncovered = self.attacks.iter().filter(more).map(|a| {
            format!(
                "{} re-identifies more: it does not link each record to its nearest by weighted \
                 distance, so the bound does not cover it.",
                a.attack
            )
        });
        let left_out =
            self.left_out.iter().map(|l| format!("Not applicable: {}: {}.", l.attack, l.reason));
        uncovered.chain(left_out).collect()
    }
}

/// Why a search ended, after "stopped at its".
pub fn stop_words(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Optimal => "optimum",
        StopReason::TimeLimit => "time limit",
        StopReason::NodeLimit => "node limit",
        StopReason::Interrupted => "interruption",
        StopReason::Heuristic => "local optimum",
    }
}
