//! Files on disk: written in one step, told apart by checksum.

mod atomic;
mod digest;

pub use atomic::{
    OutputFile, check_folder_writable, check_writable, remove_unfinished, write_file, write_files,
    write_folder, write_private_file,
};
pub use digest::{FileDigest, sha256};
