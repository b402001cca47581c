//! Every run, one line each: what was found, and, apart, how long it took.

use super::{LinkageExperiment, LinkageRun};
use crate::table::Table;

/// `runs.csv`: what each run found.
pub(super) fn runs_csv(experiment: &LinkageExperiment, runs: &[LinkageRun]) -> String {
    let known = &experiment.known;
    let mut header: Vec<String> =
        ["cell", "run", "seed", "records", "dbrl1"].map(String::from).to_vec();
    if experiment.attacks.worst_case {
        header.extend(["worst_case", "bound", "proven"].map(String::from));
        header.extend(known.iter().map(|name| format!("weight_{name}")));
    }
    if experiment.attacks.single {
        header.extend(known.iter().map(|name| format!("single_{name}")));
    }
    let further = experiment.attacks.further_names();
    header.extend(further.iter().map(|name| name.replace('-', "_")));
    if experiment.sample.held_out.is_some() {
        header.extend(["held_out", "held_out_dbrl1", "held_out_worst_case"].map(String::from));
    }
    Table::new(header).with_rows(runs.iter().map(|r| run(r, &further))).csv()
}

fn run(run: &LinkageRun, further: &[String]) -> Vec<String> {
    let found = &run.found;
    let mut fields = vec![
        run.cell.clone(),
        run.run.to_string(),
        found.seed.to_string(),
        found.records.to_string(),
        found.dbrl1.to_string(),
    ];
    if let Some(worst) = &found.worst_case {
        fields.extend([worst.reidentified, worst.upper_bound].map(|n| n.to_string()));
        fields.push(if worst.proven { "yes".into() } else { "no".into() });
        fields.extend(worst.weights.iter().map(f64::to_string));
    }
    fields.extend(found.single.iter().map(usize::to_string));
    let count = |name| found.further.get(name).map(|f| f.disclosed.to_string()).unwrap_or_default();
    fields.extend(further.iter().map(count));
    if let Some(held_out) = &found.held_out {
        fields.extend([held_out.records, held_out.dbrl1].map(|n| n.to_string()));
        fields.push(held_out.worst_case.map(|n| n.to_string()).unwrap_or_default());
    }
    fields
}

/// `timing.csv`: seconds on one core, for the solver and for the whole run.
pub(super) fn timing(runs: &[LinkageRun]) -> Table {
    let header = ["cell", "run", "unlinked", "nodes", "solver_seconds", "run_seconds"];
    let line = |run: &LinkageRun| {
        let worst = run.found.worst_case.as_ref();
        let number = |value: Option<String>| value.unwrap_or_default();
        vec![
            run.cell.clone(),
            run.run.to_string(),
            number(worst.map(|w| (run.found.records - w.reidentified).to_string())),
            number(worst.map(|w| w.nodes.to_string())),
            number(worst.map(|w| format!("{:.4}", w.seconds))),
            format!("{:.4}", run.seconds),
        ]
    };
    Table::new(header).with_rows(runs.iter().map(line))
}
