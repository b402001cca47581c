//! One run of one cell: protect, draw, attack.

use super::LinkageExperiment;
use super::record::{AttackCounts, HeldOutCounts, WorstCaseRun};
use crate::disclosure::{Attempt, AttemptOptions, Disclosed};
use crate::distance::Standardization;
use crate::error::Result;
use crate::experiment::specification::ProtectionCell;
use crate::learning::{Aggregation, Count, HeldOut, Learner, RowSet, worst_case};
use crate::linkage::{Attack, Release, TieRule};
use sha2::{Digest, Sha256};
use unmask_solvers::Limits;

/// Runs run `run` (from 1) of `cell`.
///
/// The whole file is protected, anew for every run, so that random protections
/// differ from run to run; then records are drawn, and both files standardized
/// by what was drawn. Everything happens on one thread: the caller runs several
/// jobs at once.
pub(super) fn run_job(
    experiment: &LinkageExperiment,
    cell: &ProtectionCell,
    run: usize,
) -> Result<AttackCounts> {
    let seed = job_seed(experiment.sample.seed, &cell.name, run);
    let (release, other) = draw(experiment, cell, seed)?;
    let names = &experiment.known;
    let count = |attack: &Attack| -> Result<usize> {
        Ok(attack.link(&release, names, &())?.reidentified(TieRule::Miss) as usize)
    };
    let single = |attribute: &String| count(&Attack::Single { attribute: attribute.clone() });
    let further = |attempt: &Attempt| -> Result<(String, Disclosed)> {
        let (row, _) = attempt.run(&release, names, AttemptOptions::default(), &())?;
        Ok((attempt.name(), Disclosed { disclosed: row.reidentified as usize, of: row.of }))
    };
    let attributes = if experiment.attacks.single { names.as_slice() } else { &[] };
    let worst_case = match experiment.attacks.worst_case {
        true => Some(learn(experiment, &release)?),
        false => None,
    };
    let held_out = match other {
        Some(other) => Some(test(experiment, &other, worst_case.as_ref())?),
        None => None,
    };
    Ok(AttackCounts {
        seed,
        records: release.records(),
        dbrl1: count(&Attack::Dbrl1)?,
        worst_case,
        single: attributes.iter().map(single).collect::<Result<_>>()?,
        further: experiment.attacks.further.iter().map(further).collect::<Result<_>>()?,
        held_out,
    })
}

/// The seed of a run: from (seed, cell, run) alone, so that it stays the same when
/// other cells come and go. 52 bits, which every program reads without rounding.
pub fn job_seed(seed: u64, cell: &str, run: usize) -> u64 {
    let digest = Sha256::digest(format!("{seed}\n{cell}\n{run}"));
    digest.iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte)) >> 12
}

/// All that the record of a job depends on: jobs with the same key are run once.
pub(super) fn job_key(experiment: &LinkageExperiment, cell: &ProtectionCell, run: usize) -> String {
    let sample = experiment.sample;
    format!(
        "{} {} {:?} {} {:?} {} {} {:?} {:?} {:?} {} {run}",
        experiment.data_sha256,
        cell.source.key(),
        experiment.known,
        sample.records,
        sample.held_out,
        sample.seed,
        experiment.data.records(),
        experiment.attacks,
        experiment.solver,
        experiment.nodes,
        cell.name,
    )
}

/// The sample, and the records held out.
fn draw(
    experiment: &LinkageExperiment,
    cell: &ProtectionCell,
    seed: u64,
) -> Result<(Release, Option<Release>)> {
    let whole = cell.source.release(&experiment.data, seed)?;
    // Another seed: the draws must not hang together with the protection's.
    let seed = seed + 1;
    match experiment.sample.held_out {
        None => Ok((whole.sample(experiment.sample.records, seed)?, None)),
        Some(other) => {
            let (first, second) = whole.split(Some(experiment.sample.records), other, seed)?;
            Ok((first, Some(second)))
        }
    }
}

fn learn(experiment: &LinkageExperiment, release: &Release) -> Result<WorstCaseRun> {
    let learner = Learner {
        standardization: Standardization::Own,
        aggregation: Aggregation::WeightedMean,
        count: Count::Certain,
        solver: experiment.solver,
        rows: RowSet::Auto,
        limits: Limits { time: None, nodes: experiment.nodes, threads: Some(1) },
        certificates: None,
    };
    let found = worst_case(release, &experiment.known, &learner, &())?;
    Ok(WorstCaseRun {
        reidentified: found.certain(),
        upper_bound: found.upper_bound() as usize,
        proven: found.outcome.proven_optimal(),
        nodes: found.outcome.nodes(),
        seconds: found.outcome.elapsed().as_secs_f64(),
        weights: found.outcome.weights().to_vec(),
    })
}

fn test(
    experiment: &LinkageExperiment,
    other: &Release,
    found: Option<&WorstCaseRun>,
) -> Result<HeldOutCounts> {
    let equal = vec![1.0; experiment.known.len()];
    let weights = found.map_or(&equal, |found| &found.weights);
    let (own, mean) = (Standardization::Own, Aggregation::WeightedMean);
    let tested = HeldOut::test(other, &experiment.known, own, mean, weights)?;
    Ok(HeldOutCounts {
        records: tested.records,
        dbrl1: tested.dbrl1,
        worst_case: found.map(|_| tested.worst_case_weights),
    })
}
