//! What killed runs left behind.

use super::digest::sha256;
use super::disk;
use super::lock::{Attempt, attempt, lock_folder};
use super::pending;
use crate::error::{Error, Result};
use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::Builder;

const PREFIX: &str = ".unmask-";
const SUFFIX: &str = ".part";

/// After so long nobody writes any more to what another machine began.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Makers of hidden names that say which machine gave them.
pub(super) fn name() -> Builder<'static, 'static> {
    static START: OnceLock<String> = OnceLock::new();
    let start = START.get_or_init(|| format!("{PREFIX}{}-", machine()));
    let mut builder = Builder::new();
    builder.prefix(start).suffix(SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder
}

/// A mark of this machine by its name, which is not told.
fn machine() -> String {
    let read = |file: &str| std::fs::read_to_string(file).ok();
    let name = read("/proc/sys/kernel/hostname").or_else(|| read("/etc/hostname"));
    let name = name.or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    sha256(name.trim().as_bytes())[..8].to_owned()
}

/// Finishes what a killed run was about to move in `folder`, and removes what others left.
///
/// What cannot be done now is left to the next run. Cost: one listing of the folder.
pub(super) fn tidy(folder: &Path) {
    if hidden(folder).is_empty() {
        return;
    }
    let Ok(_lock) = lock_folder(folder) else { return };
    // Who writes there is told.
    let _ = sweep(folder);
}

/// As [`tidy`], for who has locked the folder: nobody moves files meanwhile, so what is to be
/// moved is a dead run's. Fails when that cannot be moved.
pub(super) fn sweep(folder: &Path) -> Result<()> {
    for name in hidden(folder) {
        let path = folder.join(&name);
        let Some(_held) = abandoned(&path) else { continue };
        pending::finish(&path, folder).map_err(|why| {
            let problem = format!(
                "holds what a killed run was about to put beside it, which cannot be done ({why}); \
                 remove it to give that up"
            );
            Error::input(path.display().to_string(), problem)
        })?;
        disk::remove(&path);
    }
    Ok(())
}

/// Names of hidden files and folders of ours.
fn hidden(folder: &Path) -> Vec<OsString> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let is_ours = |name: &OsString| {
        let name = name.to_string_lossy();
        name.starts_with(PREFIX) && name.ends_with(SUFFIX)
    };
    names.filter(is_ours).collect()
}

/// What is at `path`, if no run writes to it any more; locked, where this machine made it.
fn abandoned(path: &Path) -> Option<Option<File>> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    if !metadata.is_dir() && !metadata.is_file() {
        return None;
    }
    let name = path.file_name()?.to_string_lossy().into_owned();
    if metadata.is_dir() && name.starts_with(&format!("{PREFIX}{}-", machine())) {
        let file = File::open(path).ok()?;
        match attempt(&file).ok()? {
            Attempt::Locked => return Some(Some(file)),
            Attempt::Held => return None,
            Attempt::Unknown => {}
        }
    }
    let age = metadata.modified().ok()?.elapsed().ok()?;
    (age > ABANDONED).then_some(None)
}
