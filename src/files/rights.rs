//! Who may do what with a file.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// The mode of `path` when others than its owner may read or write it.
#[cfg(unix)]
pub fn open_to_others(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

/// Not known on this system.
#[cfg(not(unix))]
pub fn open_to_others(_path: &Path) -> Option<u32> {
    None
}

/// Gives `file` mode and owner of the one it is to replace, as far as the system allows it.
///
/// A group that cannot be kept must not have the rights of another: it may then do what
/// everybody may. Of a private file the owner alone keeps any.
#[cfg(unix)]
pub(super) fn take_over(file: &File, replaced: &Metadata, private: bool) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let mut mode = replaced.mode() & if private { 0o600 } else { 0o777 };
    let (own, group) = (file.metadata()?, Some(replaced.gid()));
    let is_same = own.uid() == replaced.uid() && own.gid() == replaced.gid();
    let kept = || fchown(file, Some(replaced.uid()), group).or_else(|_| fchown(file, None, group));
    if !is_same && kept().is_err() {
        mode &= 0o707 | (mode & 0o007) << 3;
    }
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

/// Nothing to take over on this system.
#[cfg(not(unix))]
pub(super) fn take_over(_file: &File, _replaced: &Metadata, _private: bool) -> io::Result<()> {
    Ok(())
}

/// What tells a file from every other one, whatever its name.
#[cfg(unix)]
pub(super) type Identity = (u64, u64);

/// What tells a file from every other one: where it lies, links followed.
#[cfg(not(unix))]
pub(super) type Identity = std::path::PathBuf;

/// The identity of the file that `path` leads to, if there is one.
#[cfg(unix)]
pub(super) fn identity(path: &Path) -> Option<Identity> {
    std::fs::metadata(path).ok().map(|metadata| identity_of(&metadata))
}

/// The identity of the file that `path` leads to, if there is one.
#[cfg(not(unix))]
pub(super) fn identity(path: &Path) -> Option<Identity> {
    path.canonicalize().ok()
}

/// True while `path` still leads to the open `file`.
#[cfg(unix)]
pub(crate) fn leads_to(path: &Path, file: &File) -> bool {
    let open = file.metadata().ok().map(|metadata| identity_of(&metadata));
    open.is_some() && open == identity(path)
}

/// True: open files are not replaced on this system.
#[cfg(not(unix))]
pub(crate) fn leads_to(_path: &Path, _file: &File) -> bool {
    true
}

#[cfg(unix)]
fn identity_of(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// True for folders such as /tmp, where everybody may write but not replace what others wrote.
#[cfg(unix)]
pub(super) fn is_sticky(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(folder).is_ok_and(|metadata| metadata.permissions().mode() & 0o1000 != 0)
}

/// There are none on this system.
#[cfg(not(unix))]
pub(super) fn is_sticky(_folder: &Path) -> bool {
    false
}
