//! Files and folders that appear together.

use super::disk::{self, Written};
use super::leftovers;
use super::lock::{Lock, lock_file, lock_folder};
use super::pending::{self, Move};
use super::rights;
use super::target::{self, Target, named_twice};
use super::unfinished;
use super::workspace::Workspace;
use crate::error::{Error, Result};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Files and folders that are made ready one after the other, out of sight, and then take their
/// places together. Dropped before that, nothing of it is left.
#[derive(Default)]
pub struct Batch {
    workspaces: Vec<Workspace>,
    pieces: Vec<Piece>,
}

/// One file or folder that is ready.
struct Piece {
    /// As the caller calls it.
    named: PathBuf,
    workspace: usize,
    staged: PathBuf,
    target: PathBuf,
    replace: bool,
    /// Where what was there before has gone.
    aside: Option<PathBuf>,
    /// It took the place of an empty folder.
    over_folder: bool,
    is_placed: bool,
}

impl Batch {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a file ready; fails as [`super::check_writable`] does. A `private` one is for its
    /// owner alone.
    pub fn file(
        &mut self,
        path: &Path,
        force: bool,
        private: bool,
        content: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        let Target { folder, path: target, replaced } = Target::of(path, force)?;
        let io = |e| Error::io(path, e);
        let (workspace, staged) = self.stage(path, &folder)?;
        let mut out =
            BufWriter::new(Written::create(&staged, private || replaced.is_some()).map_err(io)?);
        content(&mut out)?;
        let file = out.into_inner().map_err(|e| io(e.into_error()))?;
        if let Some(replaced) = &replaced {
            rights::take_over(file.file(), replaced, private).map_err(io)?;
        }
        file.sync().map_err(io)?;
        self.add(path, workspace, staged, target, force)
    }

    /// The lock of the file that was made ready last, which goes with it to its place.
    pub(crate) fn lock_last(&self) -> Result<Option<Lock>> {
        self.pieces.last().map(|piece| lock_file(&piece.staged, || ())).transpose()
    }

    /// Makes a folder of files ready: `content` is given what adds a file to it by its name. With
    /// `force` they go to a folder that has files already, whose other files stay.
    pub fn folder(
        &mut self,
        path: &Path,
        force: bool,
        content: impl FnOnce(&mut dyn FnMut(&str, &[u8]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let found = target::existing(path)?;
        if let Some(occupied) = found.as_ref().filter(|folder| !target::is_empty(folder)) {
            target::check_folder_writable(path, force)?;
            return content(&mut |name, bytes| {
                let path = occupied.join(name);
                self.file(&path, force, false, |out| put(out, &path, bytes))
            });
        }
        let real = match found {
            Some(empty) => empty,
            None => Target::of(path, false)?.path,
        };
        let (workspace, staged) = self.stage(path, target::folder_of(&real))?;
        disk::make_folder(&staged).map_err(|e| Error::io(path, e))?;
        content(&mut |name, bytes| {
            new_file(&staged.join(name), bytes).map_err(|e| Error::io(path, e))
        })?;
        disk::sync_folder(&staged).map_err(|e| Error::io(path, e))?;
        // It replaces an empty folder at most: a folder cannot be moved onto anything else.
        self.add(path, workspace, staged, real, true)
    }

    /// Where the next piece for `folder` is made ready.
    fn stage(&mut self, path: &Path, folder: &Path) -> Result<(usize, PathBuf)> {
        let known = self.workspaces.iter().position(|workspace| workspace.folder == folder);
        let place = known.unwrap_or(self.workspaces.len());
        if known.is_none() {
            self.workspaces.push(Workspace::within(folder).map_err(|e| Error::io(path, e))?);
        }
        let name = self.pieces.len().to_string();
        Ok((place, self.workspaces[place].hidden.join(name)))
    }

    fn add(
        &mut self,
        path: &Path,
        workspace: usize,
        staged: PathBuf,
        target: PathBuf,
        replace: bool,
    ) -> Result<()> {
        if self.pieces.iter().any(|piece| piece.target == target) {
            return Err(named_twice(path));
        }
        self.pieces.push(Piece {
            named: path.to_owned(),
            workspace,
            staged,
            target,
            replace,
            aside: None,
            over_folder: false,
            is_placed: false,
        });
        Ok(())
    }

    /// All take their places, in the order in which they were made ready, each flushed to the
    /// disk before the next; or, where one cannot, none.
    pub fn commit(self) -> Result<()> {
        self.commit_or(|| ())
    }

    /// As [`Batch::commit`]; calls `undone` where it failed and nothing of it will ever appear.
    pub(crate) fn commit_or(mut self, undone: impl FnOnce()) -> Result<()> {
        let Err((error, is_undone)) = self.move_all() else { return Ok(()) };
        match is_undone {
            true => undone(),
            false => self.workspaces.into_iter().for_each(Workspace::leave),
        }
        Err(error)
    }

    fn move_all(&mut self) -> std::result::Result<(), (Error, bool)> {
        let _locks = self.lock_folders().map_err(|error| (error, true))?;
        let _steady = unfinished::steady();
        let placed = self.announce().and_then(|()| self.place_all());
        placed.map_err(|error| self.take_back(error))
    }

    /// One lock for each folder, in an order that all runs agree on. What a killed run was about
    /// to move there is moved first, lest it come in the place of something newer.
    fn lock_folders(&self) -> Result<Vec<Option<Lock>>> {
        let mut folders: Vec<&Path> = self.workspaces.iter().map(|w| w.folder.as_path()).collect();
        folders.sort_unstable();
        let locked = |folder| {
            let lock = lock_folder(folder).map_err(|e| Error::io(folder, e))?;
            leftovers::sweep(folder).map(|()| lock)
        };
        folders.into_iter().map(locked).collect()
    }

    /// Writes down what is to be moved where.
    fn announce(&self) -> Result<()> {
        for (i, workspace) in self.workspaces.iter().enumerate() {
            let own = self.pieces.iter().filter(|piece| piece.workspace == i);
            let moves: Vec<Move> = own.filter_map(Piece::as_move).collect();
            let announced = pending::announce(&workspace.hidden, &moves);
            let announced = announced.and_then(|()| disk::sync_folder(&workspace.folder));
            announced.map_err(|e| Error::io(&workspace.folder, e))?;
        }
        Ok(())
    }

    fn place_all(&mut self) -> Result<()> {
        self.pieces.iter_mut().try_for_each(|piece| {
            let placed = piece.take_place();
            placed.map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => Error::OutputExists(piece.named.clone()),
                _ => Error::io(&piece.named, error),
            })
        })
    }

