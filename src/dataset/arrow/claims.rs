//! What a Parquet file claims about its size, looked at before memory is reserved for it.
//!
//! The library that reads Parquet reserves what lists and pages are said to hold. A damaged or
//! malicious length could ask for more than there is, and a process that gets no memory ends
//! without a word. So the footer and the headers of all pages are walked through once: they are
//! structs in Thrift's compact protocol. Cost: O(bytes of footer and headers).

use crate::dataset::allowance::{CELL, Refusal, allowed, check_cells, too_large};
use parquet::file::metadata::ParquetMetaData;

/// More groups of columns than a file of records has; the library's stack bears that many.
const MOST_GROUPS: usize = 1_000;

/// Fails when `footer` announces more than it has bytes for.
pub(super) fn check_footer(file: &[u8]) -> Result<(), Refusal> {
    let Some((rest, tail)) = file.split_last_chunk::<8>() else { return Ok(()) };
    let length = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]) as usize;
    // What is no footer the library says better.
    let Some(start) = rest.len().checked_sub(length) else { return Ok(()) };
    let mut groups = 0;
    let mut footer = Walk { bytes: &rest[start..], at: 0 };
    let elements = |walk: &mut Walk<'_>, field| match field {
        Field { id: SCHEMA, kind: LIST } => walk.list(|walk, _| {
            walk.fields(0, |walk, field| match field {
                Field { id: CHILDREN, kind: I32 } => {
                    groups += 1;
                    walk.integer().map(drop)
                }
                other => walk.skip(other.kind, 0),
            })
        }),
        other => walk.skip(other.kind, 0),
    };
    footer.fields(0, elements).ok_or("its footer is damaged")?;
    match groups > MOST_GROUPS {
        true => Err("it has columns within columns; make it flat".into()),
        false => Ok(()),
    }
}

/// Fails when `metadata` or a page of `file` claims what would take far more memory than so many
/// bytes can hold.
pub(super) fn check_size(file: &[u8], metadata: &ParquetMetaData) -> Result<(), Refusal> {
    let allowed = allowed(file.len());
    let groups = metadata.row_groups();
    let of_groups = groups.iter().fold(0u64, |sum, g| sum.saturating_add(natural(g.num_rows())));
    let rows = of_groups.max(natural(metadata.file_metadata().num_rows()));
    let columns = metadata.file_metadata().schema_descr().num_columns() as u64;
    check_cells(rows, columns, file.len())?;
    let mut unpacked = 0u64;
    for column in groups.iter().flat_map(|group| group.columns()) {
        let (start, length) = column.byte_range();
        let end = start.checked_add(length).filter(|end| *end <= file.len() as u64);
        let end = end.ok_or("a column lies beyond its end")?;
        let pages = Pages { walk: Walk { bytes: &file[start as usize..end as usize], at: 0 } };
        for page in pages {
            let page = page?;
            unpacked = unpacked.saturating_add(page.unpacked);
            if unpacked > allowed || page.values.saturating_mul(CELL) > allowed {
                let claim = format!("pages of {unpacked} bytes in {} bytes", file.len());
                return Err(too_large(&claim));
            }
        }
    }
    Ok(())
}

/// A count; one below 0 is as bad as one that is too large.
fn natural(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// What the header of a page claims.
struct Page {
    unpacked: u64,
    values: u64,
}

/// The pages of a column, from its first byte on.
struct Pages<'a> {
    walk: Walk<'a>,
}

impl Iterator for Pages<'_> {
    type Item = Result<Page, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.walk.at >= self.walk.bytes.len() {
            return None;
        }
        Some(self.page().ok_or_else(|| "the header of a page is damaged".into()))
    }
}

