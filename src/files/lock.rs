//! Advisory locks: runs of this program keep out of each other's way.

use super::fault::step;
use super::rights::leads_to;
use crate::error::{Error, Result};
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// A lock, held while it lives; it ends with the program, however that ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// Given back at once: a process that is started meanwhile has the file open, too, until it runs.
impl Drop for Lock {
    fn drop(&mut self) {
        // What cannot be given back ends with the program.
        let _ = self.file.unlock();
    }
}

/// Files are moved in far less time; who holds a folder longer does something else with it.
const PATIENCE: Duration = Duration::from_secs(30);

/// Locks the file `path`, of which others may put a new one in its place meanwhile: what is
/// locked is the file that is there when this returns. `waiting` is called when another has it.
pub fn lock_file(path: &Path, waiting: impl FnOnce()) -> Result<Lock> {
    let mut waiting = Some(waiting);
    loop {
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        if !try_lock(&file).map_err(|e| Error::io(path, e))? {
            waiting.take().into_iter().for_each(|tell| tell());
            file.lock().map_err(|e| Error::io(path, e))?;
        }
        if leads_to(path, &file) {
            return Ok(Lock { file });
        }
    }
}

/// Locks a folder while files are moved into it; nothing on systems that cannot.
pub(super) fn lock_folder(folder: &Path) -> io::Result<Option<Lock>> {
    let Ok(file) = File::open(folder) else { return Ok(None) };
    let started = Instant::now();
    while !try_lock(&file)? {
        if started.elapsed() > PATIENCE {
            let problem = "another program keeps this folder locked";
            return Err(io::Error::new(io::ErrorKind::WouldBlock, problem));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(Some(Lock { file }))
}

/// The lock of `file`, which may be used further; none when another has it.
#[cfg(feature = "report")]
pub(crate) fn lock_open(file: &File) -> io::Result<Option<Lock>> {
    Ok(try_lock(file)?.then_some(Lock { file: file.try_clone()? }))
}

/// True when `file` is locked now or cannot be, false when another has it.
pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    attempt(file).map(|attempt| !matches!(attempt, Attempt::Held))
}

/// What came of asking for a lock.
pub(super) enum Attempt {
    /// It is ours.
    Locked,
    /// Another has it.
    Held,
    /// There are no locks here.
    Unknown,
}

/// Asks for the lock of `file` without waiting.
pub(super) fn attempt(file: &File) -> io::Result<Attempt> {
    step("lock")?;
    match file.try_lock() {
        Ok(()) => Ok(Attempt::Locked),
        Err(TryLockError::WouldBlock) => Ok(Attempt::Held),
        Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {
            Ok(Attempt::Unknown)
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}
