//! The record of what is about to be moved, for the run after a killed one.

use super::disk::{self, Written};
use super::rights::is_sticky;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Component, Path};

/// Its name in the hidden folder whose files are to be moved.
const NAME: &str = "moves.json";

/// One thing that is to be moved out of the hidden folder, to the one it is in.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Move {
    /// Its name in the hidden folder.
    pub from: OsString,
    /// The name that it is to have.
    pub to: OsString,
    /// In place of what has that name.
    pub replace: bool,
}

/// Writes down that everything is ready in `hidden` and is to be moved.
pub(super) fn announce(hidden: &Path, moves: &[Move]) -> io::Result<()> {
    let mut file = Written::create(&hidden.join(NAME), true)?;
    file.write_all(&serde_json::to_vec(moves)?)?;
    file.sync()?;
    disk::sync_folder(hidden)
}

/// Takes that back; from then on nothing will be moved.
pub(super) fn withdraw(hidden: &Path) -> io::Result<()> {
    match std::fs::remove_file(hidden.join(NAME)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Moves what a killed run was about to move from `hidden` to `folder`; a record that is not
/// whole moves nothing, for then nothing had been moved.
pub(super) fn finish(hidden: &Path, folder: &Path) -> io::Result<()> {
    let Ok(text) = std::fs::read(hidden.join(NAME)) else { return Ok(()) };
    let Ok(moves) = serde_json::from_slice::<Vec<Move>>(&text) else { return Ok(()) };
    if is_sticky(folder) {
        return Ok(());
    }
    for Move { from, to, replace } in moves.iter().filter(|m| is_name(&m.from) && is_name(&m.to)) {
        let (from, to) = (hidden.join(from), folder.join(to));
        if from.is_symlink() || !from.exists() {
            continue;
        }
        match *replace || from.is_dir() {
            true => disk::replace(&from, &to)?,
            // What has come there since stays.
            false => match disk::place(&from, &to) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            },
        }
    }
    disk::sync_folder(folder)
}

/// One plain name, so that nothing leaves the folder.
fn is_name(name: &OsStr) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(only)), None) if only == name)
}
