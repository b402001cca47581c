//! Solving the worst case of a release.

use super::{Aggregation, PairRows, generation};
use crate::distance::Standardization;
use crate::error::{Error, Result};
use crate::linkage::Release;
use crate::listener::Listener;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use unmask_solvers::{BlockProblem, Exact, Heuristic, Limits, SolveOutcome, Solver, weight_ranges};
#[cfg(feature = "milp")]
use unmask_solvers::{MilpGoodLp, MilpHighs};

/// Which solver looks for the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SolverChoice {
    /// Branch and bound over the weights: the fastest proof
    #[default]
    Exact,
    /// The published mixed-integer program, solved by HiGHS
    #[cfg(feature = "milp")]
    MilpHighs,
    /// The same program stated with good_lp, for cross-checking
    #[cfg(feature = "milp")]
    MilpGoodLp,
    /// Local search: a quick lower bound that proves nothing
    Heuristic,
}

impl SolverChoice {
    /// The solver itself, with its defaults.
    pub fn solver(self) -> Box<dyn Solver> {
        match self {
            Self::Exact => Box::new(Exact::default()),
            #[cfg(feature = "milp")]
            Self::MilpHighs => Box::new(MilpHighs::default()),
            #[cfg(feature = "milp")]
            Self::MilpGoodLp => Box::new(MilpGoodLp::default()),
            Self::Heuristic => Box::new(Heuristic::default()),
        }
    }
}

/// Which inequalities the solver sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum RowSet {
    /// All up to 3,000 records, generated above
    #[default]
    Auto,
    /// All of them
    All,
    /// Those that turn out to matter, round by round; for large files
    Generated,
}

/// Records up to which [`RowSet::Auto`] holds all inequalities.
const ALL_ROWS_UP_TO: usize = 3_000;

/// How the worst case is learned. The default is the exact search on each file's own z-scores.
#[derive(Debug, Clone, Default)]
pub struct Learner<'a> {
    /// What numeric values are divided by.
    pub standardization: Standardization<'a>,
    /// What the weights belong to.
    pub aggregation: Aggregation,
    /// Who looks for them.
    pub solver: SolverChoice,
    /// Which inequalities it sees.
    pub rows: RowSet,
    /// When to stop short of a proof.
    pub limits: Limits,
}

/// The worst case found, and what is proven about it.
#[derive(Debug, Clone)]
pub struct WorstCase {
    /// What the solver says; its counts are re-counted on all inequalities.
    pub outcome: SolveOutcome,
    /// Inequalities of the whole problem.
    pub rows_full: usize,
    /// Rounds of row generation; 0 when the solver saw all inequalities.
    pub rounds: usize,
    /// For each record whether the weights re-identify it.
    pub reidentified: Vec<bool>,
    /// The problem the solver saw; with generated rows only those.
    pub problem: BlockProblem,
}

impl WorstCase {
    /// Records re-identified by the weights.
    pub fn count(&self) -> usize {
        self.outcome.satisfied_blocks()
    }

    /// No weights re-identify more than this.
    pub fn upper_bound(&self) -> usize {
        self.outcome.gain_upper_bound() as usize
    }

    /// How far each weight can move while the same records stay re-identified: its
    /// least and greatest value, in the order of the weights.
    ///
    /// Other records may be re-identified by as many weights elsewhere; those are not
    /// looked for. With generated rows the ranges may be too wide.
    pub fn weight_ranges(&self) -> Result<Vec<[f64; 2]>> {
        let kept: Vec<usize> =
            (0..self.reidentified.len()).filter(|&i| self.reidentified[i]).collect();
        let (weights, scope) = (self.outcome.weights(), self.outcome.scope());
        Ok(weight_ranges(&self.problem, &kept, weights, scope)?)
    }
}

/// The weights on the attributes `names` that re-identify the most records of
/// `release`, as far as the limits allow, and the proven upper bound.
///
/// The count is made anew from the weights on all inequalities, with exact signs.
/// Fails on a heuristic with generated rows: rounds end when the optimum over the
/// rows so far is proven, and a heuristic proves nothing.
pub fn worst_case<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    learner: &Learner<'_>,
    listener: &dyn Listener,
) -> Result<WorstCase> {
    if learner.rows == RowSet::Generated && learner.solver == SolverChoice::Heuristic {
        let problem = "but rows are generated until an optimum is proven, and `solver` heuristic \
                       proves nothing; take `solver` exact, or `rows` all";
        return Err(Error::parameter("rows", "generated", problem));
    }
    let rows = PairRows::new(release, names, learner.standardization, learner.aggregation)?;
    if learner.generates(rows.blocks()) {
        return generation::solve(release, names, &rows, learner, listener);
    }
    let problem = rows.problem(listener)?;
    let outcome = learner.solver.solver().solve(&problem, &learner.limits, listener)?;
    let reidentified = rows.reidentified(outcome.weights());
    let counted = reidentified.iter().filter(|r| **r).count();
    if counted != outcome.satisfied_blocks() {
        return Err(Error::Internal(format!(
            "{} reports {} re-identified records, but its weights re-identify {counted}",
            outcome.solver(),
            outcome.satisfied_blocks()
        )));
    }
    Ok(WorstCase { outcome, rows_full: rows.rows_full(), rounds: 0, reidentified, problem })
}

impl Learner<'_> {
    /// The settings by name, for whoever wants to learn the same again.
    pub fn settings(&self) -> Value {
        json!({
            "standardization": self.standardization.name(),
            "aggregation": self.aggregation,
            "solver": self.solver,
            "time_limit_seconds": self.limits.time.map(|t| t.as_secs_f64()),
            "node_limit": self.limits.nodes,
            "rows": self.rows,
        })
    }

    fn generates(&self, records: usize) -> bool {
        match self.rows {
            RowSet::Auto => records > ALL_ROWS_UP_TO && self.solver == SolverChoice::Exact,
            RowSet::All => false,
            RowSet::Generated => true,
        }
    }
}
