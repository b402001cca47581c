//! What a run has finished so far, one line per job, so that it can go on after a stop.
//!
//! The first line says what the records belong to; every other one is the record of
//! one run of one cell as JSON, written in one piece when its job ends. A last line
//! without its end, as `kill -9` may leave it, is cut off. The journal is
//! removed when the results are written.

use super::record::CellRecord;
use super::{Experiment, RunOptions};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Name of the journal in the folder of its results.
pub const FILE_NAME: &str = "runs.partial.jsonl";

/// What the records of a journal belong to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    specification: String,
    data: String,
    runs: usize,
    unmask: String,
}

impl Header {
    fn of(experiment: &Experiment, quick: bool) -> Self {
        let data = experiment.kind.data().into_iter().map(|data| data.sha256);
        Self {
            specification: experiment.heading.sha256.clone(),
            data: data.collect::<Vec<_>>().join(" "),
            runs: experiment.kind.cells(quick).iter().map(|cell| cell.runs).sum(),
            unmask: env!("CARGO_PKG_VERSION").into(),
        }
    }
}

/// An open journal.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the journal in `folder` and gives the records it holds.
    ///
    /// Fails when it belongs to another specification, data file, number of runs
    /// or version of unmask, unless they are to be made afresh.
    pub fn open(
        folder: &Path,
        experiment: &Experiment,
        options: &RunOptions,
    ) -> Result<(Self, Vec<CellRecord>)> {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        let path = folder.join(FILE_NAME);
        let header = Header::of(experiment, options.quick);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) if !options.fresh => text,
            _ => String::new(),
        };
        let (records, valid) = read(&path, &text, &header, &experiment.heading.file)?;
        let mut access = OpenOptions::new();
        let file = access.create(true).truncate(false).write(true).open(&path);
        let mut file = file.map_err(|e| Error::io(&path, e))?;
        let cut = file.set_len(valid as u64);
        cut.and_then(|()| std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)))
            .map_err(|e| Error::io(&path, e))?;
        let mut journal = Self { path, file };
        if valid == 0 {
            journal.line(&header)?;
        }
        Ok((journal, records))
    }

    /// Adds the record of a finished job.
    pub fn append(&mut self, record: &CellRecord) -> Result<()> {
        self.line(record)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_string(value).map_err(|e| Error::Internal(e.to_string()))?;
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|e| Error::io(&self.path, e))
    }
}

/// The journal of the results in `folder` is no longer needed.
pub(super) fn remove(folder: &Path) -> Result<()> {
    let path = folder.join(FILE_NAME);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&path, error)),
        _ => Ok(()),
    }
}

/// The records in `text` and how many of its bytes are whole lines.
fn read(path: &Path, text: &str, header: &Header, file: &str) -> Result<(Vec<CellRecord>, usize)> {
    let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let Some(first) = lines.next() else { return Ok((Vec::new(), 0)) };
    match serde_json::from_str::<Header>(first) {
        Ok(found) if found == *header => {}
        _ => {
            let problem = format!(
                "was started with another {file}, data file or version of unmask; \
                 go on with that one, or start anew with `fresh`"
            );
            return Err(Error::input(path.display().to_string(), problem));
        }
    }
    let (mut records, mut valid) = (Vec::new(), first.len());
    for line in lines {
        let Ok(record) = serde_json::from_str::<CellRecord>(line) else { break };
        records.push(record);
        valid += line.len();
    }
    Ok((records, valid))
}
