//! Working off the jobs of several experiments, in parallel, with a journal.

use super::journal::{Journal, LockedJournal};
use super::kinds::{ExperimentCell, Job};
use super::record::CellRecord;
use super::results::{self, Circumstances};
use super::{Experiment, ExperimentOutcome, RunOptions};
use crate::error::{Error, Result};
use crate::listener::Listener;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Runs what is not finished yet, writes the results of experiments that are then complete,
/// and says what came out of each.
///
/// Jobs whose time matters run first, one after the other; then every other job on one thread,
/// several at once. A record is in its journal as soon as its job ends, so a run that was killed goes
/// on where it stopped; the journal is removed when the results are written. Jobs that several
/// experiments share are run once. No job is started after the listener interrupts. Fails,
/// before anything runs, when another run holds a journal, one belongs to another specification or
/// program, two experiments have the same results folder, or a cell of `only` is unknown.
pub fn run_all(
    experiments: &[Experiment],
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<Vec<ExperimentOutcome>> {
    let started = Instant::now();
    check_only(experiments, options)?;
    check_folders(experiments, options)?;
    // All are locked before the first is changed.
    let locked = experiments.iter().map(|e| LockedJournal::in_folder(&options.folder(&e.heading)));
    let locked = locked.collect::<Result<Vec<LockedJournal>>>()?;
    let opened = experiments.iter().zip(locked);
    let all: Vec<Running<'_>> =
        opened.map(|(e, journal)| Running::open(e, journal, options)).collect::<Result<_>>()?;
    let worked = work_off(&unfinished(&all, options), &all, options, listener);
    let by = Circumstances {
        command: options.command.as_deref(),
        threads: options.workers(),
        seconds: seconds(started),
    };
    let finish = |running: Running<'_>| running.finish(options.quick, &by);
    let outcomes: Result<Vec<ExperimentOutcome>> = all.into_iter().map(finish).collect();
    worked.and(outcomes)
}

fn seconds(started: Instant) -> f64 {
    started.elapsed().as_secs_f64()
}

fn check_only(experiments: &[Experiment], options: &RunOptions) -> Result<()> {
    let cells = experiments.iter().flat_map(|e| e.kind.cells(options.quick));
    let names: Vec<String> = cells.map(|cell| cell.name).collect();
    match options.only.iter().find(|name| !names.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let problem = format!("which is no cell; the cells are {}", names.join(", "));
            Err(Error::parameter("only", name, problem))
        }
    }
}

fn check_folders(experiments: &[Experiment], options: &RunOptions) -> Result<()> {
    let mut seen: HashMap<PathBuf, &str> = HashMap::new();
    for Experiment { heading, .. } in experiments {
        if let Some(other) = seen.insert(options.folder(heading), &heading.file) {
            let problem = format!("has the same results folder as {other}; rename one of them");
            return Err(Error::input(&heading.file, problem));
        }
    }
    Ok(())
}

/// One job, for every experiment that asks for the same one.
struct SharedJob {
    job: Job,
    /// Places of the experiments.
    experiments: Vec<usize>,
    is_timed: bool,
}

