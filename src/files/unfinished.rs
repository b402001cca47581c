//! What is being written, to be removed when a signal ends the program.

use super::disk;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes what is being written; for a signal handler, which ends the program next.
///
/// Files that are just taking their places all take them before. Nothing begins or ends to be
/// written afterwards.
pub fn remove_unfinished() {
    let paths = steady();
    paths.iter().for_each(|path| disk::remove(path));
    std::mem::forget(paths);
}

/// While it lives, a signal waits.
pub(super) fn steady() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a path in the list of unfinished things while it lives.
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    pub fn register(path: &Path) -> Self {
        steady().push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        steady().retain(|path| *path != self.0);
    }
}
