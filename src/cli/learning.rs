//! How the worst case is looked for: the flags of commands that solve it.

use super::release::Distance;
use clap::Args;
use std::time::Duration;
use unmask::learning::{Learner, RowSet, SolverChoice};
use unmask_solvers::Limits;

/// Looking for the worst case.
#[derive(Args)]
pub struct Learning {
    #[command(flatten)]
    pub distance: Distance,

    /// Who looks for the weights
    #[arg(long, value_enum, default_value_t = SolverChoice::Exact)]
    pub solver: SolverChoice,

    /// Stop after this time with a proven interval: 60s, 5m, 1h [default: none]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// Stop after this many nodes of the search [default: none]
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,

    /// Which inequalities the solver sees
    #[arg(long, value_enum, default_value_t = RowSet::Auto)]
    pub rows: RowSet,
}

impl Learning {
    /// As the library knows it.
    pub fn learner(&self, threads: usize) -> Learner<'static> {
        Learner {
            standardization: self.distance.standardize.standardization(),
            aggregation: self.distance.aggregation,
            solver: self.solver,
            rows: self.rows,
            limits: Limits {
                time: self.time_limit,
                nodes: self.nodes,
                threads: (threads > 0).then_some(threads),
            },
        }
    }
}

/// `90`, `90s`, `1.5m`, `2h` or `500ms`.
fn duration(text: &str) -> std::result::Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("{other:?} is no unit of time; use ms, s, m or h")),
    };
    let number: f64 = digits.parse().map_err(|_| format!("{digits:?} is not a number"))?;
    Duration::try_from_secs_f64(number * unit).map_err(|e| e.to_string())
}
