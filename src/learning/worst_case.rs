//! Solving the worst case of a release.

use super::certificate::{Certificates, Proof};
use super::{Aggregation, Count, Gains, PairRows, count, generation};
use crate::distance::Standardization;
use crate::error::{Error, Result};
use crate::linkage::Release;
use crate::listener::Listener;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use unmask_solvers::{
    BlockProblem, Exact, Heuristic, Limits, Relaxations, SolveOutcome, Solver, StopReason,
    weight_ranges_until,
};
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
    /// All up to nine million, 3,000 records looked for in as many; generated above
    #[default]
    Auto,
    /// All of them
    All,
    /// Those that turn out to matter, round by round; for large files
    Generated,
}

/// Inequalities up to which [`RowSet::Auto`] holds them all.
const ALL_ROWS_UP_TO: usize = 9_000_000;

/// How the worst case is learned. The default is the exact search on each file's own z-scores.
#[derive(Debug, Clone, Default)]
pub struct Learner<'a> {
    /// What numeric values are divided by.
    pub standardization: Standardization<'a>,
    /// What the weights belong to.
    pub aggregation: Aggregation,
    /// What the weights maximize.
    pub count: Count,
    /// Who looks for them.
    pub solver: SolverChoice,
    /// Which inequalities it sees.
    pub rows: RowSet,
    /// When to stop short of a proof.
    pub limits: Limits,
    /// Where what is proven is written down; nowhere without.
    pub certificates: Option<&'a Certificates>,
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
    /// What was maximized.
    pub count: Count,
    /// For each record whether the weights tell it and its twins apart from all others.
    pub told_apart: Vec<bool>,
    /// The number of released records that no weights tell apart from each record's own, that
    /// one included.
    pub twins: Vec<u32>,
    /// What the solver summed.
    pub gains: Gains,
    /// The problem the solver saw; with generated rows only those.
    pub problem: BlockProblem,
}

/// Sums closer than this are equal: gains are rounded where they have no common multiple.
const SAME: f64 = 1e-3;

impl WorstCase {
    /// Records attacked.
    pub fn records(&self) -> usize {
        self.told_apart.len()
    }

    /// For each record whether the weights re-identify it for certain.
    pub fn reidentified(&self) -> Vec<bool> {
        self.told_apart.iter().zip(&self.twins).map(|(told, twins)| *told && *twins == 1).collect()
    }

    /// The records that what was maximized counts.
    fn counted_records(&self) -> Vec<bool> {
        match self.count {
            Count::Expected => self.told_apart.clone(),
            Count::Certain => self.reidentified(),
        }
    }

    /// Records that the weights re-identify for certain: their own released record alone is
    /// nearest.
    pub fn certain(&self) -> usize {
        self.reidentified().into_iter().filter(|r| *r).count()
    }

    /// Records that are guessed right on average: one that is told apart with its twins counts
    /// 1 / their number.
    pub fn expected(&self) -> f64 {
        count::expected(&self.told_apart, &self.twins)
    }

    /// What was maximized, reached by the weights.
    pub fn found(&self) -> f64 {
        match self.count {
            Count::Expected => self.expected(),
            Count::Certain => self.certain() as f64,
        }
    }

    /// No weights reach more than this of what was maximized.
    pub fn upper_bound(&self) -> f64 {
        self.gains.records(self.outcome.gain_upper_bound()).max(self.found())
    }

    /// True when no weights reach more, to a thousandth of a record.
    pub fn proven_optimal(&self) -> bool {
        self.outcome.proven_optimal() && self.upper_bound() - self.found() < SAME
    }

    /// How far each weight can move while the same records stay re-identified: its
    /// least and greatest value, in the order of the weights.
    ///
    /// Other records may be re-identified by as many weights elsewhere; those are not
    /// looked for. With generated rows the ranges may be too wide.
    pub fn weight_ranges(&self) -> Result<Vec<[f64; 2]>> {
        Ok(self.weight_ranges_until(&())?.unwrap_or_default())
    }

