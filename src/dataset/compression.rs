//! Files that are compressed as a whole: `.gz` and `.zst` after the extension of what is in them.

use crate::error::{Error, Result};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstandard,
}

/// What a compressed file may hold beside a thousand times its own size: more is damage, or made to
/// exhaust memory.
const SMALL: u64 = 256 << 20;
const RATIO: u64 = 1_000;

impl Compression {
    /// The compression that the extension of `path` names, and the path of what is in it.
    pub fn of(path: &Path) -> Option<(Self, PathBuf)> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let compression = match extension.as_str() {
            "gz" => Self::Gzip,
            "zst" => Self::Zstandard,
            _ => return None,
        };
        Some((compression, path.with_extension("")))
    }

    /// What `bytes` of `file` hold. Fails on damage, and on more than such a file may hold.
    pub fn unpacked(self, file: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        let limit = SMALL.max(RATIO.saturating_mul(bytes.len() as u64));
        let mut unpacked = Vec::new();
        let read = match self {
            Self::Gzip => flate2::bufread::MultiGzDecoder::new(bytes)
                .take(limit + 1)
                .read_to_end(&mut unpacked),
            Self::Zstandard => zstandard::unpacked(bytes, limit + 1, &mut unpacked),
        };
        let problem = match read {
            Err(error) => format!("cannot be decompressed ({error}); get a fresh copy"),
            Ok(_) if unpacked.len() as u64 > limit => {
                format!("holds more than {RATIO} times its size; decompress it yourself")
            }
            Ok(_) => return Ok(unpacked),
        };
        Err(Error::input(file, problem))
    }

    /// `bytes`, compressed.
    pub fn packed(self, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Gzip => {
                let level = flate2::Compression::default();
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
                encoder.write_all(bytes)?;
                encoder.finish()
            }
            Self::Zstandard => zstandard::packed(bytes),
        }
    }
}

#[cfg(feature = "parquet")]
mod zstandard {
    use std::io::{Read, Result};

    pub fn unpacked(bytes: &[u8], limit: u64, to: &mut Vec<u8>) -> Result<usize> {
        zstd::Decoder::with_buffer(bytes)?.take(limit).read_to_end(to)
    }

    pub fn packed(bytes: &[u8]) -> Result<Vec<u8>> {
        zstd::encode_all(bytes, zstd::DEFAULT_COMPRESSION_LEVEL)
    }
}

/// Stands in for what comes with Parquet.
#[cfg(not(feature = "parquet"))]
mod zstandard {
    use std::io::{Error, Result};

    const LEFT_OUT: &str = "this build of unmask leaves Zstandard out; use gzip, or build with the \
                            feature parquet";

    pub fn unpacked(_bytes: &[u8], _limit: u64, _to: &mut Vec<u8>) -> Result<usize> {
        Err(Error::other(LEFT_OUT))
    }

    pub fn packed(_bytes: &[u8]) -> Result<Vec<u8>> {
        Err(Error::other(LEFT_OUT))
    }
}
