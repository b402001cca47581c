//! Writing one file, or several together.

use super::Batch;
use super::target::check_writable;
use crate::error::{Error, Result};
use std::io::Write;
use std::path::Path;

/// Writes `path` in one step: after it there is the whole file, or what was there before.
pub fn write_file(
    path: &Path,
    force: bool,
    content: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    write(path, force, false, content)
}

/// As [`write_file`], for the eyes of the file's owner alone.
pub fn write_private_file(
    path: &Path,
    force: bool,
    content: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    write(path, force, true, content)
}

fn write(
    path: &Path,
    force: bool,
    private: bool,
    content: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    check_writable(path, force)?;
    let mut batch = Batch::new();
    batch.file(path, force, private, content)?;
    batch.commit()
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

/// Writes all of `files`, names and contents, into `folder`, which is made if need be, or none;
/// files of these names are replaced.
pub fn write_into<'a>(
    folder: &Path,
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
    let files: Vec<_> = files.into_iter().map(|(name, bytes)| (folder.join(name), bytes)).collect();
    let outputs = files.iter().map(|(path, bytes)| OutputFile { path, bytes, private: false });
    write_files(&outputs.collect::<Vec<_>>(), true)
}

/// Writes all of `files` or, when one of them cannot be written, none.
pub fn write_files(files: &[OutputFile<'_>], force: bool) -> Result<()> {
    files.iter().try_for_each(|file| check_writable(file.path, force))?;
    let mut batch = Batch::new();
    for OutputFile { path, bytes, private } in files {
        let put = |out: &mut dyn Write| out.write_all(bytes).map_err(|e| Error::io(path, e));
        batch.file(path, force, *private, put)?;
    }
    batch.commit()
}
