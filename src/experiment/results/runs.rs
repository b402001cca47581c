//! Every run, one line each: what was found, and, apart, how long it took.

use crate::experiment::{RunRecord, StudyRuns};
use crate::table::Table;

/// `runs.csv`: what each run found.
pub(super) fn runs_csv(study: &StudyRuns<'_>) -> String {
    let specification = study.specification;
    let known = &specification.known;
    let mut header: Vec<String> =
        ["cell", "run", "seed", "records", "dbrl1"].map(String::from).to_vec();
    if specification.attacks.worst_case {
        header.extend(["worst_case", "bound", "proven"].map(String::from));
        header.extend(known.iter().map(|name| format!("weight_{name}")));
    }
    if specification.attacks.single {
        header.extend(known.iter().map(|name| format!("single_{name}")));
    }
    if specification.sample.held_out.is_some() {
        header.extend(["held_out", "held_out_dbrl1", "held_out_worst_case"].map(String::from));
    }
    Table::new(header).with_rows(study.records.iter().map(run)).csv()
}

fn run(record: &RunRecord) -> Vec<String> {
    let mut fields = vec![
        record.cell.clone(),
        record.run.to_string(),
        record.seed.to_string(),
        record.records.to_string(),
        record.dbrl1.to_string(),
    ];
    if let Some(worst) = &record.worst_case {
        fields.extend([worst.reidentified, worst.upper_bound].map(|n| n.to_string()));
        fields.push(if worst.proven { "yes".into() } else { "no".into() });
        fields.extend(worst.weights.iter().map(f64::to_string));
    }
    fields.extend(record.single.iter().map(usize::to_string));
    if let Some(held_out) = &record.held_out {
        fields.extend([held_out.records, held_out.dbrl1].map(|n| n.to_string()));
        fields.push(held_out.worst_case.map(|n| n.to_string()).unwrap_or_default());
    }
    fields
}

/// `timing.csv`: seconds on one core, for the solver and for the whole run.
pub(super) fn timing_csv(study: &StudyRuns<'_>) -> String {
    let header = ["cell", "run", "unlinked", "nodes", "solver_seconds", "run_seconds"];
    let line = |record: &RunRecord| {
        let worst = record.worst_case.as_ref();
        let number = |value: Option<String>| value.unwrap_or_default();
        vec![
            record.cell.clone(),
            record.run.to_string(),
            number(worst.map(|w| (record.records - w.reidentified).to_string())),
            number(worst.map(|w| w.nodes.to_string())),
            number(worst.map(|w| format!("{:.4}", w.seconds))),
            format!("{:.4}", record.seconds),
        ]
    };
    Table::new(header).with_rows(study.records.iter().map(line)).csv()
}