    /// Everything as it was. Gives the error with what happened then: true when it is, false when
    /// what was announced stays to be done.
    fn take_back(&mut self, error: Error) -> (Error, bool) {
        let back = self.pieces.iter_mut().rev().try_for_each(Piece::take_back);
        let withdraw = |()| self.workspaces.iter().try_for_each(|w| pending::withdraw(&w.hidden));
        match back.and_then(withdraw) {
            Ok(()) => (error, true),
            Err(why) => {
                let folders: Vec<String> =
                    self.workspaces.iter().map(|w| w.folder.display().to_string()).collect();
                let problem = format!(
                    "{error}; what was there before could not be put back ({why}), and the next \
                     command that writes there will finish this one"
                );
                (Error::input(folders.join(", "), problem), false)
            }
        }
    }
}

impl Piece {
    fn as_move(&self) -> Option<Move> {
        let (from, to) = (self.staged.file_name()?, self.target.file_name()?);
        Some(Move { from: from.to_owned(), to: to.to_owned(), replace: self.replace })
    }

    fn take_place(&mut self) -> io::Result<()> {
        if self.replace && self.target.is_file() {
            let aside = self.staged.with_extension("old");
            disk::set_aside(&self.target, &aside)?;
            self.aside = Some(aside);
        }
        self.over_folder = self.target.is_dir();
        match self.replace {
            true => disk::replace(&self.staged, &self.target)?,
            false => disk::place(&self.staged, &self.target)?,
        }
        self.is_placed = true;
        disk::sync_folder(target::folder_of(&self.target))
    }

    fn take_back(&mut self) -> io::Result<()> {
        if self.is_placed {
            disk::replace(&self.target, &self.staged)?;
            self.is_placed = false;
            if self.over_folder {
                disk::make_folder(&self.target)?;
            }
        }
        if let Some(aside) = &self.aside {
            disk::replace(aside, &self.target)?;
            self.aside = None;
        }
        Ok(())
    }
}

fn put(out: &mut dyn Write, path: &Path, bytes: &[u8]) -> Result<()> {
    out.write_all(bytes).map_err(|e| Error::io(path, e))
}

fn new_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = Written::create(path, false)?;
    file.write_all(bytes)?;
    file.sync()
}
