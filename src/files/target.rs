//! Where files may go, and what they may replace.

use super::leftovers;
use super::rights::{Identity, identity};
use crate::error::{Error, Result};
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where a file goes, links followed.
pub(super) struct Target {
    /// Its folder, without links.
    pub folder: PathBuf,
    /// The file in that folder.
    pub path: PathBuf,
    /// What it replaces.
    pub replaced: Option<Metadata>,
}

impl Target {
    /// Fails unless `path` is free or, with `force`, leads to a regular file.
    pub fn of(path: &Path, force: bool) -> Result<Self> {
        let Some(real) = existing(path)? else { return Self::new(path) };
        let metadata = std::fs::metadata(&real).map_err(|e| Error::io(path, e))?;
        let refuse = |problem: &str| Err(Error::input(path.display().to_string(), problem));
        if metadata.is_dir() {
            return refuse("is a folder; name a file in it");
        }
        if !metadata.is_file() {
            return refuse("is a device, pipe or socket, and only files are written; name a file");
        }
        if !force {
            return Err(Error::OutputExists(path.to_owned()));
        }
        let folder = folder_of(&real).to_owned();
        Ok(Self { folder, path: real, replaced: Some(metadata) })
    }

    /// Where nothing is yet.
    fn new(path: &Path) -> Result<Self> {
        let Some(name) = path.file_name() else {
            return Err(Error::input(path.display().to_string(), "is no name of a file"));
        };
        let folder = real_folder(folder_of(path))?;
        Ok(Self { path: folder.join(name), folder, replaced: None })
    }
}

/// What `path` leads to, `None` when nothing is there; fails on a link to nothing.
pub(super) fn existing(path: &Path) -> Result<Option<PathBuf>> {
    let found = match std::fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(Error::io(path, error)),
    };
    path.canonicalize().map(Some).map_err(|error| match found.is_symlink() {
        true => Error::input(
            path.display().to_string(),
            "is a link that leads nowhere; remove it, or name another file",
        ),
        false => Error::io(path, error),
    })
}

pub(super) fn real_folder(folder: &Path) -> Result<PathBuf> {
    match folder.is_dir() {
        true => folder.canonicalize().map_err(|e| Error::io(folder, e)),
        false => {
            let problem = "there is no such folder; create it first";
            Err(Error::input(folder.display().to_string(), problem))
        }
    }
}

pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Fails when `path` may not be written: something is there and `force` is not given, or it is
/// no regular file, or its folder does not exist; asked before long work starts.
pub fn check_writable(path: &Path, force: bool) -> Result<()> {
    // Links first: what a killed run left is where they lead.
    let found = existing(path)?;
    leftovers::tidy(folder_of(found.as_deref().unwrap_or(path)));
    Target::of(path, force).map(drop)
}

/// As [`check_writable`] for all `outputs` of a command; fails, too, when one of them is one of its
/// `inputs` ([`check_apart`]) or another output.
pub fn check_outputs(outputs: &[&Path], force: bool, inputs: &[PathBuf]) -> Result<()> {
    check_apart(outputs, inputs)?;
    outputs.iter().try_for_each(|output| check_writable(output, force))?;
    check_different(outputs, force)
}

/// Fails when one of `outputs` is one of `inputs`, by whatever names or links. Inputs that are no
/// files, such as names of built-in data, do not count.
pub fn check_apart(outputs: &[&Path], inputs: &[PathBuf]) -> Result<()> {
    let inputs: Vec<(Identity, &PathBuf)> =
        inputs.iter().filter_map(|path| Some((identity(path)?, path))).collect();
    for output in outputs {
        let Some(own) = identity(output) else { continue };
        if let Some((_, input)) = inputs.iter().find(|(input, _)| *input == own) {
            let problem =
                format!("is read by this command as {}; write to another file", input.display());
            return Err(Error::input(output.display().to_string(), problem));
        }
    }
    Ok(())
}

fn check_different(outputs: &[&Path], force: bool) -> Result<()> {
    let mut seen: Vec<PathBuf> = Vec::new();
    for output in outputs {
        let target = Target::of(output, force)?.path;
        if seen.contains(&target) {
            return Err(named_twice(output));
        }
        seen.push(target);
    }
    Ok(())
}

pub(super) fn named_twice(path: &Path) -> Error {
    let problem = "is the place of two outputs; name a file for each";
    Error::input(path.display().to_string(), problem)
}

/// Fails when files cannot go to the new, empty or, with `force`, any folder `path`.
pub fn check_folder_writable(path: &Path, force: bool) -> Result<()> {
    let Some(real) = existing(path)? else {
        let parent = real_folder(folder_of(path))?;
        leftovers::tidy(&parent);
        return Ok(());
    };
    if !real.is_dir() {
        return Err(Error::input(path.display().to_string(), "is a file; name a folder"));
    }
    leftovers::tidy(folder_of(&real));
    leftovers::tidy(&real);
    match force || is_empty(&real) {
        true => Ok(()),
        false => Err(Error::OutputExists(path.to_owned())),
    }
}

pub(super) fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}
