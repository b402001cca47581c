//! A hidden folder in which files are made ready.

use super::disk;
use super::fault::step;
use super::leftovers;
use super::lock::try_lock;
use super::rights::leads_to;
use super::unfinished::Unfinished;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A hidden folder in the one that files are for, open to its owner alone and locked while it
/// lives; dropped, it is gone with what is left in it.
pub(super) struct Workspace {
    /// The folder that files are for.
    pub folder: PathBuf,
    /// The hidden folder.
    pub hidden: PathBuf,
    /// None on systems that do not open folders.
    lock: Option<File>,
    registered: Option<Unfinished>,
}

impl Workspace {
    /// A new one in `folder`.
    pub fn within(folder: &Path) -> io::Result<Self> {
        loop {
            step("make folder")?;
            let hidden = leftovers::name().tempdir_in(folder)?.keep();
            let registered = Some(Unfinished::register(&hidden));
            let opened = File::open(&hidden);
            let is_gone = opened.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::NotFound);
            let folder = folder.to_owned();
            let made = Self { folder, hidden, lock: opened.ok(), registered };
            // Between its making and its locking another run may take it for a dead one's.
            if !is_gone && made.is_held()? {
                return Ok(made);
            }
        }
    }

    fn is_held(&self) -> io::Result<bool> {
        let Some(file) = &self.lock else { return Ok(true) };
        Ok(try_lock(file)? && leads_to(&self.hidden, file))
    }

    /// Leaves it there, for the next run to finish what it holds.
    pub fn leave(mut self) {
        self.registered = None;
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if self.registered.is_some() {
            disk::remove(&self.hidden);
        }
    }
}