    /// The same; none when `listener` interrupts.
    pub fn weight_ranges_until(&self, listener: &dyn Listener) -> Result<Option<Vec<[f64; 2]>>> {
        let counted = self.counted_records();
        let kept: Vec<usize> = (0..counted.len()).filter(|&i| counted[i]).collect();
        let (weights, scope) = (self.outcome.weights(), self.outcome.scope());
        Ok(weight_ranges_until(&self.problem, &kept, weights, scope, listener)?)
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
    let rows = PairRows::new(release, names, learner.standardization, learner.aggregation)?
        .counting(learner.count);
    if learner.certificates.is_some() {
        Certificates::check_size(rows.rows_full())?;
    }
    if learner.generates(rows.rows_full()) {
        return generation::solve(&rows, learner, listener);
    }
    let mut proof = learner.proof()?;
    let problem = rows.problem(listener)?;
    let outcome = learner.solve(&problem, &learner.limits, proof.as_mut(), listener)?;
    let told_apart = rows.told_apart(outcome.weights(), &())?;
    let outcome = recounted(&rows, &problem, outcome, &told_apart)?;
    if let Some(proof) = proof {
        proof.add(&rows, learner, &problem, &outcome)?;
    }
    WorstCase::counted(&rows, outcome, 0, problem, told_apart, &())
}

/// The outcome with the count on all inequalities.
///
/// Of rows that differ by no more than rounding one is kept in the problem, so that the count there
/// may be above the exact one; bounds are not. Fails when it is below: a defect of ours.
fn recounted(
    rows: &PairRows<'_>,
    problem: &BlockProblem,
    outcome: SolveOutcome,
    told_apart: &[bool],
) -> Result<SolveOutcome> {
    let counted = rows.counted(told_apart)?;
    if counted.iter().filter(|counts| **counts).count() == outcome.satisfied_blocks() {
        return Ok(outcome);
    }
    let elapsed = outcome.elapsed();
    let stop = match outcome.stop_reason() {
        StopReason::Optimal => StopReason::Unresolved,
        other => other,
    };
    let mut relaxations = Relaxations::new(rows.blocks());
    relaxations.add(outcome, 0)?;
    Ok(relaxations.conclude(problem, &counted, Some(stop), elapsed)?)
}

impl WorstCase {
    /// The weights of `outcome`, which tell `told_apart` apart from all other records.
    pub(super) fn counted(
        rows: &PairRows<'_>,
        outcome: SolveOutcome,
        rounds: usize,
        problem: BlockProblem,
        told_apart: Vec<bool>,
        listener: &dyn Listener,
    ) -> Result<Self> {
        Ok(Self {
            rows_full: rows.rows_full(),
            rounds,
            count: rows.count(),
            told_apart,
            twins: rows.twins(listener)?.to_vec(),
            gains: rows.gains(listener)?,
            outcome,
            problem,
        })
    }
}

impl Learner<'_> {
    /// The settings by name, for whoever wants to learn the same again.
    pub fn settings(&self) -> Value {
        json!({
            "standardization": self.standardization.name(),
            "aggregation": self.aggregation,
            "count": self.count,
            "solver": self.solver,
            "time_limit_seconds": self.limits.time.map(|t| t.as_secs_f64()),
            "node_limit": self.limits.nodes,
            "rows": self.rows,
        })
    }

    /// The proof to be written.
    pub(super) fn proof(&self) -> Result<Option<Proof<'_>>> {
        let Some(proof) = self.certificates.and_then(Certificates::begin) else { return Ok(None) };
        Certificates::check(self).map(|()| Some(proof))
    }

    /// Solves a problem, and writes its proof if there is one to be written.
    pub(super) fn solve(
        &self,
        problem: &BlockProblem,
        limits: &Limits,
        proof: Option<&mut Proof<'_>>,
        listener: &dyn Listener,
    ) -> Result<SolveOutcome> {
        let solved = match proof {
            None => self.solver.solver().solve(problem, limits, listener),
            Some(proof) => {
                let written = &mut proof.written;
                Exact::default().solve_with_proof(problem, limits, listener, written)
            }
        };
        Ok(solved?)
    }

    fn generates(&self, rows: usize) -> bool {
        match self.rows {
            RowSet::Auto => rows > ALL_ROWS_UP_TO && self.solver == SolverChoice::Exact,
            RowSet::All => false,
            RowSet::Generated => true,
        }
    }
}
