//! What writers do to the file system, each a step that a test can make fail.

use super::fault::step;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use tempfile::TempPath;

/// A file that is written.
pub(super) struct Written(File);

impl Written {
    /// A new file; `private` ones are never open to others, not even while they are written.
    pub fn create(path: &Path, private: bool) -> io::Result<Self> {
        step("create")?;
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        #[cfg(not(unix))]
        let _ = private;
        options.open(path).map(Self)
    }

    /// The file itself.
    pub fn file(&self) -> &File {
        &self.0
    }

    /// Flushes it to the disk.
    pub fn sync(&self) -> io::Result<()> {
        step("sync")?;
        self.0.sync_all()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        step("write")?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Adds a line to a file that grows.
#[cfg(feature = "report")]
pub(crate) fn append(file: &mut File, line: &[u8]) -> io::Result<()> {
    step("append")?;
    file.write_all(line)
}

/// Flushes the names in a folder to the disk, where that is possible.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    step("sync folder")?;
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if !cannot_be_asked(error.kind()) => Err(error),
        _ => Ok(()),
    }
}

/// Systems that do not open folders, or do not flush them.
fn cannot_be_asked(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    matches!(kind, InvalidInput | PermissionDenied | Unsupported)
}

/// Moves `from` to `to`, in place of what is there.
pub(super) fn replace(from: &Path, to: &Path) -> io::Result<()> {
    step("rename")?;
    std::fs::rename(from, to)
}

/// Moves the file `from` to `to`; fails when something is there.
pub(super) fn place(from: &Path, to: &Path) -> io::Result<()> {
    step("rename")?;
    TempPath::try_from_path(from)?.persist_noclobber(to).map_err(|refused| {
        let (error, mut from) = (refused.error, refused.path);
        from.disable_cleanup(true);
        error
    })
}

/// Gives what is at `path` the name `other`, besides its own where that is possible.
pub(super) fn set_aside(path: &Path, other: &Path) -> io::Result<()> {
    step("set aside")?;
    std::fs::hard_link(path, other).or_else(|_| std::fs::rename(path, other))
}

/// Makes a folder.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    step("make folder")?;
    std::fs::create_dir(path)
}

/// Removes a file, or a folder with all that is in it. Nothing can be done about what will not go.
pub(super) fn remove(path: &Path) {
    let _ = step("remove");
    let _ = match path.is_dir() && !path.is_symlink() {
        true => std::fs::remove_dir_all(path),
        false => std::fs::remove_file(path),
    };
}
