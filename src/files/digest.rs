//! Checksums: which bytes a result was made from.

use crate::dataset::{catalog, not_readable};
use crate::error::Result;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::path::Path;

/// SHA-256 of `bytes` in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// A file and its checksum.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileDigest {
    /// What the file was used as.
    pub role: &'static str,
    /// Its name as it was typed.
    pub file: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

impl FileDigest {
    /// The checksum of `file`, a path or the name of a built-in data set.
    pub fn of(role: &'static str, file: &str) -> Result<Self> {
        let path = Path::new(file);
        let sha256 = match catalog::find(file) {
            Some(built_in) if !path.exists() => sha256(built_in.content),
            _ => sha256(&std::fs::read(path).map_err(|e| not_readable(path, e))?),
        };
        Ok(Self { role, file: file.to_owned(), sha256 })
    }
}
