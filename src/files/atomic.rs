//! Writing files so that a reader never sees half of one.
//!
//! The content goes to a temporary file beside the target, which is renamed
//! when it is complete. A run that is interrupted removes its temporary files
//! ([`remove_unfinished`], called by the program's signal handler).

use crate::error::{Error, Result};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::{Builder, NamedTempFile};

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
    write_with_mode(path, force, ORDINARY, content)
}

/// As [`write_file`], for the eyes of the file's owner alone.
pub fn write_private_file(
    path: &Path,
    force: bool,
    content: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    write_with_mode(path, force, PRIVATE, content)
}

/// A file among several that are written together.
#[derive(Debug, Clone, Copy)]
pub struct OutputFile<'a> {
    /// Where it goes.
    pub path: &'a Path,
    /// All of it.
    pub bytes: &'a [u8],
    /// For the eyes of its owner alone.
    pub private: bool,
}

/// Writes all of `files` or, when one of them cannot be written, none: each is complete beside
/// its target before the first takes its place. With `force`, a target that cannot be replaced
/// leaves those before it replaced.
pub fn write_files(files: &[OutputFile<'_>], force: bool) -> Result<()> {
    files.iter().try_for_each(|file| check_writable(file.path, force))?;
    let stage = |file: &OutputFile<'_>| {
        let mode = if file.private { PRIVATE } else { ORDINARY };
        let put = |out: &mut dyn Write| out.write_all(file.bytes);
        Staged::new(file.path, mode, |out| put(out).map_err(|e| Error::io(file.path, e)))
    };
    let staged: Vec<Staged> = files.iter().map(stage).collect::<Result<_>>()?;
    for (done, (file, staged)) in files.iter().zip(staged).enumerate() {
        if let Err(error) = staged.take_place(file.path, force) {
            let written = files[..done].iter().filter(|_| !force);
            // They were not there before; nothing can be done about one that will not go.
            written.for_each(|file| drop(std::fs::remove_file(file.path)));
            return Err(error);
        }
    }
    Ok(())
}

/// The mode of an ordinary new file; the umask still applies.
const ORDINARY: u32 = 0o666;
/// That of a file for its owner alone.
const PRIVATE: u32 = 0o600;

fn write_with_mode(
    path: &Path,
    force: bool,
    mode: u32,
    content: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    check_writable(path, force)?;
    Staged::new(path, mode, content)?.take_place(path, force)
}

/// A complete file beside the place that it is to take; dropped, it is gone.
struct Staged {
    file: NamedTempFile,
    _registered: Unfinished,
}

impl Staged {
    /// The file is created with `mode`, so that it is never open to more people than in the end.
    fn new(
        path: &Path,
        mode: u32,
        content: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<Self> {
        let io = |e| Error::io(path, e);
        let file = temporary(mode).tempfile_in(folder_of(path)).map_err(io)?;
        let registered = Unfinished::register(file.path());
        let mut out = BufWriter::new(file);
        content(&mut out)?;
        let file = out.into_inner().map_err(|e| io(e.into_error()))?;
        file.as_file().sync_all().map_err(io)?;
        Ok(Self { file, _registered: registered })
    }

    fn take_place(self, path: &Path, force: bool) -> Result<()> {
        let renamed = match force {
            true => self.file.persist(path),
            false => self.file.persist_noclobber(path),
        };
        renamed.map(drop).map_err(|e| Error::io(path, e.error))
    }
}

fn temporary(mode: u32) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".unmask-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    builder
}

/// Fails when files cannot go to the new, empty or, with `force`, any folder `path`.
pub fn check_folder_writable(path: &Path, force: bool) -> Result<()> {
    if path.exists() && !path.is_dir() {
        return Err(Error::input(path.display().to_string(), "is a file; name a folder"));
    }
    let empty = || std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    if path.exists() && !force && !empty() {
        return Err(Error::OutputExists(path.to_owned()));
    }
    let parent = folder_of(path);
    if !parent.is_dir() {
        let problem = "there is no such folder; create it first";
        return Err(Error::input(parent.display().to_string(), problem));
    }
    Ok(())
}

/// Writes a folder of files: `content` fills a temporary folder beside it, which takes its
/// place when it is complete. With `force` its files replace those of an existing folder, one
/// after the other, and other files there stay.
pub fn write_folder(
    path: &Path,
    force: bool,
    content: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    check_folder_writable(path, force)?;
    let io = |e| Error::io(path, e);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".unmask-").suffix(".part");
    let folder = builder.tempdir_in(folder_of(path)).map_err(io)?;
    let _registered = Unfinished::register(folder.path());
    content(folder.path())?;
    let occupied = std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
    if occupied {
        for entry in std::fs::read_dir(folder.path()).map_err(io)? {
            let entry = entry.map_err(io)?;
            std::fs::rename(entry.path(), path.join(entry.file_name())).map_err(io)?;
        }
        return Ok(());
    }
    if path.exists() {
        std::fs::remove_dir(path).map_err(io)?;
    }
    std::fs::rename(folder.path(), path).map_err(io)?;
    // What was renamed is no longer there to be removed.
    let _ = folder.keep();
    Ok(())
}

/// Removes the temporary files of writes under way; for a signal handler.
pub fn remove_unfinished() {
    if let Ok(paths) = UNFINISHED.lock() {
        for path in paths.iter() {
            // Nothing can be done about a file that will not go.
            let _ = match path.is_dir() {
                true => std::fs::remove_dir_all(path),
                false => std::fs::remove_file(path),
            };
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
