//! Working off the jobs of several specifications, in parallel, with a journal.

use super::job::{job_key, run_job};
use super::journal::Journal;
use super::record::RunRecord;
use super::specification::{Heading, Specification};
use crate::error::{Error, Result};
use crate::listener::Listener;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How a study is run.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Where results go: `<results>/<study>/<table>/`.
    pub results: PathBuf,
    /// Fewer runs, and results under `<results>/quick/`.
    pub quick: bool,
    /// Forget what an earlier run had finished.
    pub fresh: bool,
    /// Only these cells; all when empty.
    pub only: Vec<String>,
    /// Jobs at once; 0 takes all cores.
    pub threads: usize,
}

impl RunOptions {
    /// Where the results of the study with this heading belong.
    pub fn folder(&self, heading: &Heading) -> PathBuf {
        let results = match self.quick {
            true => self.results.join("quick"),
            false => self.results.clone(),
        };
        results.join(&heading.study).join(&heading.table)
    }
}

/// All runs of one specification.
#[derive(Debug)]
pub struct StudyRuns<'a> {
    /// What was run.
    pub specification: &'a Specification,
    /// Where its results belong.
    pub folder: PathBuf,
    /// By cell, in the order of the specification, then by run.
    pub records: Vec<RunRecord>,
    /// True when no cell is left to run.
    pub complete: bool,
}

/// One specification being run.
struct Study<'a> {
    specification: &'a Specification,
    folder: PathBuf,
    progress: Mutex<(Journal, Vec<RunRecord>)>,
}

/// One job, for every study that asks for the same one.
struct Job {
    cell: usize,
    run: usize,
    studies: Vec<usize>,
}

/// Runs what is not finished yet; gives all runs so far.
///
/// Every job runs on one thread, several at once. A record is in its journal as
/// soon as its job ends, so a run that was killed goes on where it stopped. Jobs
/// that several specifications share are run once. Fails, before anything runs,
/// when a journal belongs to another specification or a cell of `only` is unknown.
pub fn run<'a>(
    specifications: &'a [Specification],
    options: &RunOptions,
    progress: &dyn Listener,
) -> Result<Vec<StudyRuns<'a>>> {
    check_only(specifications, &options.only)?;
    check_folders(specifications, options)?;
    let studies: Vec<Study<'a>> =
        specifications.iter().map(|s| Study::open(s, options)).collect::<Result<_>>()?;
    let jobs = jobs(&studies, options);
    let workers = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    work_off(&jobs, &studies, workers.min(jobs.len()), progress)?;
    Ok(studies.into_iter().map(|study| study.finish(options.quick)).collect())
}

fn check_only(specifications: &[Specification], only: &[String]) -> Result<()> {
    let names = || specifications.iter().flat_map(|s| s.cells.iter().map(|c| c.name.as_str()));
    match only.iter().find(|name| !names().any(|n| n == name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let names: Vec<&str> = names().collect();
            let problem = match names.is_empty() {
                true => "but studies of this kind run as a whole; leave --only out".to_owned(),
                false => format!("which is no cell; the cells are {}", names.join(", ")),
            };
            Err(Error::parameter("only", name, problem))
        }
    }
}

fn check_folders(specifications: &[Specification], options: &RunOptions) -> Result<()> {
    let mut seen: HashMap<PathBuf, &str> = HashMap::new();
    for specification in specifications {
        let folder = options.folder(&specification.heading);
        if let Some(other) = seen.insert(folder, &specification.heading.file) {
            let problem = format!("has the same results folder as {other}; rename one of them");
            return Err(Error::input(&specification.heading.file, problem));
        }
    }
    Ok(())
}

