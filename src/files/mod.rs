//! Files on disk: written in one step, told apart by checksum.
//!
//! What every writer here promises:
//!
//! - A reader sees a whole file, the old one or the new one, never a part. New content is written
//!   to a hidden folder beside its target (`.unmask-*.part`, open to its owner alone), flushed to
//!   the disk, and moved to its place; then the folder it is in is flushed, too.
//! - Files that belong together ([`Batch`]) appear together. When one of them cannot take its
//!   place, those before it are put back as they were. A run that is killed while it moves them
//!   leaves a record of what is to be moved, and the next run that writes into that folder
//!   finishes it; files in several folders are finished folder by folder. Nothing is finished in
//!   folders with the sticky bit, such as /tmp, where others could have left the record.
//! - Only regular files are replaced, and only with `force`: no device, pipe, socket or folder. A
//!   link is followed: the file it leads to is replaced, and the link stays; a link that leads
//!   nowhere is refused. Other names (hard links) of a replaced file keep the old content.
//! - A file that replaces another has its mode, its owner and its group where the system allows
//!   that; otherwise its group may do no more than everybody. Access lists and extended
//!   attributes are not kept. Private files are for their owner alone, whatever was there.
//! - A command does not write over what it reads ([`check_apart`]).
//! - What a killed run left is removed by the next run that writes into the folder, and never
//!   what belongs to a run that lives: it holds a lock on its hidden folder. What another machine
//!   left, whose locks may not be seen here, is removed when it is a day old.
//!
//! The promises rest on the file system: on renames that are atomic and on flushes that last.
//! Locks are advisory: they hold between runs of this program.

mod batch;
mod digest;
mod disk;
mod fault;
mod leftovers;
mod lock;
mod pending;
mod rights;
mod target;
mod unfinished;
mod workspace;
mod write;

pub use batch::Batch;
pub use digest::{FileDigest, sha256};
#[cfg(feature = "report")]
pub(crate) use disk::append;
#[cfg(feature = "report")]
pub(crate) use lock::lock_open;
pub use lock::{Lock, lock_file};
#[cfg(feature = "report")]
pub(crate) use rights::leads_to;
pub use rights::open_to_others;
pub use target::{check_apart, check_folder_writable, check_outputs, check_writable};
pub use unfinished::remove_unfinished;
pub use write::{OutputFile, write_file, write_files, write_into, write_private_file};