impl Pages<'_> {
    /// The next page; what it holds is passed over.
    fn page(&mut self) -> Option<Page> {
        let (mut unpacked, mut packed, mut values) = (None, None, 0);
        self.walk.fields(0, |walk, field| match field {
            Field { id: UNPACKED, kind: I32 } => walk.count().map(|n| unpacked = Some(n)),
            Field { id: PACKED, kind: I32 } => walk.count().map(|n| packed = Some(n)),
            Field { id: DATA | DICTIONARY | DATA_2, kind: STRUCT } => {
                walk.fields(1, |walk, field| match field {
                    Field { id: VALUES, kind: I32 } => walk.count().map(|n| values = n),
                    other => walk.skip(other.kind, 1),
                })
            }
            other => walk.skip(other.kind, 0),
        })?;
        let end = self.walk.at.saturating_add(usize::try_from(packed?).ok()?);
        // A file may say too little about the length of a column; the library knows such files.
        self.walk.at = end.min(self.walk.bytes.len());
        Some(Page { unpacked: unpacked?, values })
    }
}

// Numbers of fields in Parquet's structs.
const SCHEMA: i64 = 2;
const CHILDREN: i64 = 5;
const UNPACKED: i64 = 2;
const PACKED: i64 = 3;
const DATA: i64 = 5;
const DICTIONARY: i64 = 7;
const DATA_2: i64 = 8;
const VALUES: i64 = 1;

// Kinds of values in Thrift's compact protocol.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I8: u8 = 3;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;
const UUID: u8 = 13;

/// Structs within structs beyond this are damage.
const DEEPEST: usize = 64;

/// A field of a struct.
#[derive(Clone, Copy)]
struct Field {
    id: i64,
    kind: u8,
}

/// A place in bytes of Thrift's compact protocol. Every call gives `None` where they are damaged.
struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn pass(&mut self, length: usize) -> Option<()> {
        self.at = self.at.checked_add(length).filter(|at| *at <= self.bytes.len())?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn integer(&mut self) -> Option<i64> {
        let zigzag = self.varint()?;
        Some((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// An integer that counts something.
    fn count(&mut self) -> Option<u64> {
        self.integer().and_then(|n| u64::try_from(n).ok())
    }

    /// Calls `visit` at the value of each field of a struct, which must pass it.
    fn fields(
        &mut self,
        depth: usize,
        mut visit: impl FnMut(&mut Self, Field) -> Option<()>,
    ) -> Option<()> {
        if depth >= DEEPEST {
            return None;
        }
        let mut id = 0i64;
        loop {
            let header = self.byte()?;
            let kind = header & 0x0f;
            if kind == 0 {
                return Some(());
            }
            id = match header >> 4 {
                0 => self.integer()?,
                step => id.checked_add(i64::from(step))?,
            };
            visit(self, Field { id, kind })?;
        }
    }

    /// Calls `visit` at each element of a list, with its kind.
    fn list(&mut self, mut visit: impl FnMut(&mut Self, u8) -> Option<()>) -> Option<()> {
        let header = self.byte()?;
        let size = match header >> 4 {
            15 => self.varint()?,
            few => u64::from(few),
        };
        // Every element has a byte at least.
        if size > self.left() as u64 {
            return None;
        }
        (0..size).try_for_each(|_| visit(self, header & 0x0f))
    }

    /// Passes a value of a field.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            TRUE | FALSE => Some(()),
            I8 => self.pass(1),
            4 | I32 | I64 => self.varint().map(drop),
            DOUBLE => self.pass(8),
            BINARY => {
                let length = self.varint()?;
                self.pass(usize::try_from(length).ok()?)
            }
            LIST | SET => self.list(|walk, kind| walk.element(kind, depth)),
            MAP => self.map(depth),
            STRUCT => self.fields(depth + 1, |walk, field| walk.skip(field.kind, depth + 1)),
            UUID => self.pass(16),
            _ => None,
        }
    }

    /// Passes an element of a list: there truth values take a byte.
    fn element(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            TRUE | FALSE => self.pass(1),
            LIST | SET | MAP if depth >= DEEPEST => None,
            other => self.skip(other, depth + 1),
        }
    }

    fn map(&mut self, depth: usize) -> Option<()> {
        let size = self.varint()?;
        if size == 0 {
            return Some(());
        }
        let kinds = self.byte()?;
        if size > self.left() as u64 {
            return None;
        }
        (0..size).try_for_each(|_| {
            self.element(kinds >> 4, depth)?;
            self.element(kinds & 0x0f, depth)
        })
    }
}