/// The jobs that are not finished, in the order of the experiments.
fn unfinished(all: &[Running<'_>], options: &RunOptions) -> Vec<SharedJob> {
    let mut jobs: Vec<SharedJob> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (i, running) in all.iter().enumerate() {
        for job in running.unfinished(options) {
            let kind = &running.experiment.kind;
            let key = kind.job_key(job).unwrap_or_else(|| format!("{i} {job:?}"));
            let place = *places.entry(key).or_insert(jobs.len());
            match jobs.get_mut(place) {
                Some(shared) => shared.experiments.push(i),
                None => {
                    let is_timed = kind.is_timed(job.run);
                    jobs.push(SharedJob { job, experiments: vec![i], is_timed });
                }
            }
        }
    }
    jobs
}

/// Runs `jobs` until all are done, one fails or the listener interrupts.
fn work_off(
    jobs: &[SharedJob],
    all: &[Running<'_>],
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<()> {
    let total = jobs.len() as u64;
    let run = |shared: &SharedJob| shared.run(all).inspect(|()| listener.advance(1, total));
    let (timed, others): (Vec<&SharedJob>, Vec<&SharedJob>) = jobs.iter().partition(|j| j.is_timed);
    for shared in timed {
        if listener.interrupted() {
            return Ok(());
        }
        run(shared)?;
    }
    in_parallel(&others, options.workers(), listener, &run)
}

/// Runs `jobs` on so many threads.
fn in_parallel(
    jobs: &[&SharedJob],
    workers: usize,
    listener: &dyn Listener,
    run: &(dyn Fn(&SharedJob) -> Result<()> + Sync),
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<Error>> = Mutex::new(None);
    let worker = || {
        while let Some(shared) = jobs.get(next.fetch_add(1, Ordering::SeqCst)) {
            if listener.interrupted() {
                return;
            }
            if let Err(error) = run(shared) {
                next.store(jobs.len(), Ordering::SeqCst);
                locked(&failure).get_or_insert(error);
            }
        }
    };
    // A pool of one thread each: what a job splits stays on its own core, and its
    // time is its own.
    let pools: Vec<rayon::ThreadPool> = (0..workers.min(jobs.len()))
        .map(|_| rayon::ThreadPoolBuilder::new().num_threads(1).build())
        .collect::<std::result::Result<_, _>>()
        .map_err(|e| Error::Internal(e.to_string()))?;
    std::thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| pool.install(worker));
        }
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedJob {
    /// Runs the job and notes its record in every experiment that asked for it.
    fn run(&self, all: &[Running<'_>]) -> Result<()> {
        let Some(first) = self.experiments.first().map(|i| &all[*i]) else { return Ok(()) };
        let record = first.record(self.job)?;
        self.experiments.iter().try_for_each(|i| all[*i].note(record.clone()))
    }
}

/// One experiment being run.
struct Running<'a> {
    experiment: &'a Experiment,
    folder: PathBuf,
    cells: Vec<ExperimentCell>,
    /// What of its journal is not used.
    warnings: Vec<String>,
    progress: Mutex<Progress>,
}

/// What is finished.
struct Progress {
    journal: Journal,
    /// By the places of their cells and by runs: in the order of the results.
    records: BTreeMap<(usize, usize), CellRecord>,
}

impl<'a> Running<'a> {
    fn open(
        experiment: &'a Experiment,
        journal: LockedJournal,
        options: &RunOptions,
    ) -> Result<Self> {
        let folder = options.folder(&experiment.heading);
        let (journal, held) = Journal::open(journal, experiment, options)?;
        let cells = experiment.kind.cells(options.quick);
        let placed = |record: CellRecord| Some((place(&cells, &record)?, record));
        let records = held.records.into_iter().filter_map(placed).collect();
        let progress = Mutex::new(Progress { journal, records });
        Ok(Self { experiment, folder, cells, warnings: held.warnings, progress })
    }

    /// The jobs that are asked for and not in the journal.
    fn unfinished(&self, options: &RunOptions) -> Vec<Job> {
        let wanted = |(_, cell): &(usize, &ExperimentCell)| options.wants(&cell.name);
        let of_cell = |(place, cell): (usize, &'_ ExperimentCell)| {
            let job = move |run| Job { cell: place, run, quick: options.quick };
            (1..=cell.runs).map(job).collect::<Vec<_>>()
        };
        let jobs = self.cells.iter().enumerate().filter(wanted).flat_map(of_cell);
        let finished = &locked(&self.progress).records;
        jobs.filter(|job| !finished.contains_key(&(job.cell, job.run))).collect()
    }

    /// Runs `job`; an error names experiment, cell and run.
    fn record(&self, job: Job) -> Result<CellRecord> {
        let (started, cell) = (Instant::now(), &self.cells[job.cell].name);
        let found = self.experiment.kind.run(job).map_err(|error| match error {
            Error::Internal(_) => error,
            other => {
                let file = &self.experiment.heading.file;
                Error::input(format!("{file}: {cell} run {}", job.run), other.to_string())
            }
        })?;
        Ok(CellRecord { cell: cell.clone(), run: job.run, seconds: seconds(started), found })
    }

    fn note(&self, record: CellRecord) -> Result<()> {
        let mut progress = locked(&self.progress);
        progress.journal.append(&record)?;
        progress.records.extend(place(&self.cells, &record).map(|place| (place, record)));
        Ok(())
    }

    /// Writes the results if no cell is left to run.
    fn finish(self, quick: bool, by: &Circumstances<'_>) -> Result<ExperimentOutcome> {
        let Experiment { heading, kind } = self.experiment;
        let progress = self.progress.into_inner().unwrap_or_else(PoisonError::into_inner);
        let records: Vec<CellRecord> = progress.records.into_values().collect();
        let complete = records.len() == self.cells.iter().map(|cell| cell.runs).sum::<usize>();
        let summary = match complete {
            true => {
                let findings = kind.findings(&records, quick)?;
                results::write(self.experiment, &findings, &records, &self.folder, by)?;
                progress.journal.remove()?;
                findings.summary
            }
            false => kind.summary(&records)?,
        };
        Ok(ExperimentOutcome {
            name: heading.name(),
            folder: self.folder,
            complete,
            runs: records.len(),
            cells: self.cells.len(),
            summary,
            warnings: self.warnings,
        })
    }
}

/// The place of a record among the results: its cell's, and its run. None where there is no such job.
fn place(cells: &[ExperimentCell], record: &CellRecord) -> Option<(usize, usize)> {
    let cell = cells.iter().position(|cell| cell.name == record.cell)?;
    (1..=cells[cell].runs).contains(&record.run).then_some((cell, record.run))
}
