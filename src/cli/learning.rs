//! How the worst case is looked for: the flags of commands that solve it.

use clap::Args;
use std::time::Duration;
use unmask::audit::Scales;
use unmask::distance::Standardization;
use unmask::learning::{Aggregation, Count, Learner, RowSet, SolverChoice};
use unmask_solvers::Limits;

/// Looking for the worst case.
#[derive(Args)]
pub struct Learning {
    /// The scale on which numeric values are compared
    #[arg(long, value_enum, default_value_t = Scales::Both)]
    pub standardize: Scales,

    /// What the learned weights belong to
    #[arg(long, value_enum, default_value_t = Aggregation::WeightedMean)]
    pub aggregation: Aggregation,

    /// What the learned weights maximize
    #[arg(long, value_enum, default_value_t = Count::Expected)]
    pub count: Count,

    /// Who looks for the weights
    #[arg(long, value_enum, default_value_t = SolverChoice::Exact)]
    pub solver: SolverChoice,

    /// Stop after this time with what is found and proven by then: 60s, 5m, 1h, none
    /// [default: 60s for an audit, else none]
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    time_limit: Option<TimeLimit>,

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
            standardization: Standardization::Own,
            aggregation: self.aggregation,
            count: self.count,
            solver: self.solver,
            rows: self.rows,
            limits: Limits {
                time: None,
                nodes: self.nodes,
                threads: (threads > 0).then_some(threads),
            },
            certificates: None,
        }
    }
}

impl Learning {
    /// The time given, or else `otherwise`; none is no limit.
    pub fn time(&self, otherwise: Option<Duration>) -> Option<Duration> {
        self.time_limit.map_or(otherwise, |given| given.0)
    }
}

/// A time, or none.
#[derive(Clone, Copy)]
struct TimeLimit(Option<Duration>);

fn time_limit(text: &str) -> std::result::Result<TimeLimit, String> {
    match text {
        "none" => Ok(TimeLimit(None)),
        text => duration(text).map(Some).map(TimeLimit),
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
