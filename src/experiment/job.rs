//! One run of one cell: protect, draw, attack.

use super::cell::Cell;
use super::record::{HeldOutRecord, RunRecord, WorstCaseRun};
use super::specification::Specification;
use crate::distance::Standardization;
use crate::error::Result;
use crate::learning::{Aggregation, HeldOut, Learner, RowSet, worst_case};
use crate::linkage::{Attack, Release, TieRule};
use sha2::{Digest, Sha256};
use std::time::Instant;
use unmask_solvers::Limits;

/// Runs run `run` (from 1) of `cell`.
///
/// The whole file is protected, anew for every run, so that random protections
/// differ from run to run; then records are drawn, and both files standardized
/// by what was drawn. Everything happens on one thread: the caller runs several
/// jobs at once.
pub(super) fn run_job(study: &Specification, cell: &Cell, run: usize) -> Result<RunRecord> {
    let started = Instant::now();
    let seed = job_seed(study.sample.seed, &cell.name, run);
    let (release, other) = draw(study, cell, seed)?;
    let names = &study.known;
    let count = |attack: &Attack| -> Result<usize> {
        Ok(attack.link(&release, names, &())?.reidentified(TieRule::Miss) as usize)
    };
    let single = |attribute: &String| count(&Attack::Single { attribute: attribute.clone() });
    let attributes = if study.attacks.single { names.as_slice() } else { &[] };
    let worst_case = match study.attacks.worst_case {
        true => Some(learn(study, &release)?),
        false => None,
    };
    let held_out = match other {
        Some(other) => Some(test(study, &other, worst_case.as_ref())?),
        None => None,
    };
    Ok(RunRecord {
        cell: cell.name.clone(),
        run,
        seed,
        records: release.records(),
        dbrl1: count(&Attack::Dbrl1)?,
        worst_case,
        single: attributes.iter().map(single).collect::<Result<_>>()?,
        held_out,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// The seed of a run: from (seed, cell, run) alone, so that it stays the same when
/// other cells come and go. 52 bits, which every program reads without rounding.
pub fn job_seed(seed: u64, cell: &str, run: usize) -> u64 {
    let digest = Sha256::digest(format!("{seed}\n{cell}\n{run}"));
    digest.iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte)) >> 12
}

/// All that the record of a job depends on: jobs with the same key are run once.
pub(super) fn job_key(study: &Specification, cell: &Cell, run: usize) -> String {
    let sample = study.sample;
    format!(
        "{} {:?} {:?} {} {:?} {} {} {:?} {:?} {:?} {cell:?} {run}",
        study.data_sha256,
        cell.attributes,
        study.known,
        sample.records,
        sample.held_out,
        sample.seed,
        study.data.records(),
        study.attacks,
        study.solver,
        study.nodes,
    )
}

/// The sample, and the records held out.
fn draw(study: &Specification, cell: &Cell, seed: u64) -> Result<(Release, Option<Release>)> {
    let released = cell.method.protect(&study.data, &cell.attributes, seed, &())?;
    let whole = match released.kept() {
        None => Release::by_row(study.data.clone(), released.released)?,
        Some(kept) => Release::by_row(study.data.select(&kept)?, released.released)?,
    };
    // Another seed: the draws must not hang together with the protection's.
    let seed = seed + 1;
    match study.sample.held_out {
        None => Ok((whole.sample(study.sample.records, seed)?, None)),
        Some(other) => {
            let (first, second) = whole.split(Some(study.sample.records), other, seed)?;
            Ok((first, Some(second)))
        }
    }
}

fn learn(study: &Specification, release: &Release) -> Result<WorstCaseRun> {
    let learner = Learner {
        standardization: Standardization::Own,
        aggregation: Aggregation::WeightedMean,
        solver: study.solver,
        rows: RowSet::Auto,
        limits: Limits { time: None, nodes: study.nodes, threads: Some(1) },
    };
    let found = worst_case(release, &study.known, &learner, &())?;
    Ok(WorstCaseRun {
        reidentified: found.count(),
        upper_bound: found.upper_bound(),
        proven: found.outcome.proven_optimal(),
        nodes: found.outcome.nodes(),
        seconds: found.outcome.elapsed().as_secs_f64(),
        weights: found.outcome.weights().to_vec(),
    })
}

fn test(
    study: &Specification,
    other: &Release,
    found: Option<&WorstCaseRun>,
) -> Result<HeldOutRecord> {
    let equal = vec![1.0; study.known.len()];
    let weights = found.map_or(&equal, |found| &found.weights);
    let (own, mean) = (Standardization::Own, Aggregation::WeightedMean);
    let tested = HeldOut::test(other, &study.known, own, mean, weights)?;
    Ok(HeldOutRecord {
        records: tested.records,
        dbrl1: tested.dbrl1,
        worst_case: found.map(|_| tested.worst_case_weights),
    })
}