/// The jobs that are not finished, in the order of the specifications.
fn jobs(studies: &[Study<'_>], options: &RunOptions) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (i, study) in studies.iter().enumerate() {
        let specification = study.specification;
        for (cell, declared) in specification.cells.iter().enumerate() {
            if !options.only.is_empty() && !options.only.contains(&declared.name) {
                continue;
            }
            for run in 1..=specification.runs(options.quick) {
                if study.has(&declared.name, run) {
                    continue;
                }
                let place = places.entry(job_key(specification, declared, run));
                let place = *place.or_insert(jobs.len());
                match jobs.get_mut(place) {
                    Some(job) => job.studies.push(i),
                    None => jobs.push(Job { cell, run, studies: vec![i] }),
                }
            }
        }
    }
    jobs
}

/// Runs `jobs` on `workers` threads until all are done or one fails.
fn work_off(
    jobs: &[Job],
    studies: &[Study<'_>],
    workers: usize,
    progress: &dyn Listener,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<Error>> = Mutex::new(None);
    let worker = || {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::SeqCst)) {
            match job.run(studies) {
                Ok(()) => progress.advance(1, jobs.len() as u64),
                Err(error) => {
                    next.store(jobs.len(), Ordering::SeqCst);
                    failure.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(error);
                }
            }
        }
    };
    // A pool of one thread each: what a job splits stays on its own core, and its
    // time is its own.
    let pools: Vec<rayon::ThreadPool> = (0..workers)
        .map(|_| rayon::ThreadPoolBuilder::new().num_threads(1).build())
        .collect::<std::result::Result<_, _>>()
        .map_err(|e| Error::Internal(e.to_string()))?;
    std::thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| pool.install(worker));
        }
    });
    match failure.into_inner().unwrap_or_else(|e| e.into_inner()) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

impl Job {
    /// Runs the job and notes its record in every study that asked for it.
    fn run(&self, studies: &[Study<'_>]) -> Result<()> {
        let Some(first) = self.studies.first().map(|i| studies[*i].specification) else {
            return Ok(());
        };
        let cell = &first.cells[self.cell];
        let record = run_job(first, cell, self.run).map_err(|error| match error {
            Error::Internal(_) => error,
            other => {
                let place = format!("{}: {} run {}", first.heading.file, cell.name, self.run);
                Error::input(place, other.to_string())
            }
        })?;
        self.studies.iter().try_for_each(|i| studies[*i].note(record.clone()))
    }
}

impl<'a> Study<'a> {
    fn open(specification: &'a Specification, options: &RunOptions) -> Result<Self> {
        let folder = options.folder(&specification.heading);
        let runs = specification.runs(options.quick);
        let open = Journal::open(&folder, specification, runs, options.fresh)?;
        Ok(Self { specification, folder, progress: Mutex::new(open) })
    }

    fn has(&self, cell: &str, run: usize) -> bool {
        let progress = self.progress.lock().unwrap_or_else(|e| e.into_inner());
        progress.1.iter().any(|record| record.cell == cell && record.run == run)
    }

    fn note(&self, record: RunRecord) -> Result<()> {
        let mut progress = self.progress.lock().unwrap_or_else(|e| e.into_inner());
        progress.0.append(&record)?;
        progress.1.push(record);
        Ok(())
    }

    fn finish(self, quick: bool) -> StudyRuns<'a> {
        let (_, mut records) = self.progress.into_inner().unwrap_or_else(|e| e.into_inner());
        let cells = &self.specification.cells;
        let place = |record: &RunRecord| cells.iter().position(|c| c.name == record.cell);
        records.sort_by_key(|record| (place(record), record.run));
        let complete = records.len() == cells.len() * self.specification.runs(quick);
        StudyRuns { specification: self.specification, folder: self.folder, records, complete }
    }
}

/// Every specification under `folder`, in the order of their names.
pub fn specifications_under(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|e| Error::io(&folder, e))?;
        for entry in entries {
            let path = entry.map_err(|e| Error::io(&folder, e))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "toml") {
                found.push(path.display().to_string());
            }
        }
    }
    found.sort();
    if found.is_empty() {
        let problem = "no specification (*.toml) under this folder; name another";
        return Err(Error::input(folder.display().to_string(), problem));
    }
    Ok(found)
}
