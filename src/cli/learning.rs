//! How the worst case is looked for: the flags of commands that solve it.

use super::release::Distance;
use super::terminal::Terminal;
use clap::Args;
use serde_json::{Value, json};
use std::time::Duration;
use unmask::error::Result;
use unmask::learning::{Learner, RowSet, SolverChoice, WorstCase, worst_case};
use unmask::linkage::Release;
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

    /// Solves, with a bar and an ear for Ctrl-C.
    pub fn solve(
        &self,
        release: &Release,
        attributes: &[String],
        threads: usize,
    ) -> Result<WorstCase> {
        worst_case(release, attributes, &self.learner(threads), &Terminal::new())
    }

    /// The settings, for the reproduction block.
    pub fn settings(&self) -> Value {
        json!({
            "standardization": self.distance.standardize.name(),
            "aggregation": self.distance.aggregation,
            "solver": self.solver,
            "time_limit_seconds": self.time_limit.map(|t| t.as_secs_f64()),
            "node_limit": self.nodes,
            "rows": self.rows,
        })
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

/// The members of several objects as one.
pub fn merged(objects: impl IntoIterator<Item = Value>) -> Value {
    let members = objects.into_iter().filter_map(|value| match value {
        Value::Object(members) => Some(members),
        _ => None,
    });
    Value::Object(members.flatten().collect())
}
