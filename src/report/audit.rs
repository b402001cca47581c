//! The record of an audit: the ladder of attacks and the worst case.

use super::{AttackRow, attack_table};
use crate::learning::{Aggregation, HeldOut, RowSet, WorstCase};
use crate::table::Table;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;
use unmask_solvers::{ProofScope, StopReason};

/// Everything an audit found; what JSON shows and the text is made from.
#[derive(Debug, Clone, Serialize)]
pub struct AuditRecord {
    /// Original records attacked.
    pub records: usize,
    /// Released records among which the attacker looks.
    pub released_records: usize,
    /// Attributes the attacker knows.
    pub attributes: Vec<String>,
    /// How values were standardised: own, original or none.
    pub standardisation: String,
    /// The ladder of attacks that learn nothing.
    pub attacks: Vec<AttackRow>,
    /// Attacks that the data do not allow, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The worst case over all weights.
    pub worst_case: WorstCaseRecord,
    /// The learned weights on other records, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
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
        let weights = names.into_iter().zip(outcome.weights.iter().map(|w| Value::from(*w)));
        Self {
            solver: outcome.solver,
            aggregation,
            reidentified: found.count(),
            upper_bound: found.upper_bound(),
            proven_optimal: outcome.proven_optimal(),
            rate: found.count() as f64 / records,
            upper_bound_rate: found.upper_bound() as f64 / records,
            weights: weights.collect(),
            margin: outcome.margin,
            nodes: outcome.nodes,
            seconds: outcome.elapsed.as_secs_f64(),
            rows_full: found.rows_full,
            rows_reduced: outcome.reductions.rows_reduced,
            never_reidentified: outcome.reductions.blocks_dead,
            always_reidentified: outcome.reductions.blocks_always_satisfied,
            rows: if found.rounds == 0 { RowSet::All } else { RowSet::Generated },
            rounds: found.rounds,
            stop_reason: outcome.stop_reason,
            scope: outcome.scope,
        }
    }

    /// The ladder's last rung.
    fn attack_row(&self, records: usize) -> AttackRow {
        AttackRow {
            attack: "worst case".into(),
            reidentified: self.reidentified as f64,
            of: records,
            rate: self.rate,
            seconds: self.seconds,
            ..AttackRow::default()
        }
    }

    fn weight_table(&self) -> Table {
        let mut table = Table::new(["attribute", "weight"]);
        for (name, weight) in &self.weights {
            table.row([name.clone(), format!("{:.6}", weight.as_f64().unwrap_or(f64::NAN))]);
        }
        table
    }
}

impl AuditRecord {
    /// One sentence: what the worst case is, and whether that is proven.
    pub fn verdict(&self) -> String {
        let worst = &self.worst_case;
        let percent = |rate: f64| format!("{:.2}%", 100.0 * rate);
        let found = format!(
            "With the best weights found, an attacker who holds the original values of these {} \
             attributes re-identifies {} of {} records ({}).",
            self.attributes.len(),
            worst.reidentified,
            self.records,
            percent(worst.rate)
        );
        let proof = match worst.proven_optimal {
            true => "Proven: no weights re-identify more.".to_owned(),
            false if worst.upper_bound < self.records => format!(
                "Proven: no weights re-identify more than {} ({}); the search stopped at its {}.",
                worst.upper_bound,
                percent(worst.upper_bound_rate),
                stop_words(worst.stop_reason)
            ),
            false => "Nothing is proven about other weights.".to_owned(),
        };
        format!("{found} {proof}")
    }

    /// Attacks that the bound does not cover, and attacks that were left out.
    fn notes(&self) -> Vec<String> {
        let more = |a: &&AttackRow| a.reidentified > self.worst_case.reidentified as f64;
        let uncovered = self.attacks.iter().filter(more).map(|a| {
            format!(
                "{} re-identifies more: it does not link each record to its nearest, so the bound \
                 does not cover it.",
                a.attack
            )
        });
        uncovered.chain(self.left_out.iter().map(|reason| format!("Left out: {reason}"))).collect()
    }
}

fn stop_words(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Optimal => "optimum",
        StopReason::TimeLimit => "time limit",
        StopReason::NodeLimit => "node limit",
        StopReason::Interrupted => "interruption",
        StopReason::Heuristic => "local optimum",
    }
}

impl fmt::Display for AuditRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ladder = self.attacks.clone();
        ladder.push(self.worst_case.attack_row(self.records));
        writeln!(f, "{}\n", self.verdict())?;
        writeln!(f, "{}\n", attack_table(&ladder))?;
        let worst = &self.worst_case;
        for note in self.notes() {
            writeln!(f, "{note}\n")?;
        }
        writeln!(f, "{}\n", worst.weight_table())?;
        write!(
            f,
            "Solver {}: {} nodes, {:.2} s; {} of {} inequalities left after reduction. No weights \
             re-identify {} of the records, all weights {}.",
            worst.solver,
            worst.nodes,
            worst.seconds,
            worst.rows_reduced,
            worst.rows_full,
            worst.never_reidentified,
            worst.always_reidentified
        )?;
        if let Some(held_out) = &self.held_out {
            write!(
                f,
                "\nOn {} other records the same weights re-identify {} ({:.2}%), equal weights {} ({:.2}%).",
                held_out.records,
                held_out.worst_case_weights,
                100.0 * held_out.worst_case_weights_rate,
                held_out.dbrl1,
                100.0 * held_out.dbrl1_rate
            )?;
        }
        Ok(())
    }
}
