//! The record of an audit: the ladder of attacks and the worst case.

use super::worst_cases::ScaledWorstCase;
use super::{
    Ceilings, CertainThreshold, CertainValues, Correspondence, Coverage, FileCount, Haystack,
    KeyAttributes, LeftOut, RecordsAtRisk, ReleaseRecord, Reproduction, Threshold, Verdict,
};
use crate::anonymity::Anonymity;
use crate::distance::SuppressedReading;
use crate::learning::{Aggregation, Bounds, Count, HeldOut, RowSet};
use crate::linkage::{AttackRow, TieRule, attack_notes};
use crate::protection::Supposed;
use crate::words::whole_where_possible;
use serde::Serialize;
use serde_json::{Map, Value};
use unmask_solvers::{ProofScope, StopReason};

/// The version of [`AuditRecord`]'s layout.
pub(super) const SCHEMA_VERSION: u32 = 2;

/// Everything an audit found; what JSON shows, and what text and pages are made from.
#[derive(Debug, Clone, Serialize)]
pub struct AuditRecord {
    /// The version of this layout; it grows when a member changes its meaning.
    pub schema_version: u32,
    /// The strongest attacker, and what bounds them all.
    pub verdict: Verdict,
    /// Original records attacked, suppressed ones not counted.
    pub records: usize,
    /// Original records that the release leaves out: they count as not re-identified.
    pub suppressed: usize,
    /// Records that the weights were learned on and proven for.
    pub targets: usize,
    /// Among which released records the targets are looked for.
    pub haystack: Haystack,
    /// Released records among which the attacker looks.
    pub released_records: usize,
    /// What was looked at, and what was not.
    pub coverage: Coverage,
    /// Whether the rows of both files seem to belong together.
    pub correspondence: Correspondence,
    /// True when the user insisted that they do.
    pub rows_insisted: bool,
    /// True when the release is in the original's order of rows.
    pub in_original_order: bool,
    /// Confidential values that are certain in some class.
    pub certain_values: Vec<CertainValues>,
    /// Attributes the attacker knows.
    pub attributes: Vec<String>,
    /// Attributes that could have been named and were not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attributes_left_out: Vec<String>,
    /// How the worst case standardizes values: own, original or none.
    pub standardization: String,
    /// What nobody finds more than, whatever he knows.
    pub ceiling: Ceilings,
    /// The ladder of attacks that learn nothing.
    pub attacks: Vec<AttackRow>,
    /// How the release was supposed to be made, where that was only guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supposed: Option<Supposed>,
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
    /// The greatest share of certain confidential values allowed, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certain_threshold: Option<CertainThreshold>,
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
    /// The scale of the strongest attacker: own, original or none.
    pub scale: String,
    /// How that attacker reads suppressed and missing cells.
    pub reading: SuppressedReading,
    /// What was maximized.
    pub count: Count,
    /// The targets that the weights re-identify, as `count` says.
    #[serde(serialize_with = "whole_where_possible")]
    pub reidentified: f64,
    /// Right guesses on average, among the targets.
    #[serde(serialize_with = "whole_where_possible")]
    pub expected: f64,
    /// Targets whose own released record alone is nearest.
    pub certain: usize,
    /// Targets.
    pub of: usize,
    /// Proven: no weights on this scale that tell records apart reach more of what was maximized.
    /// `file.upper_bound_rate` covers who ignores attributes and guesses, too.
    #[serde(serialize_with = "whole_where_possible")]
    pub upper_bound: f64,
    /// True when both are equal.
    pub proven_optimal: bool,
    /// `reidentified` as a share of the targets.
    pub rate: f64,
    /// `upper_bound` as a share of the targets.
    pub upper_bound_rate: f64,
    /// The same weights on the whole file.
    pub file: FileCount,
    /// Every scale that was solved.
    pub scales: Vec<ScaleRecord>,
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
    /// Records that all positive weights re-identify; not known where inequalities were generated.
    pub always_reidentified: Option<usize>,
    /// Whether the solver saw all inequalities or generated them.
    pub rows: RowSet,
    /// Rounds of row generation.
    pub rounds: usize,
    /// Why the solver stopped.
    pub stop_reason: StopReason,
    /// The weights the proof speaks of.
    pub scope: ProofScope,
}

