//! What a run has finished so far, one line per job, so that it can go on after a stop.
//!
//! The first line says what the records belong to; every other one is the record of
//! one run of one cell as JSON, appended in one piece when its job ends. Every line carries a
//! checksum of itself and of the first (`sealed.rs`), so a line that fits is a record of this
//! specification, these data and this program, wherever it stands. Lines that do not fit are
//! named, and their jobs are run again; a last line without its end, as `kill -9` may leave it,
//! is cut off. A run holds a lock on its journal, and removes it when the results are written.

mod contents;
mod header;
mod sealed;
#[cfg(test)]
mod tests;

use super::record::CellRecord;
use super::{Experiment, RunOptions};
use crate::error::{Error, Result};
use crate::files;
use contents::Contents;
use header::Header;
use sealed::Seal;
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Name of the journal in the folder of its results.
pub const FILE_NAME: &str = "runs.partial.jsonl";

/// An open journal, locked.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    seal: Seal,
    _lock: files::Lock,
}

/// A journal that no other run holds, as it was found.
#[derive(Debug)]
pub(super) struct LockedJournal {
    path: PathBuf,
    file: File,
    lock: files::Lock,
}

impl LockedJournal {
    /// The journal in `folder`; fails when another run holds it.
    pub fn in_folder(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        let path = folder.join(FILE_NAME);
        let (file, lock) = locked(&path)?;
        Ok(Self { path, file, lock })
    }
}

/// What a journal held when it was opened.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// At most one for each job.
    pub records: Vec<CellRecord>,
    /// What of it is not used, and why.
    pub warnings: Vec<String>,
}

impl Journal {
    /// Opens a locked journal and gives what it holds.
    ///
    /// Fails when it belongs to another specification, data file, number of runs, program or
    /// solver, unless they are to be made afresh.
    pub fn open(
        LockedJournal { path, mut file, lock }: LockedJournal,
        experiment: &Experiment,
        options: &RunOptions,
    ) -> Result<(Self, Held)> {
        let header = Header::of(experiment, options.quick);
        let mut bytes = Vec::new();
        if !options.fresh {
            file.read_to_end(&mut bytes).map_err(|e| Error::io(&path, e))?;
        }
        let contents = Contents::read(&bytes, &header, &experiment.heading.file)
            .map_err(|problem| Error::input(path.display().to_string(), problem))?;
        let cut = file.set_len(contents.whole as u64);
        cut.and_then(|()| file.seek(SeekFrom::End(0))).map_err(|e| Error::io(&path, e))?;
        let mut journal = Self { path, file, seal: header.seal(), _lock: lock };
        if contents.whole == 0 {
            journal.line(&Seal::default(), &header)?;
        }
        Ok((journal, contents.held))
    }

    /// Adds the record of a finished job.
    pub fn append(&mut self, record: &CellRecord) -> Result<()> {
        self.line(&self.seal.clone(), record)
    }

    /// It is no longer needed: the results are written.
    ///
    /// What has its name by now is another run's where this file is gone.
    pub fn remove(self) -> Result<()> {
        if !files::leads_to(&self.path, &self.file) {
            return Ok(());
        }
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(&self.path, error)),
            _ => Ok(()),
        }
    }

    fn line(&mut self, seal: &Seal, value: &impl Serialize) -> Result<()> {
        let json = serde_json::to_string(value).map_err(|e| Error::Internal(e.to_string()))?;
        let written = files::append(&mut self.file, seal.line(&json).as_bytes());
        written.map_err(|e| Error::io(&self.path, e))
    }
}

/// The file at `path`, which no other run holds.
///
/// The lock goes with the file, and ends with its process by whatever way. A run that ended while
/// this one waited for nothing but the system may have removed the file: then the next one is taken.
fn locked(path: &Path) -> Result<(File, files::Lock)> {
    loop {
        let mut access = OpenOptions::new();
        let access = access.read(true).write(true).create(true).truncate(false);
        let file = access.open(path).map_err(|e| Error::io(path, e))?;
        let lock = files::lock_open(&file).map_err(|e| Error::io(path, e))?;
        let lock = lock.ok_or_else(|| held(path))?;
        if files::leads_to(path, &file) {
            return Ok((file, lock));
        }
    }
}

fn held(path: &Path) -> Error {
    let problem = "another run of this experiment is under way; wait until it has ended, or give \
                   this one other `results`";
    Error::input(path.display().to_string(), problem)
}
