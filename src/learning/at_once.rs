//! An interval for the worst case where there is no time for a search.

use super::{Learner, PairRows, WorstCase};
use crate::error::Result;
use crate::linkage::Release;
use std::time::{Duration, Instant};
use unmask_solvers::{Exact, Limits, Relaxations, Solver, StopReason};

/// What the search may take in all.
const NODES: u64 = 1;
const TIME: Duration = Duration::from_millis(100);

/// Weights at hand, counted on all inequalities of `release`, and a true upper bound, by the least
/// work: each record is compared with one rival before the weights are chosen.
///
/// Nobody can interrupt it; `stop` is why no more is done. The limits and the solver of `learner` are
/// not asked, and nothing is certified. Cost: three searches of a box tree for each record.
pub fn interval_at_once<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    learner: &Learner<'_>,
    stop: StopReason,
) -> Result<WorstCase> {
    let started = Instant::now();
    let rows = PairRows::new(release, names, learner.standardization, learner.aggregation)?
        .counting(learner.count);
    let rivals = rows.rivals(&vec![1.0; rows.dimension()], &())?;
    let others: Vec<Vec<u32>> =
        rivals.into_iter().map(|rival| rival.into_iter().collect()).collect();
    let problem = rows.problem_of(&others, &())?;
    let threads = learner.limits.threads;
    let limits = Limits { time: Some(TIME), nodes: Some(NODES), threads };
    let outcome = Exact::default().solve(&problem, &limits, &())?;
    let told_apart = rows.told_apart(outcome.weights(), &())?;
    let mut relaxations = Relaxations::new(rows.blocks());
    relaxations.add(outcome, 0)?;
    let counted = rows.counted(&told_apart)?;
    let outcome = relaxations.conclude(&problem, &counted, Some(stop), started.elapsed())?;
    WorstCase::counted(&rows, outcome, 1, problem, told_apart, &())
}
