//! An interval for the worst case where there is no time for a search.

use super::{Learner, PairRows, WorstCase};
use crate::error::Result;
use crate::linkage::Release;
use std::time::Instant;
use unmask_solvers::{Given, Limits, Relaxations, Solver, StopReason};

/// Equal weights, counted on all inequalities of `release`, and the bound that no search is needed
/// for: records count that a rival does not exclude.
///
/// Nobody can interrupt it; `stop` is why no more is done. Cost: two searches of a box tree for each
/// record.
pub fn interval_at_once<S: AsRef<str>>(
    release: &Release,
    names: &[S],
    learner: &Learner<'_>,
    stop: StopReason,
) -> Result<WorstCase> {
    let started = Instant::now();
    let rows = PairRows::new(release, names, learner.standardization, learner.aggregation)?
        .counting(learner.count);
    let equal = Given(vec![1.0; rows.dimension()]);
    let rivals = rows.rivals(&equal.0, &())?;
    let told_apart: Vec<bool> = rivals.iter().map(Option::is_none).collect();
    let others: Vec<Vec<u32>> =
        rivals.into_iter().map(|rival| rival.into_iter().collect()).collect();
    let problem = rows.problem_of(&others, &())?;
    let outcome = equal.solve(&problem, &Limits::default(), &())?;
    let mut relaxations = Relaxations::new(rows.blocks());
    relaxations.add(outcome, 0)?;
    let counted = rows.counted(&told_apart)?;
    let outcome = relaxations.conclude(&problem, &counted, Some(stop), started.elapsed())?;
    WorstCase::counted(&rows, outcome, 1, problem, told_apart, &())
}
