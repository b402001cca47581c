//! What every specification begins with, whatever its kind.

use super::check::KeyTable;
use crate::files;
use crate::words::is_file_name;
use std::path::Path;

/// File, folder and table, title and reading of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The file as the user named it.
    pub file: String,
    /// Name of the file's folder, which is that of the publication: `abril2012`.
    pub folder: String,
    /// Name of the file without its extension: `table3`.
    pub table: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Heading of the results.
    pub title: String,
    /// Which reading of the publication this is.
    pub reading: String,
}

impl Heading {
    /// Takes `kind`, `title` and `reading` out of the whole file.
    pub(crate) fn take(file: &str, text: &str, whole: &mut KeyTable<'_>) -> Option<Self> {
        let _: Option<String> = whole.take("kind");
        let title: Option<String> = whole.needed("title", "a heading for the results");
        let reading: Option<String> = whole.take("reading");
        let path = Path::new(file);
        let table = path.file_stem()?.to_string_lossy().into_owned();
        if !is_file_name(&table) {
            whole.say("results go to a folder of the file's name, and no folder can have it");
        }
        Some(Self {
            file: file.to_owned(),
            folder: folder_name(path),
            table,
            sha256: files::sha256(text.as_bytes()),
            title: title?,
            reading: reading.unwrap_or_default(),
        })
    }

    /// `abril2012/table3`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.folder, self.table)
    }
}

/// Name of the folder that `path` stands in.
fn folder_name(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = absolute.parent().and_then(Path::file_name);
    folder.map_or_else(|| "experiment".into(), |name| name.to_string_lossy().into_owned())
}