/// The worst case on one scale.
#[derive(Debug, Clone, Serialize)]
pub struct ScaleRecord {
    /// own, original or none.
    pub scale: String,
    /// How suppressed and missing cells are read.
    pub reading: SuppressedReading,
    /// What the best weights reach, and what no weights exceed.
    #[serde(flatten)]
    pub bounds: Bounds,
    /// Right guesses on average.
    #[serde(serialize_with = "whole_where_possible")]
    pub expected: f64,
    /// Targets whose own released record alone is nearest.
    pub certain: usize,
    /// The same weights on the whole file.
    pub file: FileCount,
    /// Why the solver stopped.
    pub stop_reason: StopReason,
}

impl ScaleRecord {
    fn new(solved: &ScaledWorstCase) -> Self {
        Self {
            scale: solved.standardization.name().into(),
            reading: solved.reading,
            bounds: Bounds::of(&solved.found),
            expected: solved.found.expected(),
            certain: solved.found.certain(),
            file: solved.on_file,
            stop_reason: solved.found.outcome.stop_reason(),
        }
    }
}

impl WorstCaseRecord {
    /// The record of `strongest`, one of `all`; `attributes` name the weights.
    pub(super) fn new(
        strongest: &ScaledWorstCase,
        all: &[ScaledWorstCase],
        aggregation: Aggregation,
        attributes: &[String],
    ) -> Self {
        let found = &strongest.found;
        let (outcome, bounds) = (&found.outcome, Bounds::of(found));
        let names = aggregation.weight_names(attributes);
        let weights = names.into_iter().zip(outcome.weights().iter().map(|w| Value::from(*w)));
        let reductions = outcome.reductions();
        Self {
            solver: outcome.solver(),
            aggregation,
            scale: strongest.standardization.name().into(),
            reading: strongest.reading,
            count: found.count,
            reidentified: bounds.reidentified,
            expected: found.expected(),
            certain: found.certain(),
            of: found.records(),
            upper_bound: bounds.upper_bound,
            proven_optimal: bounds.proven_optimal,
            rate: bounds.rate,
            upper_bound_rate: bounds.upper_bound_rate,
            file: strongest.on_file,
            scales: all.iter().map(ScaleRecord::new).collect(),
            weights: weights.collect(),
            margin: outcome.margin(),
            nodes: outcome.nodes(),
            seconds: outcome.elapsed().as_secs_f64(),
            rows_full: found.rows_full,
            rows_reduced: reductions.rows_reduced,
            never_reidentified: reductions.blocks_dead,
            always_reidentified: (found.rounds == 0).then_some(reductions.blocks_always_satisfied),
            rows: if found.rounds == 0 { RowSet::All } else { RowSet::Generated },
            rounds: found.rounds,
            stop_reason: outcome.stop_reason(),
            scope: outcome.scope(),
        }
    }

    /// The ladder's last rung, on the whole file; `equal` is the rate of equal weights.
    pub fn attack_row(&self, equal: Option<f64>) -> AttackRow {
        let row = self.file.attack_row("worst case", self.count, self.seconds);
        AttackRow { gain: equal.map(|equal| row.rate - equal), ..row }
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
    /// True when the threshold is exceeded, by any of the releases.
    pub fn exceeded(&self) -> bool {
        self.verdict.kept == Some(false) || self.releases.iter().any(|r| r.exceeded == Some(true))
    }

    /// All attacks, the worst case last.
    pub fn ladder(&self) -> Vec<AttackRow> {
        let equal = self.attacks.iter().find(|a| a.attack == "dbrl1").map(|a| a.rate);
        let mut ladder = self.attacks.clone();
        ladder.push(self.worst_case.attack_row(equal));
        ladder
    }

    /// Attacks that the bound does not cover.
    pub fn notes(&self) -> Vec<String> {
        let more = |a: &&AttackRow| self.verdict.unbounded.contains(&a.attack);
        let uncovered = self.attacks.iter().filter(more).map(|a| {
            format!(
                "The bound of the worst case speaks of who takes the nearest record under some \
                 weights; it does not cover {}.",
                a.attack
            )
        });
        let supposed = self.supposed.iter().map(Supposed::sentence);
        uncovered.chain(attack_notes(&self.attacks)).chain(supposed).collect()
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
        StopReason::Unresolved => "weights that tie",
    }
}
