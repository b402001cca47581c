//! Writing files so that a reader never sees half of one.
//!
//! The content goes to a temporary file beside the target, which is renamed
//! when it is complete. A run that is interrupted removes its temporary files
//! ([`remove_unfinished`], called by the program's signal handler).

use crate::error::{Error, Result};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Fails when `path` exists and may not be replaced, or its folder does not exist;
/// asked before long work starts.
pub fn check_writable(path: &Path, force: bool) -> Result<()> {
    if path.is_dir() {
        return Err(Error::input(path.display().to_string(), "is a folder; name a file in it"));
    }
    if path.exists() && !force {
        return Err(Error::OutputExists(path.to_owned()));
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        let problem = "there is no such folder; create it first";
        return Err(Error::input(folder.display().to_string(), problem));
    }
    Ok(())
}

/// Writes `path` in one step: after it there is the whole file, or what was there before.
pub fn write_file(
    path: &Path,
    force: bool,
    content: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    check_writable(path, force)?;
    let io = |e| Error::io(path, e);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".unmask-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As an ordinary new file; the umask still applies.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder_of(path)).map_err(io)?;
    let _registered = Unfinished::register(file.path());
    let mut out = BufWriter::new(file);
    content(&mut out)?;
    let file = out.into_inner().map_err(|e| io(e.into_error()))?;
    file.as_file().sync_all().map_err(io)?;
    let renamed = if force { file.persist(path) } else { file.persist_noclobber(path) };
    renamed.map(drop).map_err(|e| io(e.error))
}

/// Removes the temporary files of writes under way; for a signal handler.
pub fn remove_unfinished() {
    if let Ok(paths) = UNFINISHED.lock() {
        for path in paths.iter() {
            // Nothing can be done about a file that will not go.
            let _ = std::fs::remove_file(path);
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Keeps a path in the list of unfinished files while it lives.
struct Unfinished(PathBuf);

impl Unfinished {
    fn register(path: &Path) -> Self {
        if let Ok(mut paths) = UNFINISHED.lock() {
            paths.push(path.to_owned());
        }
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Ok(mut paths) = UNFINISHED.lock() {
            paths.retain(|p| *p != self.0);
        }
    }
}
