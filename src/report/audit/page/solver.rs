//! How sure the result is, and how to make it again.

use crate::audit::{AuditRecord, ScaleRecord, stop_words};
use crate::learning::{Count, RowSet};
use crate::report::document::DocumentSection;
use crate::words::count;
use unmask_solvers::ProofScope;

impl AuditRecord {
    pub(super) fn solver_section(&self) -> DocumentSection {
        let worst = &self.worst_case;
        let line = format!(
            "Solver {}: {} nodes, {:.2} s; {} of {} inequalities left after reduction. No weights \
             re-identify {} of the targets{}.",
            worst.solver,
            worst.nodes,
            worst.seconds,
            worst.rows_reduced,
            worst.rows_full,
            worst.never_reidentified,
            worst
                .always_reidentified
                .map_or(String::new(), |always| format!(", all weights {always}"))
        );
        DocumentSection::new("proof", "How sure this is").text(line).facts(self.solver_facts())
    }

    fn solver_facts(&self) -> Vec<(&'static str, String)> {
        let worst = &self.worst_case;
        let proof = match worst.proven_optimal {
            true => "proven optimal".to_owned(),
            false => format!(
                "between {} and {} of {}; stopped at its {}",
                count(worst.reidentified),
                count(worst.upper_bound),
                worst.of,
                stop_words(worst.stop_reason)
            ),
        };
        let rows = match worst.rows {
            RowSet::Generated => format!("generated in {} rounds", worst.rounds),
            _ => "all".to_owned(),
        };
        let covered = match worst.count {
            Count::Expected => {
                "all weights, zeros and guesses among records that become equal included; not guesses \
                 among records whose unequal distances happen to sum to the same"
            }
            Count::Certain => "all weights",
        };
        let margin = worst.margin.map_or_else(|| "not measured".to_owned(), |m| format!("{m:.3e}"));
        vec![
            ("Solver", worst.solver.to_owned()),
            ("Worst case", proof),
            ("Nodes searched", worst.nodes.to_string()),
            ("Seconds", format!("{:.2}", worst.seconds)),
            (
                "Inequalities",
                format!("{} before reduction, {} after", worst.rows_full, worst.rows_reduced),
            ),
            ("Inequalities seen", rows),
            ("The bound holds for", scope_words(worst.scope)),
            ("Smallest margin found", margin),
            ("What the bound covers", covered.to_owned()),
            ("What was maximized", self.count_words().to_owned()),
            ("Scales", self.scale_words()),
        ]
    }

    fn count_words(&self) -> &'static str {
        match self.worst_case.count {
            Count::Expected => {
                "right guesses on average: a person told apart with twins, released records that \
                 no weights tell apart, counts one over their number"
            }
            Count::Certain => "people whose own released record alone is nearest",
        }
    }

    /// What was found and proven on each scale.
    fn scale_words(&self) -> String {
        let words = |scale: &ScaleRecord| {
            let bounds = &scale.bounds;
            format!(
                "{}: {} found, at most {}",
                scale.scale,
                count(bounds.reidentified),
                count(bounds.upper_bound)
            )
        };
        self.worst_case.scales.iter().map(words).collect::<Vec<_>>().join("; ")
    }

    pub(super) fn reproduction_section(&self) -> DocumentSection {
        self.reproduction.section()
    }
}

/// The weights and inequalities that the proof speaks of.
fn scope_words(scope: ProofScope) -> String {
    if scope == ProofScope::default() {
        return "all weights of at least 0; inequalities by their exact signs".to_owned();
    }
    format!(
        "weights of at least {:e} of the largest; inequalities that hold by {:e} relative and {:e} \
         absolute",
        scope.weight_floor, scope.relative_margin, scope.absolute_margin
    )
}
